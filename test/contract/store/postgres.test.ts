import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPostgres } from '../../../src/store/postgres/postgres-store.ts';
import { openStore } from '../../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { LINK_TABLES } from '../../../src/store/tables.ts';
import { systemClock } from '../../../src/util/clock.ts';
import { storeContract } from './store-contract.ts';
import { LINK } from './store-subject.ts';
import { extentOf, inCompleteRun } from '../../support/extent.ts';
import { findPostgres } from '../../support/postgres.ts';
import { draft, everything, play, playTogether, started } from '../../support/store/drafts.ts';
import { expectWholePairsInCopy } from '../../support/store/one-moment.ts';

const TABLES = [...Object.values(LINK_TABLES).map(({ name }) => name), 'links', 'budgets'];

/** Drops every row of a store on PostgreSQL. */
const emptyDatabase = async (url: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(TABLES.map((table) => `delete from ${table}`).join(';'));
  await client.end();
};

const postgres = await findPostgres();
afterAll(() => postgres?.close());

describe.skipIf(postgres === null)('the contract', () => {
  let url = '';
  let store: Store;
  beforeAll(async () => {
    url = (await postgres?.createDatabase()) ?? '';
    store = openPostgres({ url, clock: systemClock, connections: 4, leaseClock: 'caller' });
  });
  afterAll(() => store.close());

  storeContract('PostgreSQL', () => {
    const close = async (): Promise<void> => {
      await emptyDatabase(url);
    };
    return Promise.resolve({ store, close });
  });
  inCompleteRun(() => {
    storeContract('a scratch copy of PostgreSQL', async () => {
      const scratch = await store.scratch(LINK);
      const close = async (): Promise<void> => {
        await scratch.close();
        await emptyDatabase(url);
      };
      return { store: scratch, close };
    });
  });

  it('returns to the owner of the lease that another process has paused the link', async () => {
    await emptyDatabase(url);
    const other = openPostgres({ url, clock: systemClock, connections: 1 });
    expect((await store.link('a')).pausedByHandAtMs).toBeNull();
    expect(await store.acquireLease('a', 'run', 1, 60_000)).not.toBeNull();
    expect(await other.setPausedByHand('a', 7)).toBe(true);
    expect(await store.pausedByHandAtMs('a')).toBe(7);
    await store.releaseLease('a', 'run');
    await other.close();
  });

  it('has another shared id than a copy of its database on the same server', async () => {
    const origin = (await postgres?.createDatabase()) ?? '';
    const sharedIdAt = async (at: string): Promise<string | null> => {
      const opened = openPostgres({ url: at, clock: systemClock, connections: 1 });
      const id = await opened.sharedId();
      await opened.close();
      return id;
    };
    const id = await sharedIdAt(origin);
    const copy = `${origin}_copy`;
    const nameOf = (at: string): string => new URL(at).pathname.slice(1);
    await postgres?.query(url, `create database ${nameOf(copy)} template ${nameOf(origin)}`);
    const copied = await sharedIdAt(copy);
    await postgres?.query(url, `drop database ${nameOf(copy)} with (force)`);
    expect(copied).not.toBe(id);
    expect(await sharedIdAt(origin)).toBe(id);
  });

  it('copies the state of one moment while another run stores pairs', async () => {
    await emptyDatabase(url);
    await expectWholePairsInCopy(store);
  });

  it('and its scratch copy return the same results as SQLite after the same commits of many changes', async () => {
    const commits = fc.array(fc.array(draft, { maxLength: 7 }), { maxLength: 5 });
    const property = fc.asyncProperty(commits, fc.array(draft, { maxLength: 4 }), async (before, after) => {
      await emptyDatabase(url);
      const sqlite = openStore(':memory:');
      const [own, other]: [number[], number[]] = [[], []];
      await play(store, own, started);
      await play(sqlite, other, started);
      await playTogether(store, own, before);
      await playTogether(sqlite, other, before);
      expect(await everything(store, own)).toEqual(await everything(sqlite, other));
      const scratch = await store.scratch(LINK);
      await play(scratch, own, after);
      await play(sqlite, other, after);
      expect(await everything(scratch, own)).toEqual(await everything(sqlite, other));
      await Promise.all([sqlite.close(), scratch.close()]);
    });
    await fc.assert(property, { numRuns: extentOf({ all: 60, sample: 10 }), seed: 20_261_122 });
  });
});
