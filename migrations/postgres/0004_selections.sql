ALTER TABLE "links" ADD COLUMN "selection_patterns" text;--> statement-breakpoint
ALTER TABLE "links" ADD COLUMN "selection_key" text;