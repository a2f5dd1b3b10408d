import type { Deletion } from '../reconcile/decision.ts';
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
import { EMPTY_SNAPSHOT, equalIn, equalSnapshots, type Snapshot } from '../contact/snapshot.ts';
import {
  type CreateOperation,
  type MembershipOperation,
  sourceIdOf,
  targetIdOf,
  type UpdateOperation,
} from '../reconcile/operation.ts';
import { newHalf } from '../state/half.ts';
import { observeReadAnswer, observeDeletion } from '../state/observe.ts';
import { withWrittenGroups } from '../state/own-moves.ts';
import { endPair, keepAlone, storePair } from '../state/pair.ts';
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
import { storeWritten } from './store-written.ts';
import { movesAcross } from './traces.ts';
import type { CreateWrite, GroupIds, Merged, UpdateWrite, Write } from './write.ts';

/** The outcome of an operation with a response, and the values that a run reports. */
type AnswerOutcome = Outcome & {
  /** True if the response must not be applied: it counts as a refusal. */
  readonly isRefused: boolean;
  /** Fields that the side silently did not store (R2). */
  readonly notTaken: readonly SyncedField[];
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

/** The halves that an operation concerns, as they are stored: the written one, and the one that it is computed from. */
type StoredHalves = { readonly pairId: number | null; readonly target: Half | null; readonly source: Half | null };

const storedHalves = (
  set: WorkingSet,
  operation: CreateOperation | UpdateOperation | MembershipOperation,
): StoredHalves => {
  const { side } = operation;
  const known = (at: Side, id: string | null): Half | null => (id === null ? null : set.half(at, id));
  const own = known(side, targetIdOf(operation));
  const other = known(otherSide(side), sourceIdOf(operation));
  const pairId = operation.pairId ?? own?.pair ?? other?.pair ?? null;
  const pair = pairId === null ? null : set.pair(pairId);
  // The id of a contact may have changed since the plan: its former id has no pair.
  const current = (half: Half | null, at: Side): Half | null =>
    half === null || (half.pair === null && isDeleted(half)) ? (pair?.[at] ?? half) : half;
  return { pairId, target: current(own, side), source: current(other, otherSide(side)) };
};

const basesOf = ({ target, source }: StoredHalves): Bases => ({
  target: target?.base ?? EMPTY_SNAPSHOT,
  source: source?.base ?? EMPTY_SNAPSHOT,
});

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
const refusalOf = ({ task: { decision } }: CreateWrite, { id, pair }: Half): string | null => {
  if (pair !== null) return `The side answered with ${id}, which is linked to another contact already; merge the two.`;
  const isApart = decision.kind === 'create' && decision.apartFrom?.includes(id) === true;
  return isApart ? `The side answered with ${id}, which a person keeps apart from this contact.` : null;
};

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

/** Stores a contact that existed before with the source of a create: as a pair that is merged like a first match. */
const storeFirstMeeting = (
  set: WorkingSet,
  { side, pairId }: CreateOperation,
  { standing, source }: { readonly standing: Half; readonly source: Half | null },
  record: ContactRecord,
): void => {
  const open = (half: Half): Half => ({ ...half, base: EMPTY_SNAPSHOT, state: 'changed', mergedInto: null });
  const halves = bySide((each) => (each === side ? open({ ...standing, record }) : source && open(source)));
  storePair(set, { pairId, status: 'linked', halves, writtenSide: side });
};

const applyCreate = (
  { set, groupIds, createsWithGroups, atMs }: Applying,
  write: CreateWrite,
  record: ContactRecord,
): AnswerOutcome => {
  const { side, request, operation } = write;
  const { desired, image, pairId } = operation;
  const { source } = storedHalves(set, operation);
  const known = set.half(side, record.id);
  const isBack = known !== null && isDeleted(known) && (known.pair === null || known.pair === pairId);
  const standing = isBack ? null : known;
  const nothing = { ...DONE, applied: false, after: record };
  const refused = standing === null ? null : refusalOf(write, standing);
  if (refused !== null) return { ...nothing, error: refused, isRefused: true };
  if (standing !== null) {
    // The contact existed before: the two are compared before any of its values is overwritten.
    storeFirstMeeting(set, operation, { standing, source }, record);
    // An undo deletes contacts that were created, but not this contact.
    const error = `The side answered with ${record.id}, which existed already; the two are compared.`;
    return { ...nothing, error, again: true };
  }
  const evidence: Evidence = { kind: 'answer', record };
  const moves = { join: createsWithGroups ? operation.join : [], leave: [] };
  const target = createdBase(desired, evidence, moves.join);
  const bases = (): Bases => {
    if (image !== null || source === null) return { target, source: source?.base ?? EMPTY_SNAPSHOT };
    const own = withUnlinked(copiedBase(desired, evidence), source.record, groupIds, otherSide(side));
    return { target, source: withMoves(own, movesAcross(side, moves, pairsIn(groupIds))) };
  };
  const written = {
    ...writtenHalf(set, known, side, record, atMs),
    settled: new Set<SyncedField>(fieldsIn(desired, record.contact)),
    wanted: operation.cause === 'undo' ? null : desired,
    declinedGroups: [],
  };
  storeWritten(set, pairId, written, { bases: bases(), other: source }, atMs);
  return {
    ...DONE,
    after: record,
    notTaken: notTaken(fieldsIn(request.draft), request.draft, record.contact),
  };
};

/** Returns the groups that only one of two memberships contains. */
const differingGroups = (one: readonly string[], other: readonly string[]): readonly string[] => [
  ...new Set(one).symmetricDifference(new Set(other)),
];

/** Returns the fields and groups that a response shows as changed although the update did not write them. */
const alteredBy = ({ request: { current, fields }, later }: UpdateWrite, { contact, groupIds }: ContactRecord) => {
  const others = new Set<SyncedField>([...fields, ...later]);
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

/** Returns the written half of an operation with the contact after it. The id of the contact may have changed. */
const writtenHalf = (set: WorkingSet, target: Half | null, side: Side, record: ContactRecord, atMs: number) => {
  const half = target?.id === record.id ? target : set.half(side, record.id);
  return { half: half ?? newHalf(side, record, atMs), record };
};

const applyUpdate = (
  { set, atMs, isConditional = false }: Applying,
  write: UpdateWrite,
  record: ContactRecord,
): AnswerOutcome => {
  const { request, operation } = write;
  const { current } = request;
  const stored = storedHalves(set, operation);
  const altered = isConditional ? alteredBy(write, record) : NOTHING_ALTERED;
  const settled = settleUpdate(operation, { kind: 'answer', record: shownBy(write, record) }, basesOf(stored));
  const target = changedBase(settled.target, current.contact, record.contact, altered.fields);
  const bases = { ...settled, target: settleGroups(target, altered.moved, record.groupIds) };
  const written = {
    ...writtenHalf(set, stored.target, operation.side, record, atMs),
    settled: new Set<SyncedField>([...request.fields, ...altered.fields]),
    wanted: operation.cause === 'undo' ? null : operation.desired,
    declinedGroups: altered.moved.filter((id) => isUnmoved(current, record, id)),
  };
  storeWritten(set, stored.pairId, written, { bases, other: stored.source }, atMs);
  return {
    ...DONE,
    after: record,
    notTaken: [...notTaken(request.fields, request.desired, record.contact), ...altered.fields],
  };
};

/** Returns whether a group of a contact is as before a write. */
const isUnmoved = (before: ContactRecord, now: ContactRecord, id: string): boolean =>
  before.groupIds.includes(id) === now.groupIds.includes(id);

/** A contact after a change of its membership, with further fields and groups that its side changed on this occasion. */
type Moved = {
  readonly record: ContactRecord;
  readonly fields: readonly ContactField[];
  readonly altered: readonly string[];
};

/** Stores a change of membership that was done. */
const storeMoved = (
  { set, groupIds, atMs }: Pick<Applying, 'set' | 'groupIds' | 'atMs'>,
  operation: MembershipOperation,
  { record, fields, altered }: Moved,
): void => {
  const { side, before, join, leave } = operation;
  const isUndo = operation.cause === 'undo';
  const stored = storedHalves(set, operation);
  const { target, source } = basesOf(stored);
  const moved = [...new Set([...join, ...leave, ...altered])];
  const written = {
    ...writtenHalf(set, stored.target, side, record, atMs),
    settled: new Set<SyncedField>(['buckets', ...fields]),
    wanted: null,
    declinedGroups: isUndo ? moved : moved.filter((id) => isUnmoved(before, record, id)),
  };
  const across = movesAcross(side, { join, leave }, pairsIn(groupIds));
  const bases = {
    target: settleGroups(changedBase(target, before.contact, record.contact, fields), moved, record.groupIds),
    source: isUndo ? source : withMoves(source, across),
  };
  storeWritten(set, stored.pairId, written, { bases, other: stored.source }, atMs);
};

/** Stores that a contact already has the membership of an operation. */
export const storeAlreadyMoved = (
  applying: Pick<Applying, 'set' | 'groupIds' | 'atMs'>,
  operation: MembershipOperation,
): void => storeMoved(applying, operation, { record: operation.before, fields: [], altered: [] });

/** Returns whether a membership contains the requested groups, and none of those that were to be left. */
const hasMoved = ({ add, remove }: MembershipRequest, groupIds: readonly string[]): boolean =>
  add.every((id) => groupIds.includes(id)) && !remove.some((id) => groupIds.includes(id));

const applyMembership = (
  applying: Applying,
  { request, operation }: Extract<Write, { kind: 'membership' }>,
  groupIds: readonly string[],
  altered: AlteredContact | undefined,
): AnswerOutcome => {
  const record = altered?.record ?? withWrittenGroups(operation.before, groupIds, request, applying);
  const fields = altered?.fields ?? [];
  storeMoved(applying, operation, { record, fields, altered: altered?.groupIds ?? [] });
  return {
    ...DONE,
    after: record,
    notTaken: [...(hasMoved(request, groupIds) ? [] : ['buckets' as const]), ...fields],
  };
};

/** Stores that a contact was deleted, and the consequences for its pair. */
const applyDeletion = ({ set, atMs }: Applying, { side, record, pair, cause }: Deletion): void => {
  observeDeletion(set, side, record.id, atMs);
  if (pair.id === null) return;
  if (cause === 'undo') keepAlone(set, pair.id, otherSide(side), atMs);
  else endPair(set, pair.id);
};

const applyMerge = (
  applying: Applying,
  { deletion, merging, side }: Extract<Write, { kind: 'merge' }>,
  { survivor, became }: Merged,
): AnswerOutcome => {
  const { set, groupIds, atMs } = applying;
  const { record } = deletion;
  const groupPairs = pairsIn(groupIds);
  observeMerge(set, { side, before: merging.survivor, after: survivor, mergedAway: record }, { groupPairs, atMs });
  const merged = { ...DONE, after: null, again: true };
  // A side may make a contact inaccessible that it has just merged away.
  if (became.kind === 'gone' || became.kind === 'moved' || became.kind === 'withheld') {
    applyDeletion(applying, deletion);
    return merged;
  }
  const isStillThere = became.kind === 'found' && equalSnapshots(record, became.record);
  if (!isStillThere) observeReadAnswer(set, side, record.id, became, atMs);
  const error = 'The side kept the merged contact; it is deleted separately.';
  return { ...merged, applied: false, error, isStillThere };
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
 * Returns whether an update was answered with a contact of another pair: its target was merged into that contact (R12). Then the
 * response must not be stored.
 */
export const isOfAnotherPair = (set: WorkingSet, answered: AnsweredWrite): boolean => {
  if (answered.kind !== 'record' || answered.write.kind !== 'update') return false;
  const { operation, side } = answered.write;
  const pairId = set.half(side, answered.value.id)?.pair ?? null;
  return pairId !== null && pairId !== storedHalves(set, operation).pairId;
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
      applyDeletion(applying, answered.write.deletion);
      return { ...DONE, after: null };
  }
};
