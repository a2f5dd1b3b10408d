import Database from 'better-sqlite3';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeEach, expect, test } from 'vitest';
import { migrate } from '../../../src/store/sqlite/migrate.ts';
import { openStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { withLaterMigration } from '../../support/store/later-migration.ts';
import { readTables } from '../../support/store/read-tables.ts';
import { putHalf } from '../../support/store/rows.ts';
import { useDirectory } from '../util/use-directory.ts';

const MIGRATE = fileURLToPath(new URL('../../support/store/migrate-file.ts', import.meta.url));
const LATER = [
  "alter table `halves` add `note` text default 'none' not null",
  "update `halves` set `note` = 'moved' where `id` = 'l1'",
] as const;

const at = useDirectory();
let path: string;

/** A database of this version, with two contacts. */
beforeEach(async () => {
  path = at('contact-sync.db');
  const store = openStore(path);
  const token = (await store.acquireLease('default', 'one', 0, 100)) ?? 0;
  await store.commit('default', token, [putHalf('l1'), putHalf('l2')]);
  await store.close();
});

const migrateTo = (folder: string): ReturnType<typeof migrate> => {
  const client = new Database(path);
  try {
    return migrate(client, path, folder);
  } finally {
    client.close();
  }
};

test('a later migration is applied once, to the stored rows too', () => {
  using later = withLaterMigration('sqlite', LATER);
  const before = readTables(path);
  expect(migrateTo(later.folder)).toBe(1);
  const after = readTables(path);
  expect(migrateTo(later.folder)).toBe(0);
  expect(readTables(path)).toEqual(after);
  const notes = ['moved', 'none'];
  expect(after.get('halves')).toEqual(before.get('halves')?.map((row, index) => ({ ...row, note: notes[index] })));
  expect(after.get('__drizzle_migrations')).toHaveLength((before.get('__drizzle_migrations')?.length ?? 0) + 1);
});

test('a later migration is applied once by processes that start at the same time', async () => {
  using later = withLaterMigration('sqlite', LATER);
  const start = () => promisify(execFile)(process.execPath, [MIGRATE, path, later.folder]);
  const results = await Promise.all(Array.from({ length: 4 }, start));
  expect(results.map(({ stdout }) => stdout.trim()).toSorted()).toEqual(['0', '0', '0', '1']);
});

test('a migration that fails changes nothing', () => {
  using later = withLaterMigration('sqlite', [...LATER, 'drop table `not_a_table`']);
  const before = readTables(path);
  expect(() => migrateTo(later.folder)).toThrow(/not_a_table/u);
  expect(readTables(path)).toEqual(before);
});
