import { halvesBySide, isUnpaired, isUnselected, isPresent, type Half } from '../core/contact/half.ts';
import { bySide, SIDES, type Side, type Sides } from '../core/contact/side.ts';
import { idsIn, type Pair } from '../core/contact/pair.ts';
import type { RecordedConflict } from '../core/reconcile/decision.ts';
import type { Selection } from '../core/reconcile/selection.ts';
import type { Store } from '../store/store.ts';
import type { Session } from './session.ts';
import { halvesAlone, halvesIn } from './opening.ts';

/** The rows from which a plan is made. */
export type Workload = {
  /** Linked pairs with a half that needs a decision. */
  readonly pairs: readonly Pair[];
  /** Kept and dormant pairs. */
  readonly lonePairs: readonly Pair[];
  /** Unpaired contacts. Unselected ones are included only if they may be the counterpart of a selected contact. */
  readonly unpaired: Sides<readonly Half[]>;
  /** Unpaired contacts that are known to be deleted. */
  readonly deleted: readonly Half[];
};

/** Loads pairs by their ids, each with both halves. */
const loadPairs = async (store: Store, link: string, ids: readonly number[]): Promise<readonly Pair[]> => {
  if (ids.length === 0) return [];
  const { halves, pairs } = await store.wholePairs(link, { ids: { left: [], right: [] }, pairs: ids });
  const ofPair = Map.groupBy(halves, ({ pair }) => pair);
  const ordered = pairs.toSorted((one, other) => one.id - other.id);
  return ordered.map(({ id, status }) => ({ id, status, ...halvesBySide(ofPair.get(id) ?? []) }));
};

/** Contact ids by side. */
export type ContactIds = Sides<readonly string[]>;

/** Loads the halves with these ids, each once. */
export const loadHalves = async (store: Store, link: string, ids: ContactIds): Promise<readonly Half[]> => {
  let halves: readonly Half[] = [];
  for (const side of SIDES) {
    const own = [...new Set(ids[side])];
    if (own.length > 0) halves = halves.concat(await store.halves(link, { by: 'id', side, ids: own }));
  }
  return halves;
};

/** Loads the merge survivors of changed halves. They may have to take over values even if they did not change (R12). */
const loadMergeSurvivors = (store: Store, link: string, changed: readonly Half[]): Promise<readonly Half[]> => {
  const survivorsOn = (side: Side): readonly string[] =>
    changed.flatMap((half) => (half.side === side && half.pair !== null ? (half.mergedInto ?? []) : []));
  return loadHalves(store, link, bySide(survivorsOn));
};

/** A part of everything that needs a decision: pairs, and unpaired contacts. */
export type Part = { readonly pairs: readonly number[]; readonly ids: ContactIds };

type WorkloadRequest = {
  /** Groups whose members are loaded even if they did not change. */
  readonly groupIds: readonly string[];
  /** Conflicts whose contacts are loaded even if they did not change. */
  readonly conflicts: readonly Pick<RecordedConflict, 'leftId' | 'rightId'>[];
  /** The selection of both sides, and whether it must be applied to everything that is stored. */
  readonly selection: Selection;
  readonly isNewSelection: boolean;
  /** The part to load; null for everything. A part requires that all contacts are selected and were before. */
  readonly part: Part | null;
};

/**
 * Loads the unselected contacts if a selected candidate may be one of them (R13). Otherwise returns only those of the merge
 * survivors.
 */
const loadUnselected = async (
  store: Store,
  link: string,
  candidates: readonly Half[],
  mergeSurvivors: readonly Half[],
  { isUnrestricted, selects }: Selection,
): Promise<readonly Half[]> => {
  const isNeeded = !isUnrestricted && candidates.some((half) => isPresent(half) && selects(half.side, half.record));
  return isNeeded ? store.halves(link, { by: 'unselected' }) : mergeSurvivors.filter(isUnselected);
};

/**
 * Removes contacts whose former counterpart may be deleted: they are paired with it if a read finds it (R18), and stay as they are
 * until then.
 */
