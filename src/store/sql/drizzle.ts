import { createRequire } from 'node:module';
import type * as Drizzle from 'drizzle-orm';
import type * as MigrationFiles from 'drizzle-orm/migrator';

// As CommonJS: for each ES module of a package Node parses the package's whole export map again, and this one's is
// 130 KB, which makes its hundred modules cost half a second and 150 MB.
const require = createRequire(import.meta.url);

export const { sql } = require('drizzle-orm') as typeof Drizzle;
export const { readMigrationFiles } = require('drizzle-orm/migrator') as typeof MigrationFiles;
