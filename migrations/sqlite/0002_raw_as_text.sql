-- What an adapter keeps of a contact is carried as text.
UPDATE `pairs` SET `google_record_json` = json_set(`google_record_json`, '$.raw', '' || json_extract(`google_record_json`, '$.raw')) WHERE json_type(`google_record_json`, '$.raw') IN ('object', 'array');
--> statement-breakpoint
UPDATE `pairs` SET `service_record_json` = json_set(`service_record_json`, '$.raw', '' || json_extract(`service_record_json`, '$.raw')) WHERE json_type(`service_record_json`, '$.raw') IN ('object', 'array');
--> statement-breakpoint
UPDATE `staged` SET `record_json` = json_set(`record_json`, '$.raw', '' || json_extract(`record_json`, '$.raw')) WHERE json_type(`record_json`, '$.raw') IN ('object', 'array');
--> statement-breakpoint
UPDATE `journal` SET `before_json` = json_set(`before_json`, '$.raw', '' || json_extract(`before_json`, '$.raw')) WHERE json_type(`before_json`, '$.raw') IN ('object', 'array');
--> statement-breakpoint
UPDATE `journal` SET `after_json` = json_set(`after_json`, '$.raw', '' || json_extract(`after_json`, '$.raw')) WHERE json_type(`after_json`, '$.raw') IN ('object', 'array');
--> statement-breakpoint
UPDATE `journal` SET `intent_json` = json_set(`intent_json`, '$.source.raw', '' || json_extract(`intent_json`, '$.source.raw')) WHERE json_type(`intent_json`, '$.source.raw') IN ('object', 'array');
