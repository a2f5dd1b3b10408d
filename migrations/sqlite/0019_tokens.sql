CREATE INDEX `runs_running` ON `runs` (`link`) WHERE "runs"."outcome" = 'running';
--> statement-breakpoint
CREATE TABLE `hosting` (`id` integer PRIMARY KEY NOT NULL, `salt` text NOT NULL, `links_revision` integer DEFAULT 0 NOT NULL);
--> statement-breakpoint
CREATE TABLE `credentials` (`link` text NOT NULL, `side` text NOT NULL, `sealed_json` text NOT NULL, PRIMARY KEY(`link`, `side`));
--> statement-breakpoint
CREATE TABLE `link_settings` (`name` text PRIMARY KEY NOT NULL, `sealed_json` text NOT NULL);
