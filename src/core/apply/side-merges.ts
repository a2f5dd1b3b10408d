import { type Contact, listsIn, scalarsIn, textIn, withValue } from '../contact/contact.ts';
import { isAway, isPresent, type Half } from '../contact/half.ts';
import { type KeyedList, keyListsIn, withKeyed } from '../contact/lists.ts';
import type { ContactRecord } from '../contact/record.ts';
import { bySide, otherSide, type Side } from '../contact/side.ts';
import { EMPTY_SNAPSHOT, type Snapshot } from '../contact/snapshot.ts';
import { observeRecord } from '../state/observe.ts';
import { storePair } from '../state/pair.ts';
import type { WorkingSet } from '../state/working-set.ts';
import type { ApplyContext } from './outcome.ts';
import { changedBase, withMoves } from './settle.ts';
import { movesAcross, type Moves } from './traces.ts';

type Keys = Pick<KeyedList, 'has' | 'keys' | 'size'>;

/** Returns whether the other contact's elements replaced the survivor's own; elements that its user added since are ignored. */
const isReplaced = (own: Keys, after: Keys, mergedAway: Keys): boolean => {
  const isLost = (key: string): boolean => mergedAway.has(key) || !after.has(key);
  return [...mergedAway.keys()].every((key) => after.has(key)) && [...own.keys()].every(isLost);
};

/** Returns the survivor's fields as the merge left them: with the values that it took over from the other contact. */
const shownBy = (before: Contact, after: Contact, mergedAway: Contact): Contact => {
  let shown = before;
  for (const field of scalarsIn(before, after, mergedAway)) {
    const now = textIn(after, field);
    if (now === textIn(mergedAway, field)) shown = withValue(shown, field, now);
  }
  for (const field of listsIn(before, after, mergedAway)) {
    const lists = keyListsIn(field, { own: before, now: after, other: mergedAway });
    const kept = [...lists.own].filter(([key]) => lists.now.has(key) || !isReplaced(lists.own, lists.now, lists.other));
    const gained = [...lists.now].filter(([key]) => !lists.own.has(key) && lists.other.has(key));
    shown = withKeyed(shown, field, [...kept, ...gained]);
  }
  return shown;
};

/** Returns the changes that the merge made to the groups of the survivor. */
const movesBy = (before: readonly string[], after: readonly string[], mergedAway: readonly string[]): Moves => {
  const lost = isReplaced(new Set(before), new Set(after), new Set(mergedAway))
    ? before.filter((id) => !after.includes(id))
    : [];
  return { join: after.filter((id) => !before.includes(id) && mergedAway.includes(id)), leave: lost };
};

/** The changes of a merge: the contact before it, and the values and groups that the merge left it with. */
type Change = { readonly before: Contact; readonly shown: Contact; readonly moves: Moves };

/** Adds the changes of a merge to the base, as if the sides had agreed on them. */
const withChange = (base: Snapshot | null, { before, shown }: Change, moves: Moves): Snapshot =>
  withMoves(changedBase(base ?? EMPTY_SNAPSHOT, before, shown), moves);

/** Stores the changes of a merge in both bases. Returns false if the survivor has no pair of which both halves exist. */
const storeChange = (
  set: WorkingSet,
  own: Half | null,
  after: ContactRecord,
  change: Change,
  { groupPairs, atMs }: ApplyContext,
): boolean => {
  const pair = own === null || own.pair === null ? null : set.pair(own.pair);
  if (own === null || pair === null) return false;
  const other = pair[otherSide(own.side)];
  if (!isPresent(own) || !isPresent(other)) return false;
  const base = withChange(own.base, change, change.moves);
  const otherBase = withChange(other.base, change, movesAcross(own.side, change.moves, groupPairs));
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
export const observeMerge = (
  set: WorkingSet,
  { side, before, after, mergedAway }: SideMerge,
  context: ApplyContext,
): void => {
  const shown = shownBy(before.contact, after.contact, mergedAway.contact);
  const moves = movesBy(before.groupIds, after.groupIds, mergedAway.groupIds);
  const own = set.half(side, before.id);
  const isStored = storeChange(set, own, after, { before: before.contact, shown, moves }, context);
  if (!isStored) observeRecord(set, side, after, context.atMs);
};
