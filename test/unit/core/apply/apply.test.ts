import { describe, expect, test } from 'vitest';
import { type AnsweredWrite, applyAnswer } from '../../../../src/core/apply/answers.ts';
import { applyRead, applySearch } from '../../../../src/core/apply/reads.ts';
import type { Task, Write } from '../../../../src/core/apply/task.ts';
import type { Contact } from '../../../../src/core/contact/contact.ts';
import type { Half } from '../../../../src/core/contact/half.ts';
import type { ContactRecord } from '../../../../src/core/contact/record.ts';
import type { ReadAnswer } from '../../../../src/core/contact/requests.ts';
import type { Side } from '../../../../src/core/contact/side.ts';
import { creating, type Deletion, type PairStatus } from '../../../../src/core/reconcile/decision.ts';
import type { GroupPair } from '../../../../src/core/reconcile/groups.ts';
import type { Operation } from '../../../../src/core/reconcile/operation.ts';
import type { WorkingSet } from '../../../../src/core/state/working-set.ts';
import { createWrites, deleteWrites, membershipWrites, updateWrites } from '../../../../src/engine/execute/writes.ts';
import { applyingIn, creationOf, mergeOf, NOW, WRITING, plannedOn } from '../../engine/execute/support.ts';
import { ADA, linkedPair, looseHalf, pairedHalf, setOf } from '../../engine/support.ts';
import { record, snapshot } from '../reconcile/support.ts';

type Kind = 'create' | 'restore' | 'update' | 'membership' | 'delete';

/** The possible evidence about an operation; `no trace of it`: the contact is as before, or a search finds none. */
type Evidence =
  | 'an answer'
  | 'the contact as written'
  | 'no trace of it'
  | 'the contact, edited since'
  | 'the contact under a new id'
  | 'a deleted contact'
  | 'a withheld contact';

/** While a search fails, recovery applies nothing of a create. */
type Searched = 'an answer' | 'the contact as written' | 'no trace of it' | 'the contact, edited since';

/** The outcome of an operation, and both halves after it: state and base. */
type Row = readonly [outcome: 'applied' | 'not applied' | 'open', left: string, right: string];

type Cause = Operation['cause'];

const CHOIR: GroupPair = {
  key: 'choir',
  left: { id: 'g-choir', name: 'Choir' },
  right: { id: 's-choir', name: 'Choir' },
  status: 'linked',
  settled: true,
};
const KNOWN = { groupPairs: [CHOIR], atMs: NOW };

const IDS = { left: 'l', right: 'r' };
const half = (side: Side, now: Partial<Contact>, base: Partial<Contact> = now): Half =>
  pairedHalf(side, IDS[side], 1, {
    record: record(IDS[side], { ...ADA, ...now }),
    base: snapshot({ ...ADA, ...base }),
  });
const member = (side: Side, groupIds: readonly string[], base: readonly string[] = groupIds): Half =>
  pairedHalf(side, IDS[side], 1, { record: record(IDS[side], ADA, { groupIds }), base: snapshot(ADA, base) });

const only = <Item>([item]: readonly Item[]): Item => {
  if (item === undefined) throw new Error('One was expected.');
  return item;
};

/** One operation on the right side: the halves before it, the write, and the contact before and after it. */
type Scene = {
  readonly halves: readonly Half[];
  readonly status?: PairStatus;
  readonly write: Write;
  readonly before: ContactRecord;
  readonly after: ContactRecord;
};

const NEW = { ...ADA, title: 'New' };
const titled = (title: string): ContactRecord => record('r', { ...ADA, title }, { version: '2' });
const inGroups = (...groupIds: string[]): ContactRecord => record('r', ADA, { groupIds, version: '2' });

const createScene = (): Scene => {
  const source = looseHalf('left', 'l', { record: record('l', NEW) });
  const write = only(createWrites(WRITING, 'right', [creationOf(source)]));
  return { halves: [source], write, before: titled('New'), after: titled('New') };
};

const restoreScene = (): Scene => {
  const left = half('left', { title: 'New' });
  const pair = { id: 1, status: 'kept', left, right: null } as const;
  const image = record('former', NEW);
  const task = { kind: 'restore', side: 'right', image, pair, writes: creating('right', []), existing: null } as const;
  const write = only(createWrites({ ...WRITING, cause: 'undo' }, 'right', [task]));
  return { halves: [left], status: 'kept', write, before: titled('New'), after: titled('New') };
};

