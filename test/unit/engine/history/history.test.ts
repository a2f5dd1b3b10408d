import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EMPTY_CONTACT } from '../../../../src/core/contact/contact.ts';
import type { Operation } from '../../../../src/core/reconcile/operation.ts';
import type { StoreChange } from '../../../../src/core/state/rows.ts';
import { decideConflicts, listConflicts } from '../../../../src/engine/history/conflicts.ts';
import { explainById, findPeople, findUnlinked } from '../../../../src/engine/history/explain.ts';
import { shownWrites, writeOf } from '../../../../src/engine/history/run-writes.ts';
import { openStore } from '../../../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../../../src/store/store.ts';
import { systemClock } from '../../../../src/util/clock.ts';
import { operationOf, pairOf, putHalf, putOf, recordOf } from '../../../support/store/rows.ts';

const LINK = 'work';
const TERMS = { direction: 'both', conflicts: 'newest' } as const;
const OF = { name: LINK, ...TERMS };

let store: Store;
let token: number;
beforeEach(async () => {
  store = openStore(':memory:');
  token = (await store.acquireLease(LINK, 'owner', 0, 1_000)) ?? 0;
});
afterEach(() => store.close());

const commit = (...changes: StoreChange[]) => store.commit(LINK, token, changes);

/** Starts a run and stores its operations. Returns their journal ids. */
const started = async (id: string, undoes: string | null, operations: readonly Operation[]) => {
  const kind = undoes === null ? 'incremental' : 'undo';
  await commit({ kind: 'run-started', run: { id, kind, undoes, startedAtMs: 1 } });
  return commit(...operations.map((operation): StoreChange => ({ kind: 'intend', run: id, atMs: 5, operation })));
};

const DONE = { kind: 'journal', state: 'done', after: null, error: null, atMs: 6 } as const;

/** Stores the operations of a run as done. Returns their journal ids. */
const ran = async (id: string, undoes: string | null, operations: readonly Operation[]): Promise<readonly number[]> => {
  const ids = await started(id, undoes, operations);
  await commit(...ids.map((entry): StoreChange => ({ ...DONE, id: entry })));
  return ids;
};

describe('the writes of a run that wrote many', () => {
  const RUN = 'run-1';
  const CREATES = 320;
  const NUMBERS = Array.from({ length: CREATES }, (_, index) => index);
  const person = (id: string, firstName: string) =>
    recordOf(id, { contact: { ...EMPTY_CONTACT, firstName, lastName: 'Núñez' } });

  beforeEach(async () => {
    const create = (leftId: string) => operationOf('create', { leftId, rightId: null, side: 'right' });
    const ids = await started(
      RUN,
      null,
      NUMBERS.map((index) => create(`l${index}`)),
    );
    await started('another run', null, [create('l1')]);
    await commit(
      ...NUMBERS.map((at): StoreChange => ({ ...DONE, id: ids[at] ?? 0, after: person(`r${at}`, `Ada${at}`) })),
      putHalf('l7', { record: person('l7', 'Ada7') }),
      putHalf('l70', { record: person('l70', 'Ada70') }),
      putHalf('l500', { record: person('l500', 'Berta') }),
      ...[
        operationOf('membership', { side: 'right', leftId: 'l3', rightId: 'r3', before: person('r3', 'Ada3') }),
        operationOf('delete', { leftId: 'l900', before: person('l900', 'Gone') }),
      ].map((operation): StoreChange => ({ kind: 'intend', run: RUN, atMs: 5, operation })),
    );
  });

  test('are listed by kind, the deletions first, some of each kind with the total', async () => {
    const shown = await shownWrites(store, OF, RUN, {});
    if (!('sections' in shown)) throw new Error('All are shown.');
    const outline = shown.sections.map(({ changeKind, total, writes }) => [changeKind, total, writes.length]);
    expect(outline.join(' ')).toBe(`deletes,1,1 creates,${CREATES},100 updates,1,1`);
    expect(shown.total).toBe(CREATES + 2);
    // The membership of a new contact has the reason of its create, which is not among those of its kind.
    expect(shown.sections[2]?.writes[0]?.why).toEqual({ kind: 'new', at: 'left' });
  });

  test('a conflict that waits for a decision is not counted as a write', async () => {
    const found = { run: RUN, leftId: 'l7', rightId: 'r7', atMs: 5 };
    const conflict = { field: 'title', left: 'Baker', right: 'Brewer', winner: null } as const;
    await commit({ kind: 'conflict', ...found, conflict });
    const shown = await shownWrites(store, OF, RUN, {});
    expect('sections' in shown && shown.sections.filter(({ changeKind }) => changeKind === 'conflicts')).toEqual([]);
  });

  test('continue after the end of a part, each listed once', async () => {
    const ids: (string | null)[] = [];
    for (let from: number | null = 0; from !== null;) {
      const shown = await shownWrites(store, OF, RUN, { only: 'creates', from });
      const [section, ...others] = 'sections' in shown ? shown.sections : [];
      expect(others).toEqual([]);
      ids.push(...(section?.writes.map((write) => ('leftId' in write ? write.leftId : null)) ?? []));
      from = section?.next ?? null;
    }
    expect(ids).toEqual(NUMBERS.map((index) => `l${index}`));
  });

  test.each([
    ['ADA7 nunez', ['r7']],
    ['nunez', ['r7', 'r70']],
    ['Berta', []],
    ['l3', ['r3', 'r3']],
  ])('are found by their contact: %s', async (grep, ids) => {
    const shown = await shownWrites(store, OF, RUN, { grep });
    expect('of' in shown ? shown.of.map(({ id }) => id) : null).toEqual(ids);
  });

  test('are read one by one', async () => {
    const shown = await shownWrites(store, OF, RUN, { only: 'creates' });
    const first = 'sections' in shown ? (shown.sections[0]?.writes[0]?.write ?? 0) : 0;
    expect(await writeOf(store, OF, RUN, first)).toMatchObject([{ write: first, id: 'r0', action: 'create' }]);
    expect([await writeOf(store, OF, RUN, 999_999), await writeOf(store, OF, 'another run', first)]).toEqual([[], []]);
  });

  test('are found by the name of a contact, and a contact that no run has paired is explained too', async () => {
    const names = async (text: string, most = 10) =>
      (await findPeople(store, LINK, text, most)).map(({ name, email, sides }) => [name, email, ...sides]);
    expect(await names('berta')).toEqual([['Berta Núñez', null, 'left']]);
    expect(await names('nunez', 2)).toHaveLength(2);
    const [left, right] = [
      { id: 'l500', state: 'present' },
      { id: null, state: 'none' },
    ];
    const berta = { name: 'Berta Núñez', status: 'unlinked', left, right, entries: [] };
    expect(await explainById(store, OF, 'l500')).toMatchObject([berta]);
    expect(await explainById(store, OF, 'no such id')).toEqual([]);
  });
});

