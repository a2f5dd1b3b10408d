import { createRequire } from 'node:module';
import type * as Postgres from 'drizzle-orm/pg-core';

// As CommonJS, like store/sql/drizzle.ts and for its reason.
const require = createRequire(import.meta.url);

export const { PgDialect } = require('drizzle-orm/pg-core') as typeof Postgres;
