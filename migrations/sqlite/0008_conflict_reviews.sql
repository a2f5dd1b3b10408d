ALTER TABLE `conflicts` ADD `review` text;--> statement-breakpoint
ALTER TABLE `conflicts` ADD `reviewed_at_ms` integer;