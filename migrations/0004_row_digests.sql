ALTER TABLE `pairs` ADD `google_digest` text;--> statement-breakpoint
ALTER TABLE `pairs` ADD `service_digest` text;