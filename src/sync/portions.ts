import { hash } from 'node:crypto';
import { bySide, otherSide, SIDES, type Side, type Sides } from '../contact/side.ts';
import type { GroupPlan } from '../reconcile/groups.ts';
import { comparedBy, isStranger, newTwinSearch, searchTwin, sketchOf, twinsIn } from '../reconcile/twins.ts';
import type { Sketch, Twins } from '../reconcile/twins.ts';
import { selectsEverybody } from '../reconcile/selection.ts';
import type { RemoteCapabilities } from '../providers/remote.ts';
import type { HalfKey } from '../store/store.ts';
import type { Session } from './context.ts';
import { chunks } from './execute/in-parallel.ts';
import { letOthersRun } from './let-others-run.ts';
import type { Part } from './workload.ts';

/**
 * So many contacts of no pair are planned and written at a time, where the context says nothing else. The members of a group
 * are added in one request of many within a portion only: small portions would cost more of these.
 */
const PORTION = 1_500;

/** Contacts of no pair, by their ids. */
export type Fresh = Sides<readonly string[]>;

/**
 * A first meeting of many contacts, divided: a part of it is planned with everything else, and the others need nobody but
 * themselves. What is planned in portions is never in memory as a whole.
 */
export type Portions = {
  /** What is planned at once: all pairs that need a decision, and contacts of no pair that may be one person. */
  readonly first: Part;
  /** Contacts whose counterpart is certain, or that have none: portion by portion. */
  readonly later: readonly Fresh[];
  /** How many of the later ones have no counterpart yet, by the side that they are to be created on. */
  readonly creates: Sides<number>;
};

/** As much of a session as a meeting is divided with. */
type Dividing = Pick<Session, 'kind' | 'link' | 'policy' | 'portion' | 'store' | 'tally'> & {
  readonly remotes: Sides<{ readonly capabilities: Pick<RemoteCapabilities, 'namesDeletions'> }>;
};

/** Which groups of the sides belong together. */
type Groups = Pick<GroupPlan, 'links'>;

const sizeOf = ({ left, right }: Fresh): number => left.length + right.length;

const isFresh = ({ pair, state }: HalfKey): boolean => pair === null && state === 'changed';

/** What is known to be away is weighed with all that is new: somebody may have been merged into it (R12). */
const mayBeMergedAway = ({ pair, state }: HalfKey): boolean => {
  return pair !== null && (state === 'missing' || state === 'gone' || state === 'doubted');
};

/** So many contacts are read at a time to be sketched. */
const SKETCHED_AT_ONCE = 250;

/** Reads contacts a few at a time, and hands each on as a sketch: of what it says, which is kept of every contact, a digest. */
const readSketches = async (
  { link, store }: Dividing,
  side: Side,
  ids: readonly string[],
  take: (sketch: Sketch) => void,
): Promise<void> => {
  for (const some of chunks(ids, SKETCHED_AT_ONCE)) {
    for (const half of await store.halves(link, { by: 'id', side, ids: some })) {
      const { content, ...sketch } = sketchOf(half);
      take({ ...sketch, content: content === '' ? '' : hash('sha256', content, 'base64') });
    }
    await letOthersRun();
  }
};

/** The contacts of the larger side whom nobody of the smaller one can be. */
const findStrangers = async (session: Dividing, rest: Fresh, search: ReturnType<typeof newTwinSearch>) => {
  const small: Side = rest.left.length < rest.right.length ? 'left' : 'right';
  const large = otherSide(small);
  const strangers: string[] = [];
  if (rest[large].length <= (session.portion ?? PORTION)) return { large, strangers };
  const keys = new Set<string>();
  await readSketches(session, small, rest[small], (sketch) => {
    for (const key of comparedBy(sketch)) keys.add(key);
  });
  await readSketches(session, large, rest[large], (sketch) => {
    if (isStranger(sketch, keys, search)) strangers.push(sketch.id);
  });
  return { large, strangers };
};

const without = (ids: readonly string[], taken: Iterable<string>): readonly string[] => {
  const gone = new Set(taken);
  return ids.filter((id) => !gone.has(id));
};

type Sorted = { readonly first: Fresh; readonly twins: readonly Twins[]; readonly newcomers: Fresh };

const NOBODY: Fresh = { left: [], right: [] };

const sortOut = async (session: Dividing, fresh: Fresh): Promise<Sorted> => {
  if (fresh.left.length === 0 || fresh.right.length === 0) return { first: NOBODY, twins: [], newcomers: fresh };
  const { verdicts } = await session.store.link(session.link);
  const judged = new Set(verdicts.flatMap(({ leftId, rightId }) => [`left ${leftId}`, `right ${rightId}`]));
  const search = newTwinSearch();
  for (const side of SIDES) await readSketches(session, side, fresh[side], (sketch) => searchTwin(search, sketch));
  const twins = twinsIn(search, judged);
  const rest = {
    left: without(
      fresh.left,
      twins.map(({ leftId }) => leftId),
    ),
    right: without(
      fresh.right,
      twins.map(({ rightId }) => rightId),
    ),
  };
  for (const name of judged) search.named.add(name);
  const { large, strangers } = await findStrangers(session, rest, search);
  const first = { ...rest, [large]: without(rest[large], strangers) };
  return { first, twins, newcomers: { ...NOBODY, [large]: strangers } };
};

