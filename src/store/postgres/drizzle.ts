import { createRequire } from 'node:module';
import type * as Drizzle from 'drizzle-orm';
import type * as Driver from 'drizzle-orm/node-postgres';
import type * as MigrationFiles from 'drizzle-orm/migrator';
import type * as Tables from 'drizzle-orm/pg-core';
import type * as Pg from 'pg';

// As CommonJS, like store/sqlite/drizzle.ts and for its reason.
const require = createRequire(import.meta.url);

export const { and, asc, eq, getTableColumns, gte, isNull, or, sql } = require('drizzle-orm') as typeof Drizzle;
export const { drizzle } = require('drizzle-orm/node-postgres') as typeof Driver;
export const { readMigrationFiles } = require('drizzle-orm/migrator') as typeof MigrationFiles;
export const { bigint, boolean, index, integer, pgTable, primaryKey, text } =
  require('drizzle-orm/pg-core') as typeof Tables;
export const { Pool } = require('pg') as typeof Pg;
