CREATE TABLE `budgets` (
	`key` text PRIMARY KEY NOT NULL,
	`state_json` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `conflicts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`link` text NOT NULL,
	`run` text NOT NULL,
	`google_id` text NOT NULL,
	`service_id` text NOT NULL,
	`field` text NOT NULL,
	`google` text NOT NULL,
	`service` text NOT NULL,
	`winner` text NOT NULL,
	`at_ms` integer NOT NULL,
	`resolved_at_ms` integer
);
--> statement-breakpoint
CREATE INDEX `conflicts_link` ON `conflicts` (`link`,`id`);--> statement-breakpoint
CREATE TABLE `cursors` (
	`link` text NOT NULL,
	`side` text NOT NULL,
	`cursor` text,
	`read_at_ms` integer,
	`resume` text,
	`listing_started_at_ms` integer,
	PRIMARY KEY(`link`, `side`)
);
--> statement-breakpoint
CREATE TABLE `group_pairs` (
	`link` text NOT NULL,
	`key` text NOT NULL,
	`status` text NOT NULL,
	`settled` integer NOT NULL,
	`google_id` text,
	`google_name` text,
	`service_id` text,
	`service_name` text,
	PRIMARY KEY(`link`, `key`)
);
--> statement-breakpoint
CREATE TABLE `journal` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`link` text NOT NULL,
	`run` text NOT NULL,
	`side` text NOT NULL,
	`kind` text NOT NULL,
	`state` text NOT NULL,
	`pair_id` integer,
	`google_id` text,
	`service_id` text,
	`intent_json` text NOT NULL,
	`before_json` text,
	`after_json` text,
	`error` text,
	`intended_at_ms` integer NOT NULL,
	`settled_at_ms` integer
);
--> statement-breakpoint
CREATE INDEX `journal_intended` ON `journal` (`link`) WHERE "journal"."state" = 'intended';--> statement-breakpoint
CREATE INDEX `journal_run` ON `journal` (`run`);--> statement-breakpoint
CREATE TABLE `links` (
	`name` text PRIMARY KEY NOT NULL,
	`state` text NOT NULL,
	`reason` text,
	`google_account` text,
	`service_account` text,
	`google_credential` text,
	`service_credential` text,
	`swept_at_ms` integer,
	`lease_owner` text,
	`lease_until_ms` integer
);
--> statement-breakpoint
CREATE TABLE `pairs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`link` text NOT NULL,
	`status` text NOT NULL,
	`google_id` text,
	`service_id` text,
	`google_base_json` text,
	`service_base_json` text,
	`google_record_json` text,
	`service_record_json` text,
	`google_written_at_ms` integer,
	`service_written_at_ms` integer,
	`google_absences` integer DEFAULT 0 NOT NULL,
	`service_absences` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `pairs_google` ON `pairs` (`link`,`google_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `pairs_service` ON `pairs` (`link`,`service_id`);--> statement-breakpoint
CREATE INDEX `pairs_alone` ON `pairs` (`link`) WHERE "pairs"."status" <> 'linked';--> statement-breakpoint
CREATE TABLE `rejections` (
	`link` text NOT NULL,
	`side` text NOT NULL,
	`key` text NOT NULL,
	`google_id` text,
	`service_id` text,
	`reason` text NOT NULL,
	`source_fingerprint` text NOT NULL,
	`attempts` integer NOT NULL,
	`retry_at_ms` integer NOT NULL,
	PRIMARY KEY(`link`, `side`, `key`)
);
--> statement-breakpoint
CREATE TABLE `runs` (
	`id` text PRIMARY KEY NOT NULL,
	`link` text NOT NULL,
	`kind` text NOT NULL,
	`outcome` text NOT NULL,
	`reason` text,
	`started_at_ms` integer NOT NULL,
	`ended_at_ms` integer,
	`summary_json` text
);
--> statement-breakpoint
CREATE INDEX `runs_link` ON `runs` (`link`,`started_at_ms`);--> statement-breakpoint
CREATE TABLE `seen` (
	`link` text NOT NULL,
	`side` text NOT NULL,
	`id` text NOT NULL,
	PRIMARY KEY(`link`, `side`, `id`)
);
--> statement-breakpoint
CREATE TABLE `staged` (
	`link` text NOT NULL,
	`side` text NOT NULL,
	`id` text NOT NULL,
	`kind` text NOT NULL,
	`record_json` text,
	`staged_at_ms` integer NOT NULL,
	PRIMARY KEY(`link`, `side`, `id`)
);
