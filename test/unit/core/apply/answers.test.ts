import { describe, expect, test } from 'vitest';
import {
  type AnsweredWrite,
  applyAnswer,
  isOfAnotherPair,
  storeAlreadyMoved,
} from '../../../../src/core/apply/answers.ts';
import { storeAgreed } from '../../../../src/core/apply/store-agreed.ts';
import { type Task, taskOf } from '../../../../src/core/apply/task.ts';
import type { Write } from '../../../../src/core/apply/write.ts';
import type { Contact } from '../../../../src/core/contact/contact.ts';
import type { Half } from '../../../../src/core/contact/half.ts';
import type { ContactRecord } from '../../../../src/core/contact/record.ts';
import type { Deletion, Merge } from '../../../../src/core/reconcile/decision.ts';
import type { WorkingSet } from '../../../../src/core/state/working-set.ts';
import {
  createWrites,
  deleteWrites,
  membershipWrites,
  mergeWrite,
  sharingWrites,
  updateWrites,
} from '../../../../src/engine/execute/writes.ts';
import { applyingIn, creationOf, mergeOf, NOW, PASS, plannedOn } from '../../engine/execute/support.ts';
import { ADA, changesOf, dropsFrom, linkedPair, looseHalf, pairedHalf, setOf } from '../../engine/support.ts';
import { record, SIDE_PAIRS, snapshot, values } from '../reconcile/support.ts';

const half = (
  side: 'left' | 'right',
  now: Partial<Contact>,
  base: Partial<Contact>,
  groupIds: readonly string[] = [],
) => {
  const own = record(side, { ...ADA, ...now }, { groupIds, digest: `row of ${side}` });
  return pairedHalf(side, side, 1, { state: 'changed', record: own, base: snapshot({ ...ADA, ...base }) });
};

/** The title and the bucket of the left side are to be written to the right one. */
const MERGE = mergeOf(half('left', { title: 'New' }, { title: 'Old' }, ['g-choir']), half('right', {}, {}), {
  writes: plannedOn('right', ['title', 'buckets'], { ...ADA, title: 'New' }, { joins: ['choir'] }),
});

/** The task of a merge, after what both sides agree on was stored. */
const agreedTask = (set: WorkingSet, merge: Merge): Task => {
  const task = taskOf(merge);
  storeAgreed(set, task, NOW);
  return task;
};

const halvesOf = ({ pair }: Merge): readonly Half[] => [pair.left, pair.right];

const updateOf = (set: WorkingSet, task: Task, value: ContactRecord): AnsweredWrite => {
  const [write] = updateWrites(PASS, set, 'right', [task]);
  if (write === undefined) throw new Error('An update was expected.');
  return { kind: 'record', write, value };
};

const moveOf = (set: WorkingSet, task: Task, value: readonly string[]): AnsweredWrite => {
  const [write] = membershipWrites(PASS, set, 'right', [task]);
  if (write === undefined) throw new Error('A change of membership was expected.');
  return { kind: 'groups', write, value };
};

