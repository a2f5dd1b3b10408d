ALTER TABLE `links` ADD `fields_name` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `links` ADD `fields_joining` text;