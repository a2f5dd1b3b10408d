import { describe, expect, test } from 'vitest';
import { halfToStore } from '../../../../src/core/apply/task-halves.ts';
import {
  addDone,
  conflictsOf,
  creationSide,
  currentRecord,
  endMoves,
  isQuiet,
  isToBeCreated,
  pendingFields,
  plannedHalf,
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
import { contactOf } from '../../../../src/core/contact/record.ts';
import { bySide, type Side } from '../../../../src/core/contact/side.ts';
import type { Merge } from '../../../../src/core/reconcile/decision.ts';
import { updateOn } from '../../../../src/core/reconcile/planned.ts';
import { createWrites } from '../../../../src/engine/execute/writes.ts';
import { creationOf, mergeOf, PASS, plannedOn } from '../../engine/execute/support.ts';
import { ADA, looseHalf, pairedHalf } from '../../engine/support.ts';
import { record, snapshot, values } from '../reconcile/support.ts';

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

  test('[R4] has conflicts that are still to be stored', () => {
    const conflicts = [{ field: 'title', left: 'Dr', right: 'Prof', winner: 'left' }] as const;
    const task = taskOf({ ...CROSSING, conflicts });
    expect([conflictsOf(task), task.areConflictsStored]).toEqual([conflicts, false]);
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
    addDone(task, { side: 'right', kind: 'update', fields: ['title'], moved: [], record: after });
    expect(pendingOf(task).right).toEqual(['company', 'buckets']);
    addDone(task, { side: 'right', kind: 'observed', fields: ['company'], moved: [], record: after });
    expect(pendingOf(task).right).toEqual(['buckets']);
    // The groups that could not be created keep the membership until the caller ends it.
    addDone(task, { side: 'right', kind: 'membership', fields: ['buckets'], moved: ['s'], record: after });
    expect(pendingOf(task).right).toEqual(['buckets']);
    endMoves(task, 'right');
    expect(task.operations).toEqual([]);
    expect([...writtenFields(task, 'right')]).toEqual(['title', 'company', 'buckets']);
  });

  test('that adds a shared email address ends alone', () => {
    const [first, second] = [share('a@x.org'), share('b@x.org')];
    const task: Task = { ...taskOf(CROSSING), operations: [first, second] };
    const done = { side: 'right', kind: 'share', fields: ['emailAddresses'], moved: [], record: after } as const;
    addDone(task, done, first.email);
    expect(sharedEmails(task, 'right')).toEqual([second.email]);
    expect(pendingOf(task).right).toEqual(['emailAddresses']);
    addDone(task, done, second.email);
    expect(isQuiet(task)).toBe(true);
  });

  test('of a create ends with the created contact, which is the planned half from then on', () => {
    const task = taskOf(creationOf(looseHalf('left', 'l'), { joins: ['choir'] }));
    const created = record('r', ADA, { groupIds: ['own'] });
    addDone(task, { side: 'right', kind: 'create', fields: [], moved: [], record: created });
    expect(isToBeCreated(task, 'right')).toBe(false);
    expect(plannedHalf(task, 'right')).toEqual({ base: snapshot(ADA, ['own']), record: created });
    expect(pendingOf(task).right).toEqual(['buckets']);
  });

  test.each([
    ['update', true],
    ['membership', true],
    ['share', true],
    ['create', true],
    ['merged', false],
    ['observed', false],
  ] as const)('that is done as %s counts as a write: %s', (kind, expected) => {
    const task = taskOf(CROSSING);
    addDone(task, { side: 'right', kind, fields: [], moved: [], record: after });
    expect(wasWritten(task, 'right')).toBe(expected);
    expect(currentRecord(task, 'right')).toBe(after);
  });
});

const NOW = 100;

/** The title of the left side is written to the right one. */
const ONE_WRITE = mergeOf(half('left', { title: 'New' }, { title: 'Old' }), half('right', { title: 'Old' }), {
  writes: plannedOn('right', ['title'], { ...ADA, title: 'New' }),
});

/** Adds the response of a side to the task's update. */
const answer = (task: Task, side: Side, contact: Partial<Contact>): void => {
  const fields = updateOn(task.operations, side)?.fields ?? [];
  addDone(task, { side, kind: 'update', fields, moved: [], record: record(side, { ...ADA, ...contact }) });
};

const stored = (task: Task, side: Side, writtenSide: Side | null, known: Half | null = null) => {
  return halfToStore(task, side, known, { writtenSide, atMs: NOW });
};

