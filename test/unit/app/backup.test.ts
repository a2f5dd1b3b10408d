import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { backUp, restore } from '../../../src/app/backup.ts';
import { copyBetween } from '../../../src/app/copy-store.ts';
import { openStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { BackupError, StoreError } from '../../../src/store/store.ts';
import { systemClock } from '../../../src/util/clock.ts';
import { Secret } from '../../../src/util/secret.ts';
import { putHalf } from '../../support/store/rows.ts';
import { vaultIn } from '../../support/store/vault.ts';

const OPTIONS = { program: '1.2.3', plainTokens: false, clock: systemClock };

let directory: string;

let from: { dataDir: string; databaseUrl: null };

let to: typeof from;

let copy: string;

const vaultOf = ({ dataDir }: { dataDir: string }, key: string | null) => vaultIn(dataDir, key);

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'contact-sync-backup-'));
  from = { dataDir: join(directory, 'from'), databaseUrl: null };
  to = { dataDir: join(directory, 'to'), databaseUrl: null };
  copy = join(directory, 'copy');
  const store = openStore(join(from.dataDir, 'contact-sync.db'));
  const token = (await store.acquireLease('default', 'one', 0, 100)) ?? 0;
  await store.commit('default', token, [putHalf('l1')]);
  await store.close();
});

afterEach(() => rmSync(directory, { recursive: true }));

const storeToken = (key: string | null) =>
  vaultOf(from, key).save('default', 'google', { token: 'the-token', account: null, scopes: null, storedAtMs: 1 });

const restoreCopy = () => restore(to, copy, { clock: systemClock });

test('a backup lists its contents, is readable by its owner only, and is restored unchanged', async () => {
  await storeToken('a key of sixteen letters');
  const manifest = await backUp(from, copy, OPTIONS);
  expect(manifest).toMatchObject({
    format: 1,
    program: '1.2.3',
    files: [{ name: 'contact-sync.db' }],
    leftOut: [],
  });
  expect(readdirSync(copy).toSorted()).toEqual(['contact-sync.db', 'manifest.json']);
  expect(readdirSync(copy).map((name) => statSync(join(copy, name)).mode & 0o777)).toEqual([0o600, 0o600]);
  expect(await restoreCopy()).toEqual(manifest);
  expect(readdirSync(to.dataDir)).toEqual(['contact-sync.db']);
  expect(await vaultOf(to, 'a key of sixteen letters').read('default', 'google')).toMatchObject({ token: 'the-token' });
  const store = openStore(join(to.dataDir, 'contact-sync.db'));
  expect(await store.halves('default', { by: 'all' })).toMatchObject([{ id: 'l1' }]);
  await store.close();
});

test('a token file of an earlier version is moved into the database, and is part of the copy', async () => {
  const stored = { token: 'the-token', account: null, scopes: null, storedAtMs: 1 };
  const file = { version: 1, salt: 'c2FsdHNhbHRzYWx0c2FsdA==', links: { default: { google: { open: stored } } } };
  writeFileSync(join(from.dataDir, 'credentials.json'), JSON.stringify(file));
  await backUp(from, copy, { ...OPTIONS, plainTokens: true });
  expect(existsSync(join(from.dataDir, 'credentials.json'))).toBe(false);
  await restoreCopy();
  expect(await vaultOf(to, null).read('default', 'google')).toEqual(stored);
});

test('a backup creates its directory and missing parent directories', async () => {
  await backUp(from, join(copy, 'of', 'today'), OPTIONS);
  expect(readdirSync(join(copy, 'of', 'today'))).toContain('manifest.json');
  expect(statSync(join(copy, 'of')).mode & 0o777).toBe(0o700);
});

test('an unencrypted token is left out and listed, unless it is requested', async () => {
  await storeToken(null);
  const { leftOut } = await backUp(from, copy, OPTIONS);
  expect(leftOut).toEqual([{ link: 'default', side: 'google' }]);
  const everything = readdirSync(copy).map((name) => readFileSync(join(copy, name), 'latin1'));
  expect(everything.join('')).not.toContain('the-token');
  copy = join(directory, 'plain');
  expect((await backUp(from, copy, { ...OPTIONS, plainTokens: true })).leftOut).toEqual([]);
  await restoreCopy();
  expect(await vaultOf(to, null).read('default', 'google')).toMatchObject({ token: 'the-token' });
});

