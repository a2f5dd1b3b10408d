DROP INDEX "journal_run";--> statement-breakpoint
ALTER TABLE "halves" ADD COLUMN "search" text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX "halves_blank" ON "halves" USING btree ("link") WHERE "halves"."search" = '';--> statement-breakpoint
CREATE INDEX "journal_deletions" ON "journal" USING btree ("link") WHERE "journal"."kind" = 'delete' and "journal"."state" = 'done';--> statement-breakpoint
CREATE INDEX "journal_left" ON "journal" USING btree ("link","left_id") WHERE "journal"."left_id" is not null;--> statement-breakpoint
CREATE INDEX "journal_right" ON "journal" USING btree ("link","right_id") WHERE "journal"."right_id" is not null;--> statement-breakpoint
CREATE INDEX "journal_pair" ON "journal" USING btree ("link","pair_id") WHERE "journal"."pair_id" is not null;--> statement-breakpoint
CREATE INDEX "journal_answered" ON "journal" USING btree ("link",("after_json"::json ->> 'id')) WHERE "journal"."after_json" is not null;--> statement-breakpoint
CREATE INDEX "journal_run" ON "journal" USING btree ("link","run","id","kind");