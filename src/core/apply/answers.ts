import { type Deletion, isOfUndo, type PairIds } from '../reconcile/decision.ts';
import {
  type Contact,
  type ContactField,
  fieldsIn,
  listsOf,
  scalarsOf,
  type SyncedField,
  textIn,
} from '../contact/contact.ts';
import { type Half, isDeleted } from '../contact/half.ts';
import { emailKey } from '../contact/keys.ts';
import { keyListsIn, listOf, withEmails } from '../contact/lists.ts';
import type { ContactRecord } from '../contact/record.ts';
import type { AlteredContact, MembershipRequest } from '../contact/requests.ts';
import { bySide, otherSide, type Side } from '../contact/side.ts';
import { equalIn, equalSnapshots, type Snapshot } from '../contact/snapshot.ts';
import { observeReadAnswer, observeDeletion } from '../state/observe.ts';
import { withWrittenGroups } from '../state/own-moves.ts';
import { endPair, keepAlone } from '../state/pair.ts';
import type { WorkingSet } from '../state/working-set.ts';
import type { Known, Outcome } from './outcome.ts';
import { observeMerge } from './side-merges.ts';
import {
  type Bases,
  changedBase,
  copiedBase,
  createdBase,
  type Evidence,
  settleGroups,
  settleUpdate,
  withMoves,
} from './settle.ts';
import { pairIdOf, storeDone, storeFirstMeeting } from './store-task.ts';
import { addDone, currentRecord, endMoves, pendingFields, type Task, taskIds, taskPairId, wasWritten } from './task.ts';
import { movesAcross, type Moves } from './traces.ts';
import {
  type CreateWrite,
  type GroupIds,
  groupIdsOf,
  hasAllGroups,
  type Merged,
  movesOf,
  type UpdateWrite,
  type Write,
} from './write.ts';

/** The outcome of an operation with a response, and the values that a run counts and reports. */
type AnswerOutcome = Outcome & {
  /** True if the response must not be applied: it counts as a refusal. */
  readonly isRefused: boolean;
  /** Null if the contact was counted before, or nothing was written. */
  readonly counts: 'created' | 'updated' | 'deleted' | null;
  /** Fields that the side silently did not store (R2). */
  readonly notTaken: readonly SyncedField[];
  readonly ids: PairIds;
  /** True if the contact must be processed again before the run ends. */
  readonly again: boolean;
  /** True if a side kept the contact that it merged into another one: it is then deleted separately. */
  readonly isStillThere: boolean;
};

const DONE = { applied: true, error: null, isRefused: false, notTaken: [], again: false, isStillThere: false } as const;

/** The values that a response is applied with. */
export type Applying = {
  readonly set: WorkingSet;
  readonly groupIds: GroupIds;
  /** True if a create request contains the membership. */
  readonly createsWithGroups: boolean;
  /** True if the side may return the former state for some time after a write. */
  readonly lags: boolean;
  /** True if a response contains no edit of another client (`RemoteCapabilities.writesConditionally`). */
  readonly isConditional?: boolean;
  readonly atMs: number;
};

/** Returns the fields of `desired` that are missing in `now` although they were written. */
const notTaken = (fields: readonly ContactField[], desired: Contact, now: Contact): readonly ContactField[] => {
  const scalars = scalarsOf(fields).filter((field) => textIn(desired, field) !== textIn(now, field));
  const lists = listsOf(fields).filter((field) => {
    if (JSON.stringify(listOf(desired, field)) === JSON.stringify(listOf(now, field))) return false;
    const keyed = keyListsIn(field, { desired, now });
    return [...keyed.desired.keys()].some((key) => !keyed.now.has(key));
  });
  return [...scalars, ...lists];
};

/** Returns the reason why an existing contact is not accepted as the response to a create; null if the two are to be compared. */
const refusalOf = ({ decision }: Task, { id, pair }: Half): string | null => {
  if (pair !== null) return `The side answered with ${id}, which is linked to another contact already; merge the two.`;
  const isApart = decision.kind === 'create' && decision.apartFrom?.includes(id) === true;
  return isApart ? `The side answered with ${id}, which a person keeps apart from this contact.` : null;
};

/** Returns the same moves with the other side's group ids. */
const acrossOf = (groupIds: GroupIds, side: Side, moves: Moves): Moves => movesAcross(side, moves, pairsIn(groupIds));

