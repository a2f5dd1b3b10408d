import { EMPTY_CONTACT, scalarsOf, syncedIn, type Contact, type SyncedField } from '../../contact/contact.ts';
import { stands, type Half } from '../../contact/half.ts';
import type { ContactRecord } from '../../contact/record.ts';
import { bySide, otherSide } from '../../contact/side.ts';
import { withDeclined, type Snapshot } from '../../contact/snapshot.ts';
import { settleDeclined } from '../../reconcile/declined.ts';
import type { ReadAnswer } from '../../providers/remote.ts';
import type { Pair } from '../../reconcile/decision.ts';
import type { GroupPair } from '../../reconcile/groups.ts';
import {
  sourceIdOf,
  type CreateOperation,
  type DeleteOperation,
  type MembershipOperation,
  type UpdateOperation,
} from '../../reconcile/operation.ts';
import { EMPTY_SNAPSHOT, settleBase } from '../../reconcile/settle.ts';
import { newHalf } from '../state/half.ts';
import { observeAnswer, observeRecord, rename } from '../state/observe.ts';
import { storePair } from '../state/pair.ts';
import { unreadableReason } from '../state/unread.ts';
import type { WorkingSet } from '../state/working-set.ts';
import { landedMoves, movesAcross, withMoves, type Moves } from './landed-groups.ts';
import { arrived, landed, landedFields } from './landed.ts';
import { showsBrought, tookEffect } from './took-effect.ts';

/** What recovery found out about a write. */
export type Finding = {
  readonly applied: boolean;
  /** The contact as it stands; null where it does not. */
  readonly after: ContactRecord | null;
  /** Why nothing can ever be found out; null where something was. */
  readonly error: string | null;
};

/** Nothing was found out yet: the contact could not be read. The write stays open, and the contact as it is (R9, R15). */
export type Unreadable = { readonly unreadable: string };

export const NO_MOVES: Moves = { join: [], leave: [] };

const NOT_APPLIED: Finding = { applied: false, after: null, error: null };

/** What settling needs to know besides. */
export type Known = { readonly groupPairs: readonly GroupPair[]; readonly atMs: number };

/** A half that the next plan must look at. */
export const openHalf = (half: Half, change: { readonly record: ContactRecord; readonly base: Snapshot }): Half => {
  return { ...half, ...change, state: 'changed', mergedInto: null };
};

/** The same of a half that was written and has just been read: what a feed or a listing shows of before is outdated. */
export const writtenHalf = (half: Half, change: Parameters<typeof openHalf>[1], atMs: number): Half => {
  return { ...openHalf(half, change), writtenAtMs: atMs, heardAtMs: atMs };
};

/** A base that takes in moves which have arrived on both sides. */
const baseWithMoves = (base: Snapshot | null, moves: Moves): Snapshot => {
  const agreed = base ?? EMPTY_SNAPSHOT;
  return { ...agreed, groupIds: withMoves(agreed.groupIds, moves) };
};

/** All fields that any of the contacts fills, and the membership, but for `fields`. */
const allBut = (fields: ReadonlySet<SyncedField>, ...contacts: readonly Contact[]): ReadonlySet<SyncedField> =>
  new Set(syncedIn(...contacts)).difference(fields);