describe('[R2] the stored half after a write', () => {
  test('is the side’s own response, settled, and the source is unchanged', () => {
    const task = taskOf(ONE_WRITE);
    answer(task, 'right', { title: 'New' });
    expect(stored(task, 'right', 'right')).toMatchObject({
      pair: 1,
      state: 'settled',
      record: { contact: { title: 'New' } },
      base: snapshot({ ...ADA, title: 'New' }),
      writtenAtMs: NOW,
      heardAtMs: NOW,
    });
    expect(stored(task, 'left', 'right')).toMatchObject({
      state: 'settled',
      base: snapshot({ ...ADA, title: 'New' }),
      writtenAtMs: null,
    });
  });

  test.each(['', 'Ne', 'Old'])('is settled although the side did not store the value, but contains %j', (title) => {
    const task = taskOf(ONE_WRITE);
    answer(task, 'right', { title });
    expect(stored(task, 'right', 'right')).toMatchObject({ state: 'settled', base: snapshot({ ...ADA, title }) });
    expect(stored(task, 'left', 'right')).toMatchObject({ state: 'settled', base: snapshot({ ...ADA, title: 'New' }) });
  });

  test('[R5] is open if a user edited the contact in the meantime: the edit is not part of the base', () => {
    const task = taskOf(ONE_WRITE);
    answer(task, 'right', { title: 'New', company: 'Foreign' });
    expect(stored(task, 'right', 'right')).toMatchObject({
      state: 'changed',
      record: { contact: { company: 'Foreign' } },
      base: snapshot({ ...ADA, title: 'New' }),
    });
  });

  test('[R5] is open while the other side’s write is pending, and its own change stays out of its base', () => {
    const task = taskOf(CROSSING);
    answer(task, 'right', { title: 'New', company: 'New' });
    expect(stored(task, 'right', 'right')).toMatchObject({
      state: 'changed',
      base: snapshot({ ...ADA, title: 'New', company: 'Old' }),
    });
    expect(stored(task, 'left', 'right')).toMatchObject({
      state: 'changed',
      base: snapshot({ ...ADA, title: 'New', company: 'Old' }),
    });
    answer(task, 'left', { title: 'New', company: 'New' });
    for (const side of ['left', 'right'] as const) {
      const agreed = snapshot({ ...ADA, title: 'New', company: 'New' });
      expect(stored(task, side, 'left')).toMatchObject({ state: 'settled', base: agreed });
    }
  });

  test('[R4] is open if it lost a conflict that is not written yet: the value stays out of its base', () => {
    const both = (side: Side, title: string) => half(side, { ...OLD, title }, OLD);
    const conflict = { field: 'title', left: 'Dr', right: 'Prof', winner: 'left' } as const;
    const task = taskOf(
      mergeOf(both('left', 'Dr'), both('right', 'Prof'), {
        writes: [
          ...plannedOn('left', ['company'], OLD),
          ...plannedOn('right', ['title'], { ...ADA, ...OLD, title: 'Dr' }),
        ],
        conflicts: [conflict],
      }),
    );
    answer(task, 'left', { ...OLD, title: 'Dr' });
    expect(stored(task, 'right', 'left')).toMatchObject({ state: 'changed', base: snapshot({ ...ADA, ...OLD }) });
    expect(stored(task, 'left', 'left')).toMatchObject({ state: 'changed', base: snapshot({ ...ADA, ...OLD }) });
    answer(task, 'right', { ...OLD, title: 'Dr' });
    expect(stored(task, 'right', 'right')).toMatchObject({ state: 'settled', base: { contact: { title: 'Dr' } } });
    expect(stored(task, 'left', 'right')).toMatchObject({ state: 'settled', base: { contact: { title: 'Dr' } } });
  });

  const mails = (...list: readonly string[]) => ({ emailAddresses: values(...list) });

  test('[R5] has in its base an element that both sides have, while another element is still to be written', () => {
    const [left, right] = [mails('a@x.org', 'both@x.org', 'new@x.org'), mails('a@x.org', 'both@x.org')];
    const task = taskOf(
      mergeOf(half('left', left, mails('a@x.org')), half('right', right, mails('a@x.org')), {
        writes: plannedOn('right', ['emailAddresses'], { ...ADA, ...left }),
      }),
    );
    expect(stored(task, 'left', null)).toMatchObject({ state: 'changed', base: snapshot({ ...ADA, ...right }) });
  });

  test('[R5] has in its base the addresses that arrived, while one that another contact has is still to be added', () => {
    const [left, written] = [mails('a@x.org', 'new@x.org', 'shared@x.org'), mails('a@x.org', 'new@x.org')];
    const email = { value: 'shared@x.org', label: null };
    const task = taskOf(
      mergeOf(half('left', left, mails('a@x.org')), half('right', mails('a@x.org')), {
        writes: [
          ...plannedOn('right', ['emailAddresses'], { ...ADA, ...written }),
          { kind: 'share', side: 'right', email },
        ],
      }),
    );
    answer(task, 'right', written);
    expect(stored(task, 'left', 'right')).toMatchObject({ state: 'changed', base: snapshot({ ...ADA, ...written }) });
  });

  test('is settled if its change is held: the change stays out of the base, and is not planned until it is shown', () => {
    const task = taskOf(
      mergeOf(half('left', { title: 'Local' }, { title: 'Old' }), half('right', { title: 'Old' }), {
        held: { left: ['title'], right: [] },
      }),
    );
    expect(stored(task, 'left', null)).toMatchObject({
      state: 'settled',
      record: { contact: { title: 'Local' } },
      base: snapshot({ ...ADA, title: 'Old' }),
    });
  });

  test('[R12] is open if it was given values that the other half lacks, although another change of it is held', () => {
    const desired = contactOf({ ...ADA, title: 'Given', company: 'Local' });
    const task = taskOf(
      mergeOf(half('left', { company: 'Local' }, { company: 'Old' }), half('right', { company: 'Old' }), {
        writes: [{ kind: 'update', side: 'left', fields: ['title'], desired, given: ['title'] }],
        held: { left: ['company'], right: [] },
      }),
    );
    answer(task, 'left', { title: 'Given', company: 'Local' });
    expect(stored(task, 'left', 'left')).toMatchObject({
      state: 'changed',
      record: { contact: { title: 'Given', company: 'Local' } },
      base: snapshot({ ...ADA, company: 'Old' }),
    });
  });

  test('[R15] is open if a write was left out of this run', () => {
    const task = taskOf(
      mergeOf(half('left', { title: 'New' }, { title: 'Old' }), half('right', { title: 'Old' }), {
        held: { left: ['title'], right: [] },
        deferred: true,
      }),
    );
    expect(stored(task, 'left', null)).toMatchObject({ state: 'changed', base: snapshot({ ...ADA, title: 'Old' }) });
    expect(stored(task, 'right', null)).toMatchObject({ state: 'changed', base: snapshot({ ...ADA, title: 'Old' }) });
  });

  test('does not exist if the task has no half', () => {
    expect(stored(taskOf(creationOf(looseHalf('left', 'l'))), 'right', null)).toBeNull();
  });

  test('of a created contact is the response of its side', () => {
    const task = taskOf(creationOf(looseHalf('left', 'l')));
    const answered = record('r', { ...ADA, title: 'Made up' }, { groupIds: ['g'] });
    addDone(task, { side: 'right', kind: 'create', fields: [], moved: [], record: answered });
    expect(stored(task, 'right', 'right')).toMatchObject({
      id: 'r',
      state: 'settled',
      record: answered,
      base: snapshot({ ...ADA, title: 'Made up' }, ['g']),
    });
  });
});

