CREATE TABLE `verdicts` (
	`link` text NOT NULL,
	`left_id` text NOT NULL,
	`right_id` text NOT NULL,
	`says` text NOT NULL,
	`at_ms` integer NOT NULL,
	PRIMARY KEY(`link`, `left_id`, `right_id`)
);
