ALTER TABLE `links` RENAME COLUMN `google_account` TO `left_account`;--> statement-breakpoint
ALTER TABLE `links` RENAME COLUMN `service_account` TO `right_account`;--> statement-breakpoint
ALTER TABLE `links` RENAME COLUMN `google_credential` TO `left_credential`;--> statement-breakpoint
ALTER TABLE `links` RENAME COLUMN `service_credential` TO `right_credential`;--> statement-breakpoint
ALTER TABLE `links` ADD `lease_token` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `cursors` ADD `listed_at_ms` integer;--> statement-breakpoint
UPDATE `cursors` SET `side` = CASE `side` WHEN 'google' THEN 'left' ELSE 'right' END;--> statement-breakpoint
-- The last sweep was the last full listing of the right side.
INSERT INTO `cursors` (`link`, `side`, `listed_at_ms`)
SELECT `name`, 'right', `swept_at_ms` FROM `links` WHERE `swept_at_ms` IS NOT NULL
ON CONFLICT (`link`, `side`) DO UPDATE SET `listed_at_ms` = excluded.`listed_at_ms`;--> statement-breakpoint
ALTER TABLE `links` DROP COLUMN `swept_at_ms`;--> statement-breakpoint
UPDATE `shown_pages` SET `side` = CASE `side` WHEN 'google' THEN 'left' ELSE 'right' END;--> statement-breakpoint
ALTER TABLE `group_pairs` RENAME COLUMN `google_id` TO `left_id`;--> statement-breakpoint
ALTER TABLE `group_pairs` RENAME COLUMN `google_name` TO `left_name`;--> statement-breakpoint
ALTER TABLE `group_pairs` RENAME COLUMN `service_id` TO `right_id`;--> statement-breakpoint
ALTER TABLE `group_pairs` RENAME COLUMN `service_name` TO `right_name`;--> statement-breakpoint
ALTER TABLE `journal` RENAME COLUMN `google_id` TO `left_id`;--> statement-breakpoint
ALTER TABLE `journal` RENAME COLUMN `service_id` TO `right_id`;--> statement-breakpoint
UPDATE `journal` SET `side` = CASE `side` WHEN 'google' THEN 'left' ELSE 'right' END;--> statement-breakpoint
ALTER TABLE `conflicts` RENAME COLUMN `google_id` TO `left_id`;--> statement-breakpoint
ALTER TABLE `conflicts` RENAME COLUMN `service_id` TO `right_id`;--> statement-breakpoint
ALTER TABLE `conflicts` RENAME COLUMN `google` TO `left`;--> statement-breakpoint
ALTER TABLE `conflicts` RENAME COLUMN `service` TO `right`;--> statement-breakpoint
UPDATE `conflicts` SET `winner` = CASE `winner` WHEN 'google' THEN 'left' ELSE 'right' END;--> statement-breakpoint
ALTER TABLE `rejections` RENAME COLUMN `google_id` TO `left_id`;--> statement-breakpoint
ALTER TABLE `rejections` RENAME COLUMN `service_id` TO `right_id`;--> statement-breakpoint
UPDATE `rejections` SET `side` = CASE `side` WHEN 'google' THEN 'left' ELSE 'right' END;--> statement-breakpoint
CREATE TABLE `halves` (
	`link` text NOT NULL,
	`side` text NOT NULL,
	`id` text NOT NULL,
	`pair` integer,
	`state` text NOT NULL,
	`absences` integer DEFAULT 0 NOT NULL,
	`last_listed_at_ms` integer,
	`heard_at_ms` integer NOT NULL,
	`written_at_ms` integer,
	`merged_into` text,
	`digest` text,
	`base_json` text,
	`record_json` text NOT NULL,
	PRIMARY KEY(`link`, `side`, `id`)
);
--> statement-breakpoint
-- What stood in a pair, in the state that was staged for it. A half without any record counts as gone, as it did before.
-- A base that says just what the record says is written as `{}`.
WITH `former` AS (
	SELECT `pairs`.`link`, `pairs`.`id` AS `pair`, `sides`.`side`, `sides`.`former_side`,
		CASE `side` WHEN 'left' THEN `google_id` ELSE `service_id` END AS `id`,
		CASE `side` WHEN 'left' THEN `google_absences` ELSE `service_absences` END AS `absences`,
		CASE `side` WHEN 'left' THEN `google_written_at_ms` ELSE `service_written_at_ms` END AS `written_at_ms`,
		CASE `side` WHEN 'left' THEN `google_digest` ELSE `service_digest` END AS `digest`,
		CASE `side` WHEN 'left' THEN `google_base_json` ELSE `service_base_json` END AS `base_json`,
		CASE `side` WHEN 'left' THEN `google_record_json` ELSE `service_record_json` END AS `record_json`
	FROM `pairs` CROSS JOIN (
		SELECT 'left' AS `side`, 'google' AS `former_side` UNION ALL SELECT 'right', 'service'
	) AS `sides`
), `merged` AS (
	SELECT `former`.`link`, `former`.`side`, `former`.`id`, `former`.`pair`,
		CASE
			WHEN `staged`.`kind` = 'tombstone' THEN 'gone'
			WHEN `staged`.`record_json` IS NULL AND `former`.`record_json` IS NULL THEN 'gone'
			WHEN `staged`.`kind` = 'upsert' THEN 'changed'
			ELSE coalesce(`staged`.`kind`, 'settled')
		END AS `state`,
		`former`.`absences`,
		coalesce(`staged`.`staged_at_ms`, 0) AS `heard_at_ms`,
		`former`.`written_at_ms`,
		CASE `staged`.`kind` WHEN 'tombstone' THEN `staged`.`merged_into` END AS `merged_into`,
		CASE WHEN `staged`.`id` IS NULL THEN `former`.`digest` END AS `digest`,
		`former`.`base_json`,
		coalesce(
			CASE `staged`.`kind` WHEN 'upsert' THEN `staged`.`record_json` END,
			`former`.`record_json`,
			json_object(
				'id', `former`.`id`, 'version', '', 'modifiedAtMs', NULL,
				'contact', coalesce(
					json_extract(`former`.`base_json`, '$.contact'),
					json('{"firstName":"","lastName":"","company":"","title":"","emailAddresses":[],"phoneNumbers":[],"addresses":[],"websites":[]}')
				),
				'groupIds', coalesce(json_extract(`former`.`base_json`, '$.groupIds'), json('[]')),
				'raw', '{}', 'originId', NULL
			)
		) AS `record_json`
	FROM `former`
	LEFT JOIN `staged` ON `staged`.`link` = `former`.`link`
		AND `staged`.`side` = `former`.`former_side`
		AND `staged`.`id` = `former`.`id`
	WHERE `former`.`id` IS NOT NULL
)
INSERT INTO `halves` (
	`link`, `side`, `id`, `pair`, `state`, `absences`, `heard_at_ms`, `written_at_ms`, `merged_into`, `digest`,
	`base_json`, `record_json`
)
SELECT `link`, `side`, `id`, `pair`, `state`, `absences`, `heard_at_ms`, `written_at_ms`, `merged_into`, `digest`,
	CASE `base_json`
		WHEN '{"contact":' || json_extract(`record_json`, '$.contact')
			|| ',"groupIds":' || json_extract(`record_json`, '$.groupIds') || '}' THEN '{}'
		ELSE `base_json`
	END,
	`record_json`
