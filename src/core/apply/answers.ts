import {
  type Contact,
  type ContactField,
  fieldsIn,
  listsOf,
  scalarsOf,
  type SyncedField,
  textIn,
} from '../contact/contact.ts';
import { type Half, isAway, isDeleted } from '../contact/half.ts';
import { emailKey } from '../contact/keys.ts';
import { keyListsIn, listOf, withEmails } from '../contact/lists.ts';
import type { ContactRecord } from '../contact/record.ts';
import type { AlteredContact } from '../contact/requests.ts';
import { bySide, otherSide } from '../contact/side.ts';
import { EMPTY_SNAPSHOT, equalIn, equalSnapshots } from '../contact/snapshot.ts';
import type { CreateOperation, DeleteOperation } from '../reconcile/operation.ts';
import { observeDeletion, observeReadAnswer, observeRecord } from '../state/observe.ts';
import { withWrittenGroups } from '../state/own-moves.ts';
import { endPair, keepAlone, storePair } from '../state/pair.ts';
import type { WorkingSet } from '../state/working-set.ts';
import type { ApplyContext } from './outcome.ts';
import { observeMerge } from './side-merges.ts';
import {
  type Altered,
  NOTHING_ALTERED,
  storeCreated,
  storedHalves,
  storeMoved,
  storeUpdated,
  unmovedIn,
} from './store-operation.ts';
import type { CreateWrite, MembershipWrite, Merged, UpdateWrite, Write } from './task.ts';

/**
 * The outcome of a write, by the side's answer. `after` is the contact as it is now; null if it does not exist.
 */
type AnswerOutcome =
  /** `notTaken`: the fields that the side silently did not store (R2). */
  | {
      readonly kind: 'done';
      readonly after: ContactRecord | null;
      readonly notTaken: readonly SyncedField[];
    }
  /** `remains`: the side kept the contact that it merged into another one, so that it is deleted separately. */
  | {
      readonly kind: 'not-done';
      readonly after: ContactRecord | null;
      readonly error: string;
      readonly remains: boolean;
    }
  /** The answer is not applied: it counts as a refusal. */
  | { readonly kind: 'refused'; readonly after: ContactRecord; readonly error: string };

const done = (after: ContactRecord | null, notTakenFields: readonly SyncedField[] = []): AnswerOutcome => ({
  kind: 'done',
  after,
  notTaken: notTakenFields,
});

