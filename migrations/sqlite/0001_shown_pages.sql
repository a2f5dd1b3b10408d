CREATE TABLE `shown_pages` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`link` text NOT NULL,
	`side` text NOT NULL,
	`ids_json` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `shown_pages_place` ON `shown_pages` (`link`,`side`);--> statement-breakpoint
DROP TABLE `seen`;--> statement-breakpoint
-- A listing under way begins anew: what it had shown so far stood in the table that is gone.
UPDATE `cursors` SET `cursor` = NULL, `resume` = NULL, `listing_started_at_ms` = NULL WHERE `listing_started_at_ms` IS NOT NULL;
