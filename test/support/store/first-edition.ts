import Database from 'better-sqlite3';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { readMigrationFiles } from '../../../src/store/sql/drizzle.ts';

const FIXTURE = join(import.meta.dirname, '../databases/0.1.0.db.gz');
const MIGRATIONS = join(import.meta.dirname, '../../../migrations/sqlite');

/** Number of migrations of the first edition. */
export const FIRST_EDITION_MIGRATIONS = 6;

export type DatabaseFile = { readonly path: string; [Symbol.dispose](): void };

const emptyFile = (): DatabaseFile => {
  const directory = mkdtempSync(join(tmpdir(), 'contact-sync-migration-'));
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  return { path: join(directory, 'contact-sync.db'), [Symbol.dispose]: remove };
};

/** A copy of a database that the first edition wrote: two links, 338 pairs, and rows of every kind. */
export const firstEditionFile = (): DatabaseFile => {
  const file = emptyFile();
  writeFileSync(file.path, gunzipSync(readFileSync(FIXTURE)));
  return file;
};

/** A database as it was after so many migrations, filled by `fill`. */
export const fileAfterMigrations = (count: number, fill: (client: Database.Database) => void): DatabaseFile => {
  const file = emptyFile();
  const client = new Database(file.path);
  client.exec('create table __drizzle_migrations (id serial primary key, hash text not null, created_at numeric)');
  const record = client.prepare('insert into __drizzle_migrations (hash, created_at) values (?, ?)');
  client.exec('begin');
  for (const migration of readMigrationFiles({ migrationsFolder: MIGRATIONS }).slice(0, count)) {
    for (const statement of migration.sql) client.exec(statement);
    record.run(migration.hash, migration.folderMillis);
  }
  fill(client);
  client.exec('commit');
  client.close();
  return file;
};

export type Row = Readonly<Record<string, string | number | null>>;

/** Every row of every table of a database file, by table; the file is only read. */
export const readTables = (path: string): ReadonlyMap<string, readonly Row[]> => {
  const client = new Database(path, { readonly: true });
  const names = client.prepare<[], string>("select name from sqlite_master where type = 'table'").pluck().all();
  const rows = names.map((name) => [name, client.prepare<[], Row>(`select * from ${name}`).all()] as const);
  client.close();
  return new Map(rows);
};
