import { createRequire } from 'node:module';
import type * as Sqlite from 'drizzle-orm/sqlite-core';

// As CommonJS, like store/sql/drizzle.ts and for its reason.
const require = createRequire(import.meta.url);

export const { SQLiteSyncDialect } = require('drizzle-orm/sqlite-core') as typeof Sqlite;
