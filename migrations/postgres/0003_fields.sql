ALTER TABLE "links" ADD COLUMN "fields_name" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "links" ADD COLUMN "fields_joining" text;