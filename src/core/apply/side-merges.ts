import { listsOf, scalarsOf, textIn, withValue, type Contact } from '../contact/contact.ts';
import { isAway, isPresent, type Half } from '../contact/half.ts';
import { keyListsIn, withKeyed } from '../contact/lists.ts';
import type { ContactRecord } from '../contact/record.ts';
import { bySide, otherSide, type Side } from '../contact/side.ts';
import { EMPTY_SNAPSHOT, type Snapshot } from '../contact/snapshot.ts';
import { isReplaced, shownBy } from '../reconcile/side-merge.ts';
import type { MembershipOperation, UpdateOperation } from '../reconcile/operation.ts';
import { observeRecord } from '../state/observe.ts';
import { storePair } from '../state/pair.ts';
import type { WorkingSet } from '../state/working-set.ts';
import type { Known } from './outcome.ts';
import { changedBase, withMoves } from './settle.ts';
import { movesAcross, type Moves } from './traces.ts';

/** Returns the changes that the merge made to the groups of the survivor. */
const movesBy = (before: readonly string[], after: readonly string[], mergedAway: readonly string[]): Moves => {
  const lost = isReplaced(new Set(before), new Set(after), new Set(mergedAway))
    ? before.filter((id) => !after.includes(id))
    : [];
  return { join: after.filter((id) => !before.includes(id) && mergedAway.includes(id)), leave: lost };
};

type SurvivorChange = { readonly before: Contact; readonly shown: Contact };

/** Adds the changes of a merge to the base, as if the sides had agreed on them. */
const withChange = (base: Snapshot | null, { before, shown }: SurvivorChange, moves: Moves): Snapshot =>
  withMoves(changedBase(base ?? EMPTY_SNAPSHOT, before, shown), moves);

/**
 * Stores changes that the side or a write made to a contact, in addition to the changes of its user, in the bases of both sides.
 * Returns whether the contact has a pair of which both halves exist.
 */
const storeMade = (
  set: WorkingSet,
  own: Half | null,
  after: ContactRecord,
  { change, moves }: { readonly change: SurvivorChange; readonly moves: Moves },
  { groupPairs, atMs }: Known,
): boolean => {
  const pair = own === null || own.pair === null ? null : set.pair(own.pair);
  if (own === null || pair === null) return false;
  const other = pair[otherSide(own.side)];
  if (!isPresent(own) || !isPresent(other)) return false;
  const base = withChange(own.base, change, moves);
  const otherBase = withChange(other.base, change, movesAcross(own.side, moves, groupPairs));
  const halves = bySide((each) => {
    // If it is unconfirmed that the other half exists, this stays so (R7).
    if (each !== own.side) return { ...other, base: otherBase, state: isAway(other) ? other.state : 'changed' };
    const times = { writtenAtMs: atMs, editWrittenAtMs: atMs, heardAtMs: atMs };
    return { ...own, record: after, base, state: 'changed' as const, ...times };
  });
  storePair(set, { pairId: own.pair, status: pair.status, halves, writtenSide: own.side });
  return true;
};

/** A merge by the side itself: the survivor before and after it, and the contact that was merged away. */
type SideMerge = {
  readonly side: Side;
  readonly before: ContactRecord;
  readonly after: ContactRecord;
  readonly mergedAway: ContactRecord;
};

/**
 * Applies the changes that a merge by the side itself made to the survivor. They are not edits of a user. They enter the bases of
 * both sides, so that the next plan writes the other side's values back (R9, R12). The set must contain the survivor and its pair.
 */
export const observeMerge = (set: WorkingSet, { side, before, after, mergedAway }: SideMerge, known: Known): void => {
  const shown = shownBy(before.contact, after.contact, mergedAway.contact);
  const moves = movesBy(before.groupIds, after.groupIds, mergedAway.groupIds);
  const change: SurvivorChange = { before: before.contact, shown };
  const own = set.half(side, before.id);
  if (!storeMade(set, own, after, { change, moves }, known)) observeRecord(set, side, after, known.atMs);
};

/** Returns the base of the contact that was wrongly written to, with those values of the write that the contact contains. */
const withStrayValues = (operation: StrayOperation, base: Contact, now: Contact): Contact => {
  let shown = base;
  if (operation.kind === 'membership') return shown;
  const { before, desired, fields } = operation;
  for (const field of scalarsOf(fields)) {
    if (textIn(now, field) === textIn(desired, field)) shown = withValue(shown, field, textIn(now, field));
  }
  for (const field of listsOf(fields)) {
    const lists = keyListsIn(field, { base, now, desired, before: before.contact });
    const kept = [...lists.base].filter(([key]) => lists.now.has(key));
    const isGained = (key: string): boolean => lists.desired.has(key) && !lists.before.has(key) && !lists.base.has(key);
    const gained = [...lists.now].filter(([key]) => isGained(key));
    shown = withKeyed(shown, field, [...kept, ...gained]);
  }
  return shown;
};

/** A write to an existing contact that may have been applied to another contact. */
type StrayOperation = UpdateOperation | MembershipOperation;

/**
 * Applies a write that changed a contact of another pair, because its target had been merged into that contact (R12). Like the
 * changes of a merge by the side itself, these changes are not edits of a user, and the other side's values are written back. Other
 * differences of the contact come from the user's merge. The set must contain the contact and its pair.
 */
export const observeStray = (set: WorkingSet, operation: StrayOperation, after: ContactRecord, known: Known): void => {
  const { side } = operation;
  const own = set.half(side, after.id);
  const pairId = operation.pairId ?? set.half(side, operation.before.id)?.pair ?? null;
  if (own === null || own.pair === pairId) return;
  const { contact: before, groupIds } = own.base ?? EMPTY_SNAPSHOT;
  const change: SurvivorChange = { before, shown: withStrayValues(operation, before, after.contact) };
  const { join, leave } = operation.kind === 'membership' ? operation : { join: [], leave: [] };
  const moves: Moves = {
    join: join.filter((id) => after.groupIds.includes(id) && !groupIds.includes(id)),
    leave: leave.filter((id) => groupIds.includes(id) && !after.groupIds.includes(id)),
  };
  storeMade(set, own, after, { change, moves }, known);
};