describe('the response to an update', () => {
  const UPDATE = mergeOf(
    half('left', { title: 'New' }, { title: 'Old' }),
    half('right', { title: 'Old' }, { title: 'Old' }),
    { writes: plannedOn('right', ['title'], { ...ADA, title: 'New' }) },
  );
  const update = (value: ContactRecord, given: Partial<Merge> = {}, halves = halvesOf(UPDATE)) => {
    const set = setOf(halves);
    const task = agreedTask(set, { ...UPDATE, ...given });
    const outcome = applyAnswer(applyingIn(set), updateOf(set, task, value));
    return { set, outcome };
  };

  test('settles both halves, each by its own base', () => {
    const after = record('right', { ...ADA, title: 'New' }, { version: '2' });
    const { set, outcome } = update(after);
    expect(outcome).toEqual({
      after,
      applied: true,
      error: null,
      isRefused: false,
      notTaken: [],
      again: false,
      isStillThere: false,
    });
    expect(set.pair(1)).toMatchObject({
      left: { state: 'settled', base: { contact: { title: 'New' } } },
      right: { state: 'settled', record: after, base: { contact: { title: 'New' } }, writtenAtMs: NOW },
    });
  });

  test.each<[string, Partial<Contact>]>([
    ['cut it off', { title: 'Ne' }],
    ['kept the former one', { title: 'Old' }],
  ])('[R2] reports a value if the side %s, and does not send it again', (_, now) => {
    const { set, outcome } = update(record('right', { ...ADA, ...now }));
    expect(outcome).toMatchObject({ applied: true, notTaken: ['title'] });
    expect(set.pair(1)).toMatchObject({
      left: { state: 'settled' },
      right: { state: 'settled', base: { contact: now } },
    });
  });

  test('[R2] reports an element that the side did not store, but no element that the side only spells differently', () => {
    const mails = (...list: string[]) => ({ emailAddresses: list.map((value) => ({ value, label: null })) });
    const writes = plannedOn('right', ['emailAddresses', 'title'], {
      ...ADA,
      title: 'New',
      ...mails('a@x.org', 'b@x.org'),
    });
    const notTaken = (...list: string[]) => {
      const value = record('right', { ...ADA, title: 'New', ...mails(...list) });
      return update(value, { writes }).outcome.notTaken;
    };
    expect(notTaken('a@x.org', 'b@x.org')).toEqual([]);
    expect(notTaken('B@X.org', 'A@x.org', 'own@x.org')).toEqual([]);
    expect(notTaken('a@x.org')).toEqual(['emailAddresses']);
  });

  test('[R5] that adds an address of another contact settles that address, and no address that a user added since', () => {
    const mails = (...list: readonly string[]) => ({ emailAddresses: values(...list) });
    const email = { value: 'family@x.org', label: null };
    const left = half('left', mails('a@x.org', 'family@x.org'), mails('a@x.org'));
    const right = half('right', mails('a@x.org'), mails('a@x.org'));
    const set = setOf([left, right]);
    const task = agreedTask(set, mergeOf(left, right, { writes: [{ kind: 'share', side: 'right', email }] }));
    const [write] = sharingWrites(PASS, set, 'right', [{ task, email }]);
    if (write === undefined) throw new Error('An update was expected.');
    const value = record('right', { ...ADA, ...mails('own@x.org', 'a@x.org', 'family@x.org') });
    const outcome = applyAnswer(applyingIn(set), { kind: 'record', write, value });
    expect(outcome).toMatchObject({ applied: true, notTaken: [] });
    const base = snapshot({ ...ADA, ...mails('a@x.org', 'family@x.org') });
    expect(set.pair(1)).toMatchObject({ left: { state: 'settled', base }, right: { state: 'changed', base } });
  });

  test('[R5] is not asked for a field that a user of the side changed since the plan', () => {
    const [left] = halvesOf(UPDATE);
    const edited = half('right', { title: 'Own' }, { title: 'Old' });
    const several = plannedOn('right', ['title', 'company'], { ...ADA, title: 'New', company: 'Works' });
    const task = taskOf({ ...UPDATE, writes: several });
    const [write, ...others] = updateWrites(PASS, setOf([left as Half, edited]), 'right', [task]);
    expect([write?.request.fields, others]).toEqual([['company'], []]);
    expect(updateWrites(PASS, setOf([left as Half, edited]), 'right', [taskOf(UPDATE)])).toEqual([]);
  });

  test('[R2] reports nothing about fields that were not written', () => {
    expect(update(record('right', { ...ADA, title: 'New', company: 'Foreign' })).outcome.notTaken).toEqual([]);
  });

  test('[R7] leaves the other half as it was found in the meantime', () => {
    const [left, right] = halvesOf(UPDATE);
    const gone: Half = { ...(left ?? right), state: 'gone' } as Half;
    const { set } = update(record('right', { ...ADA, title: 'New' }), {}, [gone, right as Half]);
    expect(set.pair(1)).toMatchObject({ status: 'linked', left: { state: 'gone' }, right: { state: 'settled' } });
  });
});

