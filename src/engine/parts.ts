import type { NarrowHalf } from '../core/state/rows.ts';
import { halfKey, idsBySide, isUnpaired } from '../core/contact/half.ts';
import { bySide, otherSide, type Side, SIDES, type Sides } from '../core/contact/side.ts';
import type { GroupPlan } from '../core/reconcile/groups.ts';
import { type ContactId, IndependentSets } from '../core/reconcile/independent.ts';
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
  /** The number of its contacts that can have no counterpart, by the side on which they are created. */
  readonly creates: Sides<number>;
};

/** A first sync in parts that do not depend on one another. Only one of them is in memory at a time. */
type Division = {
  /** The part that is planned at once: all pairs that need a decision, and some unpaired contacts. */
  readonly first: Part;
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

/** A contact that is missing or deleted is compared with all new contacts: one of them may be its merge survivor (R12). */
const mayBeMergedAway = ({ pair, state }: NarrowHalf): boolean =>
  pair !== null && (state === 'missing' || state === 'gone' || state === 'doubted');

const BATCH = 250;

type ContactSet = readonly ContactId[];

/** Reads unpaired contacts, and returns them in sets whose contacts are compared with no other contact. */
const readSets = async (session: DivisionContext, fresh: ContactIds): Promise<readonly ContactSet[]> => {
  if (SIDES.some((side) => fresh[side].length === 0)) {
    return SIDES.flatMap((side) => fresh[side].map((id) => [{ side, id }]));
  }
  const { link, state, store } = session;
  const { verdicts } = state();
  const marked = await markedOrigins(session, fresh, originScopes(session));
  const contacts = new IndependentSets();
  for (const side of SIDES) {
    for (const ids of chunks(fresh[side], BATCH)) {
      const halves = await store.halves(link, { by: 'id', side, ids });
      const evidence = { marked: marked[otherSide(side)], verdicts };
      for (const half of halves) contacts.add(half, evidence);
      await yieldToEventLoop();
    }
  }
  return contacts.sets();
};

/** Orders sets by group, small groups first, so that the members of a group are in few parts. */
const orderByGroup = async (
  { link, store }: DivisionContext,
  sets: readonly ContactSet[],
  { links }: Groups,
): Promise<readonly ContactSet[]> => {
  const groupIds = links.flatMap(({ left, right }) => [left, right].filter((id) => id !== null));
  if (groupIds.length === 0) return sets;
  const members = await store.members(link, groupIds);
  const byGroup = Map.groupBy(members, ({ side, groupId }) => `${side} ${groupId}`);
  const places = new Map<string, number>();
  for (const [place, group] of [...byGroup.values()].toSorted((one, other) => one.length - other.length).entries()) {
    for (const member of group) if (!places.has(halfKey(member))) places.set(halfKey(member), place);
  }
  const placeOf = (set: ContactSet): number =>
    set.reduce((least, contact) => Math.min(least, places.get(halfKey(contact)) ?? byGroup.size), byGroup.size);
  return [...Map.groupBy(sets, placeOf)].toSorted(([one], [other]) => one - other).flatMap(([, some]) => some);
};

/** Joins sets to parts of about this size. No set is divided, so that the part of a large one is larger. */
const partsOf = (sets: readonly ContactSet[], partSize: number): readonly LaterPart[] => {
  let size = 0;
  const parts = Map.groupBy(sets, ({ length }) => {
    size += length;
    return Math.floor((size - 1) / partSize);
  });
  return [...parts.values()].map((some) => {
    const alone = idsBySide(
      some.filter(([first, ...others]) => others.every(({ side }) => side === first?.side)).flat(),
    );
    return { ids: idsBySide(some.flat()), creates: bySide((side) => alone[otherSide(side)].length) };
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
  const idsWhere = (isMeant: (key: NarrowHalf) => boolean): ContactIds =>
    bySide((side) => index[side].filter(isMeant).map(({ id }) => id));
  const fresh = idsWhere(isUnpaired);
  if (sizeOf(fresh) <= partSize || SIDES.some((side) => index[side].some(mayBeMergedAway))) return null;
  const open = SIDES.flatMap((side) => index[side].filter(({ state }) => state === 'changed'));
  return {
    fresh,
    pairs: [...new Set(open.flatMap(({ pair }) => pair ?? []))],
    deleted: idsWhere(({ pair, state }) => pair === null && state === 'gone'),
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
  const reported = sidesWithDeletions(session);
  const mayWait = (set: ContactSet): boolean => set.every(({ side }) => reported.has(side));
  const sets = await orderByGroup(session, await readSets(session, fresh), groups);
  // One of the parts is added to the first one: its requests show how many the others will need.
  const [next, ...later] = partsOf(sets.filter(mayWait), partSize);
  const urgent = idsBySide(sets.filter((set) => !mayWait(set)).flat());
  const ids = bySide((side) => [...urgent[side], ...(next?.ids[side] ?? []), ...deleted[side]]);
  return { first: { pairs, ids }, later };
};