/** Takes in the contact that a create made although its answer was lost; null: none was found (R9). */
export const settleCreate = (
  set: WorkingSet,
  operation: CreateOperation,
  found: ContactRecord | null,
  { groupPairs, atMs }: Known,
): Finding => {
  const { side, desired, join, pairId } = operation;
  const sourceId = sourceIdOf(operation);
  const source = sourceId === null ? null : set.half(otherSide(side), sourceId);
  if (found === null) return NOT_APPLIED;
  if (source === null) return { ...NOT_APPLIED, error: `${sourceId}, which it follows from, is not known any more.` };
  const answer = landed(desired, found.contact, EMPTY_CONTACT);
  const moves = landedMoves({ join, leave: [] }, found.groupIds);
  const base = (contact: Contact, joined: Moves): Snapshot => ({ contact, groupIds: joined.join.toSorted() });
  const known = set.half(side, found.id) ?? newHalf(side, found, atMs);
  const own = writtenHalf(known, { record: found, base: base(answer, moves) }, atMs);
  const arrivedBase = base(arrived(EMPTY_CONTACT, desired, desired, answer), movesAcross(side, moves, groupPairs));
  const other = openHalf(source, { record: source.record, base: arrivedBase });
  const halves = bySide((each) => (each === side ? own : other));
  storePair(set, { pairId, status: 'linked', halves, writtenSide: side });
  return { applied: true, after: found, error: null };
};

/** What landed enters the target's base, what arrived of its source enters the source's (R9, R5). */
const settleUpdate = (
  set: WorkingSet,
  { side, fields: written, given, before, desired, source }: UpdateOperation,
  pair: Pair,
  found: ContactRecord,
  atMs: number,
): void => {
  const [target, origin] = [pair[side], pair[otherSide(side)]];
  if (target === null || origin === null || source === null) return;
  // That what was to go is gone may be its user's doing, and what a merge survivor shows its own: then another text than the
  // one that was sent is not known to have taken its place.
  const isKnown =
    found.id === before.id && showsBrought({ fields: written, before: before.contact, desired }, found.contact);
  const all = landedFields(written, desired, found.contact, (isKnown ? before : found).contact);
  const fields = all.difference(new Set(given));
  const scalars = new Set<SyncedField>(scalarsOf(fields));
  const answer = landed(desired, found.contact, before.contact);
  // A list may have changed on both sides: only what this write brought enters the target's base.
  const agreed = target.base ?? EMPTY_SNAPSHOT;
  const targetBase = settleBase({
    base: agreed,
    before,
    now: { ...found, contact: answer },
    written: fields,
    moved: new Set(),
    outstanding: allBut(scalars, agreed.contact, before.contact, answer),
    other: given.length > 0 ? null : source.contact,
    agreedGroups: new Set(),
  });
  const former = origin.base ?? EMPTY_SNAPSHOT;
  const known = { ...source, contact: arrived(former.contact, source.contact, desired, answer) };
  const originBase = settleBase({
    base: former,
    before: known,
    now: known,
    written: new Set(),
    moved: new Set(),
    // What the target was given did not come from the source, but the source's own change of such a field has arrived.
    outstanding: allBut(all, former.contact, known.contact),
    other: given.length > 0 ? null : before.contact,
    agreedGroups: new Set(),
  });
  // Elements that did not arrive are sent again; a text that arrived otherwise stays so (R2).
  const declined = settleDeclined({
    former: agreed.declined,
    written: scalars,
    wanted: desired,
    now: found.contact,
    other: origin.record.contact,
    groups: agreed.declined?.buckets ?? [],
  });
  const own = writtenHalf(target, { record: found, base: withDeclined(targetBase, declined) }, atMs);
  const other = openHalf(origin, { record: origin.record, base: originBase });
  const halves = bySide((each) => (each === side ? own : other));
  storePair(set, { pairId: pair.id, status: 'linked', halves, writtenSide: side });
};

/** The memberships that landed enter both bases; what differs from them since is a user's change (R9, R5). */
const settleMembership = (
  set: WorkingSet,
  operation: MembershipOperation,
  pair: Pair,
  found: ContactRecord,
  { groupPairs, atMs }: Known,
): Finding => {
  const { side, join, leave, given } = operation;
  const [target, origin] = [pair[side], pair[otherSide(side)]];
  const moves = landedMoves(operation, found.groupIds);
  const isWholly = moves.join.length === join.length && moves.leave.length === leave.length;
  if (target === null || origin === null) return { ...NOT_APPLIED, after: found };
  const known = given.includes('buckets') ? NO_MOVES : moves;
  const own = writtenHalf(target, { record: found, base: baseWithMoves(target.base, known) }, atMs);
  const other = openHalf(origin, {
    record: origin.record,
    base: baseWithMoves(origin.base, movesAcross(side, known, groupPairs)),
  });
  const halves = bySide((each) => (each === side ? own : other));
  storePair(set, { pairId: pair.id, status: 'linked', halves, writtenSide: side });
  return { applied: isWholly, after: found, error: null };
};

