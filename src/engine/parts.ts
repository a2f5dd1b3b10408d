import type { HalfKey } from '../core/state/rows.ts';
import { hash } from 'node:crypto';
import type { Half } from '../core/contact/half.ts';
import { bySide, otherSide, type Side, SIDES, type Sides } from '../core/contact/side.ts';
import type { GroupPlan } from '../core/reconcile/groups.ts';
import {
  cannotMatch,
  comparedBy,
  newTwinSearch,
  searchTwin,
  twinKeyOf,
  type TwinSearch,
  twinsIn,
} from '../core/reconcile/twins.ts';
import { selectsEveryContact } from '../core/reconcile/selection.ts';
import type { Remote, RemoteCapabilities } from '../providers/remote.ts';
import { listedSides, type Session } from './session.ts';
import { chunks } from '../util/batches.ts';
import { markedOrigins, originScopes } from './accounts.ts';
import { yieldToEventLoop } from '../util/event-loop.ts';
import type { ContactIds, Part } from './workload.ts';

/**
 * Default size of a part, in contacts. A bulk route adds many members to a group with one request, but only within a part: small
 * parts cost more requests.
 */
const PART_SIZE = 1_500;

/** A part of a first sync that is planned and written after the first one. */
export type LaterPart = {
  readonly ids: ContactIds;
  /** The number of its contacts without a counterpart, by the side on which they are created. */
  readonly creates: Sides<number>;
};

/** A first sync in parts that do not depend on one another. Only one of them is in memory at a time. */
type Division = {
  /** The part that is planned at once: all pairs that need a decision, and unpaired contacts that may be one person. */
  readonly first: Part;
  /** Contacts whose counterpart is certain, or that have none. */
  readonly later: readonly LaterPart[];
};

/** The session properties that {@link divideContacts} needs. */
type DivisionContext = Pick<
  Session,
  'endpoints' | 'kind' | 'link' | 'partSize' | 'policy' | 'signal' | 'startedAtMs' | 'state' | 'store' | 'tally'
> & {
  readonly remotes: Sides<
    Pick<Remote, 'originMarks'> & { readonly capabilities: Pick<RemoteCapabilities, 'namesDeletions'> }
  >;
};

type Groups = Pick<GroupPlan, 'links'>;

const sizeOf = ({ left, right }: ContactIds): number => left.length + right.length;

const isUnpaired = ({ pair, state }: HalfKey): boolean => pair === null && state === 'changed';

/** A contact that is missing or deleted is compared with all new contacts: one of them may be its merge survivor (R12). */
const mayBeMergedAway = ({ pair, state }: HalfKey): boolean => {
  return pair !== null && (state === 'missing' || state === 'gone' || state === 'doubted');
};

const BATCH = 250;

/** Reads contacts in batches and passes each to `take`. */
const readEach = async (
  { link, store }: DivisionContext,
  side: Side,
  ids: readonly string[],
  take: (half: Half) => void,
): Promise<void> => {
  for (const some of chunks(ids, BATCH)) {
    for (const half of await store.halves(link, { by: 'id', side, ids: some })) take(half);
    await yieldToEventLoop();
  }
};

const digest = (content: string): string => hash('sha256', content, 'base64');

/** Finds the contacts of the larger side that match no contact of the smaller side. */
const findUnmatched = async (session: DivisionContext, rest: ContactIds, search: TwinSearch) => {
  const small: Side = rest.left.length < rest.right.length ? 'left' : 'right';
  const large = otherSide(small);
  const unmatched: string[] = [];
  if (rest[large].length <= (session.partSize ?? PART_SIZE)) return { large, unmatched };
  const keys = new Set<string>();
  await readEach(session, small, rest[small], (half) => {
    for (const key of comparedBy(half, digest)) keys.add(key);
  });
  await readEach(session, large, rest[large], (half) => {
    if (cannotMatch(half, keys, digest, search)) unmatched.push(half.id);
  });
  return { large, unmatched };
};

const without = (ids: readonly string[], removed: Iterable<string>): readonly string[] => {
  const excluded = new Set(removed);
  return ids.filter((id) => !excluded.has(id));
};

/** New contacts, sorted by the certainty of their counterpart. */
type Sorted = {
  /** Contacts that may have a counterpart. */
  readonly uncertain: ContactIds;
  readonly twins: ReturnType<typeof twinsIn>;
  /** Contacts without a counterpart. */
  readonly single: ContactIds;
};

const NO_IDS: ContactIds = { left: [], right: [] };

const sortContacts = async (session: DivisionContext, fresh: ContactIds): Promise<Sorted> => {
  if (fresh.left.length === 0 || fresh.right.length === 0) return { uncertain: NO_IDS, twins: [], single: fresh };
  const { verdicts } = session.state();
  const judged = verdicts.flatMap(({ leftId, rightId }) => [`left ${leftId}`, `right ${rightId}`]);
  const search = newTwinSearch(judged);
  const marked = await markedOrigins(session, fresh, originScopes(session));
  for (const side of SIDES) {
    await readEach(session, side, fresh[side], (half) =>
      searchTwin(search, twinKeyOf(half, marked[otherSide(side)], digest)),
    );
  }
  const twins = twinsIn(search);
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
  const { large, unmatched } = await findUnmatched(session, rest, search);
  const uncertain = { ...rest, [large]: without(rest[large], unmatched) };
  return { uncertain, twins, single: { ...NO_IDS, [large]: unmatched } };
};

