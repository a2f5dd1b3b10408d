ALTER TABLE `journal` ADD `destroys` integer DEFAULT false NOT NULL;--> statement-breakpoint
UPDATE `journal` SET `destroys` = 1 WHERE `kind` = 'delete';--> statement-breakpoint
CREATE INDEX `journal_destroys` ON `journal` (`link`,`intended_at_ms`) WHERE "journal"."destroys" = 1;--> statement-breakpoint
ALTER TABLE `links` ADD `accepted_run` text;--> statement-breakpoint
ALTER TABLE `links` ADD `accepted_at_ms` integer;