/** A sync writes the new title of the left side; an undo restores the old title of the right side. */
const updateScene = (cause: Cause): Scene => {
  const isUndo = cause === 'undo';
  const [left, right] = isUndo
    ? [half('left', { title: 'New' }), half('right', { title: 'New' })]
    : [
        { ...half('left', { title: 'New' }, { title: 'Old' }), state: 'changed' as const },
        half('right', { title: 'Old' }),
      ];
  const writes = plannedOn('right', ['title'], { ...ADA, title: isUndo ? 'Old' : 'New' });
  const merge = mergeOf(left, right, { writes });
  const task: Task = isUndo ? { ...merge, cause: 'undo', deferred: true } : merge;
  const write = only(updateWrites({ ...WRITING, cause }, setOf([left, right]), 'right', [task]));
  const [before, after] = isUndo ? ['New', 'Old'] : ['Old', 'New'];
  return { halves: [left, right], write, before: titled(before), after: titled(after) };
};

/** A sync joins the group of the left side; an undo leaves that group on the right side. */
const membershipScene = (cause: Cause): Scene => {
  const isUndo = cause === 'undo';
  const [left, right] = isUndo
    ? [member('left', ['g-choir']), member('right', ['s-choir'])]
    : [{ ...member('left', ['g-choir'], []), state: 'changed' as const }, member('right', [])];
  const moves = isUndo ? { leaves: ['choir'] } : { joins: ['choir'] };
  const writes = plannedOn('right', ['buckets'], ADA, moves);
  const merge = mergeOf(left, right, { writes });
  const task: Task = isUndo ? { ...merge, cause: 'undo', deferred: true } : merge;
  const write = only(membershipWrites({ ...WRITING, cause }, setOf([left, right]), 'right', [task]));
  const [before, after] = isUndo ? [['s-choir'], []] : [[], ['s-choir']];
  return { halves: [left, right], write, before: inGroups(...before), after: inGroups(...after) };
};

/** A sync deletes the counterpart of a deleted contact; an undo deletes a contact that a run created. */
const deleteScene = (cause: Cause): Scene => {
  const [left, right] = linkedPair(1, 'l', 'r');
  if (left === undefined || right === undefined) throw new Error('A pair was expected.');
  const source: Half = cause === 'sync' ? { ...left, state: 'gone' } : left;
  const pair = { id: 1, status: 'linked', left: source, right } as const;
  const planned = { kind: 'delete', side: 'right', record: right.record, pair } as const;
  const deletion: Deletion = cause === 'undo' ? { ...planned, cause } : planned;
  const write = only(deleteWrites({ ...WRITING, cause }, [deletion]));
  return { halves: [source, right], write, before: right.record, after: right.record };
};

const SCENES = {
  create: createScene,
  restore: restoreScene,
  update: updateScene,
  membership: membershipScene,
  delete: deleteScene,
} satisfies Record<Kind, (cause: Cause) => Scene>;

const answeredBy = (write: Write, { after }: Scene): AnsweredWrite => {
  switch (write.kind) {
    case 'create':
    case 'update':
      return { kind: 'record', write, value: after };
    case 'membership':
      return { kind: 'groups', write, value: after.groupIds };
    case 'delete':
      return { kind: 'none', write };
    case 'merge':
      throw new Error('No scene merges.');
  }
};

const edited = (kind: Kind, { after }: Scene): ContactRecord =>
  kind === 'membership'
    ? { ...after, groupIds: [...after.groupIds, 'own'] }
    : { ...after, contact: { ...after.contact, company: 'Edited' } };

const readOf = (kind: Kind, evidence: Evidence, scene: Scene): ReadAnswer | undefined => {
  switch (evidence) {
    case 'the contact as written':
      return { kind: 'found', record: scene.after };
    case 'no trace of it':
      return { kind: 'found', record: scene.before };
    case 'the contact, edited since':
      return { kind: 'found', record: edited(kind, scene) };
    case 'the contact under a new id':
      return { kind: 'moved', record: { ...scene.after, id: 'renamed' } };
    case 'a deleted contact':
      return { kind: 'gone' };
    case 'a withheld contact':
      return { kind: 'withheld', reason: 'refused' };
    case 'an answer':
      return undefined;
  }
};

/** Applies the operation of a scene by the evidence. */
const apply = (kind: Kind, evidence: Evidence, scene: Scene, set: WorkingSet) => {
  const { write } = scene;
  if (evidence === 'an answer') return applyAnswer(applyingIn(set), answeredBy(write, scene));
  const read = readOf(kind, evidence, scene);
  if (write.operation.kind !== 'create') return applyRead(set, write.operation, read, KNOWN);
  const isFound = evidence !== 'no trace of it' && read?.kind === 'found';
  return applySearch(set, write.operation, isFound ? read.record : null, KNOWN);
};

