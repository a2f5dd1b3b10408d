import Database from 'better-sqlite3';
import { execFile } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeEach, expect, it } from 'vitest';
import { checkVersion } from '../../../src/store/sqlite/migrate.ts';
import { openStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { StoreError } from '../../../src/store/store.ts';
import { readTables } from '../../support/store/read-tables.ts';
import { putHalf } from '../../support/store/rows.ts';
import { useDirectory } from '../util/use-directory.ts';

const MIGRATIONS = globSync('migrations/sqlite/*.sql').length;
const OPENER = fileURLToPath(new URL('../../support/store/open-and-commit.ts', import.meta.url));
const at = useDirectory();
let path: string;

beforeEach(() => {
  path = at('data', 'contact-sync.db');
});

const expectRefusal = (message: RegExp): void => {
  const before = readFileSync(path);
  expect(() => openStore(path)).toThrow(message);
  expect(() => openStore(path)).toThrow(StoreError);
  expect(readFileSync(path).equals(before)).toBe(true);
};

it('a database file and its directory are created with permissions for their owner only', async () => {
  const store = openStore(path);
  expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
  expect((statSync(at('data')).mode & 0o777).toString(8)).toBe('700');
  await store.close();
});

it.each([
  ['a newer version', "insert into __drizzle_migrations (hash, created_at) values ('later', 9999999999999)"],
  ['another program', 'drop table __drizzle_migrations'],
])('a database file of %s is refused and not changed', (what, sql) => {
  void openStore(path).close();
  const client = new Database(path);
  client.exec(sql);
  client.pragma('journal_mode = delete');
  client.close();
  expectRefusal(new RegExp(what.replace('a newer', 'newer'), 'u'));
});

it('a database file that is not a database is refused and not changed', () => {
  void openStore(path).close();
  writeFileSync(path, 'not a database, but long enough to be looked at as one'.repeat(20));
  expectRefusal(/cannot be used/u);
});

it('a database file with an unreadable row is reported when that row is read', async () => {
  const store = openStore(path);
  const token = (await store.acquireLease('default', 'one', 0, 100)) ?? 0;
  await store.commit('default', token, [putHalf('l1')]);
  const client = new Database(path);
  client.exec(`update halves set record_json = '{"id":1}'`);
  client.close();
  await expect(store.halves('default', { by: 'all' })).rejects.toThrow(StoreError);
  expect(await store.index('default', 'left')).toHaveLength(1);
  await store.close();
});

it('a database file is created once by processes that start at the same time', async () => {
  const open = (_: unknown, index: number) => promisify(execFile)(process.execPath, [OPENER, path, `link-${index}`]);
  await Promise.all(Array.from({ length: 6 }, open));
  expect(readTables(path).get('__drizzle_migrations')).toHaveLength(MIGRATIONS);
  expect(readTables(path).get('halves')).toHaveLength(6);
});

it('a database file that another process creates between two checks is not refused as a database of another program', () => {
  mkdirSync(at('data'));
  const client = new Database(path);
  let looks = 0;
  const watched = new Proxy(client, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key, target);
      if (key !== 'prepare' || typeof value !== 'function') return value;
      return (sql: string): unknown => {
        looks += 1;
        // After the first check and before the second.
        if (looks === 2) void openStore(path).close();
        return value.call(target, sql);
      };
    },
  });
  expect(() => checkVersion(watched, path)).not.toThrow();
  void openStore(path).close();
  expect(() => checkVersion(client, path)).not.toThrow();
  client.close();
});
