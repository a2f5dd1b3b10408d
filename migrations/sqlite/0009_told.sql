ALTER TABLE `links` ADD `told_trouble` text;--> statement-breakpoint
ALTER TABLE `links` ADD `failing_since_ms` integer;--> statement-breakpoint
ALTER TABLE `links` ADD `told_claimed_until_ms` integer;