/** A half as text: its id if it is new, its state, and the value of its base. */
const wordsOf = (kind: Kind, stored: Half | null): string => {
  if (stored === null) return 'none';
  const { id, side, state, pair, base } = stored;
  const name = id === IDS[side] ? '' : `${id}, `;
  if (pair === null || base === null) return `${name}${state}, no pair`;
  const { contact, groupIds } = base;
  const { firstName, title, company } = contact;
  const values = kind === 'membership' ? groupIds : [title === '' ? firstName : title, company];
  return `${name}${state}, base ${values.filter((value) => value !== '').join(' ') || 'no group'}`;
};

const halfOn = (set: WorkingSet, side: Side): Half | null => {
  const own = set.halves().filter((each) => each.side === side);
  return own.find(({ pair }) => pair !== null) ?? own[0] ?? null;
};

const rowOf = (kind: Kind, cause: Cause, evidence: Evidence): Row => {
  const scene = SCENES[kind](cause);
  const set = setOf(scene.halves, { 1: scene.status ?? 'linked' });
  const result = apply(kind, evidence, scene, set);
  // R15: a usable answer neither counts as refused nor needs a second pass.
  if ('again' in result) expect(result).toMatchObject({ isRefused: false, again: false, isStillThere: false });
  const settled = 'applied' in result && result.applied ? 'applied' : 'not applied';
  const outcome = 'unreadable' in result ? 'open' : settled;
  return [outcome, wordsOf(kind, halfOn(set, 'left')), wordsOf(kind, halfOn(set, 'right'))];
};

const CREATE: Readonly<Record<Searched, Row>> = {
  'an answer': ['applied', 'settled, base New', 'settled, base New'],
  'the contact as written': ['applied', 'settled, base New', 'settled, base New'],
  'no trace of it': ['not applied', 'changed, no pair', 'none'],
  'the contact, edited since': ['applied', 'settled, base New', 'changed, base New'],
};

const RESTORE: Readonly<Record<Searched, Row>> = {
  'an answer': ['applied', 'settled, base New', 'settled, base New'],
  'the contact as written': ['applied', 'settled, base New', 'settled, base New'],
  'no trace of it': ['not applied', 'settled, base New', 'none'],
  'the contact, edited since': ['applied', 'settled, base New', 'settled, base New Edited'],
};

const UPDATE_SYNC: Readonly<Record<Evidence, Row>> = {
  'an answer': ['applied', 'settled, base New', 'settled, base New'],
  'the contact as written': ['applied', 'settled, base New', 'settled, base New'],
  'no trace of it': ['not applied', 'changed, base Old', 'settled, base Old'],
  'the contact, edited since': ['applied', 'settled, base New', 'changed, base New'],
  'the contact under a new id': ['applied', 'settled, base New', 'renamed, settled, base New'],
  'a deleted contact': ['not applied', 'changed, base Old', 'gone, base Old'],
  'a withheld contact': ['open', 'changed, base Old', 'settled, base Old'],
};

const UPDATE_UNDO: Readonly<Record<Evidence, Row>> = {
  'an answer': ['applied', 'settled, base New', 'settled, base Old'],
  'the contact as written': ['applied', 'settled, base New', 'settled, base Old'],
  'no trace of it': ['not applied', 'settled, base New', 'settled, base New'],
  'the contact, edited since': ['applied', 'settled, base New', 'changed, base Old'],
  'the contact under a new id': ['applied', 'settled, base New', 'renamed, settled, base Old'],
  'a deleted contact': ['not applied', 'settled, base New', 'gone, base New'],
  'a withheld contact': ['open', 'settled, base New', 'settled, base New'],
};

const MEMBERSHIP_SYNC: Readonly<Record<Evidence, Row>> = {
  'an answer': ['applied', 'settled, base g-choir', 'settled, base s-choir'],
  'the contact as written': ['applied', 'settled, base g-choir', 'settled, base s-choir'],
  'no trace of it': ['not applied', 'changed, base no group', 'settled, base no group'],
  'the contact, edited since': ['applied', 'settled, base g-choir', 'changed, base s-choir'],
  'the contact under a new id': ['applied', 'settled, base g-choir', 'renamed, settled, base s-choir'],
  'a deleted contact': ['not applied', 'changed, base no group', 'gone, base no group'],
  'a withheld contact': ['open', 'changed, base no group', 'settled, base no group'],
};

const MEMBERSHIP_UNDO: Readonly<Record<Evidence, Row>> = {
  'an answer': ['applied', 'settled, base g-choir', 'settled, base no group'],
  'the contact as written': ['applied', 'settled, base g-choir', 'settled, base no group'],
  'no trace of it': ['not applied', 'settled, base g-choir', 'settled, base s-choir'],
  'the contact, edited since': ['applied', 'settled, base g-choir', 'changed, base no group'],
  'the contact under a new id': ['applied', 'settled, base g-choir', 'renamed, settled, base no group'],
  'a deleted contact': ['not applied', 'settled, base g-choir', 'gone, base s-choir'],
  'a withheld contact': ['open', 'settled, base g-choir', 'settled, base s-choir'],
};

