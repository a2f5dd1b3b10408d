import { snapshotOf } from '../contact/snapshot.ts';
import { isDeleted, type Half } from '../contact/half.ts';
import { SIDES, type Side, type Sides } from '../contact/side.ts';
import type { PairStatus } from '../contact/pair.ts';
import { formerHalf, unpairDeleted } from './half-transitions.ts';
import type { WorkingSet } from './working-set.ts';

type PairToStore = {
  /** Null: the pair that already contains one of the two contacts, else a new pair. */
  readonly pairId: number | null;
  readonly status: PairStatus;
  readonly halves: Sides<Half | null>;
  /** The side that was just written, if any. */
  readonly writtenSide: Side | null;
};

/** Keeps the half of a deleted contact without a pair. */
const storeGone = (set: WorkingSet, half: Half): void => set.put(unpairDeleted(half, half.heardAtMs));

/** Deletes a pair. Only its halves that are known to be deleted stay stored. */
export const endPair = (set: WorkingSet, id: number): void => {
  for (const half of set.dropPair(id)) if (isDeleted(half)) storeGone(set, half);
};

/** Removes a half from its pair, so that the next plan looks for a counterpart. A half with an unconfirmed absence is dropped. */
const releaseHalf = (set: WorkingSet, half: Half): void => {
  set.drop(half);
  if (isDeleted(half)) storeGone(set, half);
  if (half.state === 'settled' || half.state === 'changed') {
    set.put({ ...half, pair: null, base: null, state: 'changed' });
  }
};

/** Deletes a pair. Its existing halves stay without a pair, except the half that moves to another pair. */
const releasePair = (set: WorkingSet, id: number, moving: Half): void => {
  for (const half of set.dropPair(id)) if (half.side !== moving.side || half.id !== moving.id) releaseHalf(set, half);
};

/** Returns the pair that the halves are stored in; null for a new one. */
const rowOf = (set: WorkingSet, { pairId, halves }: PairToStore): number | null => {
  const id = pairId ?? pairsOf(set, halves)[0] ?? null;
  return id !== null && set.pair(id) === null ? null : id;
};

/** Returns the pairs that contain the halves now. */
const pairsOf = (set: WorkingSet, halves: Sides<Half | null>): readonly number[] =>
  SIDES.flatMap((side) => {
    const half = halves[side];
    return half === null ? [] : (set.half(side, half.id)?.pair ?? []);
  });

/** Removes halves with other ids from a pair, before the given halves are stored in it. */
const vacate = (set: WorkingSet, row: number, { pairId, halves, writtenSide }: PairToStore): void => {
  const before = set.pair(row);
  for (const side of SIDES) {
    const [old, own] = [before?.[side] ?? null, halves[side]];
    if (old === null || old.id === own?.id) continue;
    if (isDeleted(old)) storeGone(set, old);
    else if (pairId === null && writtenSide === side) releaseHalf(set, old);
    else if (own !== null) set.put(formerHalf(old, own.id, own.heardAtMs));
    else set.drop(old);
  }
};

/**
 * Stores two halves as a pair, with their states. A half that the pair contained until now and that is replaced needs no decision:
 * the id of its contact changed. Exception: the source of a create was paired with another contact in the meantime. Then the replaced
 * half is that other contact, which still exists and is released. The set must contain the halves and their pairs.
 */
export const storePair = (set: WorkingSet, next: PairToStore): void => {
  const { status, halves } = next;
  const row = rowOf(set, next);
  if (row !== null) vacate(set, row, next);
  const own = SIDES.flatMap((side) => halves[side] ?? []);
  for (const half of own) {
    const other = set.half(half.side, half.id)?.pair ?? null;
    if (other !== null && other !== row) releasePair(set, other, half);
  }
  const id = set.putPair(row, status);
  for (const half of own) set.put({ ...half, pair: id, formerPair: null });
};

/** Deletes a pair that no side selects. Its halves stay without a pair, and remember it (R18). */
export const unlinkPair = (set: WorkingSet, id: number): void => {
  for (const half of set.dropPair(id)) set.put({ ...half, pair: null, base: null, formerPair: id });
};

/** Keeps this half alone in its pair after the other contact was deleted on purpose. */
export const keepAlone = (set: WorkingSet, id: number, side: Side, atMs: number): void => {
  const pair = set.pair(id);
  const leftId = pair?.left?.id;
  if (leftId !== undefined) set.add({ kind: 'end-conflicts', leftId, fields: 'all', atMs });
  const half = pair?.[side] ?? null;
  if (pair === null || half === null || isDeleted(half)) {
    endPair(set, id);
    return;
  }
  const base = half.base ?? snapshotOf(half.record);
  const halves = { left: null, right: null, [side]: { ...half, base, state: 'settled' as const } };
  storePair(set, { pairId: id, status: 'kept', halves, writtenSide: null });
};
