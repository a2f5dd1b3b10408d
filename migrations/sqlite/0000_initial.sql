CREATE TABLE `budgets` (
	`key` text PRIMARY KEY NOT NULL,
	`state_json` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `conflicts` (
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
	`ended_at_ms` integer,
	`decided` text
);
--> statement-breakpoint
CREATE TABLE `credentials` (
	`link` text NOT NULL,
	`side` text NOT NULL,
	`sealed_json` text NOT NULL,
	PRIMARY KEY(`link`, `side`)
);
--> statement-breakpoint
CREATE TABLE `cursors` (
	`link` text NOT NULL,
	`side` text NOT NULL,
	`cursor` text,
	`read_at_ms` integer,
	`resume` text,
	`listing_started_at_ms` integer,
	`listed_at_ms` integer,
	PRIMARY KEY(`link`, `side`)
);
--> statement-breakpoint
CREATE TABLE `group_pairs` (
	`link` text NOT NULL,
	`key` text NOT NULL,
	`status` text NOT NULL,
	`united` integer NOT NULL,
	`left_id` text,
	`left_name` text,
	`left_next_name` text,
	`right_id` text,
	`right_name` text,
	`right_next_name` text,
	PRIMARY KEY(`link`, `key`)
);
--> statement-breakpoint
CREATE TABLE `halves` (
	`link` text NOT NULL,
	`side` text NOT NULL,
	`id` text NOT NULL,
	`pair` integer,
	`former_pair` integer,
	`state` text NOT NULL,
	`absences` integer DEFAULT 0 NOT NULL,
	`last_listed_at_ms` integer,
	`heard_at_ms` integer NOT NULL,
	`written_at_ms` integer,
	`edit_written_at_ms` integer,
	`edited_at_ms` integer,
	`merged_into` text,
	`digest` text,
	`base_json` text,
	`record_json` text NOT NULL,
	`search` text DEFAULT '' NOT NULL,
	PRIMARY KEY(`link`, `side`, `id`)
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
	`left_id` text,
	`right_id` text,
	`intent_json` text NOT NULL,
	`before_json` text,
	`after_json` text,
	`error` text,
	`intended_at_ms` integer NOT NULL,
	`settled_at_ms` integer,
	`destroys` integer DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE `key_salt` (
	`id` integer PRIMARY KEY NOT NULL,
	`salt` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `links` (
	`name` text PRIMARY KEY NOT NULL,
	`state` text NOT NULL,
	`reason` text,
	`left_account` text,
	`right_account` text,
	`accounts_key` text,
	`left_credential` text,
	`right_credential` text,
	`lease_owner` text,
	`lease_until_ms` integer,
	`lease_token` integer DEFAULT 0 NOT NULL,
	`accepted_run` text,
	`accepted_at_ms` integer,
	`selection_patterns` text,
	`selection_key` text,
	`directions` text,
	`told_trouble` text,
	`failing_since_ms` integer,
	`paused_by_hand_at_ms` integer,
	`fields_name` text DEFAULT '' NOT NULL,
	`fields_joining` text,
	`last_change_at_ms` integer
);
--> statement-breakpoint
CREATE TABLE `pairs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`link` text NOT NULL,
	`status` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `rejections` (
	`link` text NOT NULL,
	`side` text NOT NULL,
	`key` text NOT NULL,
	`left_id` text,
	`right_id` text,
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
	`fence` integer NOT NULL,
	`started_at_ms` integer NOT NULL,
	`ended_at_ms` integer,
	`summary_json` text
);
--> statement-breakpoint
CREATE TABLE `shown_pages` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`link` text NOT NULL,
	`side` text NOT NULL,
	`ids_json` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `verdicts` (
	`link` text NOT NULL,
	`left_id` text NOT NULL,
	`right_id` text NOT NULL,
	`says` text NOT NULL,
	`at_ms` integer NOT NULL,
	PRIMARY KEY(`link`, `left_id`, `right_id`)
);
--> statement-breakpoint
CREATE INDEX `conflicts_left` ON `conflicts` (`link`,`left_id`);
--> statement-breakpoint
CREATE INDEX `conflicts_link` ON `conflicts` (`link`,`id`);
--> statement-breakpoint
CREATE INDEX `halves_blank` ON `halves` (`link`) WHERE "halves"."search" = '';
--> statement-breakpoint
CREATE INDEX `halves_light` ON `halves` (`link`,`side`,`pair`,`state`,`absences`,`heard_at_ms`,`id`,`search`);
--> statement-breakpoint
CREATE INDEX `halves_open` ON `halves` (`link`,`side`,`state`) WHERE "halves"."state" <> 'settled';
--> statement-breakpoint
CREATE INDEX `journal_answered` ON `journal` (`link`,"after_json" ->> 'id') WHERE "journal"."after_json" is not null;
--> statement-breakpoint
CREATE INDEX `journal_deletions` ON `journal` (`link`) WHERE "journal"."kind" = 'delete' and "journal"."state" = 'done';
--> statement-breakpoint
CREATE INDEX `journal_destroys` ON `journal` (`link`,`intended_at_ms`) WHERE "journal"."destroys" = 1;
--> statement-breakpoint
CREATE INDEX `journal_intended` ON `journal` (`link`) WHERE "journal"."state" = 'intended';
--> statement-breakpoint
CREATE INDEX `journal_left` ON `journal` (`link`,`left_id`) WHERE "journal"."left_id" is not null;
--> statement-breakpoint
CREATE INDEX `journal_pair` ON `journal` (`link`,`pair_id`) WHERE "journal"."pair_id" is not null;
--> statement-breakpoint
CREATE INDEX `journal_right` ON `journal` (`link`,`right_id`) WHERE "journal"."right_id" is not null;
--> statement-breakpoint
CREATE INDEX `journal_run` ON `journal` (`link`,`run`,`id`,`kind`);
--> statement-breakpoint
CREATE INDEX `pairs_link` ON `pairs` (`link`,`status`);
--> statement-breakpoint
CREATE INDEX `runs_link` ON `runs` (`link`,`fence`,`started_at_ms`);
--> statement-breakpoint
CREATE INDEX `runs_running` ON `runs` (`link`) WHERE "runs"."outcome" = 'running';
--> statement-breakpoint
CREATE INDEX `shown_pages_place` ON `shown_pages` (`link`,`side`);