const pairsIn = (groupIds: GroupIds): Known['groupPairs'] =>
  [...groupIds.values()].map((ids) => bySide((each) => (ids[each] === null ? null : { id: ids[each] })));

/** Returns the base with the groups of the contact that have no counterpart on the other side: they stay on this side. */
const withUnlinked = (base: Snapshot, { groupIds: now }: ContactRecord, groupIds: GroupIds, side: Side): Snapshot => {
  const linked = new Set([...groupIds.values()].map((ids) => ids[side]));
  return settleGroups(
    base,
    now.filter((id) => !linked.has(id)),
    now,
  );
};

const applyCreate = (
  { set, groupIds, createsWithGroups, atMs }: Applying,
  { task, side, request, operation }: CreateWrite,
  record: ContactRecord,
): AnswerOutcome => {
  const nothing = {
    applied: false,
    after: record,
    isRefused: false,
    counts: null,
    notTaken: [],
    again: false,
    isStillThere: false,
    ids: taskIds(task),
  };
  const known = set.half(side, record.id);
  const isBack = known !== null && isDeleted(known) && (known.pair === null || known.pair === taskPairId(task));
  const standing = isBack ? null : known;
  const refused = standing === null ? null : refusalOf(task, standing);
  if (refused !== null) return { ...nothing, error: refused, isRefused: true };
  if (standing !== null) {
    // The contact existed before: the two are compared before any of its values is overwritten.
    storeFirstMeeting(set, task, side, record, atMs);
    // An undo deletes contacts that were created, but not this contact.
    const error = `The side answered with ${record.id}, which existed already; the two are compared.`;
    return { ...nothing, error, again: true };
  }
  const evidence: Evidence = { kind: 'answer', record };
  const isInGroups = createsWithGroups && hasAllGroups(groupIds, task, side);
  const join = isInGroups ? groupIdsOf(groupIds, side, movesOf(task, side).joins) : [];
  const across = { join: acrossOf(groupIds, side, { join, leave: [] }).join, leave: [] };
  addDone(task, { side, kind: 'create', fields: [], record });
  if (isInGroups) endMoves(task, side);
  const { desired } = operation;
  const done = {
    side,
    record,
    fields: [],
    settled: new Set<SyncedField>(fieldsIn(desired, record.contact)),
    declinedGroups: [],
    settle: ({ source }: Bases, from: Half | null): Bases => {
      const target = createdBase(desired, evidence, join);
      if (operation.image !== null || from === null) return { target, source };
      const copied = copiedBase(desired, evidence);
      const own = withUnlinked(copied, from.record, groupIds, otherSide(side));
      return { target, source: withMoves(own, across) };
    },
  };
  storeDone(set, task, done, atMs);
  return {
    ...DONE,
    after: record,
    counts: 'created',
    notTaken: notTaken(fieldsIn(request.draft), request.draft, record.contact),
    ids: taskIds(task),
  };
};

/** Returns the groups that only one of two memberships contains. */
const differingGroups = (one: readonly string[], other: readonly string[]): readonly string[] => [
  ...new Set(one).symmetricDifference(new Set(other)),
];

/** Returns the fields and groups that a response shows as changed although the update did not write them. */
const alteredBy = ({ task, side, request }: UpdateWrite, { contact, groupIds }: ContactRecord) => {
  const { current, fields } = request;
  const others = new Set<SyncedField>([...fields, ...pendingFields(task, side)]);
  const altered = fieldsIn(current.contact, contact).filter((field) => !equalIn(field, current.contact, contact));
  return {
    fields: altered.filter((field) => !others.has(field)),
    moved: differingGroups(current.groupIds, groupIds),
  };
};

const NOTHING_ALTERED = { fields: [], moved: [] };

/**
 * Returns what the response to an update shows of it. The request for a shared address adds this address and keeps all others, so any
 * other difference is an edit of the contact's user.
 */
const shownBy = ({ request: { current }, sharedEmail }: UpdateWrite, record: ContactRecord): ContactRecord => {
  if (sharedEmail === null) return record;
  const added = record.contact.emailAddresses.filter(({ value }) => emailKey(value) === emailKey(sharedEmail.value));
  const { emailAddresses } = withEmails(current.contact, added);
  return { ...record, contact: { ...record.contact, emailAddresses } };
};

