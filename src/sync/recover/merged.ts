import {
  listsIn,
  scalarsIn,
  syncedIn,
  textIn,
  withValue,
  type Contact,
  type SyncedField,
} from '../../contact/contact.ts';
import { stands } from '../../contact/half.ts';
import { keyLists, listOf, withList, type KeyedList } from '../../contact/lists.ts';
import type { ContactRecord } from '../../contact/record.ts';
import { bySide, otherSide, type Side } from '../../contact/side.ts';
import type { Snapshot } from '../../contact/snapshot.ts';
import { EMPTY_SNAPSHOT, settleBase } from '../../reconcile/settle.ts';
import { observeRecord } from '../state/observe.ts';
import { storePair } from '../state/pair.ts';
import type { WorkingSet } from '../state/working-set.ts';
import { movesAcross, type GroupHalves, type Moves } from './landed-groups.ts';

type Keys = Pick<KeyedList, 'has' | 'keys' | 'size'>;

/** Whether the other contact's elements have taken the place of the survivor's own, whatever its user added since. */
const isReplaced = (own: Keys, after: Keys, mergedAway: Keys): boolean => {
  const isLost = (key: string): boolean => mergedAway.has(key) || !after.has(key);
  return [...mergedAway.keys()].every((key) => after.has(key)) && [...own.keys()].every(isLost);
};

/** What a merge made of the merge survivor's fields: it took over what the other contact held. */
const shownBy = (before: Contact, after: Contact, mergedAway: Contact): Contact => {
  let shown = before;
  for (const field of scalarsIn(before, after, mergedAway)) {
    const now = textIn(after, field);
    if (now === textIn(mergedAway, field)) shown = withValue(shown, field, now);
  }
  for (const field of listsIn(before, after, mergedAway)) {
    const [own, now, other] = [listOf(before, field), listOf(after, field), listOf(mergedAway, field)];
    const lists = keyLists(field, { own, now, other });
    const kept = [...lists.own].filter(([key]) => lists.now.has(key) || !isReplaced(lists.own, lists.now, lists.other));
    const gained = [...lists.now].filter(([key]) => !lists.own.has(key) && lists.other.has(key));
    const elements = [...kept, ...gained].map(([, element]) => element);
    shown = withList(shown, field, elements);
  }
  return shown;
};

/** The same of its groups. */
const movesBy = (before: readonly string[], after: readonly string[], mergedAway: readonly string[]): Moves => {
  const lost = isReplaced(new Set(before), new Set(after), new Set(mergedAway))
    ? before.filter((id) => !after.includes(id))
    : [];
  return { join: after.filter((id) => !before.includes(id) && mergedAway.includes(id)), leave: lost };
};

/** The base with what a merge changed, as if the sides had agreed on it. */
const withChange = (base: Snapshot | null, before: Contact, shown: Contact, { join, leave }: Moves): Snapshot => {
  const agreed = base ?? EMPTY_SNAPSHOT;
  const all = syncedIn(agreed.contact, before, shown);
  const changed = new Set<SyncedField>(
    scalarsIn(before, shown).filter((field) => textIn(before, field) !== textIn(shown, field)),
  );
  return settleBase({
    base: agreed,
    before: { contact: before, groupIds: [] },
    now: { contact: shown, groupIds: join },
    written: new Set(all),
    moved: new Set([...join, ...leave]),
    outstanding: new Set(all.filter((field) => !changed.has(field))),
  });
};

/** A merge by the side itself: the survivor before and after it, and the contact that was merged away. */
export type SideMerge = {
  readonly side: Side;
  readonly before: ContactRecord;
  readonly after: ContactRecord;
  readonly mergedAway: ContactRecord;
};

/**
 * Takes in what a merge by the side itself made of the merge survivor. That is no user's edit: it enters the bases of both
 * sides, so that what the other side holds instead is written back by the next plan (R9, R12). The set must hold the
 * survivor and its pair.
 */
export const observeMerge = (
  set: WorkingSet,
  { side, before, after, mergedAway }: SideMerge,
  { groupPairs, atMs }: { readonly groupPairs: readonly GroupHalves[]; readonly atMs: number },
): void => {
  const pairId = set.half(side, before.id)?.pair ?? null;
  const pair = pairId === null ? null : set.pair(pairId);
  const [own, other] = [pair?.[side] ?? null, pair?.[otherSide(side)] ?? null];
  if (pair === null || !stands(own) || !stands(other)) {
    observeRecord(set, side, after, atMs);
    return;
  }
  const shown = shownBy(before.contact, after.contact, mergedAway.contact);
  const moves = movesBy(before.groupIds, after.groupIds, mergedAway.groupIds);
  const base = withChange(own.base, before.contact, shown, moves);
  const otherBase = withChange(other.base, before.contact, shown, movesAcross(side, moves, groupPairs));
  const halves = bySide((each) => {
    if (each !== side) return { ...other, base: otherBase, state: 'changed' as const };
    return { ...own, record: after, base, state: 'changed' as const, writtenAtMs: atMs, heardAtMs: atMs };
  });
  storePair(set, { pairId, status: pair.status, halves, writtenSide: side });
};
