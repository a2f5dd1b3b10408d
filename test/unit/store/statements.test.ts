import type { SQL } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { findKnown, readPairs, readWholePairs, selectHalves } from '../../../src/store/sql/read-halves.ts';
import type { Step } from '../../../src/store/sql/step.ts';
import { openClient } from '../../../src/store/sqlite/database.ts';
import { SQLITE } from '../../../src/store/sqlite/dialect.ts';
import { SQLiteSyncDialect } from '../../../src/store/sqlite/drizzle.ts';
import { openStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { budgets, credentials, keySalt, TABLES, type Table } from '../../../src/store/tables.ts';
import { extentOf } from '../../support/extent.ts';
import { RUNS_A_DAY, sizeOf, soak } from '../../support/store/soak.ts';
import { useDirectory } from '../util/use-directory.ts';

const onlyStatement = (step: Step<unknown>): SQL => {
  const { done, value } = step.next();
  if (done === true) throw new Error('The step has no statement.');
  return value;
};

/** Returns the key columns with which SQLite searches halves and pairs in the plan of a statement. */
const searchesOf = (statement: SQL): readonly (string | undefined)[] => {
  const client = openClient(':memory:');
  const { sql, params } = new SQLiteSyncDialect().sqlToQuery(statement);
  const plan = client.prepare<unknown[], { detail: string }>(`explain query plan ${sql}`).all(...params);
  client.close();
  return plan.flatMap(({ detail }) =>
    /^(?:SEARCH|SCAN) (?:halves|pairs|h|p)\b/u.test(detail)
      ? [/\((?<by>[^)]*)\)(?: LEFT-JOIN)?$/u.exec(detail)?.groups?.['by']]
      : [],
  );
};

const halves = (query: Parameters<typeof selectHalves>[2]): SQL => selectHalves(SQLITE, 'home', query);
const WHOLE = readWholePairs(SQLITE, 'home', { ids: { left: [], right: [] }, pairs: [1] });
const KNOWN = findKnown(SQLITE, 'home', 'left', [{ id: 'l', digest: 'd' }]);

test.each([
  ['pairs by their ids', onlyStatement(readPairs(SQLITE, 'home', [1])), ['rowid=?']],
  ['halves by their ids', halves({ by: 'id', side: 'left', ids: ['l'] }), ['link=? AND side=? AND id=?']],
  ['halves by their pairs', halves({ by: 'pair', pairs: [1] }), ['link=? AND side=? AND pair=?']],
  ['halves by their state', halves({ by: 'state', states: ['missing'] }), ['link=? AND side=? AND state=?']],
  ['rows of a listing by their ids', onlyStatement(KNOWN), ['link=? AND side=? AND id=?']],
  ['whole pairs by their ids', onlyStatement(WHOLE), ['link=? AND side=? AND pair=?', 'rowid=?']],
])('SQLite finds %s through an index, for any number of contacts', (_what, statement, expected) => {
  expect(searchesOf(statement)).toEqual(expected);
});

/** Columns that are not in the table definitions: those of the lease. */
const FURTHER: Readonly<Record<string, readonly string[]>> = { links: ['lease_owner', 'lease_until_ms'] };

test.each(Object.entries<Table>({ ...TABLES, budgets, credentials, keySalt }))(
  'the migrations of SQLite create the table %s with exactly the columns of the store',
  (_property, table) => {
    const client = openClient(':memory:');
    const found = client.prepare<[], string>(`select name from pragma_table_info('${table.name}')`).pluck().all();
    client.close();
    const columns = Object.values(table.columns).filter(({ isDerived }) => isDerived !== true);
    const expected = columns.map(({ name }) => name).concat(table.hasLink ? ['link'] : [], FURTHER[table.name] ?? []);
    expect(found.toSorted()).toEqual(expected.toSorted());
  },
);

const DAYS = extentOf({ all: 5, sample: 2 });

/** The number of runs within RETENTION. */
const WINDOW = DAYS * RUNS_A_DAY;
const PLAN = { changesPerRun: 100, retentionMs: DAYS * 86_400_000 };
const at = useDirectory();

test('constant changes do not grow the file beyond the size for RETENTION, and it shrinks when they end', async () => {
  const path = at('contact-sync.db');
  const store = openStore(path);
  const sizes = await soak(store, path, { ...PLAN, firstRun: 0, runs: 10 * WINDOW });
  expect(await store.journal('default', { fromId: 0, limit: 1e9 })).toHaveLength((WINDOW + 1) * PLAN.changesPerRun);
  // The log reaches its maximum size in the first half.
  const filled = Math.max(...sizes.slice(0, 5 * WINDOW));
  expect(Math.max(...sizes.slice(5 * WINDOW))).toBeLessThan(filled * 1.05);
  await soak(store, path, { ...PLAN, firstRun: 10 * WINDOW, runs: 2 * WINDOW, changesPerRun: 0 });
  await store.close();
  expect(sizeOf(path)).toBeLessThan(3_000_000);
});
