import { isUnselected, isPresent, type Half, type HalfState } from '../core/contact/half.ts';
import { bySide, SIDES, type Side, type Sides } from '../core/contact/side.ts';
import type { Pair } from '../core/reconcile/decision.ts';
import type { Selection } from '../core/reconcile/selection.ts';
import type { ContactScope, Store } from '../store/store.ts';

/** The rows from which a plan is made. */
type Workload = {
  /** Linked pairs and pairs asleep with a half that needs a decision. */
  readonly pairs: readonly Pair[];
  /** Kept and dormant pairs. */
  readonly survivors: readonly Pair[];
  /** Unpaired contacts. Unselected ones are included only if they may be the counterpart of a selected contact. */
  readonly unpaired: Sides<readonly Half[]>;
  /** Unpaired contacts that are known to be deleted. */
  readonly deleted: readonly Half[];
};

/** Loads pairs by their ids, each with both halves. */
const loadPairs = async (store: Store, link: string, ids: readonly number[]): Promise<readonly Pair[]> => {
  if (ids.length === 0) return [];
  const halves = await store.halves(link, { by: 'pair', pairs: ids });
  const ofPair = Map.groupBy(halves, ({ pair }) => pair);
  return (await store.pairs(link, ids)).map(({ id, status }) => {
    const own = ofPair.get(id) ?? [];
    return { id, status, ...bySide((side) => own.find((half) => half.side === side) ?? null) };
  });
};

/** Loads the merge survivors of changed halves. They may have to take over values even if they did not change (R12). */
const loadMergeSurvivors = async (store: Store, link: string, changed: readonly Half[]): Promise<readonly Half[]> => {
  let survivors: readonly Half[] = [];
  for (const side of SIDES) {
    const ids = changed.flatMap((half) => (half.side === side && half.pair !== null ? (half.mergedInto ?? []) : []));
    if (ids.length > 0) survivors = survivors.concat(await store.halves(link, { by: 'id', side, ids }));
  }
  return survivors;
};

/** Contact ids by side. */
export type ContactIds = Sides<readonly string[]>;

/** A part of everything that needs a decision: pairs, and unpaired contacts. */
export type Part = { readonly pairs: readonly number[]; readonly ids: ContactIds };

type WorkloadRequest = {
  /** Groups whose members are loaded even if they did not change. */
  readonly groupIds: readonly string[];
  /** The ids on the left side of contacts with a reviewed conflict. */
  readonly reviewedIds: readonly string[];
  /** The selection of both sides, and whether it must be applied to everything that is stored. */
  readonly selection: Selection;
  readonly isNewSelection: boolean;
  /** The part to load; null for everything. A part requires that all contacts are selected and were before. */
  readonly part: Part | null;
};

/** Loads the unselected contacts if a selected candidate may be one of them (R13). */
const loadUnselected = async (
  store: Store,
  link: string,
  candidates: readonly Half[],
  { isUnrestricted, selects }: Selection,
): Promise<readonly Half[]> => {
  const isNeeded = !isUnrestricted && candidates.some((half) => isPresent(half) && selects(half.side, half.record));
  return isNeeded ? store.halves(link, { by: 'unselected' }) : [];
};

const OPEN: readonly HalfState[] = ['changed', 'missing', 'gone'];

/** Loads the halves that need a decision: all of the link, or those of a part. */
const loadOpen = async (store: Store, link: string, part: Part | null): Promise<readonly Half[]> => {
  if (part === null) return store.halves(link, { by: 'state', states: OPEN });
  const { pairs, ids } = part;
  let halves = pairs.length === 0 ? [] : await store.halves(link, { by: 'pair', pairs });
  for (const side of SIDES) {
    if (ids[side].length > 0) halves = halves.concat(await store.halves(link, { by: 'id', side, ids: ids[side] }));
  }
  return halves.filter(({ state }) => OPEN.includes(state));
};

/** Loads everything that needs a decision. */
export const loadWorkload = async (store: Store, link: string, request: WorkloadRequest): Promise<Workload> => {
  const { groupIds, reviewedIds, selection, isNewSelection, part } = request;
  const everything = isNewSelection ? await store.halves(link, { by: 'all' }) : null;
  const changed = everything?.filter(({ state }) => OPEN.includes(state)) ?? (await loadOpen(store, link, part));
  const mergeSurvivors = await loadMergeSurvivors(store, link, changed);
  const members = groupIds.length === 0 ? [] : await store.members(link, groupIds);
  const alone = await store.halves(link, { by: 'alone' });
  const reviewed =
    reviewedIds.length === 0 ? [] : await store.halves(link, { by: 'id', side: 'left', ids: reviewedIds });
  const touched = [...(everything ?? [...changed, ...mergeSurvivors, ...members, ...alone, ...reviewed])].flatMap(
    ({ pair }) => pair ?? [],
  );
  // A deleted contact that is shown again may be either: a read decides before any plan does (R7).
  const isInDoubt = ({ left, right }: Pair): boolean => left?.state === 'doubted' || right?.state === 'doubted';
  const pairs = (await loadPairs(store, link, [...new Set(touched)])).filter((pair) => !isInDoubt(pair));
  const open = changed.filter((half) => half.pair === null && half.state === 'changed');
  const unselected =
    everything?.filter(isUnselected) ?? (await loadUnselected(store, link, [...open, ...alone], selection));
  const unpaired = [...open, ...unselected];
  return {
    pairs: pairs.filter(({ status }) => status === 'linked' || status === 'asleep'),
    survivors: pairs.filter(({ status }) => status === 'kept' || status === 'dormant'),
    deleted: changed.filter((half) => half.pair === null && half.state === 'gone'),
    unpaired: bySide((side) => unpaired.filter((half) => half.side === side)),
  };
};

/** Loads those of some contacts that are still unpaired. */
export const loadUnpaired = async (store: Store, link: string, ids: ContactIds): Promise<Workload['unpaired']> => {
  const open = await loadOpen(store, link, { pairs: [], ids });
  const unpaired = open.filter((half) => half.pair === null && half.state === 'changed');
  return bySide((side) => unpaired.filter((half) => half.side === side));
};

/** Loads pairs by their ids or by the ids of their contacts, each with both halves. */
export const loadPairsOf = async (
  store: Store,
  link: string,
  { ids, pairIds }: ContactScope,
): Promise<readonly Pair[]> => {
  let found = pairIds;
  for (const side of SIDES) {
    const halves = ids.length === 0 ? [] : await store.halves(link, { by: 'id', side, ids });
    found = found.concat(halves.flatMap(({ pair }) => pair ?? []));
  }
  return loadPairs(store, link, [...new Set(found)]);
};

/** Loads the ids of the members of a group, as the side last returned them. */
export const loadMembers = async (
  store: Store,
  link: string,
  side: Side,
  groupId: string,
): Promise<readonly string[]> => {
  const found = await store.members(link, [groupId]);
  const members = found.filter((member) => member.side === side && member.state !== 'gone');
  return members.map(({ id }) => id).toSorted();
};