describe('refused without a change is', () => {
  const expectRefusal = async (step: Promise<unknown>, message: RegExp, isUsage: boolean): Promise<void> => {
    const error: unknown = await step.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(BackupError);
    expect(error).toMatchObject({ message: expect.stringMatching(message), isUsage });
  };

  test('a backup into a directory that is not empty', async () => {
    mkdirSync(copy);
    writeFileSync(join(copy, 'kept'), 'kept');
    await expectRefusal(backUp(from, copy, OPTIONS), /is not empty: it holds kept/u, true);
    expect(readdirSync(copy)).toEqual(['kept']);
  });

  test.runIf(existsSync('/proc/self'))('a backup into a place where no directory can be created', async () => {
    const path = '/proc/contact-sync/copy';
    await expectRefusal(backUp(from, path, OPTIONS), /cannot be used\. Check that it is a directory/u, false);
  });

  test('a backup of a data directory without a database', async () => {
    await expectRefusal(
      backUp(to, copy, OPTIONS),
      /contact-sync\.db does not exist or is not a file, so nothing can be copied/u,
      true,
    );
  });

  test('a restore into a directory with a database', async () => {
    await backUp(from, copy, OPTIONS);
    await expectRefusal(restore(from, copy, { clock: systemClock }), /is not empty/u, true);
  });

  test('a backup or a restore with the state on PostgreSQL', async () => {
    const databaseUrl = new Secret('postgres://127.0.0.1/contact_sync');
    await expectRefusal(backUp({ ...from, databaseUrl }, copy, OPTIONS), /pg_dump/u, true);
    await expectRefusal(restore({ ...to, databaseUrl }, copy, { clock: systemClock }), /pg_restore/u, true);
  });

  test('a restore into a directory that a daemon uses', async () => {
    await backUp(from, copy, OPTIONS);
    mkdirSync(to.dataDir);
    const beat = { queue: 'embedded', startedAtMs: 1, beatAtMs: systemClock.now(), running: [] };
    writeFileSync(join(to.dataDir, `heartbeat-${hostname()}.json`), JSON.stringify(beat));
    await expectRefusal(restoreCopy(), /A daemon works on .* Stop it first/u, true);
  });

  test('a restore of a directory without a manifest', async () => {
    await backUp(from, copy, OPTIONS);
    rmSync(join(copy, 'manifest.json'));
    await expectRefusal(restoreCopy(), /is no backup, or one that was broken off/u, true);
  });

  test('a restore of a database that differs from its checksum', async () => {
    await storeToken('a key of sixteen letters');
    await backUp(from, copy, OPTIONS);
    const content = readFileSync(join(copy, 'contact-sync.db'));
    content[content.length - 3] = (content.at(-3) ?? 0) ^ 1;
    writeFileSync(join(copy, 'contact-sync.db'), content);
    await expectRefusal(restoreCopy(), /checksum differs/u, false);
    expect(readdirSync(to.dataDir)).toEqual([]);
  });

  test('a restore of a manifest with another schema version', async () => {
    await backUp(from, copy, OPTIONS);
    const manifest = JSON.parse(readFileSync(join(copy, 'manifest.json'), 'utf8')) as object;
    writeFileSync(join(copy, 'manifest.json'), JSON.stringify({ ...manifest, schema: 1 }));
    await expectRefusal(restoreCopy(), /has another version than its manifest\.json names/u, false);
    expect(readdirSync(to.dataDir)).toEqual([]);
  });
});

test('a damaged database is not backed up', async () => {
  const path = join(from.dataDir, 'contact-sync.db');
  const content = readFileSync(path);
  content.fill(1, 4096 * 3, 4096 * 8);
  writeFileSync(path, content);
  await expect(backUp(from, copy, OPTIONS)).rejects.toThrow(StoreError);
  expect(readdirSync(copy)).toEqual([]);
});

const EMPTY = 'sqlite::memory:';

test.each(['mysql://x', 'sqlite:', '', 'postgres://user:password@127.0.0.1:99999/x', 'postgres://user:pass word@'])(
  'a copy from %j, which is not a store, returns an unknown source',
  async (url) => {
    expect(await copyBetween(url, EMPTY, systemClock)).toEqual({ unknown: 'from' });
  },
);
