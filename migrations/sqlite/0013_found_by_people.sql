DROP INDEX `halves_light`;--> statement-breakpoint
ALTER TABLE `halves` ADD `search` text DEFAULT '' NOT NULL;--> statement-breakpoint
-- Written by hand: the function is the program's own, which the text of each put comes from too.
UPDATE `halves` SET `search` = search_text(`record_json`);--> statement-breakpoint
CREATE INDEX `halves_blank` ON `halves` (`link`) WHERE "halves"."search" = '';--> statement-breakpoint
CREATE INDEX `halves_light` ON `halves` (`link`,`side`,`pair`,`state`,`absences`,`heard_at_ms`,`id`,`search`);--> statement-breakpoint
DROP INDEX `journal_run`;--> statement-breakpoint
CREATE INDEX `journal_deletions` ON `journal` (`link`) WHERE "journal"."kind" = 'delete' and "journal"."state" = 'done';--> statement-breakpoint
CREATE INDEX `journal_left` ON `journal` (`link`,`left_id`) WHERE "journal"."left_id" is not null;--> statement-breakpoint
CREATE INDEX `journal_right` ON `journal` (`link`,`right_id`) WHERE "journal"."right_id" is not null;--> statement-breakpoint
CREATE INDEX `journal_pair` ON `journal` (`link`,`pair_id`) WHERE "journal"."pair_id" is not null;--> statement-breakpoint
CREATE INDEX `journal_answered` ON `journal` (`link`,"after_json" ->> 'id') WHERE "journal"."after_json" is not null;--> statement-breakpoint
CREATE INDEX `journal_run` ON `journal` (`link`,`run`,`id`,`kind`);