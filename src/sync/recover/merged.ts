import {
  scalarsIn,
  syncedIn,
  textIn,
  type Contact,
  type ContactField,
  type SyncedField,
} from '../../contact/contact.ts';
import { stands } from '../../contact/half.ts';
import type { ContactRecord } from '../../contact/record.ts';
import { bySide, otherSide, type Side } from '../../contact/side.ts';
import type { Snapshot } from '../../contact/snapshot.ts';
import { EMPTY_SNAPSHOT, settleBase } from '../../reconcile/settle.ts';
import { isReplaced, shownBy } from '../../reconcile/side-merge.ts';
import { observeRecord } from '../state/observe.ts';
import { storePair } from '../state/pair.ts';
import type { WorkingSet } from '../state/working-set.ts';
import { movesAcross, type GroupHalves, type Moves } from './landed-groups.ts';

/** The same of its groups. */
const movesBy = (before: readonly string[], after: readonly string[], mergedAway: readonly string[]): Moves => {
  const lost = isReplaced(new Set(before), new Set(after), new Set(mergedAway))
    ? before.filter((id) => !after.includes(id))
    : [];
  return { join: after.filter((id) => !before.includes(id) && mergedAway.includes(id)), leave: lost };
};

type Change = { readonly before: Contact; readonly shown: Contact; readonly kept: ReadonlySet<SyncedField> };

/** The base with what a merge changed, as if the sides had agreed on it, but for fields of which it is kept as it was. */
const withChange = (base: Snapshot | null, { before, shown, kept }: Change, { join, leave }: Moves): Snapshot => {
  const agreed = base ?? EMPTY_SNAPSHOT;
  const all = syncedIn(agreed.contact, before, shown);
  const changed = new Set<SyncedField>(
    scalarsIn(before, shown).filter((field) => textIn(before, field) !== textIn(shown, field)),
  );
  return settleBase({
    base: agreed,
    before: { contact: before, groupIds: [] },
    now: { contact: shown, groupIds: join },
    written: new Set(all).difference(kept),
    moved: new Set([...join, ...leave]),
    outstanding: new Set(all.filter((field) => kept.has(field) || !changed.has(field))),
  });
};

/** A merge by the side itself: the survivor before and after it, and the contact that was merged away. */
export type SideMerge = {
  readonly side: Side;
  readonly before: ContactRecord;
  readonly after: ContactRecord;
  readonly mergedAway: ContactRecord;
  /** The fields that a plan is to give back whatever the other side holds (`ownFields`): they stay out of the bases. */
  readonly own?: readonly ContactField[];
};

/**
 * Takes in what a merge by the side itself made of the merge survivor. That is no user's edit: it enters the bases of both
 * sides, so that what the other side holds instead is written back by the next plan (R9, R12). The set must hold the
 * survivor and its pair.
 */
export const observeMerge = (
  set: WorkingSet,
  { side, before, after, mergedAway, own: ownFields = [] }: SideMerge,
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
  const kept = new Set<SyncedField>(ownFields);
  const change: Change = { before: before.contact, shown, kept };
  const base = withChange(own.base, change, moves);
  const otherBase = withChange(other.base, change, movesAcross(side, moves, groupPairs));
  const halves = bySide((each) => {
    if (each !== side) return { ...other, base: otherBase, state: 'changed' as const };
    return { ...own, record: after, base, state: 'changed' as const, writtenAtMs: atMs, heardAtMs: atMs };
  });
  storePair(set, { pairId, status: pair.status, halves, writtenSide: side });
};