describe('the counterparts of an unlinked contact', () => {
  const called = (id: string, firstName: string, lastName: string) => {
    const contact = { ...EMPTY_CONTACT, firstName, lastName };
    return { record: recordOf(id, { contact }), state: 'changed' } as const;
  };
  const pair = (at: number, left: string, right: string) =>
    pairOf('linked', putOf(`l${at}`, called(`l${at}`, left, 'Smith')), {
      ...putOf(`r${at}`, { ...called(`r${at}`, right, 'Smith'), side: 'right' }),
    });
  const found = async (text: string) => (await findUnlinked(store, LINK, 'right', text, 20)).map(({ id }) => id);

  beforeEach(async () => {
    await commit(
      putHalf('l900', called('l900', 'Mia', '')),
      putHalf('r900', { ...called('r900', 'Mia', 'Smith'), side: 'right' }),
      putHalf('r901', { ...called('r901', 'Gone', 'Jones'), side: 'right', state: 'gone' }),
      ...Array.from({ length: 30 }, (_, at) => pair(at + 1, 'Ada', 'Ada')).flat(),
      ...pair(50, 'Robert', 'Bob'),
    );
  });

  test.each([
    ['although the contact itself matches better', 'Mia', ['r900']],
    ['although many linked contacts match as well', 'Smith', ['r900']],
    ['by their id', 'r900', ['r900']],
    ['but no contact that is linked under another name', 'Bob', []],
    ['and no deleted one', 'Gone', []],
  ])('are found, %s', async (_rule, text, ids) => {
    expect(await found(text)).toEqual(ids);
  });
});

type Winner = 'left' | 'right' | null;
const conflict = (field: 'title' | 'company', left: string, right: string, winner: Winner = 'right'): StoreChange => ({
  kind: 'conflict',
  run: 'run',
  leftId: 'l1',
  rightId: 'r1',
  conflict: { field, left, right, winner },
  atMs: 9,
});

test('R4: a conflict has the times at which both sides had changed the contact', async () => {
  const at = (modifiedAtMs: number) => recordOf('l1', { modifiedAtMs });
  await ran('run', null, [operationOf('update', { fields: ['title'], before: at(3), source: at(4) })]);
  await commit(
    conflict('title', 'Baker', 'Brewer'),
    conflict('company', 'Baker', 'Brewer', null),
    putHalf('l1', { record: at(7), heardAtMs: 8 }),
    putHalf('r1', { side: 'right', record: at(8), heardAtMs: 8 }),
  );
  const listed = await listConflicts(store, LINK, TERMS, { all: false });
  expect(listed.map(({ field, changedAtMs }) => [field, changedAtMs])).toEqual([
    ['title', { left: 3, right: 4 }],
    ['company', { left: 7, right: 8 }],
  ]);
});

test('R4: a decision does not apply to the conflict that replaced the shown one in the meantime', async () => {
  await commit(conflict('title', 'Cook', 'Baker'), conflict('company', 'Acme', 'Apex'));
  const ids = (await store.conflicts(LINK, { all: false })).map(({ id }) => id);
  const ended = { kind: 'end-conflicts', leftId: 'l1', fields: ['title'], atMs: 10 } as const;
  await commit(ended, conflict('title', 'Nurse', 'Doctor'));
  await store.releaseLease(LINK, 'owner');
  const parts = { store, clock: systemClock, newId: randomUUID };
  expect(await decideConflicts(parts, OF, ids, 'left')).toEqual({ ids: [ids[1]], writes: 1 });
  const recorded = await store.conflicts(LINK, { all: false });
  expect(recorded.map(({ field, left, decided }) => `${field} ${left} ${decided}`)).toEqual([
    'company Acme left',
    'title Nurse null',
  ]);
});
