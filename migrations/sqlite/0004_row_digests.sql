ALTER TABLE `pairs` ADD `google_digest` text;--> statement-breakpoint
ALTER TABLE `pairs` ADD `service_digest` text;--> statement-breakpoint
CREATE INDEX `pairs_google_known` ON `pairs` (`link`,`google_id`,`google_digest`) WHERE "pairs"."google_digest" is not null;--> statement-breakpoint
CREATE INDEX `pairs_service_known` ON `pairs` (`link`,`service_id`,`service_digest`) WHERE "pairs"."service_digest" is not null;--> statement-breakpoint
CREATE INDEX `pairs_google_absent` ON `pairs` (`link`) WHERE "pairs"."google_absences" <> 0;--> statement-breakpoint
CREATE INDEX `pairs_service_absent` ON `pairs` (`link`) WHERE "pairs"."service_absences" <> 0;