const applyUpdate = (
  { set, atMs, isConditional = false }: Applying,
  write: UpdateWrite,
  record: ContactRecord,
): AnswerOutcome => {
  const { task, side, request, sharedEmail, operation } = write;
  const isFirst = !wasWritten(task, side);
  const altered = isConditional ? alteredBy(write, record) : NOTHING_ALTERED;
  const fields = [...request.fields, ...altered.fields];
  addDone(task, { side, kind: sharedEmail === null ? 'update' : 'share', fields, record }, sharedEmail);
  const done = {
    side,
    record,
    fields,
    declinedGroups: altered.moved.filter((id) => isUnmoved(request.current, record, id)),
    settle: (bases: Bases): Bases => {
      const settled = settleUpdate(operation, { kind: 'answer', record: shownBy(write, record) }, bases);
      const target = changedBase(settled.target, request.current.contact, record.contact, altered.fields);
      return { ...settled, target: settleGroups(target, altered.moved, record.groupIds) };
    },
  };
  storeDone(set, task, done, atMs);
  return {
    ...DONE,
    after: record,
    counts: isFirst ? 'updated' : null,
    notTaken: [...notTaken(request.fields, request.desired, record.contact), ...altered.fields],
    ids: taskIds(task),
  };
};

/** Returns whether a group of a contact is as before a write. */
const isUnmoved = (before: ContactRecord, now: ContactRecord, id: string): boolean =>
  before.groupIds.includes(id) === now.groupIds.includes(id);

type Moved = {
  readonly before: ContactRecord;
  readonly record: ContactRecord;
  /** Further fields, and groups of the side, that the side changed on this occasion. */
  readonly fields: readonly ContactField[];
  readonly altered: readonly string[];
};

/** Stores that a task's memberships are as planned, except for groups that could not be created. */
const storeMoved = (
  { set, groupIds, atMs }: Pick<Applying, 'set' | 'groupIds' | 'atMs'>,
  task: Task,
  side: Side,
  { before, record, fields, altered }: Moved,
): void => {
  const { joins, leaves } = movesOf(task, side);
  const moves: Moves = { join: groupIdsOf(groupIds, side, joins), leave: groupIdsOf(groupIds, side, leaves) };
  const across = acrossOf(groupIds, side, moves);
  if (hasAllGroups(groupIds, task, side)) endMoves(task, side);
  const moved = [...new Set([...moves.join, ...moves.leave, ...altered])];
  const isUndo = isOfUndo(task.decision);
  const done = {
    side,
    record,
    fields: ['buckets' as const, ...fields],
    declinedGroups: isUndo ? moved : moved.filter((id) => isUnmoved(before, record, id)),
    settle: ({ target, source }: Bases): Bases => ({
      target: settleGroups(changedBase(target, before.contact, record.contact, fields), moved, record.groupIds),
      source: isUndo ? source : withMoves(source, across),
    }),
  };
  storeDone(set, task, done, atMs);
};

/** Stores that a task's contact already has the planned memberships, except for groups that could not be created. */
export const storeAlreadyMoved = (
  applying: Pick<Applying, 'set' | 'groupIds' | 'atMs'>,
  task: Task,
  side: Side,
): void => {
  const record = currentRecord(task, side);
  if (record !== null) storeMoved(applying, task, side, { before: record, record, fields: [], altered: [] });
};

/** Returns whether a membership contains the requested groups, and none of those that were to be left. */
const hasMoved = ({ add, remove }: MembershipRequest, groupIds: readonly string[]): boolean =>
  add.every((id) => groupIds.includes(id)) && !remove.some((id) => groupIds.includes(id));

const applyMembership = (
  applying: Applying,
  { task, side, request, operation }: Extract<Write, { kind: 'membership' }>,
  groupIds: readonly string[],
  altered: AlteredContact | undefined,
): AnswerOutcome => {
  const isFirst = !wasWritten(task, side);
  const current = currentRecord(task, side) ?? operation.before;
  const record = altered?.record ?? withWrittenGroups(current, groupIds, request, applying);
  const pending = pendingFields(task, side);
  const fields = (altered?.fields ?? []).filter((field) => !pending.has(field));
  addDone(task, { side, kind: 'membership', fields: ['buckets', ...fields], record });
  storeMoved(applying, task, side, { before: operation.before, record, fields, altered: altered?.groupIds ?? [] });
  return {
    ...DONE,
    after: record,
    counts: isFirst ? 'updated' : null,
    notTaken: [...(hasMoved(request, groupIds) ? [] : ['buckets' as const]), ...fields],
    ids: taskIds(task),
  };
};

