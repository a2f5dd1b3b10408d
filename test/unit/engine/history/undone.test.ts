import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Operation } from '../../../../src/core/reconcile/operation.ts';
import type { StoreChange } from '../../../../src/core/state/rows.ts';
import { listConflicts } from '../../../../src/engine/history/conflicts.ts';
import { listUndone } from '../../../../src/engine/history/undone.ts';
import { openStore } from '../../../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../../../src/store/store.ts';
import { operationOf, putHalf, recordOf } from '../../../support/store/rows.ts';

const LINK = 'work';

let store: Store;
let token: number;
beforeEach(async () => {
  store = openStore(':memory:');
  token = (await store.acquireLease(LINK, 'owner', 0, 1_000)) ?? 0;
});
afterEach(() => store.close());

const commit = (...changes: StoreChange[]) => store.commit(LINK, token, changes);

/** Starts a run and stores its operations as done. Returns their journal ids. */
const ran = async (id: string, undoes: string | null, operations: readonly Operation[]): Promise<readonly number[]> => {
  const kind = undoes === null ? 'incremental' : 'undo';
  await commit({ kind: 'run-started', run: { id, kind, undoes, startedAtMs: 1 } });
  const ids = await commit(
    ...operations.map((operation): StoreChange => ({ kind: 'intend', run: id, atMs: 5, operation })),
  );
  const done = { kind: 'journal', state: 'done', after: null, error: null, atMs: 6 } as const;
  await commit(...ids.map((entry): StoreChange => ({ ...done, id: entry })));
  return ids;
};

const update = (contact: string, fields: readonly ('title' | 'company')[], cause: 'sync' | 'undo' = 'sync') =>
  operationOf('update', { cause, fields, leftId: contact, rightId: null, before: recordOf(contact) });

test('a write counts as undone if an undo of its run reverted all of its fields, and not after the undo of the undo', async () => {
  const [ada = 0, ben = 0, deleted = 0, cleo = 0] = await ran('run', null, [
    update('ada', ['title', 'company']),
    update('ben', ['title', 'company']),
    operationOf('delete', { leftId: 'dan', rightId: null, before: recordOf('dan') }),
    update('cleo', ['title']),
  ]);
  expect(await listUndone(store, LINK, 'run')).toEqual(new Set());
  await ran('of another run', 'other', [update('cleo', ['title'], 'undo')]);
  await ran('undo', 'run', [
    update('ada', ['title', 'company'], 'undo'),
    update('ben', ['title'], 'undo'),
    operationOf('create', { cause: 'undo', leftId: 'dan', rightId: null, image: recordOf('dan') }),
  ]);
  const undone = await listUndone(store, LINK, 'run');
  expect([ada, ben, deleted, cleo].map((id) => undone.has(id))).toEqual([true, false, true, false]);
  await ran('undo of one write', 'undo', [update('ada', ['title', 'company'], 'undo')]);
  expect(await listUndone(store, LINK, 'run')).toEqual(new Set([deleted]));
});

test('[R4] a conflict has the times at which both sides had changed the contact', async () => {
  const at = (modifiedAtMs: number) => recordOf('l1', { modifiedAtMs });
  const conflict = (field: 'title' | 'company', winner: 'right' | null): StoreChange => {
    const value = { field, left: 'Baker', right: 'Brewer', winner };
    return { kind: 'conflict', run: 'run', leftId: 'l1', rightId: 'r1', conflict: value, atMs: 9 };
  };
  await ran('run', null, [operationOf('update', { fields: ['title'], before: at(3), source: at(4) })]);
  await commit(
    conflict('title', 'right'),
    conflict('company', null),
    putHalf('l1', { record: at(7), heardAtMs: 8 }),
    putHalf('r1', { side: 'right', record: at(8), heardAtMs: 8 }),
  );
  const policy = { direction: 'both', conflicts: 'newest' } as const;
  const listed = await listConflicts(store, LINK, policy, { all: false });
  expect(listed.map(({ field, changedAtMs }) => [field, changedAtMs])).toEqual([
    ['title', { left: 3, right: 4 }],
    ['company', { left: 7, right: 8 }],
  ]);
});