const withoutUncertain = async (store: Store, link: string, unpaired: readonly Half[]): Promise<readonly Half[]> => {
  if (unpaired.every(({ formerPair }) => formerPair === null)) return unpaired;
  const uncertain = await store.halves(link, { by: 'state', states: ['missing', 'unseen', 'doubted'] });
  const former = new Set(uncertain.flatMap(({ formerPair }) => formerPair ?? []));
  return unpaired.filter(({ formerPair }) => formerPair === null || !former.has(formerPair));
};

const UNDECIDED = ['changed', 'missing', 'gone'] as const;
const needsDecision = ({ state }: Half): boolean => UNDECIDED.some((each) => each === state);

/** Loads the halves of a part that need a decision. */
const loadUndecided = async (store: Store, link: string, { pairs, ids }: Part): Promise<readonly Half[]> => {
  const paired = pairs.length === 0 ? [] : await store.halves(link, { by: 'pair', pairs });
  return paired.concat(await loadHalves(store, link, ids)).filter(needsDecision);
};

/** Loads everything that needs a decision. */
export const loadWorkload = async (
  session: Pick<Session, 'link' | 'store' | 'writer'>,
  request: WorkloadRequest,
): Promise<Workload> => {
  const { link, store } = session;
  const { groupIds, conflicts, selection, isNewSelection, part } = request;
  const everything = isNewSelection ? await store.halves(link, { by: 'all' }) : null;
  const changed =
    everything?.filter(needsDecision) ??
    (part === null ? await halvesIn(session, UNDECIDED) : await loadUndecided(store, link, part));
  const mergeSurvivors = await loadMergeSurvivors(store, link, changed);
  const members = groupIds.length === 0 ? [] : await store.members(link, groupIds);
  const alone = await halvesAlone(session);
  // By both ids, because the id of one of the contacts may have changed.
  const disputed = await loadHalves(store, link, idsIn(conflicts));
  const touched = [...(everything ?? [...changed, ...mergeSurvivors, ...members, ...alone, ...disputed])].flatMap(
    ({ pair }) => pair ?? [],
  );
  // A deleted contact that is shown again may be either: a read decides before any plan does (R7).
  const isInDoubt = ({ left, right }: Pair): boolean => left?.state === 'doubted' || right?.state === 'doubted';
  const pairs = (await loadPairs(store, link, [...new Set(touched)])).filter((pair) => !isInDoubt(pair));
  const candidates = await withoutUncertain(store, link, changed.filter(isUnpaired));
  const unselected =
    everything?.filter(isUnselected) ??
    (await loadUnselected(store, link, [...candidates, ...alone], mergeSurvivors, selection));
  const unpaired = [...candidates, ...unselected];
  return {
    pairs: pairs.filter(({ status }) => status === 'linked'),
    lonePairs: pairs.filter(({ status }) => status === 'kept' || status === 'dormant'),
    deleted: changed.filter((half) => half.pair === null && half.state === 'gone'),
    unpaired: bySide((side) => unpaired.filter((half) => half.side === side)),
  };
};

/** Loads those of some contacts that are still unpaired. */
export const loadUnpaired = async (store: Store, link: string, ids: ContactIds): Promise<Workload['unpaired']> => {
  const unpaired = (await loadHalves(store, link, ids)).filter(isUnpaired);
  return bySide((side) => unpaired.filter((half) => half.side === side));
};

/** People, by the ids of their pairs, or of their contacts on each side. */
export type PeopleScope = { readonly ids: ContactIds; readonly pairIds: readonly number[] };

/** Loads pairs by their ids or by the ids of their contacts, each with both halves. */
export const loadPairsOf = async (
  store: Store,
  link: string,
  { ids, pairIds }: PeopleScope,
): Promise<readonly Pair[]> => {
  const found = (await loadHalves(store, link, ids)).flatMap(({ pair }) => pair ?? []);
  return loadPairs(store, link, [...new Set(pairIds.concat(found))]);
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
