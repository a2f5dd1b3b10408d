import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EMPTY_CONTACT } from '../../../../src/core/contact/contact.ts';
import type { Operation } from '../../../../src/core/reconcile/operation.ts';
import type { ConflictRow, StoreChange } from '../../../../src/core/state/rows.ts';
import { changeLink } from '../../../../src/engine/change-link.ts';
import { decideConflicts } from '../../../../src/engine/history/conflicts.ts';
import { explainById, findPeople } from '../../../../src/engine/history/explain.ts';
import { shownWrites, writeOf } from '../../../../src/engine/history/run-writes.ts';
import { openStore } from '../../../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../../../src/store/store.ts';
import { systemClock } from '../../../../src/util/clock.ts';
import { operationOf, putHalf, recordOf } from '../../../support/store/rows.ts';

const LINK = 'default';

const OF = { link: LINK, terms: { direction: 'both', conflicts: 'newest' } } as const;

const RUN = 'run-1';

const CREATES = 320;

const NUMBERS = Array.from({ length: CREATES }, (_, index) => index);

const recordOfPerson = (id: string, firstName: string) =>
  recordOf(id, { contact: { ...EMPTY_CONTACT, firstName, lastName: 'Núñez' } });

const intend = (operation: Operation, run = RUN): StoreChange => ({ kind: 'intend', run, atMs: 5, operation });

let store: Store;

beforeEach(() => {
  store = openStore(':memory:');
});

afterEach(() => store.close());

describe('the writes of a run that wrote many', () => {
  const ADA3 = recordOfPerson('r3', 'Ada3');
  let token: number;
  const commit = (...changes: StoreChange[]) => store.commit(LINK, token, changes);

  beforeEach(async () => {
    token = (await store.acquireLease(LINK, 'owner', 0, 1_000)) ?? 0;
    await commit({ kind: 'run-started', run: { id: RUN, kind: 'full', undoes: null, startedAtMs: 1 } });
    const create = (leftId: string) => operationOf('create', { leftId, rightId: null, side: 'right' });
    const createdIds = await commit(
      ...NUMBERS.map((index) => intend(create(`l${index}`))),
      intend(create('l1'), 'another run'),
    );
    await commit(
      ...NUMBERS.map((index): StoreChange => {
        const after = recordOfPerson(`r${index}`, `Ada${index}`);
        return { kind: 'journal', id: createdIds[index] ?? 0, state: 'done', after, error: null, atMs: 6 };
      }),
      intend(operationOf('membership', { side: 'right', leftId: 'l3', rightId: 'r3', before: ADA3 })),
      intend(operationOf('delete', { leftId: 'l900', before: recordOfPerson('l900', 'Gone') })),
      putHalf('l7', { record: recordOfPerson('l7', 'Ada7') }),
      putHalf('l70', { record: recordOfPerson('l70', 'Ada70') }),
      putHalf('l500', { record: recordOfPerson('l500', 'Berta') }),
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

  test('are found by their contact', async () => {
    const idsFor = async (grep: string) => {
      const shown = await shownWrites(store, OF, RUN, { grep });
      if (!('of' in shown)) throw new Error('They are not looked for.');
      return shown.of.map(({ id }) => id);
    };
    expect(await idsFor('ADA7 nunez')).toEqual(['r7']);
    expect(await idsFor('nunez')).toEqual(['r7', 'r70']);
    expect(await idsFor('Berta')).toEqual([]);
    expect(await idsFor('l3')).toEqual(['r3', 'r3']);
  });

  test('are read one by one', async () => {
    const shown = await shownWrites(store, OF, RUN, { only: 'creates' });
    const first = 'sections' in shown ? (shown.sections[0]?.writes[0]?.write ?? 0) : 0;
    expect(await writeOf(store, OF, RUN, first)).toMatchObject([{ write: first, id: 'r0', action: 'create' }]);
    expect(await writeOf(store, OF, RUN, 999_999)).toEqual([]);
    expect(await writeOf(store, OF, 'another run', first)).toEqual([]);
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
    expect(await explainById(store, OF, 'l500')).toMatchObject(berta);
    expect(await explainById(store, OF, 'nobody')).toBeNull();
  });
});

const WORK = 'work';

const parts = () => ({ store, clock: systemClock, newId: randomUUID });

const commit = (...changes: readonly StoreChange[]) => changeLink(parts(), WORK, () => changes);

const conflict = (field: 'title' | 'company', left: string, right: string): StoreChange => {
  const value = { field, left, right, winner: 'right' } as const;
  return { kind: 'conflict', run: 'run', leftId: 'l1', rightId: 'r1', conflict: value, atMs: 3 };
};

const recorded = (): Promise<readonly ConflictRow[]> => store.conflicts(WORK, { all: false });

test('[R4] a decision does not apply to the conflict that replaced the shown one in the meantime', async () => {
  await commit(conflict('title', 'Cook', 'Baker'), conflict('company', 'Acme', 'Apex'));
  const shown = await recorded();
  const ended = { kind: 'end-conflicts', leftId: 'l1', fields: ['title'], atMs: 4 } as const;
  await commit(ended, conflict('title', 'Nurse', 'Doctor'));
  const ids = shown.map(({ id }) => id);
  expect(await decideConflicts(parts(), { ...OF, link: WORK }, ids, 'left')).toEqual({ ids: [ids[1]], writes: 1 });
  expect((await recorded()).map(({ field, left, decided }) => [field, left, decided])).toEqual([
    ['company', 'Acme', 'left'],
    ['title', 'Nurse', null],
  ]);
});
