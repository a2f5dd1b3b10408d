import { createRequire } from 'node:module';
import type * as Drizzle from 'drizzle-orm';
import type * as Driver from 'drizzle-orm/better-sqlite3';
import type * as MigrationFiles from 'drizzle-orm/migrator';
import type * as Tables from 'drizzle-orm/sqlite-core';

// As CommonJS: for each ES module of a package Node parses the package's whole export map again, and this one's is
// 130 KB, which makes its hundred modules cost half a second and 150 MB.
const require = createRequire(import.meta.url);

export const {
  and,
  count,
  desc,
  eq,
  getTableColumns,
  getTableName,
  is,
  isNotNull,
  isNull,
  lte,
  or,
  Param,
  Placeholder,
  placeholder,
  sql,
} = require('drizzle-orm') as typeof Drizzle;
export const { drizzle } = require('drizzle-orm/better-sqlite3') as typeof Driver;
export const { readMigrationFiles } = require('drizzle-orm/migrator') as typeof MigrationFiles;
export const { index, integer, primaryKey, sqliteTable, text } = require('drizzle-orm/sqlite-core') as typeof Tables;
