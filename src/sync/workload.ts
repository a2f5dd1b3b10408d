import type { Half } from '../contact/half.ts';
import { bySide, SIDES, type Side, type Sides } from '../contact/side.ts';
import type { Pair } from '../reconcile/decision.ts';
import type { ContactScope, Store } from '../store/store.ts';

/** What a plan is made of. */
export type Workload = {
  /** Linked pairs of which a half needs a decision. */
  readonly pairs: readonly Pair[];
  /** Kept and dormant pairs. */
  readonly survivors: readonly Pair[];
  /** Contacts that belong to no pair. */
  readonly unpaired: Sides<readonly Half[]>;
  /** Contacts of no pair that are known to be deleted. */
  readonly deleted: readonly Half[];
};

/** The pairs of these ids, each with both halves, by id. */
const loadPairs = async (store: Store, link: string, ids: readonly number[]): Promise<readonly Pair[]> => {
  if (ids.length === 0) return [];
  const halves = await store.halves(link, { by: 'pair', pairs: ids });
  const ofPair = Map.groupBy(halves, ({ pair }) => pair);
  return (await store.pairs(link, ids)).map(({ id, status }) => {
    const own = ofPair.get(id) ?? [];
    return { id, status, ...bySide((side) => own.find((half) => half.side === side) ?? null) };
  });
};

/** The contacts that others were merged into: whether they changed or not, they may have to take something over (R12). */
const loadMergeSurvivors = async (store: Store, link: string, changed: readonly Half[]): Promise<readonly Half[]> => {
  const survivors: Half[] = [];
  for (const side of SIDES) {
    const ids = changed.flatMap((half) => (half.side === side ? (half.mergedInto ?? []) : []));
    if (ids.length > 0) survivors.push(...(await store.halves(link, { by: 'id', side, ids })));
  }
  return survivors;
};

/**
 * What needs a decision; the members of the groups and the contacts that a person reviewed a conflict of (by their ids on the
 * left side) too, whether anything of theirs changed or not.
 */
export const loadWorkload = async (
  store: Store,
  link: string,
  { groupIds, reviewedIds }: { readonly groupIds: readonly string[]; readonly reviewedIds: readonly string[] },
): Promise<Workload> => {
  const changed = await store.halves(link, { by: 'state', states: ['changed', 'missing', 'gone'] });
  const mergeSurvivors = await loadMergeSurvivors(store, link, changed);
  const members = groupIds.length === 0 ? [] : await store.halves(link, { by: 'group', ids: groupIds });
  const alone = await store.halves(link, { by: 'alone' });
  const reviewed =
    reviewedIds.length === 0 ? [] : await store.halves(link, { by: 'id', side: 'left', ids: reviewedIds });
  const touched = [...changed, ...mergeSurvivors, ...members, ...alone, ...reviewed].flatMap(({ pair }) => pair ?? []);
  // A contact that is known to be deleted and is shown again may be either: nothing follows before a read has decided (R7).
  const isInDoubt = ({ left, right }: Pair): boolean => left?.state === 'doubted' || right?.state === 'doubted';
  const pairs = (await loadPairs(store, link, [...new Set(touched)])).filter((pair) => !isInDoubt(pair));
  return {
    pairs: pairs.filter(({ status }) => status === 'linked'),
    survivors: pairs.filter(({ status }) => status !== 'linked'),
    deleted: changed.filter((half) => half.pair === null && half.state === 'gone'),
    unpaired: bySide((side) =>
      changed.filter((half) => half.side === side && half.pair === null && half.state === 'changed'),
    ),
  };
};

/** The pairs of certain contacts, and those of certain ids, each with both halves. */
export const loadPairsOf = async (
  store: Store,
  link: string,
  { ids, pairIds }: ContactScope,
): Promise<readonly Pair[]> => {
  const found: number[] = [...pairIds];
  for (const side of SIDES) {
    const halves = ids.length === 0 ? [] : await store.halves(link, { by: 'id', side, ids });
    found.push(...halves.flatMap(({ pair }) => pair ?? []));
  }
  return loadPairs(store, link, [...new Set(found)]);
};

/** The ids of the contacts that belong to a group of a side, as the side last gave them. */
export const loadMembers = async (
  store: Store,
  link: string,
  side: Side,
  groupId: string,
): Promise<readonly string[]> => {
  const found = [
    ...(await store.halves(link, { by: 'group', ids: [groupId] })),
    ...(await store.halves(link, { by: 'alone' })),
    // A contact of no pair is always `changed`.
    ...(await store.halves(link, { by: 'state', states: ['changed'], side })),
  ];
  const isMember = (half: Half): boolean => {
    return half.side === side && half.state !== 'gone' && half.record.groupIds.includes(groupId);
  };
  return [...new Set(found.filter(isMember).map(({ id }) => id))].toSorted();
};