describe('[R12] an update that returns another contact', () => {
  const value = record('other', { ...ADA, title: 'New' });

  test('that has its own pair is not stored', () => {
    const set = setOf([...halvesOf(MERGE), ...linkedPair(2, 'its counterpart', 'other')]);
    expect(isOfAnotherPair(set, updateOf(set, taskOf(MERGE), value))).toBe(true);
  });

  test('that is its own contact, in a pair stored earlier in the run, is applied', () => {
    const set = setOf(halvesOf(MERGE));
    const task = taskOf({ ...MERGE, pair: { ...MERGE.pair, id: null } });
    expect(isOfAnotherPair(set, updateOf(set, task, record(MERGE.pair.right.id, value.contact)))).toBe(false);
  });

  test('that has its own pair takes no half from a pair stored earlier in the run', () => {
    const set = setOf([...halvesOf(MERGE), ...linkedPair(2, 'its counterpart', 'other')]);
    const task = taskOf({ ...MERGE, pair: { ...MERGE.pair, id: null } });
    expect(isOfAnotherPair(set, updateOf(set, task, value))).toBe(true);
  });

  test.each<[string, readonly Half[]]>([
    ['is unknown', []],
    ['has no pair', [looseHalf('right', 'other')]],
  ])('that %s returns its own contact under a new id', (_, known) => {
    const set = setOf([...halvesOf(MERGE), ...known]);
    const task = taskOf(MERGE);
    expect(isOfAnotherPair(set, updateOf(set, task, value))).toBe(false);
    applyAnswer(applyingIn(set), updateOf(set, task, value));
    expect(set.pair(1)).toMatchObject({ status: 'linked', right: { id: 'other' } });
  });
});

describe('[R11] the response to a change of membership', () => {
  const MOVE = mergeOf(half('left', {}, {}, ['g-choir', 'g-team']), half('right', {}, {}), {
    writes: plannedOn('right', ['buckets'], ADA, { joins: ['choir'] }),
  });
  const move = (answer: readonly string[], merge = MOVE) => {
    const set = setOf(halvesOf(merge));
    const task = agreedTask(set, merge);
    return { set, outcome: applyAnswer(applyingIn(set), moveOf(set, task, answer)) };
  };

  test('settles both halves, and the record no longer matches the text of a row', () => {
    const left = half('left', {}, {}, ['g-choir']);
    const joined = mergeOf(left, pairedHalf('right', 'right', 1), { writes: MOVE.writes });
    const { set, outcome } = move(['s-choir'], joined);
    expect(outcome).toMatchObject({ again: false, notTaken: [], after: { groupIds: ['s-choir'] } });
    expect(outcome.after).not.toHaveProperty('digest');
    expect(set.pair(1)).toMatchObject({
      left: { state: 'settled', base: { groupIds: ['g-choir'] } },
      right: { state: 'settled', base: { groupIds: ['s-choir'] }, writtenAtMs: NOW },
    });
    expect(changesOf(set, 'put-half').find(({ half: put }) => put.side === 'right')?.digest).toBeNull();
  });

  test('sorts the returned group ids', () => {
    const { outcome } = move(['s-choir', 'own', 'another']);
    expect(outcome.after?.groupIds).toEqual(['another', 'own', 's-choir']);
  });

  test('[R5] leaves groups that a user joined in the meantime out of the base', () => {
    const { set } = move(['foreign', 's-choir']);
    expect(set.pair(1)?.right).toMatchObject({ state: 'changed', base: { groupIds: ['s-choir'] } });
  });

  test('is settled with the current contact if no request was needed', () => {
    const merge = mergeOf(half('left', {}, {}, ['g-choir']), half('right', {}, {}, ['s-choir']), {
      writes: MOVE.writes,
    });
    const set = setOf(halvesOf(merge));
    const task = agreedTask(set, merge);
    const [moved] = membershipWrites(PASS, set, 'right', [task]);
    expect(moved?.request).toMatchObject({ add: [], remove: [] });
    if (moved !== undefined) storeAlreadyMoved(applyingIn(set), moved);
    expect(set.pair(1)).toMatchObject({
      left: { state: 'settled' },
      right: { state: 'settled', record: { digest: 'row of right' } },
    });
    // The sides do not differ in this group.
    expect(set.pair(1)?.right?.base).not.toHaveProperty('declined');
  });

  test('is open while a group could not be created', () => {
    const writes = plannedOn('right', ['buckets'], ADA, { joins: ['choir', 'team'] });
    const { set } = move(['s-choir'], { ...MOVE, writes });
    expect(set.pair(1)).toMatchObject({
      left: { state: 'changed', base: { groupIds: ['g-choir'] } },
      right: { base: { groupIds: ['s-choir'] } },
    });
  });
});

