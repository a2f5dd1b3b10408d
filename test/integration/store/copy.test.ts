import type { StoreChange } from '../../../src/core/state/rows.ts';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { CopyDocument } from '../../../config/documents.ts';
import { copyBetween } from '../../../src/app/copy-store.ts';
import { systemClock } from '../../../src/util/clock.ts';
import { openPostgres, openPostgresDatabase } from '../../../src/store/postgres/postgres-store.ts';
import { openDatabase } from '../../../src/store/sqlite/database.ts';
import { rowStoreOf } from '../../../src/store/sql/copy-rows.ts';
import { openStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { copyStore, type RowStore } from '../../../src/store/copy.ts';
import type { Store } from '../../../src/store/store.ts';
import { startSyncedSandbox } from '../../support/linked-sandbox.ts';
import { findPostgres } from '../../support/postgres.ts';
import { vaultAt, vaultIn } from '../../support/store/vault.ts';
import { newPair, operationOf, putHalf, recordOf, rejectionOf } from '../../support/store/rows.ts';

const postgres = await findPostgres();
const directory = await mkdtemp(join(tmpdir(), 'contact-sync-copy-'));
afterAll(async () => {
  await postgres?.close();
  await rm(directory, { recursive: true });
});

const KEY = 'a key of sixteen characters or more';
const MAIN = join(import.meta.dirname, '../../../src/main.ts');
const createDatabase = async (): Promise<string> => (await postgres?.createDatabase()) ?? '';
const open = (url: string): Store => {
  let number = 0;
  const newId = (): string => `commit ${(number += 1)}`;
  return openPostgres({ url, clock: systemClock, connections: 2, newId });
};

describe.skipIf(postgres === null)('store copy', () => {
  test('a copy and its copy back are equal by checksum, with every table filled, and a run works on the copy', async () => {
    const first = join(directory, 'first.db');
    const store = openStore(first);
    const odd = recordOf('Zoë ☃', { raw: '"\\u0000 \\ud800"', groupIds: ['g"1"', 'g\\2'] });
    const everythingOf = (link: string): StoreChange[] => [
      newPair('l1', 'r1'),
      newPair('l2', 'r2', 'kept'),
      putHalf('Zoë ☃', { record: odd, state: 'changed' }, 'digest'),
      ...['b', 'B', 'a', 'ä', '~'].map((id) => putHalf(id, {})),
      { kind: 'shown', side: 'left', ids: ['l1'] },
      {
        kind: 'put',
        table: 'cursors',
        row: { side: 'left', cursor: 'c', readAtMs: 1, resume: null, listingStartedAtMs: 2, listedAtMs: 3 },
      },
      {
        kind: 'put',
        table: 'groupPairs',
        row: { key: 'k', left: { id: 'g', name: 'Friends' }, right: null, status: 'kept', settled: true },
      },
      { kind: 'intend', run: 'run', operation: operationOf('update', { empties: ['title'] }), atMs: 1_790_000_000_000 },
      {
        kind: 'conflict',
        run: 'run',
        leftId: 'l1',
        rightId: 'r1',
        conflict: { field: 'title', left: 'a', right: 'b', winner: 'left' },
        atMs: 3,
      },
      { kind: 'put', table: 'rejections', row: rejectionOf() },
      { kind: 'put', table: 'verdicts', row: { leftId: 'l1', rightId: 'r1', says: 'apart', atMs: 1 } },
      { kind: 'run-started', run: { id: `run of ${link}`, kind: 'full', undoes: null, startedAtMs: 5 } },
    ];
    for (const link of ['work', 'home']) {
      const token = (await store.acquireLease(link, 'owner', 0, 1)) ?? 0;
      await store.commit(link, token, everythingOf(link));
    }
    await store.saveBudget('budget', '{}');
    await store.close();

    const signedIn = { token: 'token', account: 'people/me', scopes: null, storedAtMs: 1 };
    for (const side of ['service', 'google']) await vaultAt(first, KEY).save('work', side, signedIn);

    const there = await createDatabase();
    const copied = await copyBetween(`sqlite:${first}`, there, systemClock);
    if ('unknown' in copied) throw new Error('Both URLs name a store.');
    expect(copied.filter(({ rows }) => rows === 0).map(({ table }) => table)).toEqual(['linkSettings']);
    const second = join(directory, 'second');
    const back = await copyBetween(there, `sqlite:${join(second, 'contact-sync.db')}`, systemClock);
    expect(back).toEqual(copied);
    expect(await vaultIn(second, KEY).read('work', 'google')).toEqual(signedIn);

    const copy = open(there);
    const token = (await copy.acquireLease('work', 'host', Date.now(), Date.now() + 15_000)) ?? 0;
    const before = await copy.journal('work', { open: true });
    const [pair = 0, entry = 0] = await copy.commit('work', token, [
      newPair('l8', 'r8'),
      { kind: 'intend', run: 'run', operation: operationOf('update'), atMs: 1 },
    ]);
    expect(Math.min(pair, entry)).toBeGreaterThan(before[0]?.id ?? Infinity);
    expect(await copy.halves('work', { by: 'id', side: 'left', ids: ['Zoë ☃'] })).toMatchObject([{ record: odd }]);
    const member = await copy.halves('work', { by: 'email', side: 'left', keys: ['ada@example.com'] });
    expect(member.length).toBeGreaterThan(5);
    await copy.close();
  });

  test('a copy keeps texts that PostgreSQL cannot store: zero characters, and lone surrogates in an answer', async () => {
    const first = join(directory, 'odd', 'contact-sync.db');
    const store = openStore(first);
    const token = (await store.acquireLease('work', 'owner', 0, 1)) ?? 0;
    const [id = 0] = await store.commit('work', token, [
      { kind: 'intend', run: 'run', operation: operationOf('update'), atMs: 1 },
    ]);
    const after = recordOf('new', { marks: ['tag:\0', 'tag:\ud83d'] });
    await store.commit('work', token, [{ kind: 'journal', id, state: 'failed', after, error: 'odd \0', atMs: 2 }]);
    await store.close();
    const there = await createDatabase();
    expect(await copyBetween(`sqlite:${first}`, there, systemClock)).toContainEqual(
      expect.objectContaining({ table: 'journal', rows: 1 }),
    );
    const copy = open(there);
    expect(await copy.journal('work', { ids: ['new'], pairIds: [] })).toMatchObject([{ id, error: 'odd \ufffd' }]);
    await copy.close();
  });

  test('a copy starts again after a broken connection', async () => {
    const first = join(directory, 'broken', 'contact-sync.db');
    const store = openStore(first);
    const token = (await store.acquireLease('work', 'owner', 0, 1)) ?? 0;
    await store.commit('work', token, [newPair('l1', 'r1')]);
    await store.close();
    const [there, from] = [await createDatabase(), rowStoreOf(openDatabase(first))];
    const to = rowStoreOf(openPostgresDatabase({ url: there, clock: systemClock, connections: 2, newId: () => '' }));
    let losses = 0;
    const breaking: RowStore = {
      ...from,
      rows: async function* (table) {
        if (table === 'pairs' && (losses += 1) === 1)
          await postgres?.query(
            there,
            'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
          );
        yield* from.rows(table);
      },
    };
    expect(await copyStore(breaking, to)).toContainEqual(expect.objectContaining({ table: 'pairs', rows: 1 }));
    await Promise.all([from.close(), to.close()]);
  });

  test('a moved link continues in the other store', async () => {
    const there = await createDatabase();
    await using world = await startSyncedSandbox({ count: 40 });
    const run = (...args: string[]) =>
      promisify(execFile)(process.execPath, [MAIN, 'store', 'copy', ...args], { cwd: directory });
    const from = `sqlite:${join(world.dataDir, 'contact-sync.db')}`;
    const addressFile = join(directory, 'database-url');
    await writeFile(addressFile, `${there}\n`, { mode: 0o600 });
    const { stdout, stderr } = await run('--from', from, '--to-file', addressFile);
    expect(stdout).toMatch(/halves +\d\d+ +[0-9a-f]{12}/u);
    expect(stderr).toBe('');
    await expect(run('--from', from, '--to', there)).rejects.toMatchObject({
      stderr: expect.stringMatching(/is not empty: its table links has 1 row/u),
    });
    await expect(run('--from', from, '--to', 'mysql://x')).rejects.toMatchObject({ code: 2 });
    const again = await run(
      '--from',
      there,
      '--to',
      `sqlite:${join(directory, 'fourth', 'contact-sync.db')}`,
      '--json',
    );
    const document = CopyDocument.parse(JSON.parse(again.stdout));
    expect(document.copy?.tables.find(({ table }) => table === 'links')).toMatchObject({ rows: 1 });
    const hosted = { DATABASE_URL: there, CREDENTIALS_KEY: KEY };
    const env = { ...world.sandbox.environment(), DATA_DIR: directory, ...hosted };
    const synced = await promisify(execFile)(process.execPath, [MAIN, 'sync', '--json'], { cwd: directory, env });
    expect(JSON.parse(synced.stdout)).toMatchObject({
      runs: [{ kind: 'incremental', outcome: 'completed', google: { created: 0 }, service: { created: 0 } }],
    });
  });

  test('a token without encryption is not moved', async () => {
    const home = join(directory, 'open');
    await openStore(join(home, 'contact-sync.db')).close();
    await vaultIn(home).save('work', 'google', { token: 'token', account: null, scopes: null, storedAtMs: 1 });
    const copying = copyBetween(`sqlite:${join(home, 'contact-sync.db')}`, await createDatabase(), systemClock);
    await expect(copying).rejects.toThrow(
      /google token of the link work .* is not encrypted.*CREDENTIALS_KEY_OLD=none/u,
    );
  });

  test('a source with a run in progress is refused', async () => {
    const from = await createDatabase();
    const store = open(from);
    await store.acquireLease('work', 'owner', Date.now(), Date.now() + 15_000);
    await expect(copyBetween(from, `sqlite:${join(directory, 'third.db')}`, systemClock)).rejects.toThrow(/under way/u);
    await store.close();
  });
});