/** Stores that a contact was deleted, and the consequences for its pair. */
const applyDeletion = ({ set, atMs }: Applying, deletion: Deletion): void => {
  const { pair, record, side } = deletion;
  observeDeletion(set, side, record.id, atMs);
  if (pair.id === null) return;
  if (isOfUndo(deletion)) keepAlone(set, pair.id, otherSide(side), atMs);
  else endPair(set, pair.id);
};

const applyDelete = (
  applying: Applying,
  { deletion, operation }: Extract<Write, { kind: 'delete' }>,
): AnswerOutcome => {
  applyDeletion(applying, deletion);
  const { leftId, rightId } = operation;
  const ids = { leftId, rightId };
  return { ...DONE, after: null, counts: 'deleted', ids };
};

const applyMerge = (
  applying: Applying,
  { deletion, merging, operation, side }: Extract<Write, { kind: 'merge' }>,
  { survivor, became }: Merged,
): AnswerOutcome => {
  const { set, groupIds, atMs } = applying;
  const { record } = deletion;
  const groupPairs = pairsIn(groupIds);
  observeMerge(set, { side, before: merging.survivor, after: survivor, mergedAway: record }, { groupPairs, atMs });
  addDone(merging.task, { side, kind: 'merged', fields: [], record: survivor });
  const { leftId, rightId } = operation;
  const merged = { ...DONE, after: null, ids: { leftId, rightId }, again: true };
  // A side may make a contact inaccessible that it has just merged away.
  if (became.kind === 'gone' || became.kind === 'moved' || became.kind === 'withheld') {
    applyDeletion(applying, deletion);
    return { ...merged, counts: 'deleted' };
  }
  const isStillThere = became.kind === 'found' && equalSnapshots(record, became.record);
  if (!isStillThere) observeReadAnswer(set, side, record.id, became, atMs);
  const error = 'The side kept the merged contact; it is deleted separately.';
  return { ...merged, applied: false, error, counts: null, isStillThere };
};

/** A write with the value of its response. */
export type AnsweredWrite =
  | {
      readonly kind: 'record';
      readonly write: CreateWrite | UpdateWrite;
      readonly value: ContactRecord;
    }
  | {
      readonly kind: 'groups';
      readonly write: Extract<Write, { kind: 'membership' }>;
      readonly value: readonly string[];
      readonly altered?: AlteredContact | undefined;
    }
  | { readonly kind: 'merged'; readonly write: Extract<Write, { kind: 'merge' }>; readonly value: Merged }
  | { readonly kind: 'none'; readonly write: Extract<Write, { kind: 'delete' }> };

/**
 * If an update was answered with a contact of another pair, its target was merged into that contact (R12). Then the task releases
 * this half: the half is not written again, and its stored row does not change. Returns whether that is the case.
 */
export const detachIfOfAnotherPair = (set: WorkingSet, answered: AnsweredWrite): boolean => {
  if (answered.kind !== 'record' || answered.write.kind !== 'update') return false;
  const { side, task } = answered.write;
  const pairId = set.half(side, answered.value.id)?.pair ?? null;
  if (pairId === null || pairId === pairIdOf(set, task)) return false;
  task.strayed = [...task.strayed, side];
  return true;
};

/** Returns the groups that a response contains only because the side altered the write. */
export const alteredGroups = (answered: AnsweredWrite): readonly string[] => {
  if (answered.kind === 'groups') {
    return (answered.altered?.groupIds ?? []).filter((id) => answered.value.includes(id));
  }
  if (answered.kind !== 'record') return [];
  const { write, value } = answered;
  const requested = write.kind === 'create' ? write.request.groupIds : write.request.current.groupIds;
  return value.groupIds.filter((id) => !requested.includes(id));
};

/** Applies the response to a write. The set must contain the contacts of the write, and the contact that was returned. */
export const applyAnswer = (applying: Applying, answered: AnsweredWrite): AnswerOutcome => {
  switch (answered.kind) {
    case 'record':
      return answered.write.kind === 'create'
        ? applyCreate(applying, answered.write, answered.value)
        : applyUpdate(applying, answered.write, answered.value);
    case 'groups':
      return applyMembership(applying, answered.write, answered.value, answered.altered);
    case 'merged':
      return applyMerge(applying, answered.write, answered.value);
    case 'none':
      return applyDelete(applying, answered.write);
  }
};