describe('the response to a deletion', () => {
  const remove = (given: Partial<Deletion>) => {
    const set = setOf(linkedPair(1, 'l', 'r'));
    const pair = set.pair(1);
    if (pair === null) throw new Error('The pair is missing.');
    const own = { kind: 'delete', side: 'right', record: record('r', ADA), pair } as const;
    const [write] = deleteWrites(PASS, [{ ...own, ...given }]);
    if (write?.kind !== 'delete') throw new Error('A delete was expected.');
    return { set, outcome: applyAnswer(applyingIn(set), { kind: 'none', write }) };
  };

  test('[R7] ends the pair, and is counted', () => {
    const { set, outcome } = remove({});
    expect(outcome).toEqual({
      after: null,
      applied: true,
      error: null,
      isRefused: false,
      notTaken: [],
      again: false,
      isStillThere: false,
    });
    // The deletion stays stored: a feed that lags may show the contact still.
    expect(set.halves()).toMatchObject([
      { side: 'right', id: 'r', pair: null, base: null, state: 'gone', heardAtMs: NOW },
    ]);
    expect(dropsFrom(set, 'pairs')).toEqual([{ id: 1 }]);
  });

  test.each(SIDE_PAIRS)(
    'of an undo at %s does not change the half of %s: the contact is not created again',
    (side, other) => {
      const ids = { left: 'l', right: 'r' };
      const { set } = remove({ side, record: record(ids[side], ADA), cause: 'undo' });
      expect(set.pair(1)).toMatchObject({
        status: 'kept',
        [side]: null,
        [other]: { id: ids[other], state: 'settled' },
      });
    },
  );

  test('of a contact without a stored pair only stores that it was deleted', () => {
    const pair = { id: null, status: 'linked', left: null, right: pairedHalf('right', 'r', 1) } as const;
    expect(remove({ pair }).set.changes()).toMatchObject([{ kind: 'put-half', half: { id: 'r', state: 'gone' } }]);
  });
});

describe('[R13] two contacts that are paired for the first time', () => {
  const [LEFT, RIGHT] = [looseHalf('left', 'l'), looseHalf('right', 'r')];

  test('are stored as a settled pair if nothing needs to be written', () => {
    const set = setOf([LEFT, RIGHT]);
    storeAgreed(set, taskOf(mergeOf(LEFT, RIGHT)), NOW);
    expect(changesOf(set, 'put-pair')).toMatchObject([
      {
        id: null,
        status: 'linked',
        halves: [
          { half: { id: 'l', state: 'settled', base: { contact: ADA } }, digest: 'row of l' },
          { half: { id: 'r', state: 'settled', base: { contact: ADA } }, digest: 'row of r' },
        ],
      },
    ]);
    expect(changesOf(set, 'end-conflicts')).toEqual([]);
  });

  test('[R2] are stored with the values that they share, and open, before their first write', () => {
    const [dr, mr] = [
      looseHalf('left', 'l', { record: record('l', { ...ADA, title: 'Dr' }) }),
      looseHalf('right', 'r', { record: record('r', { ...ADA, title: 'Mr' }) }),
    ];
    const conflicts = [{ field: 'title', left: 'Dr', right: 'Mr', winner: 'left' }] as const;
    const writes = plannedOn('right', ['title'], { ...ADA, title: 'Dr' });
    const set = setOf([dr, mr]);
    storeAgreed(set, taskOf(mergeOf(dr, mr, { conflicts, writes })), NOW);
    expect(changesOf(set, 'put-pair')).toMatchObject([
      {
        id: null,
        status: 'linked',
        halves: [
          { half: { id: 'l', state: 'changed', base: { contact: { ...ADA, title: '' } } }, digest: null },
          { half: { id: 'r', state: 'changed', base: { contact: { ...ADA, title: '' } } }, digest: null },
        ],
      },
    ]);
  });

  test('are one pair after the response to the next write', () => {
    const titled = looseHalf('left', 'l', { record: record('l', { ...ADA, title: 'Dr' }) });
    const set = setOf([titled, RIGHT]);
    const task = taskOf(mergeOf(titled, RIGHT, { writes: plannedOn('right', ['title'], { ...ADA, title: 'Dr' }) }));
    storeAgreed(set, task, NOW);
    applyAnswer(applyingIn(set), updateOf(set, task, record('r', { ...ADA, title: 'Dr' })));
    const pairs = changesOf(set, 'put-pair');
    expect(pairs).toMatchObject([{ halves: [{ half: { id: 'l' } }, { half: { id: 'r', state: 'settled' } }] }]);
  });

  test('are linked in the pair of the contact that was kept', () => {
    const kept = pairedHalf('left', 'l', 1);
    const set = setOf([kept, RIGHT], { 1: 'kept' });
    storeAgreed(set, taskOf(mergeOf(kept, RIGHT)), NOW);
    expect(set.pair(1)).toMatchObject({ status: 'linked', left: { id: 'l' }, right: { id: 'r', pair: 1 } });
  });
});

