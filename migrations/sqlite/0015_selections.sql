ALTER TABLE `links` ADD `selection_patterns` text;--> statement-breakpoint
ALTER TABLE `links` ADD `selection_key` text;