DROP INDEX `pairs_google_known`;--> statement-breakpoint
DROP INDEX `pairs_service_known`;--> statement-breakpoint
CREATE INDEX `pairs_google_known` ON `pairs` (`link`,`google_digest`,`google_id`) WHERE "pairs"."google_digest" is not null;--> statement-breakpoint
CREATE INDEX `pairs_service_known` ON `pairs` (`link`,`service_digest`,`service_id`) WHERE "pairs"."service_digest" is not null;