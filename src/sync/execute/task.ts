import { fieldsIn, scalarsOf, textIn, withValue, type Contact, type SyncedField } from '../../contact/contact.ts';
import { isAway, type Half } from '../../contact/half.ts';
import type { ContactRecord } from '../../contact/record.ts';
import { bySide, otherSide, type Side, type Sides } from '../../contact/side.ts';
import { equalSnapshots, snapshotOf, withDeclined, type Declined, type Snapshot } from '../../contact/snapshot.ts';
import { settleDeclined } from '../../reconcile/declined.ts';
import { idsOn, type PairIds } from '../../reconcile/pair-ids.ts';
import {
  draftOf,
  isNewPairing,
  type Conflict,
  type Creation,
  type Merge,
  type SideWrite,
} from '../../reconcile/decision.ts';
import { EMPTY_SNAPSHOT, settleBase } from '../../reconcile/settle.ts';
import { newHalf } from '../state/half.ts';

/** A half while its pair is written. */
export type TaskHalf = {
  base: Snapshot;
  /** As the plan saw it. */
  readonly before: ContactRecord;
  /** As the side last gave it back. */
  record: ContactRecord;
  readonly written: Set<SyncedField>;
  readonly moved: Set<string>;
  /**
   * The email addresses that both sides agree on, where some were added to whatever the contact held by then
   * (`shared-emails.ts`): what its user changed meanwhile is no part of them. Null where the record says them.
   */
  agreedEmails: Contact['emailAddresses'] | null;
};

/** A contact that is to be brought into being. */
type NewContact = {
  readonly side: Side;
  readonly draft: Contact;
  /** The contact's id on the other side, left on the new one where its side can hold it (R9); of an undo its own former id. */
  readonly originId: string;
  /** Group pairs to join, by key. */
  readonly joins: readonly string[];
  /** The ids that the create is journaled with. */
  readonly ids: PairIds;
  /** The last image of a contact that an undo brings back; null for any other. */
  readonly image: ContactRecord | null;
  /** Contacts of the side that it is not, because a person said so, by id; left out where there are none. */
  readonly apartFrom?: readonly string[];
};

/** One pair on its way through a run: what is to be written, and what was answered so far. */
export type Task = {
  readonly pairId: number | null;
  readonly halves: Record<Side, TaskHalf | null>;
  readonly creation: NewContact | null;
  /** What existing contacts are to be given. */
  readonly writes: Record<Side, SideWrite | null>;
  /** The fields in which a side takes what neither half holds. */
  readonly given: Sides<ReadonlySet<SyncedField>>;
  /** Email addresses still to be added to that side, each by a write of its own: see `shared-emails.ts`. */
  readonly sharedEmails: Record<Side, Contact['emailAddresses']>;
  /** Fields still to be written to that side. */
  readonly pending: Sides<Set<SyncedField>>;
  readonly held: Sides<readonly SyncedField[]>;
  readonly deferred: boolean;
  readonly conflicts: readonly Conflict[];
  conflictsStored: boolean;
  /** Whether the two halves are paired by this very run. */
  readonly isNewPairing: boolean;
  /** Whether the pair wakes by this very run: it was asleep. */
  readonly wakes: boolean;
  /** Whether the pair is asleep once everything is written. */
  readonly sleeps: boolean;
  /** Sides whose write was counted already. */
  readonly counted: Set<Side>;
  /** Sides whose contact has to be read before anything more is written to it: an update of it was not answered as it should be. */
  readonly unsure: Set<Side>;
  /** What it was planned from: a refusal is remembered by it (R15); null in an undo, which is asked for again. */
  readonly decision: Merge | Creation | null;
};

export const taskHalf = (record: ContactRecord, base: Snapshot | null): TaskHalf => {
  return {
    base: base ?? EMPTY_SNAPSHOT,
    before: record,
    record,
    written: new Set(),
    moved: new Set(),
    agreedEmails: null,
  };
};

/** The half that a create just brought into being. */
export const createdHalf = (record: ContactRecord): TaskHalf => taskHalf(record, snapshotOf(record));

