CREATE TABLE "access_tokens" (
	"name" text PRIMARY KEY NOT NULL,
	"sealed_json" text,
	"digest" text,
	"expires_at_ms" bigint,
	"owner" text,
	"owned_until_ms" bigint
);
--> statement-breakpoint
CREATE TABLE "credentials" (
	"link" text NOT NULL,
	"side" text NOT NULL,
	"sealed_json" text NOT NULL,
	CONSTRAINT "credentials_link_side_pk" PRIMARY KEY("link","side")
);
--> statement-breakpoint
CREATE TABLE "hosting" (
	"id" integer PRIMARY KEY NOT NULL,
	"salt" text NOT NULL,
	"links_revision" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "link_settings" (
	"name" text PRIMARY KEY NOT NULL,
	"sealed_json" text NOT NULL
);
