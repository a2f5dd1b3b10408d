import { describe, expect, test } from 'vitest';
import {
  addDone,
  creationSide,
  currentRecord,
  endMoves,
  isQuiet,
  isToBeCreated,
  pendingFields,
  sharedEmails,
  startsPairing,
  type Task,
  taskIds,
  taskOf,
  taskPairId,
  wasWritten,
  writtenFields,
} from '../../../../src/core/apply/task.ts';
import type { Contact } from '../../../../src/core/contact/contact.ts';
import type { Half } from '../../../../src/core/contact/half.ts';
import { bySide, type Side } from '../../../../src/core/contact/side.ts';
import type { Merge } from '../../../../src/core/reconcile/decision.ts';
import { createWrites } from '../../../../src/engine/execute/writes.ts';
import { creationOf, mergeOf, PASS, plannedOn } from '../../engine/execute/support.ts';
import { ADA, looseHalf, pairedHalf } from '../../engine/support.ts';
import { record, snapshot } from '../reconcile/support.ts';

/** A half of pair 1 with the value `now`, and with the value `base` when both sides agreed. */
const half = (side: Side, now: Partial<Contact>, base: Partial<Contact> = now): Half => {
  return pairedHalf(side, side, 1, {
    state: 'changed',
    record: record(side, { ...ADA, ...now }),
    base: snapshot({ ...ADA, ...base }),
  });
};

const OLD = { title: 'Old', company: 'Old' };

/** The title of the left side is written to the right one, the company of the right side to the left one. */
const CROSSING = mergeOf(half('left', { ...OLD, title: 'New' }, OLD), half('right', { ...OLD, company: 'New' }, OLD), {
  writes: [
    ...plannedOn('left', ['company'], { ...ADA, title: 'New', company: 'New' }),
    ...plannedOn('right', ['title'], { ...ADA, title: 'New', company: 'New' }),
  ],
});

/** The fields that are still to be written, by side. */
const pendingOf = (task: Task) => bySide((side) => [...pendingFields(task, side)]);

describe('a task', () => {
  test('of a merge holds both halves of the plan, and its operations', () => {
    const task = taskOf(CROSSING);
    expect(taskIds(task)).toEqual({ leftId: 'left', rightId: 'right' });
    expect(task.operations.map(({ kind, side }) => `${kind} ${side}`)).toEqual(['update left', 'update right']);
    expect(pendingOf(task)).toEqual({ left: ['company'], right: ['title'] });
    expect([taskPairId(task), creationSide(task), startsPairing(task)]).toEqual([1, null, false]);
    expect(task.decision).toBe(CROSSING);
    expect(isQuiet(task)).toBe(false);
    expect(isQuiet(taskOf(mergeOf(half('left', OLD), half('right', OLD))))).toBe(true);
  });

  test.each<[string, Partial<Merge['pair']>]>([
    ['without a pair', { id: null }],
    ['one of which was kept alone', { status: 'kept' }],
    ['one of which was dormant', { status: 'dormant' }],
  ])('of a merge pairs two contacts %s', (_, given) => {
    expect(startsPairing(taskOf({ ...CROSSING, pair: { ...CROSSING.pair, ...given } }))).toBe(true);
  });

  test('[R9] of a create names its source, and only its memberships are pending fields', () => {
    const source = looseHalf('left', 'l');
    const task = taskOf(creationOf(source, { joins: ['choir'] }));
    expect(taskIds(task)).toEqual({ leftId: 'l', rightId: null });
    expect(createWrites(PASS, 'right', [task])).toMatchObject([
      {
        operation: { side: 'right', desired: source.record.contact, leftId: 'l', rightId: null, image: null },
        request: { draft: source.record.contact, originId: 'l' },
      },
    ]);
    expect(task.operations).toEqual([
      { kind: 'create', side: 'right' },
      { kind: 'membership', side: 'right', joins: ['choir'], leaves: [] },
    ]);
    expect(pendingOf(task)).toEqual({ left: [], right: ['buckets'] });
    expect(isToBeCreated(task, 'right')).toBe(true);
    expect(isQuiet(taskOf(creationOf(source)))).toBe(true);
  });

  test('[R6] of a create that restores a half belongs to its pair', () => {
    const source = pairedHalf('left', 'l', 7);
    const pair = { id: 7, status: 'linked', left: source, right: null } as const;
    expect(taskPairId(taskOf(creationOf(source, { pair })))).toBe(7);
  });
});

describe('a planned operation', () => {
  const share = (value: string) => ({ kind: 'share', side: 'right', email: { value, label: null } }) as const;
  const after = record('right', ADA, { version: '2' });

  test('ends with the last of its fields that is done', () => {
    const task = taskOf(
      mergeOf(half('left', OLD), half('right', OLD), {
        writes: plannedOn('right', ['title', 'company', 'buckets'], ADA, { joins: ['choir'] }),
      }),
    );
    addDone(task, { side: 'right', kind: 'update', fields: ['title'], record: after });
    expect(pendingOf(task).right).toEqual(['company', 'buckets']);
    addDone(task, { side: 'right', kind: 'update', fields: ['company'], record: after });
    expect(pendingOf(task).right).toEqual(['buckets']);
    // The groups that could not be created keep the membership until the caller ends it.
    addDone(task, { side: 'right', kind: 'membership', fields: ['buckets'], record: after });
    expect(pendingOf(task).right).toEqual(['buckets']);
    endMoves(task, 'right');
    expect(task.operations).toEqual([]);
    expect([...writtenFields(task, 'right')]).toEqual(['title', 'company', 'buckets']);
  });

  test('that adds a shared email address ends alone', () => {
    const [first, second] = [share('a@x.org'), share('b@x.org')];
    const task: Task = { ...taskOf(CROSSING), operations: [first, second] };
    const done = { side: 'right', kind: 'share', fields: ['emailAddresses'], record: after } as const;
    addDone(task, done, first.email);
    expect(sharedEmails(task, 'right')).toEqual([second.email]);
    expect(pendingOf(task).right).toEqual(['emailAddresses']);
    addDone(task, done, second.email);
    expect(isQuiet(task)).toBe(true);
  });

  test('of a create ends with the created contact', () => {
    const task = taskOf(creationOf(looseHalf('left', 'l'), { joins: ['choir'] }));
    const created = record('r', ADA, { groupIds: ['own'] });
    addDone(task, { side: 'right', kind: 'create', fields: [], record: created });
    expect(isToBeCreated(task, 'right')).toBe(false);
    expect(pendingOf(task).right).toEqual(['buckets']);
  });

  test.each([
    ['update', true],
    ['membership', true],
    ['share', true],
    ['create', true],
    ['merged', false],
  ] as const)('that is done as %s counts as a write: %s', (kind, expected) => {
    const task = taskOf(CROSSING);
    addDone(task, { side: 'right', kind, fields: [], record: after });
    expect(wasWritten(task, 'right')).toBe(expected);
    expect(currentRecord(task, 'right')).toBe(after);
  });
});
