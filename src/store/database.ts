import Database from 'better-sqlite3';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import { drizzle, migrate, readMigrationFiles } from './drizzle.ts';
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StoreError } from './store.ts';

/** Builds queries. */
export type Orm = BetterSQLite3Database;

/** An open database. */
export type Db = {
  readonly orm: Orm;
  readonly client: Database.Database;
  /** The statement that `build` makes: made at its first use, kept as long as the database is open. */
  prepared<Statement>(build: (orm: Orm) => Statement): Statement;
  /** Does a step wholly or not at all, alone with the database from its beginning on. */
  atomic<T>(step: () => T): T;
};

const dbOf = (client: Database.Database): Db => {
  const orm = drizzle(client);
  const statements = new Map<unknown, unknown>();
  const transaction = client.transaction((step: () => unknown) => step());
  return {
    orm,
    client,
    prepared: <Statement>(build: (orm: Orm) => Statement) => {
      if (!statements.has(build)) statements.set(build, build(orm));
      // Only what this very function built is kept under it.
      return statements.get(build) as Statement;
    },
    atomic: <T>(step: () => T) => transaction.immediate(step) as T,
  };
};

// The same place seen from src/store and from dist/store.
const MIGRATIONS_FOLDER = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'migrations');

const appliedUpTo = (client: Database.Database): number => {
  const table = client.prepare("select 1 from sqlite_master where name = '__drizzle_migrations'").get();
  if (table === undefined) return 0;
  const row = client.prepare('select max(created_at) as latest from __drizzle_migrations').get() as {
    latest: number | null;
  };
  return row.latest ?? 0;
};

const refuseForeignTables = (client: Database.Database, path: string): void => {
  const tables = client.prepare("select count(*) as n from sqlite_master where type = 'table'").get() as { n: number };
  if (appliedUpTo(client) === 0 && tables.n > 0) {
    throw new StoreError(`${path} is a database of another program. Choose another DATA_DIR.`);
  }
};

const refuseNewer = (client: Database.Database, path: string): void => {
  const latest = Math.max(
    ...readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER }).map((file) => file.folderMillis),
  );
  if (appliedUpTo(client) > latest) {
    throw new StoreError(
      `${path} was written by a newer version of contact-sync. Run that version, or choose another DATA_DIR.`,
    );
  }
};

const configure = (client: Database.Database): void => {
  client.pragma('journal_mode = WAL');
  client.pragma('synchronous = FULL');
  client.pragma('busy_timeout = 10000');
  // A first sync touches a large part of a large database again and again.
  client.pragma('cache_size = -16384');
  client.pragma('wal_autocheckpoint = 4000');
};

const IN_MEMORY = ':memory:';

const openFile = (path: string): Database.Database => {
  if (path === IN_MEMORY) return new Database(path);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const isNew = !existsSync(path);
  const client = new Database(path);
  if (isNew) chmodSync(path, 0o600);
  return client;
};

/**
 * Opens the database file, made where there is none (0600, in a directory of 0700), and applies the migrations. The path
 * `:memory:` opens one that lasts as long as the process.
 *
 * @throws {StoreError} where the file is corrupt, of a newer version, of another program, or cannot be opened.
 */
export const openDatabase = (path: string): Db => {
  let client: Database.Database | undefined;
  try {
    client = openFile(path);
    refuseForeignTables(client, path);
    refuseNewer(client, path);
    configure(client);
    const db = dbOf(client);
    migrate(db.orm, { migrationsFolder: MIGRATIONS_FOLDER });
    return db;
  } catch (cause) {
    client?.close();
    if (cause instanceof StoreError) throw cause;
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new StoreError(
      `The database ${path} cannot be used (${detail}); it was left as it is. Check its permissions, restore a backup, ` +
        'or move it away to start afresh: the next run then pairs both address books anew.',
      { cause },
    );
  }
};

const WAL_FLAGS = [18, 19];

/** A copy of the database in memory: whatever happens to it leaves the file as it is. */
export const copyToMemory = (original: Db): Db => {
  const image = original.client.serialize();
  // A database in memory cannot be in WAL mode; 1 means a rollback journal (SQLite file format, 1.3).
  for (const offset of WAL_FLAGS) image[offset] = 1;
  return dbOf(new Database(image));
};
