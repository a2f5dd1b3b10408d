import type { SQL } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { SQLiteSyncDialect } from '../../../src/store/sqlite/drizzle.ts';
import { findKnown, readPairs, readWholePairs, selectHalves } from '../../../src/store/sql/read-halves.ts';
import type { Step } from '../../../src/store/sql/step.ts';
import { openClient } from '../../../src/store/sqlite/database.ts';
import { SQLITE } from '../../../src/store/sqlite/dialect.ts';

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

test.each([
  ['pairs by their ids', onlyStatement(readPairs(SQLITE, 'home', [1])), ['rowid=?']],
  [
    'halves by their ids',
    selectHalves(SQLITE, 'home', { by: 'id', side: 'left', ids: ['l'] }),
    ['link=? AND side=? AND id=?'],
  ],
  ['halves by their pairs', selectHalves(SQLITE, 'home', { by: 'pair', pairs: [1] }), ['link=? AND side=? AND pair=?']],
  [
    'halves by their state',
    selectHalves(SQLITE, 'home', { by: 'state', states: ['missing'] }),
    ['link=? AND side=? AND state=?'],
  ],
  [
    'rows of a listing by their digests',
    onlyStatement(findKnown(SQLITE, 'home', 'left', [{ id: 'l', digest: 'd' }])),
    ['link=? AND side=? AND digest=?'],
  ],
  [
    'whole pairs by their ids',
    onlyStatement(readWholePairs(SQLITE, 'home', { ids: { left: [], right: [] }, pairs: [1] })),
    ['link=? AND side=? AND pair=?', 'rowid=?'],
  ],
])('SQLite finds %s through an index, for any number of contacts', (_what, statement, expected) => {
  expect(searchesOf(statement)).toEqual(expected);
});
