import { reviewConflicts } from '../../../../src/engine/history/conflicts.ts';
import type { ConflictRow, StoreChange } from '../../../../src/core/state/rows.ts';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStore } from '../../../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../../../src/store/store.ts';
import { changeLink } from '../../../../src/engine/change-link.ts';
import { systemClock } from '../../../../src/util/clock.ts';

let store: Store;
beforeEach(() => {
  store = openStore(':memory:');
});
afterEach(() => store.close());

const LINK = 'work';
const parts = () => ({ store, clock: systemClock, newId: randomUUID });
const commit = (...changes: readonly StoreChange[]) => changeLink(parts(), LINK, () => changes);
const conflict = (field: 'title' | 'company', left: string, right: string): StoreChange => ({
  kind: 'conflict',
  run: 'run',
  leftId: 'l1',
  rightId: 'r1',
  conflict: { field, left, right, winner: 'right' },
  atMs: 3,
});
const open = (): Promise<readonly ConflictRow[]> => store.conflicts(LINK, { all: false });

test('[R4] the review of a conflict does not apply to the conflict that replaced it in the meantime', async () => {
  await commit(conflict('title', 'Cook', 'Baker'), conflict('company', 'Acme', 'Apex'));
  const shown = await open();
  await commit(
    { kind: 'resolve-conflicts', leftId: 'l1', fields: ['title'], atMs: 4 },
    conflict('title', 'Nurse', 'Doctor'),
  );
  expect(await reviewConflicts(parts(), LINK, shown, 'left')).toEqual([null, 'left']);
  expect((await open()).map(({ field, left, review }) => [field, left, review])).toEqual([
    ['company', 'Acme', 'left'],
    ['title', 'Nurse', null],
  ]);
});