const partsOf = ({ twins, single }: Sorted, partSize: number): readonly LaterPart[] => {
  const paired = chunks(twins, Math.ceil(partSize / 2)).map((some) => ({
    ids: { left: some.map(({ leftId }) => leftId), right: some.map(({ rightId }) => rightId) },
    creates: { left: 0, right: 0 },
  }));
  const chunksOf = bySide((side) => chunks(single[side], partSize));
  const unpaired = Array.from({ length: Math.max(chunksOf.left.length, chunksOf.right.length) }, (_, index) => {
    const ids = bySide((side) => chunksOf[side][index] ?? []);
    return { ids, creates: bySide((side) => ids[otherSide(side)].length) };
  });
  return [...paired, ...unpaired];
};

/** Orders contacts by group, small groups first, so that the members of a group are in few parts. */
const orderByGroup = async (
  { link, store }: DivisionContext,
  contacts: ContactIds,
  { links }: Groups,
): Promise<ContactIds> => {
  const groupIds = links.flatMap(({ left, right }) => [left, right].filter((id) => id !== null));
  if (groupIds.length === 0) return contacts;
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
    const together = Map.groupBy(contacts[side], (id) => placeOf.get(id) ?? nowhere);
    return [...together].toSorted(([one], [other]) => one - other).flatMap(([, ids]) => ids);
  });
};

/** The sides that have reported all deletions since the run started: by a feed, or by a complete listing. */
const sidesWithDeletions = ({ remotes, startedAtMs, state }: DivisionContext): ReadonlySet<Side> => {
  const listed = listedSides({ startedAtMs, state });
  return new Set(SIDES.filter((side) => remotes[side].capabilities.namesDeletions || listed.has(side)));
};

/** The ids of everything that needs a decision. */
type OpenIds = {
  /** Unpaired contacts. */
  readonly fresh: ContactIds;
  /** Pairs that need a decision. */
  readonly pairs: readonly number[];
  /** Unpaired contacts that are known to be deleted. */
  readonly deleted: ContactIds;
};

/** Returns null if the plan must not be divided: few contacts are new, or a contact was deleted. */
const loadOpenIds = async ({ link, partSize = PART_SIZE, store }: DivisionContext): Promise<OpenIds | null> => {
  const index = { left: await store.index(link, 'left'), right: await store.index(link, 'right') };
  const idsOf = (isMeant: (key: HalfKey) => boolean): ContactIds =>
    bySide((side) => index[side].filter(isMeant).map(({ id }) => id));
  const fresh = idsOf(isUnpaired);
  if (sizeOf(fresh) <= partSize || SIDES.some((side) => index[side].some(mayBeMergedAway))) return null;
  const open = SIDES.flatMap((side) => index[side].filter(({ state }) => state === 'changed'));
  return {
    fresh,
    pairs: [...new Set(open.flatMap(({ pair }) => pair ?? []))],
    deleted: idsOf(({ pair, state }) => pair === null && state === 'gone'),
  };
};

/**
 * Divides the contacts of a large first sync into parts that do not depend on one another. Returns null if everything is
 * planned at once:
 * - few contacts are new, or a contact was deleted;
 * - a pair has one half, which may be matched again;
 * - the link selects contacts: an unselected contact may be the counterpart of a selected one (R18).
 *
 * A contact is not left to a later part if its side has not reported its deletions in this run: a read may show that it replaces
 * another contact (R12, R13).
 */
export const divideContacts = async (session: DivisionContext, groups: Groups): Promise<Division | null> => {
  const { kind, link, partSize = PART_SIZE, policy, store, tally } = session;
  // Outside of a full run, new contacts are those that it has just read.
  if (kind !== 'full' && tally.left.pulled + tally.right.pulled <= partSize) return null;
  if (!selectsEveryContact(policy.contacts) || session.state().selection !== null) return null;
  const open = await loadOpenIds(session);
  await yieldToEventLoop();
  if (open === null || (await store.halves(link, { by: 'alone' })).length > 0) return null;
  const { fresh, pairs, deleted } = open;
  const sorted = await sortContacts(session, fresh);
  const single = await orderByGroup(session, sorted.single, groups);
  const reported = sidesWithDeletions(session);
  const mayWait = ({ ids }: LaterPart): boolean => SIDES.every((side) => ids[side].length === 0 || reported.has(side));
  const parts = partsOf({ ...sorted, single }, partSize);
  // One of them is added to the first part: its requests show how many the others will need.
  const [next, ...later] = parts.filter(mayWait);
  const urgent = parts.filter((part) => !mayWait(part));
  const first = [sorted.uncertain, next?.ids ?? NO_IDS, ...urgent.map(({ ids }) => ids), deleted];
  return { first: { pairs, ids: bySide((side) => first.flatMap((ids) => ids[side])) }, later };
};
