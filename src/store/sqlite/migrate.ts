import type { Database } from 'better-sqlite3';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../../util/package.ts';
import { StoreError } from '../errors.ts';
import { readMigrationFiles } from '../sql/drizzle.ts';

const MIGRATIONS_FOLDER = join(PACKAGE_ROOT, 'migrations', 'sqlite');

// The table and its columns are drizzle's own. Its migrator reads what was applied before its transaction begins, so that
// two processes which make the same file would both begin from nothing.
const CREATE_TABLE =
  'create table if not exists __drizzle_migrations (id serial primary key, hash text not null, created_at numeric)';

const readMigrations = (migrationsFolder: string) => readMigrationFiles({ migrationsFolder });

const TABLE = '__drizzle_migrations';

/** The names of all tables. One statement reads them, so that the tables of another process are seen all or none. */
const tablesOf = (client: Database): ReadonlySet<unknown> =>
  new Set(client.prepare("select name from sqlite_master where type = 'table'").pluck().all());

/** The time at which the latest applied migration was created; 0 if none was applied. Epoch milliseconds. */
export const appliedUpTo = (client: Database, tables = tablesOf(client)): number => {
  if (!tables.has(TABLE)) return 0;
  return Number(client.prepare('select coalesce(max(created_at), 0) from __drizzle_migrations').pluck().get());
};

/**
 * Refuses what this version must not write to.
 *
 * @throws {StoreError} if the database is another program's, or of a newer version.
 */
export const checkVersion = (client: Database, path: string, folder = MIGRATIONS_FOLDER): void => {
  const tables = tablesOf(client);
  const applied = appliedUpTo(client, tables);
  if (applied === 0 && [...tables].some((name) => name !== TABLE))
    throw new StoreError(`${path} is a database of another program. Choose another DATA_DIR.`);
  if (applied > Math.max(...readMigrations(folder).map((file) => file.folderMillis))) {
    throw new StoreError(
      `${path} was written by a newer version of contact-sync. Run that version, or choose another DATA_DIR.`,
    );
  }
};

/**
 * Applies the migrations of the folder that the database lacks, all or none, in one exclusive transaction. Returns their number.
 *
 * @throws {StoreError} like {@link checkVersion}, if another process changed the file in the meantime.
 */
export const migrate = (client: Database, path: string, folder = MIGRATIONS_FOLDER): number => {
  const migrations = readMigrations(folder);
  const missing = () => migrations.filter((file) => file.folderMillis > appliedUpTo(client));
  if (missing().length === 0) return 0;
  const apply = client.transaction((): number => {
    checkVersion(client, path, folder);
    // Another process may have applied some of them in the meantime.
    const files = missing();
    client.exec(CREATE_TABLE);
    for (const file of files) {
      for (const statement of file.sql) client.exec(statement);
      client
        .prepare('insert into __drizzle_migrations (hash, created_at) values (?, ?)')
        .run(file.hash, file.folderMillis);
    }
    return files.length;
  });
  return apply.immediate();
};
