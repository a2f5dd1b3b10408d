import { isAway, type Half } from '../core/contact/half.ts';
import { bySide, otherSide, SIDES, type Sides } from '../core/contact/side.ts';
import { deletionsIn } from '../core/reconcile/losses.ts';
import type { GroupPair } from '../core/reconcile/groups.ts';
import { forField, mayWrite, type Policy } from '../core/reconcile/policy.ts';
import type { RunRow, StoreChange } from '../core/state/rows.ts';
import { WorkingSet } from '../core/state/working-set.ts';
import type { Store } from '../store/store.ts';
import { underLease } from './change-link.ts';
import { lastDecided } from './guard.ts';
import type { LeaseParts } from './lease.ts';

/** The deletions of a halted plan cannot be restored; nothing was stored. */
export class RestoreError extends Error {
  constructor(link: string) {
    super(
      `The last run of ${link} was not halted because of deletions on a side that this link writes to, other than merges. ` +
        'Nothing was restored.',
    );
    this.name = 'RestoreError';
  }
}

/**
 * Makes the contacts with these ids count as edited since their counterparts were deleted; not those whose counterpart was merged into
 * another contact, which has its values (R12). Returns the number of them on each side.
 */
const keepSurvivors = async (store: Store, link: string, ids: Sides<readonly string[]>) => {
  const set = new WorkingSet();
  const { halves, pairs } = await store.wholePairs(link, { ids, pairs: [] });
  set.load(halves, pairs);
  const isSurvivor = (half: Half | null): half is Half => {
    if (half === null || half.pair === null || isAway(half)) return false;
    const other = set.pair(half.pair)?.[otherSide(half.side)] ?? null;
    return other !== null && isAway(other) && other.mergedInto === null;
  };
  const survivors = bySide((side) => ids[side].map((id) => set.half(side, id)).filter(isSurvivor));
  for (const side of SIDES) for (const half of survivors[side]) set.put({ ...half, base: null, state: 'changed' });
  return { changes: set.changes(), contacts: bySide((side) => survivors[side].length) };
};

/** Ends the link of groups whose other half was deleted: the next plan creates that half again. */
const keepGroups = (groupPairs: readonly GroupPair[], ids: Sides<readonly string[]>): readonly StoreChange[] =>
  groupPairs
    .filter((pair) => SIDES.some((side) => ids[side].includes(pair[side]?.id ?? '')))
    .map(({ key }) => ({ kind: 'drop', table: 'groupPairs', where: { key } }));

/**
 * Answers the deletions that the halted run showed: the next run creates the contacts and groups again on the side where they were
 * deleted (R6). Failed runs and undos since do not count. The answer is stored at once, so that no interrupted run deletes some of them
 * later. Returns the halted run if the next run must accept its halt, because that side is empty; otherwise null. A deletion on a
 * side that the link does not write to cannot be restored.
 *
 * @throws {RestoreError} if the last run that did not fail has not halted because of deletions that can be restored.
 * @throws {LeaseError} if a run is in progress.
 */
export const restoreDeletions = (
  parts: LeaseParts,
  link: string,
  policy: Pick<Policy, 'direction' | 'directions'>,
): Promise<RunRow | null> =>
  underLease(parts, link, async (token) => {
    const { store } = parts;
    const last = await lastDecided(store, link);
    const shown = deletionsIn(last?.outcome === 'halted' ? (last.shown ?? []) : []);
    const survivors = await keepSurvivors(
      store,
      link,
      bySide((side) => (mayWrite(policy, otherSide(side)) ? shown[side].contacts : [])),
    );
    const groups = keepGroups(
      (await store.link(link)).groupPairs,
      bySide((side) => (mayWrite(forField(policy, 'buckets'), otherSide(side)) ? shown[side].groups : [])),
    );
    if (survivors.changes.length + groups.length === 0) throw new RestoreError(link);
    await store.commit(link, token, [...survivors.changes, ...groups]);
    const { present } = await store.counts(link);
    const isEmptied = SIDES.some((side) => survivors.contacts[otherSide(side)] > 0 && present[side] === 0);
    return isEmptied ? last : null;
  });