/** The task of a merge that the core decided. */
export const mergeTask = (decision: Merge): Task => ({
  pairId: decision.pair.id,
  halves: bySide((side) => taskHalf(decision.pair[side].record, decision.pair[side].base)),
  creation: null,
  writes: decision.writes,
  given: bySide((side) => new Set(decision.writes[side]?.given)),
  sharedEmails: { left: [], right: [] },
  pending: bySide((side) => new Set(decision.writes[side]?.fields)),
  held: decision.held,
  deferred: decision.deferred,
  conflicts: decision.conflicts,
  conflictsStored: false,
  isNewPairing: isNewPairing(decision),
  wakes: decision.pair.status === 'asleep',
  sleeps: decision.sleeps === true,
  counted: new Set(),
  unsure: new Set(),
  decision,
});

/** The task of a create that the core decided. */
export const creationTask = (decision: Creation): Task => {
  const { side, source, joins, pair } = decision;
  const other = otherSide(side);
  return {
    pairId: pair?.id ?? null,
    halves: bySide((each) => (each === other ? taskHalf(source, null) : null)),
    creation: {
      side,
      draft: draftOf(decision),
      originId: source.id,
      joins,
      ids: idsOn(other, source.id),
      image: null,
      ...(decision.apartFrom && { apartFrom: decision.apartFrom }),
    },
    writes: { left: null, right: null },
    given: bySide(() => new Set()),
    sharedEmails: { left: [], right: [] },
    pending: bySide((each) => new Set<SyncedField>(joins.length > 0 && each === side ? ['buckets'] : [])),
    held: bySide((each) => (each === other ? (decision.held ?? []) : [])),
    deferred: false,
    conflicts: [],
    conflictsStored: false,
    isNewPairing: false,
    wakes: false,
    sleeps: false,
    counted: new Set(),
    unsure: new Set(),
    decision,
  };
};

/** Whether nothing of the task has to be written. */
export const isQuiet = (task: Task): boolean => task.pending.left.size === 0 && task.pending.right.size === 0;

/** The ids of the task's contacts; null where one does not stand. */
export const taskIds = ({ halves }: Task): PairIds => ({
  leftId: halves.left?.record.id ?? null,
  rightId: halves.right?.record.id ?? null,
});

/** Fields whose value on that side lost a conflict and stands there still: as open as the value that won. */
const lostFields = (task: Task, side: Side): readonly SyncedField[] => {
  const lost = task.conflicts.filter(({ field, winner }) => winner !== side && task.pending[side].has(field));
  return lost.map(({ field }) => field);
};

/** The fields of which a person is asked: both sides keep their value. */
const askedFields = ({ conflicts }: Task): readonly SyncedField[] =>
  conflicts.filter(({ winner }) => winner === null).map(({ field }) => field);

/** Whether a person is asked about any of its fields. */
export const isAsking = (task: Task): boolean => askedFields(task).length > 0;

/** Whether a change of that side stays there for another reason than that a person is asked. */
const hasHeld = (task: Task, side: Side): boolean => {
  const asked = askedFields(task);
  return task.held[side].some((field) => !asked.includes(field));
};

/** The base with the values that wait for a person, as the plan saw them. */
const withAsked = (task: Task, base: Snapshot, { contact }: ContactRecord): Snapshot => {
  const asked = scalarsOf(askedFields(task));
  const values = asked.reduce((known, field) => withValue(known, field, textIn(contact, field)), base.contact);
  return { ...base, contact: values };
};

/** Whether a side takes what neither half holds: then what both lack is not agreed on. */
const isGiven = ({ given }: Task): boolean => given.left.size + given.right.size > 0;

/** The values that the base of a half may take over from the other half and from the groups that both sides agree on. */
const agreedOn = (task: Task, side: Side) => {
  if (isGiven(task)) return { other: null, agreedGroups: new Set<string>() };
  const groups = task.decision?.kind === 'merge' ? task.decision.agreedGroups?.[side] : undefined;
  return { other: task.halves[otherSide(side)]?.before.contact ?? null, agreedGroups: new Set(groups) };
};