test('an operation has the contacts of both sides', () => {
  const creation = taskOf(creationOf(looseHalf('left', 'l'), { joins: ['choir', 'team'] }));
  const writes: readonly (Write | undefined)[] = [
    createWrites(PASS, 'right', [creation])[0],
    updateWrites(PASS, setOf(halvesOf(MERGE)), 'right', [taskOf(MERGE)])[0],
    membershipWrites(PASS, setOf(halvesOf(MERGE)), 'right', [taskOf(MERGE)])[0],
  ];
  const ids = { leftId: 'left', rightId: 'right' };
  const before = MERGE.pair.right.record;
  expect(writes.map((write) => write?.operation)).toMatchObject([
    { kind: 'create', leftId: 'l', rightId: null, join: ['s-choir'], image: null },
    { kind: 'update', ...ids, before, fields: ['title'], source: MERGE.pair.left.record },
    { kind: 'membership', ...ids, before, join: ['s-choir'], leave: [] },
  ]);
});

test('an operation carries the cause of its pass', () => {
  const undo = { ...PASS, cause: 'undo' } as const;
  const [set, task] = [setOf(halvesOf(MERGE)), taskOf(MERGE)];
  const pair = { id: 1, status: 'linked', left: null, right: MERGE.pair.right } as const;
  const deletion: Deletion = { kind: 'delete', side: 'right', record: pair.right.record, pair };
  for (const pass of [PASS, undo]) {
    const writes: readonly Write[] = [
      ...createWrites(pass, 'right', [taskOf(creationOf(looseHalf('left', 'l')))]),
      ...updateWrites(pass, set, 'right', [task]),
      ...membershipWrites(pass, set, 'right', [task]),
      ...deleteWrites(pass, [deletion]),
      mergeWrite(pass, deletion, { task, survivor: pair.right.record }),
    ];
    expect(writes.map(({ operation }) => operation.cause)).toEqual(writes.map(() => pass.cause));
    expect(writes.map(({ kind }) => kind)).toEqual(['create', 'update', 'membership', 'delete', 'merge']);
  }
});

test('[R6] an operation marks the fields that the link has only started to sync, except values of a third contact', () => {
  const pass = { ...PASS, joining: new Set(['title', 'buckets', 'company'] as const) };
  const marksOf = (title: string) => {
    const writes = plannedOn('right', ['title', 'buckets'], { ...ADA, title }, { joins: ['choir'] });
    const task = taskOf({ ...MERGE, writes });
    const set = setOf(halvesOf(MERGE));
    return [...updateWrites(pass, set, 'right', [task]), ...membershipWrites(pass, set, 'right', [task])].map(
      ({ operation }) => ('joining' in operation ? operation.joining : null),
    );
  };
  expect(marksOf('New')).toEqual([['title'], ['buckets']]);
  expect(marksOf('Of another')).toEqual([null, ['buckets']]);
});