const portionsOf = ({ twins, newcomers }: Sorted, portion: number): readonly Fresh[] => {
  const paired = chunks(twins, Math.ceil(portion / 2)).map((some) => ({
    left: some.map(({ leftId }) => leftId),
    right: some.map(({ rightId }) => rightId),
  }));
  const single = bySide((side) => chunks(newcomers[side], portion));
  const alone = Array.from({ length: Math.max(single.left.length, single.right.length) }, (_, index) =>
    bySide((side) => single[side][index] ?? []),
  );
  return [...paired, ...alone];
};

/** Members of a group stand together, those of small ones first, so that each is added to in few portions. */
const byGroup = async ({ link, store }: Dividing, newcomers: Fresh, { links }: Groups): Promise<Fresh> => {
  const groupIds = links.flatMap(({ left, right }) => [left, right].filter((id) => id !== null));
  if (groupIds.length === 0) return newcomers;
  const members = await store.members(link, groupIds);
  return bySide((side) => {
    const own = members.filter((member) => member.side === side);
    const sizes = new Map<string, number>();
    for (const { groupId } of own) sizes.set(groupId, (sizes.get(groupId) ?? 0) + 1);
    const smallestFirst = [...sizes].toSorted(([, one], [, other]) => one - other).map(([groupId]) => groupId);
    const places = new Map(smallestFirst.map((groupId, place) => [groupId, place]));
    const nowhere = places.size;
    const placeOf = new Map<string, number>();
    for (const { id, groupId } of own) {
      placeOf.set(id, Math.min(placeOf.get(id) ?? nowhere, places.get(groupId) ?? nowhere));
    }
    const together = Map.groupBy(newcomers[side], (id) => placeOf.get(id) ?? nowhere);
    return [...together].toSorted(([one], [other]) => one - other).flatMap(([, ids]) => ids);
  });
};

/** The sides that have said since then of each contact that is deleted that it is: by a feed, or by a whole listing. */
const toldSides = async ({ link, remotes, store }: Dividing, sinceMs: number): Promise<ReadonlySet<Side>> => {
  const { cursors } = await store.link(link);
  const isTold = (side: Side): boolean =>
    remotes[side].capabilities.namesDeletions || (cursors[side].listedAtMs ?? 0) >= sinceMs;
  return new Set(SIDES.filter(isTold));
};

/** What a first meeting is about, by ids alone. */
type Meeting = {
  readonly fresh: Fresh;
  /** Pairs that need a decision. */
  readonly pairs: readonly number[];
  /** Contacts of no pair that are known to be deleted. */
  readonly deleted: Fresh;
};

/** Null where the meeting must not be divided: few contacts are new, or something was deleted. */
const meetingOf = async ({ link, portion = PORTION, store }: Dividing): Promise<Meeting | null> => {
  const index = { left: await store.index(link, 'left'), right: await store.index(link, 'right') };
  const idsOf = (isMeant: (key: HalfKey) => boolean): Fresh =>
    bySide((side) => index[side].filter(isMeant).map(({ id }) => id));
  const fresh = idsOf(isFresh);
  if (sizeOf(fresh) <= portion || SIDES.some((side) => index[side].some(mayBeMergedAway))) return null;
  const open = SIDES.flatMap((side) => index[side].filter(({ state }) => state === 'changed'));
  return {
    fresh,
    pairs: [...new Set(open.flatMap(({ pair }) => pair ?? []))],
    deleted: idsOf(({ pair, state }) => pair === null && state === 'gone'),
  };
};

/**
 * Divides a first meeting of many contacts into portions that do not depend on one another; null where all is planned at
 * once: where there are few, or something was deleted, or contacts stand alone that may be matched again, or not everybody
 * is selected: then anybody may be the like of somebody who takes no part (R18). Nor does anybody wait of a side that has not
 * said in this run, which began at `sinceMs`, who is deleted: by reading it may turn out whom somebody replaces (R12, R13).
 */
export const dividePlan = async (session: Dividing, groups: Groups, sinceMs: number): Promise<Portions | null> => {
  const { kind, link, policy, portion = PORTION, store, tally } = session;
  // Outside of a full run, new contacts are those that it has just read.
  if (kind !== 'full' && tally.left.pulled + tally.right.pulled <= portion) return null;
  if (!selectsEverybody(policy.contacts) || (await store.link(link)).selection !== null) return null;
  const meeting = await meetingOf(session);
  await letOthersRun();
  if (meeting === null || (await store.halves(link, { by: 'alone' })).length > 0) return null;
  const { fresh, pairs, deleted } = meeting;
  const sorted = await sortOut(session, fresh);
  const newcomers = await byGroup(session, sorted.newcomers, groups);
  const told = await toldSides(session, sinceMs);
  const mayWait = (ids: Fresh): boolean => SIDES.every((side) => ids[side].length === 0 || told.has(side));
  const portions = portionsOf({ ...sorted, newcomers }, portion);
  // With the first of them: what they take tells how much the others will.
  const [next = NOBODY, ...later] = portions.filter(mayWait);
  const early = [sorted.first, next, ...portions.filter((ids) => !mayWait(ids)), deleted];
  return {
    first: { pairs, ids: bySide((side) => early.flatMap((ids) => ids[side])) },
    later,
    creates: bySide((side) => {
      const from = otherSide(side);
      const alone = new Set(sorted.newcomers[from]);
      return later.reduce((sum, ids) => sum + ids[from].filter((id) => alone.has(id)).length, 0);
    }),
  };
};
