import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { backUp, restore } from '../../../src/app/backup.ts';
import { openStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { StoreError } from '../../../src/store/store.ts';
import { DirectoryError } from '../../../src/util/files.ts';
import { Secret } from '../../../src/util/secret.ts';
import { putHalf } from '../../support/store/rows.ts';
import { vaultIn } from '../../support/store/vault.ts';
import { useDirectory } from '../util/use-directory.ts';

const KEY = 'a key of sixteen letters';
const at = useDirectory();
let from: { dataDir: string; databaseUrl: null };
let to: typeof from;
let copy: string;

beforeEach(async () => {
  from = { dataDir: at('from'), databaseUrl: null };
  to = { dataDir: at('to'), databaseUrl: null };
  copy = at('copies', 'today.db');
  const store = openStore(join(from.dataDir, 'contact-sync.db'));
  const token = (await store.acquireLease('default', 'one', 0, 100)) ?? 0;
  await store.commit('default', token, [putHalf('l1')]);
  await store.close();
});

test('a backup is one file that only its owner can read, and is restored unchanged with the stored sign-ins', async () => {
  const credential = { token: 'the-token', account: null, scopes: null, storedAtMs: 1 };
  await vaultIn(from.dataDir, KEY).save('default', 'google', credential);
  backUp(from, copy);
  expect(readdirSync(at('copies'))).toEqual(['today.db']);
  expect([statSync(copy).mode & 0o777, statSync(at('copies')).mode & 0o777]).toEqual([0o600, 0o700]);
  restore(to, copy);
  expect(readdirSync(to.dataDir)).toEqual(['contact-sync.db']);
  expect(await vaultIn(to.dataDir, KEY).read('default', 'google')).toMatchObject({ token: 'the-token' });
  const store = openStore(join(to.dataDir, 'contact-sync.db'));
  expect(await store.halves('default', { by: 'all' })).toMatchObject([{ id: 'l1' }]);
  await store.close();
});

describe('refused without a change is', () => {
  test('a backup into an existing file', () => {
    mkdirSync(at('copies'));
    writeFileSync(copy, 'kept');
    expect(() => backUp(from, copy)).toThrow('exists already');
    expect(readFileSync(copy, 'utf8')).toBe('kept');
  });

  test.runIf(existsSync('/proc/self'))('a backup into a place where no directory can be created', () => {
    expect(() => backUp(from, '/proc/contact-sync/copy.db')).toThrow(DirectoryError);
  });

  test('a backup of a data directory without a database', () => {
    expect(() => backUp(to, copy)).toThrow('contact-sync.db does not exist or is not a regular file');
  });

  test('a backup or a restore with the state on PostgreSQL', () => {
    const databaseUrl = new Secret('postgres://127.0.0.1/contact_sync');
    expect(() => backUp({ ...from, databaseUrl }, copy)).toThrow('pg_dump');
    expect(() => restore({ ...to, databaseUrl }, copy)).toThrow('pg_restore');
  });

  test.each([
    ['an empty file', () => Buffer.alloc(0)],
    ['another file', () => Buffer.from('a text')],
    ['a damaged database', (content: Buffer) => content.fill(1, 4096 * 3, 4096 * 8)],
    ['an incomplete database', (content: Buffer) => content.subarray(0, content.length / 2)],
  ])('a restore of %s', (_, change) => {
    backUp(from, copy);
    writeFileSync(copy, change(readFileSync(copy)));
    expect(() => restore(to, copy)).toThrow(StoreError);
    expect(readdirSync(to.dataDir)).toEqual([]);
  });

  test('a backup of a damaged database', () => {
    const path = join(from.dataDir, 'contact-sync.db');
    writeFileSync(path, readFileSync(path).fill(1, 4096 * 3, 4096 * 8));
    expect(() => backUp(from, copy)).toThrow(StoreError);
    expect(readdirSync(at('copies'))).toEqual([]);
  });
});