const DELETE_SYNC: Readonly<Record<Exclude<Evidence, 'the contact as written'>, Row>> = {
  'an answer': ['applied', 'gone, no pair', 'gone, no pair'],
  'no trace of it': ['not applied', 'gone, base Ada', 'settled, base Ada'],
  'the contact, edited since': ['not applied', 'gone, base Ada', 'changed, base Ada'],
  'the contact under a new id': ['not applied', 'gone, base Ada', 'renamed, changed, base Ada'],
  'a deleted contact': ['applied', 'gone, base Ada', 'gone, base Ada'],
  'a withheld contact': ['open', 'gone, base Ada', 'settled, base Ada'],
};

const DELETE_UNDO: Readonly<Record<Exclude<Evidence, 'the contact as written'>, Row>> = {
  'an answer': ['applied', 'settled, base Ada', 'gone, no pair'],
  'no trace of it': ['not applied', 'settled, base Ada', 'settled, base Ada'],
  'the contact, edited since': ['not applied', 'settled, base Ada', 'changed, base Ada'],
  'the contact under a new id': ['not applied', 'settled, base Ada', 'renamed, changed, base Ada'],
  'a deleted contact': ['applied', 'settled, base Ada', 'none'],
  'a withheld contact': ['open', 'settled, base Ada', 'settled, base Ada'],
};

describe.each<[string, Kind, Cause, Readonly<Partial<Record<Evidence, Row>>>]>([
  ['a create', 'create', 'sync', CREATE],
  ['a restoring create of an undo', 'restore', 'undo', RESTORE],
  ['an update', 'update', 'sync', UPDATE_SYNC],
  ['a reverting update of an undo', 'update', 'undo', UPDATE_UNDO],
  ['a change of membership', 'membership', 'sync', MEMBERSHIP_SYNC],
  ['a reverting change of membership of an undo', 'membership', 'undo', MEMBERSHIP_UNDO],
  ['a delete', 'delete', 'sync', DELETE_SYNC],
  ['a delete of an undo', 'delete', 'undo', DELETE_UNDO],
])('[R9] the outcome of %s', (_, kind, cause, rows) => {
  const evidences = Object.keys(rows) as Evidence[];
  test.each(evidences)('follows from %s', (evidence) => {
    expect(rowOf(kind, cause, evidence)).toEqual(rows[evidence]);
  });
});

test('R9: an operation whose contact cannot be read stays open', () => {
  const { halves, write } = updateScene('sync');
  if (write.operation.kind === 'create') throw new Error('An update was expected.');
  for (const answer of [{ kind: 'unreadable', reason: 'no shape' } as const, undefined])
    expect(applyRead(setOf(halves), write.operation, answer, KNOWN)).toHaveProperty('unreadable');
});

test.each([
  ['of its pair', 1, 'gone', true],
  ['of its pair', 1, 'doubted', true],
  ['without a pair', null, 'gone', true],
  ['of another pair', 2, 'gone', false],
] as const)(
  'R6: a create answered with the contact %s (%s) that was %s restores it: %s',
  (_, pair, state, isRestored) => {
    const source = pairedHalf('left', 'l', 1, { state: 'changed', record: record('l', NEW) });
    const known = pair === null ? looseHalf('right', 'r', { state }) : pairedHalf('right', 'r', pair, { state });
    const set = setOf([source, known]);
    const write = only(createWrites(WRITING, 'right', [creationOf(source, { pair: set.pair(1) })]));
    if (write.kind !== 'create') throw new Error('A create was expected.');
    const outcome = applyAnswer(applyingIn(set), { kind: 'record', write, value: titled('New') });
    expect([outcome.applied, outcome.isRefused]).toEqual([isRestored, !isRestored]);
    expect(set.half('right', 'r')?.state).toBe(isRestored ? 'settled' : state);
  },
);

test('R18: a contact is planned again if the answer to a write shows another tag', () => {
  const scene = updateScene('sync');
  const set = setOf(scene.halves, { 1: 'linked' });
  const write = scene.write;
  if (write.kind !== 'update') throw new Error('An update was expected.');
  applyAnswer(applyingIn(set), { kind: 'record', write, value: { ...scene.after, marks: ['tag:Gold'] } });
  expect(set.half('right', 'r')).toMatchObject({ state: 'changed', base: { contact: { title: 'New' } } });
});
