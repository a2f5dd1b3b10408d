import Database from 'better-sqlite3';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EMPTY_CONTACT, isEmptyContact } from '../../../src/core/contact/contact.ts';
import type { Half } from '../../../src/core/contact/half.ts';
import { fullNameKey } from '../../../src/core/contact/names.ts';
import { SIDES } from '../../../src/core/contact/side.ts';
import { openStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { StoreError, type Store } from '../../../src/store/store.ts';
import {
  fileAfterMigrations,
  firstEditionFile,
  FIRST_EDITION_MIGRATIONS,
  readTables,
  type Row,
} from '../../support/store/first-edition.ts';

const LINK = 'default';
const FORMER = { left: 'google', right: 'service' } as const;

const migration = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../../../migrations/sqlite', `${name}.sql`), 'utf8');

const MIGRATIONS = readdirSync(join(import.meta.dirname, '../../../migrations/sqlite')).filter((name) =>
  name.endsWith('.sql'),
).length;

const parse = (text: string | number | null | undefined): unknown =>
  text === null || text === undefined ? null : JSON.parse(String(text));

/** Returns the expected halves of a link, computed row by row from the tables of the first edition. */
const halvesOf = (tables: ReadonlyMap<string, readonly Row[]>, link: string): unknown[] => {
  const staged = (tables.get('staged') ?? []).filter((row) => row['link'] === link);
  const pairs = (tables.get('pairs') ?? []).filter((row) => row['link'] === link);
  const states: Record<string, string> = {
    upsert: 'changed',
    tombstone: 'gone',
    missing: 'missing',
    settling: 'settling',
  };
  return SIDES.flatMap((side) => {
    const former = FORMER[side];
    const waiting = new Map(staged.filter((row) => row['side'] === former).map((row) => [row['id'], row]));
    const paired = pairs.flatMap((pair) => {
      const id = pair[`${former}_id`];
      if (id === null || id === undefined) return [];
      const change = waiting.get(id);
      waiting.delete(id);
      const isUpsert = change?.['kind'] === 'upsert';
      const half = {
        side,
        id,
        pair: pair['id'],
        state: change === undefined ? 'settled' : states[String(change['kind'])],
        record: parse((isUpsert ? change['record_json'] : null) ?? pair[`${former}_record_json`]),
        base: parse(pair[`${former}_base_json`]),
        mergedInto: change?.['merged_into'] ?? null,
        absences: pair[`${former}_absences`],
        lastListedAtMs: null,
        writtenAtMs: pair[`${former}_written_at_ms`],
        heardAtMs: change?.['staged_at_ms'] ?? 0,
      };
      return [half];
    });
    const unpaired = [...waiting.values()].flatMap((row) => {
      if (row['kind'] !== 'upsert') return [];
      const none = { pair: null, base: null, mergedInto: null, absences: 0, lastListedAtMs: null, writtenAtMs: null };
      const record = parse(row['record_json']);
      return [{ side, id: row['id'], state: 'changed', record, heardAtMs: row['staged_at_ms'], ...none }];
    });
    return [...paired, ...unpaired].toSorted((one, other) => (String(one.id) < String(other.id) ? -1 : 1));
  });
};

const sideOf = (former: unknown): string => (former === 'google' ? 'left' : 'right');

/** Returns the rows of a table with the later names of its columns. */
const renamed = (rows: readonly Row[] | undefined): Record<string, unknown>[] =>
  (rows ?? []).map((row) => {
    const entries = Object.entries(row).map(([column, value]): [string, unknown] => {
      const name = column.replace(/^google(?=$|_)/u, 'left').replace(/^service(?=$|_)/u, 'right');
      return [name, column === 'side' || column === 'winner' ? sideOf(value) : value];
    });
    return Object.fromEntries(entries);
  });

const opened = async <T>(path: string, use: (store: Store) => Promise<T>): Promise<T> => {
  const store = openStore(path);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
};

describe('a database of the first edition', () => {
  it('has rows of every kind, so that no test below passes on an empty set', () => {
    using file = firstEditionFile();
    const tables = readTables(file.path);
    const kinds = Object.groupBy(tables.get('staged') ?? [], (row) => `${row['side']} ${row['kind']}`);
    expect(Object.keys(kinds).toSorted()).toEqual([
      'google missing',
      'google tombstone',
      'google upsert',
      'service settling',
      'service tombstone',
      'service upsert',
    ]);
    expect(tables.get('staged')?.filter((row) => row['merged_into'] !== null)).toHaveLength(2);
    expect(new Set(tables.get('pairs')?.map((row) => row['status']))).toEqual(new Set(['linked', 'kept', 'dormant']));
    expect(tables.get('pairs')?.length).toBeGreaterThan(300);
    expect(new Set(tables.get('journal')?.map((row) => row['state']))).toEqual(new Set(['done', 'failed', 'intended']));
    for (const table of ['group_pairs', 'runs', 'conflicts', 'rejections', 'budgets', 'shown_pages', 'cursors'])
      expect(tables.get(table), table).not.toHaveLength(0);
  });

  it('has every contact as one half after the migration, in its staged state', async () => {
    using file = firstEditionFile();
    const before = readTables(file.path);
    await opened(file.path, async (store) => {
      const halves: readonly Half[] = await store.halves(LINK, { by: 'all' });
      expect(halves).toEqual(halvesOf(before, LINK));
      expect(halves.length).toBeGreaterThan(650);
      expect(await store.counts(LINK)).toMatchObject({ pairs: 331, asleep: 0, present: { left: 329, right: 335 } });
      const gone = await store.halves(LINK, { by: 'state', states: ['gone'] });
      expect(gone.filter(({ mergedInto }) => mergedInto !== null)).toHaveLength(2);
      expect((await store.halves(LINK, { by: 'alone' })).length).toBe(7);
    });
  });

  it('keeps the digests of settled halves and loses the other digests', async () => {
    using file = firstEditionFile();
    const before = readTables(file.path);
    await opened(file.path, async (store) => {
      for (const side of SIDES) {
        const former = FORMER[side];
        const waiting = new Set(before.get('staged')?.flatMap((row) => (row['side'] === former ? [row['id']] : [])));
        const pairs = (before.get('pairs') ?? []).filter((row) => row[`${former}_digest`] !== null);
        const rows = pairs.map((row) => ({ id: String(row[`${former}_id`]), digest: String(row[`${former}_digest`]) }));
        const settled = rows.filter(({ id }) => !waiting.has(id)).map(({ digest }) => digest);
        expect(settled.length).toBeGreaterThan(250);
        expect(settled.length).toBeLessThan(rows.length);
        expect(await store.known(LINK, side, rows)).toEqual(new Set(settled));
      }
    });
  });

  it('keeps pairs with their ids, and never reuses the id of a deleted pair', async () => {
    using file = firstEditionFile();
    const pairs = readTables(file.path).get('pairs') ?? [];
    const sequence = readTables(file.path).get('sqlite_sequence') ?? [];
    const last = Number(sequence.find((row) => row['name'] === 'pairs')?.['seq']);
    expect(last).toBeGreaterThan(Math.max(...pairs.map((row) => Number(row['id']))));
    await opened(file.path, async (store) => {
      const ids = pairs.map((row) => Number(row['id']));
      expect(await store.pairs(LINK, ids)).toEqual(pairs.map(({ id, status }) => ({ id, status })));
      const token =
        (await store.acquireLease(LINK, 'owner', Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER)) ?? 0;
      await store.commit(LINK, token, [{ kind: 'put-pair', id: null, status: 'linked', halves: [] }]);
      expect(await store.pairs(LINK, [last, last + 1])).toEqual([{ id: last + 1, status: 'linked' }]);
    });
  });

  it('has its contacts in the search index', async () => {
    using file = firstEditionFile();
    await opened(file.path, async (store) => {
      const halves = await store.halves(LINK, { by: 'all' });
      const named = halves.filter(({ record }) => fullNameKey(record.contact) !== '');
      expect(named.length).toBeGreaterThan(0);
      for (const { side, id, record } of named) {
        const found = await store.halves(LINK, { by: 'search', text: fullNameKey(record.contact), limit: 1_000 });
        expect(found.map((half) => `${half.side} ${half.id}`)).toContain(`${side} ${id}`);
      }
      const blank = halves.filter(({ pair, record }) => pair === null && isEmptyContact(record.contact));
      expect(await store.halves(LINK, { by: 'blank' })).toEqual(blank);
    });
  });

  it('loses no row of any other table', () => {
    using file = firstEditionFile();
    const before = readTables(file.path);
    void openStore(file.path).close();
    const after = readTables(file.path);
    const journal = after.get('journal')?.map((row) => ({ ...row, destroys: undefined }));
    expect(journal).toEqual(renamed(before.get('journal')));
    const unreviewed = { review: null, reviewed_at_ms: null };
    expect(after.get('conflicts')).toEqual(renamed(before.get('conflicts'))?.map((row) => ({ ...row, ...unreviewed })));
    for (const table of ['group_pairs', 'rejections', 'runs', 'budgets', 'shown_pages'])
      expect(after.get(table), table).toEqual(renamed(before.get(table)));
    const links = renamed(before.get('links')) ?? [];
    // The former columns, except for the time of the last sweep, which is now stored with the cursors.
    expect(after.get('links')).toMatchObject(links.map(({ swept_at_ms: _swept, ...row }) => row));
    expect([...after.keys()]).not.toContain('staged');
  });

  it('has its deletes marked as destroying, so that the guard counts them', () => {
    using file = firstEditionFile();
    void openStore(file.path).close();
    const journal = readTables(file.path).get('journal') ?? [];
    expect(journal.filter((row) => row['destroys'] === 1).map((row) => row['id'])).toEqual(
      journal.filter((row) => row['kind'] === 'delete').map((row) => row['id']),
    );
    expect(journal.some((row) => row['destroys'] === 1)).toBe(true);
  });

  it('has a readable journal and all its runs and conflicts', async () => {
    using file = firstEditionFile();
    const before = readTables(file.path);
    await opened(file.path, async (store) => {
      const runs = await store.runs(LINK, { idPrefix: '' });
      expect(runs).toHaveLength(before.get('runs')?.length ?? 0);
      const names = new Set(before.get('journal')?.map((row) => String(row['run'])));
      const entries = await Promise.all([...names].map((run) => store.journal(LINK, { run })));
      expect(entries.flat()).toHaveLength(before.get('journal')?.length ?? 0);
      expect(await store.journal(LINK, { open: true })).toHaveLength(2);
      expect(await store.conflicts(LINK, { all: true })).toHaveLength(before.get('conflicts')?.length ?? 0);
      expect(runs.find(({ kind }) => kind === 'undo')).toMatchObject({ undoes: 'another-run', outcome: 'running' });
    });
  });

  it('has the last sweep as the last full listing of the right side, and keeps the rest of the cursors', async () => {
    using file = firstEditionFile();
    const before = readTables(file.path);
    const swept = before.get('links')?.find((row) => row['name'] === LINK)?.['swept_at_ms'];
    expect(swept).toEqual(expect.any(Number));
    await opened(file.path, async (store) => {
      const { cursors } = await store.link(LINK);
      for (const side of SIDES) {
        const row = before.get('cursors')?.find((each) => each['side'] === FORMER[side]);
        expect(cursors[side]).toEqual({
          cursor: row?.['cursor'],
          readAtMs: row?.['read_at_ms'],
          resume: row?.['resume'],
          listingStartedAtMs: row?.['listing_started_at_ms'],
          listedAtMs: side === 'right' ? swept : null,
        });
      }
      expect(cursors.right.resume).toBe('page 3');
      expect(await store.shown(LINK, 'right')).toHaveLength(120);
      expect((await store.link('second')).cursors.right.listedAtMs).toBe(12_345);
      expect(await store.link('second')).toMatchObject({ state: 'paused', accounts: { right: '42' } });
    });
  });

  it('is migrated only once', () => {
    using file = firstEditionFile();
    void openStore(file.path).close();
    const once = readTables(file.path);
    void openStore(file.path).close();
    expect(readTables(file.path)).toEqual(once);
    expect(once.get('__drizzle_migrations')).toHaveLength(MIGRATIONS);
  });

  it('is unchanged if a migration fails', () => {
    using file = firstEditionFile();
    const client = new Database(file.path);
    client.exec('create table halves (id text)');
    client.close();
    const before = readTables(file.path);
    expect(() => openStore(file.path)).toThrow(StoreError);
    expect(readTables(file.path)).toEqual(before);
  });
});

describe('a database of an earlier schema', () => {
  const record = (id: string) => ({
    id,
    version: '1',
    modifiedAtMs: null,
    contact: EMPTY_CONTACT,
    groupIds: [],
    raw: '{"names":[]}',
    originId: null,
  });
  const base = JSON.stringify({ contact: EMPTY_CONTACT, groupIds: ['g'] });

  const fill = (client: Database.Database): void => {
    const insert = client.prepare(
      "insert into pairs (link, status, google_id, google_base_json, google_record_json, service_id, service_base_json, service_record_json) values ('default', ?, ?, ?, ?, ?, ?, ?)",
    );
    const text = (id: string) => JSON.stringify(record(id));
    insert.run('linked', 'people/1', base, text('people/1'), 'contact_1', base, text('contact_1'));
    insert.run('kept', null, null, null, 'contact_2', base, text('contact_2'));
    insert.run('dormant', 'people/3', base, null, null, null, null);
    const stage = client.prepare(
      "insert into staged (link, side, id, kind, record_json, staged_at_ms) values ('default', ?, ?, ?, ?, 5)",
    );
    stage.run('google', 'people/1', 'upsert', null);
    stage.run('service', 'contact_1', 'missing', null);
    stage.run('service', 'contact_9', 'tombstone', null);
    stage.run('service', 'contact_8', 'upsert', text('contact_8'));
    stage.run('service', 'contact_7', 'upsert', null);
  };

  const counts = Array.from({ length: FIRST_EDITION_MIGRATIONS }, (_, index) => index + 1);
  it.each(counts)('of %d migrations keeps its halves', async (count) => {
    using file = fileAfterMigrations(count, fill);
    await opened(file.path, async (store) => {
      const halves = await store.halves(LINK, { by: 'all' });
      expect(halves.map(({ side, id, pair, state }) => [side, id, pair, state])).toEqual([
        ['left', 'people/1', 1, 'changed'],
        ['left', 'people/3', 3, 'gone'],
        ['right', 'contact_1', 1, 'missing'],
        ['right', 'contact_2', 2, 'settled'],
        ['right', 'contact_8', null, 'changed'],
      ]);
      const [changed, lost] = halves;
      expect(changed?.record).toEqual(record('people/1'));
      // The record of a half without a stored record is made from its base.
      expect(lost?.record).toEqual({ ...record('people/3'), version: '', groupIds: ['g'], raw: '{}' });
    });
  });

  it('without rows or without migrations opens as a new database', async () => {
    using file = fileAfterMigrations(0, () => {});
    await opened(file.path, async (store) => expect(await store.links()).toEqual([]));
  });
});

it('raw values of providers are converted to text in every table', () => {
  const client = new Database(':memory:');
  client.exec(migration('0000_initial'));
  client.exec(migration('0001_shown_pages'));
  const record = JSON.stringify({ id: 'people/c1', raw: { names: [{ givenName: 'Zoë' }] } });
  const insertPair = client.prepare(
    "insert into pairs (link, status, google_id, google_record_json, service_record_json) values ('l', 'linked', 'people/c1', ?, null)",
  );
  insertPair.run(record);
  const insertWrite = client.prepare(
    "insert into journal (link, run, side, kind, state, intent_json, before_json, intended_at_ms) values ('l', 'r', 'google', 'update', 'done', ?, ?, 1)",
  );
  insertWrite.run(JSON.stringify({ source: JSON.parse(record) as unknown }), record);
  insertWrite.run(JSON.stringify({ source: null }), null);
  client.exec(migration('0002_raw_as_text'));
  const texts = client.prepare("select google_record_json ->> '$.raw' from pairs").pluck().all();
  const writes = client
    .prepare("select intent_json ->> '$.source.raw', before_json ->> '$.raw' from journal")
    .raw()
    .all();
  const raw = '{"names":[{"givenName":"Zoë"}]}';
  expect(texts).toEqual([raw]);
  expect(writes).toEqual([
    [raw, raw],
    [null, null],
  ]);
  client.close();
});