FROM `merged`;
--> statement-breakpoint
-- Contacts that have no counterpart yet. Whatever else was staged for a contact of no pair says nothing any more.
INSERT INTO `halves` (`link`, `side`, `id`, `pair`, `state`, `heard_at_ms`, `record_json`)
SELECT `link`, CASE `side` WHEN 'google' THEN 'left' ELSE 'right' END, `id`, NULL, 'changed', `staged_at_ms`, `record_json`
FROM `staged`
WHERE `kind` = 'upsert' AND `record_json` IS NOT NULL
ON CONFLICT DO NOTHING;
--> statement-breakpoint
DROP TABLE `staged`;--> statement-breakpoint
ALTER TABLE `pairs` RENAME TO `former_pairs`;--> statement-breakpoint
CREATE TABLE `pairs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`link` text NOT NULL,
	`status` text NOT NULL
);
--> statement-breakpoint
INSERT INTO `pairs` (`id`, `link`, `status`) SELECT `id`, `link`, `status` FROM `former_pairs`;--> statement-breakpoint
-- The journal names pairs that have ended: their ids are not given again.
DELETE FROM `sqlite_sequence` WHERE `name` = 'pairs';--> statement-breakpoint
UPDATE `sqlite_sequence` SET `name` = 'pairs' WHERE `name` = 'former_pairs';--> statement-breakpoint
DROP TABLE `former_pairs`;--> statement-breakpoint
CREATE INDEX `pairs_link` ON `pairs` (`link`,`status`);--> statement-breakpoint
CREATE INDEX `halves_light` ON `halves` (`link`,`side`,`pair`,`state`,`absences`,`heard_at_ms`,`id`);--> statement-breakpoint
CREATE INDEX `halves_known` ON `halves` (`link`,`side`,`digest`,`id`) WHERE "halves"."digest" is not null;--> statement-breakpoint
CREATE INDEX `halves_open` ON `halves` (`link`,`side`,`state`) WHERE "halves"."state" <> 'settled';
