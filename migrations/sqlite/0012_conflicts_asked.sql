CREATE TABLE `__new_conflicts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`link` text NOT NULL,
	`run` text NOT NULL,
	`left_id` text NOT NULL,
	`right_id` text NOT NULL,
	`field` text NOT NULL,
	`left` text NOT NULL,
	`right` text NOT NULL,
	`winner` text,
	`at_ms` integer NOT NULL,
	`resolved_at_ms` integer,
	`review` text,
	`reviewed_at_ms` integer
);
--> statement-breakpoint
INSERT INTO `__new_conflicts`("id", "link", "run", "left_id", "right_id", "field", "left", "right", "winner", "at_ms", "resolved_at_ms", "review", "reviewed_at_ms") SELECT "id", "link", "run", "left_id", "right_id", "field", "left", "right", "winner", "at_ms", "resolved_at_ms", "review", "reviewed_at_ms" FROM `conflicts`;--> statement-breakpoint
DROP TABLE `conflicts`;--> statement-breakpoint
ALTER TABLE `__new_conflicts` RENAME TO `conflicts`;--> statement-breakpoint
CREATE INDEX `conflicts_link` ON `conflicts` (`link`,`id`);