/** The values that a side was given by the decision of a run; after an undo, which may leave the sides different, those of the other side. */
const wantedOn = ({ decision }: Task, side: Side, other: Contact): Contact => {
  if (decision === null) return other;
  return decision.kind === 'create' ? draftOf(decision) : (decision.writes[side]?.desired ?? other);
};

/** The groups of a side of which a write did not change whether the contact is a member; of an undo, all that it moved. */
const declinedGroups = ({ decision }: Task, { base, before, moved, record }: TaskHalf): readonly string[] => {
  const isKept = (id: string): boolean => before.groupIds.includes(id) === record.groupIds.includes(id);
  const former = (base.declined?.buckets ?? []).filter((id) => !moved.has(id));
  return [...former, ...[...moved].filter((id) => decision === null || isKept(id))];
};

/** The differences from the other side that are settled after the answers so far (R2). */
const declinedBy = (task: Task, side: Side, half: TaskHalf): Declined => {
  const other = task.halves[otherSide(side)]?.record.contact;
  const isCreated = task.creation?.side === side;
  const isUntouched = !isCreated && half.written.size === 0 && half.base.declined === undefined;
  if (other === undefined || isUntouched) return {};
  const wanted = wantedOn(task, side, other);
  const now = half.record.contact;
  const written = isCreated ? new Set<SyncedField>(fieldsIn(wanted, now)) : half.written;
  return settleDeclined({
    former: half.base.declined,
    written,
    wanted,
    now,
    other,
    groups: declinedGroups(task, half),
  });
};

/** What may be stored of a half now: its base, and whether the next plan must look at it. */
const settledValue = (
  task: Task,
  side: Side,
  half: TaskHalf,
): { readonly base: Snapshot; readonly isOpen: boolean } => {
  const given = task.given[side];
  const outstanding = new Set([
    ...task.pending[otherSide(side)],
    ...task.held[side],
    ...lostFields(task, side),
    ...given,
  ]);
  const { agreedEmails, record } = half;
  const written = half.written.difference(given);
  const moved = given.has('buckets') ? new Set<string>() : half.moved;
  const now =
    agreedEmails === null ? record : { ...record, contact: { ...record.contact, emailAddresses: agreedEmails } };
  const settled = settleBase({ ...half, now, written, moved, outstanding, ...agreedOn(task, side) });
  const base = withDeclined(settled, declinedBy(task, side, half));
  // What was given is no part of the base, whatever else is held: the next plan brings it to the other side.
  const waits = task.deferred || !isQuiet(task) || given.size > 0;
  const isSurprising = !hasHeld(task, side) && !equalSnapshots(withAsked(task, base, half.before), half.record);
  return { base, isOpen: waits || isSurprising };
};

/** Whether the store holds something newer of a half than the task does: somebody read it meanwhile. */
const isNewer = ({ state, record }: Half, half: TaskHalf): boolean => {
  if (state === 'settled' || record === half.record) return false;
  return JSON.stringify(record) !== JSON.stringify(half.record);
};

type Placing = { readonly writtenSide: Side | null; readonly atMs: number };

/** What was learnt of a side that was not written stays: a newer record, or that the contact is missing or gone. */
const keepNews = (stored: Half, half: TaskHalf, next: Half): Half => {
  const { pair, base } = next;
  if (isAway(stored)) return { ...stored, pair, base };
  return isNewer(stored, half) ? { ...next, record: stored.record, state: 'changed' } : next;
};

/** A half of the task as it is to be stored, in place of what is stored; null where the task has none. */
export const halfToStore = (
  task: Task,
  side: Side,
  stored: Half | null,
  { writtenSide, atMs }: Placing,
): Half | null => {
  const half = task.halves[side];
  if (half === null) return null;
  const { base, isOpen } = settledValue(task, side, half);
  const known = stored ?? newHalf(side, half.record, atMs);
  const next: Half = {
    ...known,
    pair: task.pairId,
    record: half.record,
    base,
    state: isOpen ? 'changed' : 'settled',
    mergedInto: null,
    heardAtMs: atMs,
  };
  if (writtenSide === side) return { ...next, writtenAtMs: atMs };
  return stored === null ? next : keepNews(stored, half, next);
};