/** The values that an answer is applied with. */
export type Applying = ApplyContext & {
  readonly set: WorkingSet;
  /** True if a create request contains the membership. */
  readonly createsWithGroups: boolean;
  /** True if an answer contains no edit of another client (`RemoteCapabilities.writesConditionally`). */
  readonly isConditional: boolean;
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

/** Returns the reason why an existing contact is not accepted as the answer to a create; null if the two are to be compared. */
const refusalOf = ({ task }: CreateWrite, { id, pair }: Half): string | null => {
  if (pair !== null) return `The side answered with ${id}, which is linked to another contact already; merge the two.`;
  const isApart = task.kind === 'create' && task.apartFrom?.includes(id) === true;
  return isApart ? `The side answered with ${id}, which a person keeps apart from this contact.` : null;
};

/**
 * Stores a contact that existed before with the source of a create: as a pair that is merged like a first match. A source that was
 * deleted since is not created again (R7).
 */
const storeFirstMeeting = (
  { set, atMs }: Applying,
  operation: CreateOperation,
  existing: Half,
  record: ContactRecord,
): void => {
  const { pairId, side } = operation;
  const { source } = storedHalves(set, operation);
  if (source !== null && isDeleted(source)) return observeRecord(set, side, record, atMs);
  const open = (half: Half): Half => ({ ...half, base: EMPTY_SNAPSHOT, mergedInto: null });
  const halves = bySide((each): Half | null => {
    if (each === side) return { ...open({ ...existing, record }), state: 'changed' };
    return source && { ...open(source), state: isAway(source) ? source.state : 'changed' };
  });
  storePair(set, { pairId, status: 'linked', halves, writtenSide: side });
};

const applyCreate = (applying: Applying, write: CreateWrite, record: ContactRecord): AnswerOutcome => {
  const { set, createsWithGroups } = applying;
  const { operation } = write;
  const { desired, join, side } = operation;
  const known = set.half(side, record.id);
  const isBack = known !== null && isDeleted(known) && (known.pair === null || known.pair === operation.pairId);
  const existing = isBack ? null : known;
  const refused = existing === null ? null : refusalOf(write, existing);
  if (refused !== null) return { kind: 'refused', after: record, error: refused };
  if (existing !== null) {
    // The contact existed before: the two are compared before any of its values is overwritten.
    storeFirstMeeting(applying, operation, existing, record);
    // An undo deletes contacts that were created, but not this contact.
    const error = `The side answered with ${record.id}, which existed already; the two are compared.`;
    return { kind: 'not-done', after: record, error, remains: false };
  }
  const created = {
    join: createsWithGroups ? join : join.filter((id) => record.groupIds.includes(id)),
    written: fieldsIn(desired, record.contact),
  };
  storeCreated(set, operation, { kind: 'answer', record }, created, applying);
  return done(record, notTaken(fieldsIn(desired), desired, record.contact));
};

/** Returns the groups that only one of two memberships contains. */
const differingGroups = (one: readonly string[], other: readonly string[]): readonly string[] => [
  ...new Set(one).symmetricDifference(new Set(other)),
];

/** Returns the fields and groups that an answer shows as changed although the update did not write them. */
const alteredBy = (
  { operation: { before, fields }, otherPlanned }: UpdateWrite,
  { contact, groupIds }: ContactRecord,
): Altered => {
  const others = new Set<SyncedField>([...fields, ...otherPlanned]);
  const altered = fieldsIn(before.contact, contact).filter((field) => !equalIn(field, before.contact, contact));
  return {
    fields: altered.filter((field) => !others.has(field)),
    groupIds: differingGroups(before.groupIds, groupIds),
  };
};

/**
 * Returns what the answer to an update shows of it. The request for a shared address adds this address and keeps all others, so any
 * other difference is an edit of the contact's user.
 */
const shownBy = ({ operation: { before }, sharedEmail }: UpdateWrite, record: ContactRecord): ContactRecord => {
  if (sharedEmail === null) return record;
  const added = record.contact.emailAddresses.filter(({ value }) => emailKey(value) === emailKey(sharedEmail.value));
  const { emailAddresses } = withEmails(before.contact, added);
  return { ...record, contact: { ...record.contact, emailAddresses } };
};

const applyUpdate = (
  { set, atMs, isConditional }: Applying,
  write: UpdateWrite,
  record: ContactRecord,
): AnswerOutcome => {
  const { operation } = write;
  const altered = isConditional ? alteredBy(write, record) : NOTHING_ALTERED;
  const evidence = { kind: 'answer', record: shownBy(write, record) } as const;
  storeUpdated(set, operation, storedHalves(set, operation), { evidence, record, altered }, atMs);
  return done(record, [...notTaken(operation.fields, operation.desired, record.contact), ...altered.fields]);
};

/** Stores that a contact already has the membership of a write. */
export const storeAlreadyMoved = (
  set: WorkingSet,
  { moves, operation }: MembershipWrite,
  context: ApplyContext,
): void => {
  const moved = { moves, record: operation.before, altered: NOTHING_ALTERED };
  storeMoved(set, operation, storedHalves(set, operation), moved, context);
};

const applyMembership = (
  applying: Applying,
  { operation, moves }: MembershipWrite,
  groupIds: readonly string[],
  altered: AlteredContact | undefined,
): AnswerOutcome => {
  const { set } = applying;
  const record = altered?.record ?? withWrittenGroups(operation.before, groupIds, operation, applying);
  const moved = { moves, record, altered: altered ?? NOTHING_ALTERED };
  storeMoved(set, operation, storedHalves(set, operation), moved, applying);
  const unmoved = unmovedIn(operation, groupIds).length > 0 ? ['buckets' as const] : [];
  return done(record, [...unmoved, ...(altered?.fields ?? [])]);
};

/** Stores that a contact was deleted, and the consequences for its pair. */
const applyDeletion = ({ set, atMs }: Applying, { side, before, pairId, cause }: DeleteOperation): void => {
  observeDeletion(set, side, before.id, atMs);
  if (pairId === null) return;
  if (cause === 'undo') keepAlone(set, pairId, otherSide(side), atMs);
  else endPair(set, pairId);
};

const applyMerge = (
  applying: Applying,
  { operation }: Extract<Write, { kind: 'merge-away' }>,
  { survivor, became }: Merged,
): AnswerOutcome => {
  const { set, atMs } = applying;
  const { side, before: mergedAway } = operation;
  observeMerge(set, { side, before: operation.survivor, after: survivor, mergedAway }, applying);
  // A side may make a contact inaccessible that it has just merged away.
  if (became.kind === 'gone' || became.kind === 'moved' || became.kind === 'withheld') {
    applyDeletion(applying, operation);
    return done(null);
  }
  const isStillThere = became.kind === 'found' && equalSnapshots(mergedAway, became.record);
  if (!isStillThere) observeReadAnswer(set, side, mergedAway.id, became, applying.lagMs, atMs);
  const error = 'The side kept the merged contact; it is deleted separately.';
  return { kind: 'not-done', after: null, error, remains: isStillThere };
};

/** A write with the value of its answer. */
export type AnsweredWrite =
  | {
      readonly kind: 'record';
      readonly write: CreateWrite | UpdateWrite;
      readonly value: ContactRecord;
    }
  | {
      readonly kind: 'groups';
      readonly write: MembershipWrite;
      readonly value: readonly string[];
      readonly altered?: AlteredContact | undefined;
    }
  | { readonly kind: 'merged-away'; readonly write: Extract<Write, { kind: 'merge-away' }>; readonly value: Merged }
  | { readonly kind: 'none'; readonly write: Extract<Write, { kind: 'delete' }> };

/**
 * Returns whether an update was answered with a contact of another pair: its target was merged into that contact (R12). Then the
 * answer must not be stored.
 */
export const isOfAnotherPair = (set: WorkingSet, answered: AnsweredWrite): boolean => {
  if (answered.kind !== 'record' || answered.write.kind !== 'update') return false;
  const { operation } = answered.write;
  const pairId = set.half(operation.side, answered.value.id)?.pair ?? null;
  return pairId !== null && pairId !== storedHalves(set, operation).pairId;
};

/** Returns the groups that an answer contains only because the side altered the write. */
export const alteredGroups = (answered: AnsweredWrite): readonly string[] => {
  if (answered.kind === 'groups') return (answered.altered?.groupIds ?? []).filter((id) => answered.value.includes(id));
  if (answered.kind !== 'record') return [];
  const { operation } = answered.write;
  const { value } = answered;
  const requested = operation.kind === 'create' ? operation.join : operation.before.groupIds;
  return value.groupIds.filter((id) => !requested.includes(id));
};

/** Applies the answer to a write. The set must contain the contacts of the write, and the contact that was returned. */
export const applyAnswer = (applying: Applying, answered: AnsweredWrite): AnswerOutcome => {
  switch (answered.kind) {
    case 'record':
      return answered.write.kind === 'create'
        ? applyCreate(applying, answered.write, answered.value)
        : applyUpdate(applying, answered.write, answered.value);
    case 'groups':
      return applyMembership(applying, answered.write, answered.value, answered.altered);
    case 'merged-away':
      return applyMerge(applying, answered.write, answered.value);
    case 'none':
      applyDeletion(applying, answered.write.operation);
      return answered.write.wasGone
        ? { kind: 'not-done', after: null, error: 'It was deleted there already.', remains: false }
        : done(null);
  }
};