describe('a change of a half in the meantime', () => {
  const task = () => {
    const writing = taskOf(ONE_WRITE);
    answer(writing, 'right', { title: 'New' });
    return writing;
  };
  const BASE = snapshot({ ...ADA, title: 'New' });

  test.each(['gone', 'missing', 'settling'] as const)(
    '[R7] is kept if the half was %s and was not written',
    (state) => {
      const known = half('left', { title: 'Newer' });
      const changed: Half = { ...known, state, mergedInto: 'survivor', absences: 1, heardAtMs: 50, writtenAtMs: 40 };
      expect(stored(task(), 'left', 'right', changed)).toEqual({ ...changed, base: BASE });
    },
  );

  test.each(['gone', 'missing', 'settling'] as const)(
    'is replaced if the half was %s and the write has a response',
    (state) => {
      const changed: Half = { ...half('right', { title: 'Old' }), state, mergedInto: 'survivor' };
      expect(stored(task(), 'right', 'right', changed)).toMatchObject({ state: 'settled', mergedInto: null });
    },
  );

  test('[R5] is kept if it is a newer record: the next plan examines it', () => {
    const changed: Half = { ...half('left', { title: 'Newer' }), heardAtMs: 50 };
    expect(stored(task(), 'left', 'right', changed)).toEqual({
      ...changed,
      base: BASE,
      state: 'changed',
      heardAtMs: NOW,
    });
  });

  test('is no change if it is the record that the plan read', () => {
    const changed: Half = { ...half('left', { title: 'New' }), absences: 1, writtenAtMs: 40 };
    expect(stored(task(), 'left', 'right', changed)).toMatchObject({
      state: 'settled',
      base: BASE,
      absences: 1,
      writtenAtMs: 40,
      heardAtMs: NOW,
    });
  });

  test('is replaced by the response to a write to that same half', () => {
    const changed = half('right', { title: 'Read recently' });
    expect(stored(task(), 'right', 'right', changed)).toMatchObject({
      state: 'settled',
      record: { contact: { title: 'New' } },
      writtenAtMs: NOW,
    });
  });
});