/** An operation on an existing contact. */
export type ExistingOperation = UpdateOperation | MembershipOperation | DeleteOperation;

/** The pair that a write to an existing contact belongs to. */
export const pairOfWrite = (set: WorkingSet, { side, pairId: known }: ExistingOperation, id: string): Pair | null => {
  const pairId = known ?? set.half(side, id)?.pair ?? null;
  return pairId === null ? null : set.pair(pairId);
};

/**
 * What follows where nothing was read of a contact: while it stands, as far as is known, whatever the write did may stand
 * too. One that is known to be deleted has nothing left to settle.
 */
export const settleUnread = (
  set: WorkingSet,
  { kind, side, before }: ExistingOperation,
  unreadable: string,
): Finding | Unreadable => {
  const half = set.half(side, before.id);
  return stands(half) ? { unreadable } : { ...NOT_APPLIED, applied: kind === 'delete' && half !== null };
};

/** Whether both halves of the pair stand. */
const isWhole = ({ left, right }: Pair): boolean => stands(left) && stands(right);

/** The pair of a write whose contact was found; null where it was merged into the contact of another pair, which says nothing. */
const pairOfFound = (set: WorkingSet, operation: ExistingOperation, { id }: ContactRecord): Pair | null => {
  const pair = pairOfWrite(set, operation, id);
  return pair?.[operation.side]?.id === id ? pair : null;
};

/** Settles a write that took effect, as far as the contact shows it; null for one that did not. */
const settleFound = (
  set: WorkingSet,
  write: ExistingOperation,
  record: ContactRecord,
  known: Known,
): Finding | null => {
  const pair = pairOfFound(set, write, record);
  if (pair === null) return null;
  if (write.kind === 'membership') return isWhole(pair) ? settleMembership(set, write, pair, record, known) : null;
  if (write.kind === 'delete') return null;
  const { fields, before, desired } = write;
  if (!tookEffect({ fields, before: before.contact, desired }, record.contact)) return null;
  if (isWhole(pair)) settleUpdate(set, write, pair, record, known.atMs);
  return { applied: true, after: record, error: null };
};

/** Settles a write by a read that says something of its contact. */
const settleAnswered = (
  set: WorkingSet,
  write: ExistingOperation,
  answer: ReadAnswer | undefined,
  known: Known,
): Finding => {
  const { side } = write;
  const { id } = write.before;
  const { atMs } = known;
  if (answer?.kind !== 'found' && answer?.kind !== 'moved') {
    observeAnswer(set, side, id, answer, atMs);
    return { ...NOT_APPLIED, applied: write.kind === 'delete' && answer?.kind === 'gone' };
  }
  const { record } = answer;
  rename(set, side, id, record.id, atMs);
  const finding = settleFound(set, write, record, known);
  if (finding !== null) return finding;
  if (answer.kind === 'moved') observeAnswer(set, side, record.id, { kind: 'found', record }, atMs);
  else observeRecord(set, side, record, atMs);
  return { ...NOT_APPLIED, after: record };
};

/**
 * Settles a write to an existing contact by what a read of it says (R9). The set must hold the contact, its pair, and the
 * contact that the read answered with.
 */
export const settleWrite = (
  set: WorkingSet,
  write: ExistingOperation,
  answer: ReadAnswer | undefined,
  known: Known,
): Finding | Unreadable => {
  const unreadable = unreadableReason(answer);
  return unreadable === null ? settleAnswered(set, write, answer, known) : settleUnread(set, write, unreadable);
};
