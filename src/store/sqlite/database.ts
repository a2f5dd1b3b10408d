import Database from 'better-sqlite3';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { StoreError } from '../store.ts';
import { drizzle } from './drizzle.ts';
import { checkVersion, migrate } from './migrate.ts';
import { explainTrouble } from './trouble.ts';

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

const configure = (client: Database.Database): void => {
  client.pragma('journal_mode = WAL');
  client.pragma('synchronous = FULL');
  // A first sync touches a large part of a large database again and again.
  client.pragma('cache_size = -16384');
  client.pragma('wal_autocheckpoint = 4000');
};

const BUSY_TIMEOUT_MS = 10_000;
const IN_MEMORY = ':memory:';

const openFile = (path: string): Database.Database => {
  if (path === IN_MEMORY) return new Database(path);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (!existsSync(path)) {
    closeSync(openSync(path, 'a', 0o600));
    chmodSync(path, 0o600);
  }
  return new Database(path, { timeout: BUSY_TIMEOUT_MS });
};

/**
 * Opens the database file, made where there is none (0600, in a directory of 0700), and applies the migrations. The path
 * `:memory:` opens one that lasts as long as the process. Of several processes that make or migrate a file at once, one
 * does so and the others wait.
 *
 * @throws {StoreError} where the file is corrupt, of a newer version, of another program, or cannot be opened.
 */
export const openDatabase = (path: string): Db => {
  let client: Database.Database | undefined;
  try {
    client = openFile(path);
    // First of all: a file that is refused is left as it is, its journal mode included.
    checkVersion(client, path);
    configure(client);
    const db = dbOf(client);
    migrate(db, path);
    return db;
  } catch (cause) {
    client?.close();
    if (cause instanceof StoreError) throw cause;
    const explained = explainTrouble(cause, path);
    if (explained instanceof StoreError) throw explained;
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new StoreError(
      `The database ${path} cannot be used (${detail}); it was left as it is. Check its permissions, restore a backup, ` +
        'or move it away to start afresh: the next run then pairs both address books again.',
      { cause },
    );
  }
};
