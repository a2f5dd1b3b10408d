import type { GroupNames } from '../../core/reconcile/groups.ts';
import { syncedIn, type Contact, type SyncedField } from '../../core/contact/contact.ts';
import { type Half, halvesBySide, isPresent, halfKey } from '../../core/contact/half.ts';
import { rankBy } from '../../core/contact/search.ts';
import { bySide, SIDES, type Side, type Sides } from '../../core/contact/side.ts';
import { contactsOf, equalIn } from '../../core/contact/snapshot.ts';
import type { ConflictTerms } from '../../core/reconcile/conflict-policy.ts';
import { idAt, type PairIds, type PairStatus } from '../../core/contact/pair.ts';
import type { ConflictRow, Rejection } from '../../core/state/rows.ts';
import { isUnsyncable, refusalsIn } from '../../core/state/unsyncable.ts';
import { nameOf, shownValues } from '../../core/view/values.ts';
import type { FieldComparison, WriteView, Why } from '../../core/view/views.ts';
import { isOpen } from '../../core/reconcile/recorded-conflicts.ts';
import { isTakable } from './conflicts.ts';
import { followContacts } from './follow.ts';
import { type DecidingLink, loadBackground, writeView } from './writes.ts';
import { loadHalves, loadPairsOf } from '../workload.ts';
import type { Store, ContactPage } from '../../store/store.ts';

/** The side that a value came from, by the reason for its last write. An undo restores the value of its own side. */
const sideOf = (why: Why, written: Side): Side | null => {
  switch (why.kind) {
    case 'undo':
      return written;
    case 'conflict':
      return why.winner;
    default:
      return 'at' in why ? why.at : null;
  }
};

/** The origin, time and reason of the last write that changed the field. */
const lastChange = (
  field: SyncedField,
  entries: readonly WriteView[],
): Pick<FieldComparison, 'from' | 'sinceMs' | 'why'> => {
  for (const { state, side, atMs, changes } of entries.toReversed()) {
    const change = state === 'done' ? changes.find((each) => each.field === field) : undefined;
    if (change !== undefined) return { from: sideOf(change.why, side), sinceMs: atMs, why: change.why };
  }
  return { from: null, sinceMs: null, why: null };
};

/**
 * Returns the current value of each field, the side that it came from, and since when. `entries` are the writes to the contact,
 * the oldest first; `unsynced` are the changes that no run has synced yet. Omits fields without a value on both sides. Pure.
 */
const comparisonsOf = (
  halves: Sides<Half | null>,
  entries: readonly WriteView[],
  unsynced: Sides<readonly SyncedField[]>,
  names: Sides<GroupNames>,
): readonly FieldComparison[] =>
  syncedIn(...contactsOf(halves.left?.record, halves.right?.record)).flatMap((field): FieldComparison[] => {
    const values = bySide((side) => {
      const half = halves[side];
      return shownValues(isPresent(half) ? half.record : null, field, names[side]);
    });
    if (SIDES.every((side) => values[side].length === 0)) return [];
    const [edited, ...others] = SIDES.filter((side) => unsynced[side].includes(field));
    if (edited === undefined || others.length > 0) return [{ field, ...values, ...lastChange(field, entries) }];
    const sinceMs = halves[edited]?.record.modifiedAtMs ?? null;
    return [{ field, ...values, from: edited, sinceMs, why: { kind: 'changed', at: edited } }];
  });

type HalfView = {
  readonly id: string | null;
  readonly state: 'present' | 'deleted' | 'none';
  /** Fields with a change that a later run syncs to the other side. */
  readonly unsynced: readonly SyncedField[];
};

/** The history of one contact on both sides, and its current state. */
export type ContactHistory = {
  /** The current name, else the name at the last write; null if neither has a name. */
  readonly name: string | null;
  readonly status: PairStatus | 'unlinked';
  readonly left: HalfView;
  readonly right: HalfView;
  /** The current value of each field, with its origin. */
  readonly comparisons: readonly FieldComparison[];
  readonly entries: readonly WriteView[];
  /** The conflicts that wait for a decision. */
  readonly conflicts: readonly ConflictRow[];
  readonly rejected: readonly Rejection[];
  /** The fields with values that are not synced, as a reason for each side. */
  readonly notSynced: readonly { readonly side: Side; readonly reason: string }[];
};

/** The fields of an existing contact that differ from its base: changes that no run has synced. */
const changedFields = (half: Half | null): readonly SyncedField[] => {
  if (half === null || half.state === 'gone') return [];
  const { record, base } = half;
  const differs = (field: SyncedField): boolean => {
    if (base === null) return true;
    if (field === 'buckets') return record.groupIds.join() !== base.groupIds.join();
    return !equalIn(field, record.contact, base.contact);
  };
  return syncedIn(...contactsOf(record, base)).filter(differs);
};

/** `changed` are the fields that no run has synced. No run syncs those that the link does not write to the other side. */
const halfView = (half: Half | null, changed: readonly SyncedField[], terms: ConflictTerms): HalfView => {
  if (half === null) return { id: null, state: 'none', unsynced: [] };
  const state = half.state === 'gone' ? 'deleted' : 'present';
  return { id: half.id, state, unsynced: changed.filter((field) => isTakable(field, half.side, terms)) };
};

/** A contact that matches a text: an existing one, or one that a run deleted. */
type Found = {
  readonly side: Side;
  readonly id: string;
  readonly pair: number | null;
  readonly contact: Contact;
};

/** Returns an existing contact as one that was found. */
const foundHalf = ({ side, id, pair, record }: Half): Found => ({ side, id, pair, contact: record.contact });

/** The stored contacts that may match a text: at most `limit` halves, and the deleted contacts. */
const candidates = async (store: Store, link: string, text: string, limit: number): Promise<readonly Found[]> => {
  const halves = await store.halves(link, { by: 'search', text, limit });
  const deletions = await store.journal(link, { deletions: true });
  return [
    ...halves.map(foundHalf),
    ...deletions.flatMap((row) =>
      row.kind === 'delete'
        ? [{ side: row.side, id: row.before.id, pair: row.pairId, contact: row.before.contact }]
        : [],
    ),
  ];
};

/** Returns the best matches: by address or number, else by the whole name, else by its words, else by prefixes of its words. */
const bestOf = (text: string, all: readonly Found[]): readonly Found[] => {
  const rank = rankBy(text);
  const ranked = all.map((found) => ({ found, rank: rank(found.contact) }));
  for (const best of [0, 1, 2, 3]) {
    const found = ranked.filter((each) => each.rank === best);
    if (found.length > 0) return found.map((each) => each.found);
  }
  return [];
};

const search = async (store: Store, link: string, text: string, limit: number): Promise<readonly Found[]> =>
  bestOf(text, await candidates(store, link, text, limit));

/** A person that matches a text, with the id of the contact on either side. */
export type FoundPerson = {
  /** The id of a contact of the person, and its side. */
  readonly id: string;
  readonly side: Side;
  readonly name: string | null;
  /** The first email address; null without one. */
  readonly email: string | null;
  readonly sides: readonly Side[];
};

/** The first email address of a contact; null without one. */
const firstEmailOf = ({ emailAddresses }: Contact): string | null => emailAddresses[0]?.value ?? null;

/** Groups contacts by pair: the people that they belong to, in the order of their first contacts. */
const peopleOf = (contacts: readonly Found[]): readonly FoundPerson[] => {
  const people = Map.groupBy(contacts, ({ side, id, pair }) => (pair === null ? `${side} ${id}` : `pair ${pair}`));
  return [...people.values()].flatMap(([first, ...others]): readonly FoundPerson[] => {
    if (first === undefined) return [];
    const { side: own, id, contact } = first;
    const sides = SIDES.filter((side) => [first, ...others].some((each) => each.side === side));
    return [{ id, side: own, name: nameOf(contact), email: firstEmailOf(contact), sides }];
  });
};

/** The halves that a page's search ranks; further ones have later names. */
const MOST_RANKED = 1_000;

/** Returns the people that match a text best, each once, at most `most`. Reads the store only. */
export const findPeople = async (
  store: Store,
  link: string,
  text: string,
  most: number,
): Promise<readonly FoundPerson[]> => {
  const found = await search(store, link, text, MOST_RANKED);
  return peopleOf(found).slice(0, most);
};

/**
 * Returns the existing contacts of a side that are linked to no other contact: the one with this id, else those that match the
 * text best, at most `most`. Reads the store only.
 */
export const findUnlinked = async (
  store: Store,
  link: string,
  side: Side,
  text: string,
  most: number,
): Promise<readonly FoundPerson[]> => {
  const named = await store.halves(link, { by: 'id', side, ids: [text] });
  // Linked contacts and those of the other side must not push out the others.
  const matching = await store.halves(link, { by: 'search', text, limit: Number.MAX_SAFE_INTEGER });
  const present = [...named, ...matching].filter((half) => half.side === side && isPresent(half));
  const ids = [...new Set(present.flatMap(({ pair }) => pair ?? []))];
  const pairs = await store.pairs(link, ids);
  const linked = new Set<number | null>(pairs.flatMap(({ id, status }) => (status === 'linked' ? [id] : [])));
  const unlinked = present.filter(({ pair }) => !linked.has(pair)).map(foundHalf);
  const byId = unlinked.filter(({ id }) => id === text).slice(0, 1);
  return peopleOf(byId.length > 0 ? byId : bestOf(text, unlinked)).slice(0, most);
};

const nameNow = (halves: Sides<Half | null>): string | null => {
  const [half] = SIDES.flatMap((side) => halves[side] ?? []);
  return half === undefined ? null : nameOf(half.record.contact);
};

const historyOf = async (store: Store, of: DecidingLink, named: Pick<Half, 'side' | 'id'>) => {
  const link = of.name;
  const only = bySide((side) => (side === named.side ? [named.id] : []));
  const [known] = await loadPairsOf(store, link, { ids: only, pairIds: [] });
  const pairIds = known === undefined || known.id === null ? [] : [known.id];
  const own = bySide((side) => [...new Set([...only[side], ...(known?.[side] ? [known[side].id] : [])])]);
  const { writes, ids } = await followContacts(store, link, { ids: own, pairIds });
  const [pair] = await loadPairsOf(store, link, { ids, pairIds: [] });
  // An unpaired contact is stored as a half without a pair.
  const halves = pair ?? halvesBySide(await loadHalves(store, link, ids));
  const background = await loadBackground(store, of, writes);
  const isOwn = (row: PairIds): boolean => SIDES.some((side) => ids[side].includes(idAt(row, side) ?? ''));
  const entries = writes.map((write) => writeView(write, background));
  const changed = bySide((side) => changedFields(halves[side]));
  const now = bySide((side) => halfView(halves[side], changed[side], of));
  const { rejections } = await store.link(link);
  const history: ContactHistory = {
    name: nameNow(halves) ?? entries.findLast(({ name }) => name !== null)?.name ?? null,
    status: pair?.status ?? 'unlinked',
    ...now,
    comparisons: comparisonsOf(halves, entries, changed, background.groupNames),
    entries,
    conflicts: (await store.conflicts(link, { all: false })).filter((row) => isOpen(row) && isOwn(row)),
    rejected: refusalsIn(rejections).filter(isOwn),
    notSynced: rejections
      .filter((row) => isOwn(row) && isUnsyncable(row))
      .map(({ side, reason }) => ({ side, reason })),
  };
  return { history, ids, isKnown: SIDES.some((side) => halves[side] !== null) || writes.length > 0 };
};

/**
 * Returns the histories of the contacts with that id, each person once: the id may be that of one contact on each side. Empty if the
 * store has none. Reads the store only.
 */
export const explainById = async (store: Store, of: DecidingLink, id: string): Promise<readonly ContactHistory[]> => {
  const found: Awaited<ReturnType<typeof historyOf>>[] = [];
  for (const side of SIDES) {
    if (found.some(({ ids }) => ids[side].includes(id))) continue;
    const explained = await historyOf(store, of, { side, id });
    if (explained.isKnown) found.push(explained);
  }
  return found.map(({ history }) => history);
};

/**
 * Returns the history of the contacts that match the text by id, email address or name: the writes of each run with the side,
 * the values before and after, and the reason. Empty if the store has no match. Reads the store only.
 */
export const explainContact = async (
  store: Store,
  of: DecidingLink,
  text: string,
): Promise<readonly ContactHistory[]> => {
  const byId = await explainById(store, of, text);
  if (byId.length > 0) return byId;
  const seen = new Set<string>();
  const histories: ContactHistory[] = [];
  for (const found of await search(store, of.name, text, Number.MAX_SAFE_INTEGER)) {
    if (seen.has(halfKey(found))) continue;
    const { history, ids } = await historyOf(store, of, found);
    for (const side of SIDES) for (const id of ids[side]) seen.add(halfKey({ side, id }));
    histories.push(history);
  }
  return histories;
};

/** One page of people, and whether a later page has more. */
type PeoplePage = { readonly people: readonly FoundPerson[]; readonly hasMore: boolean };

/** Returns a page of the people of a link. Reads the rows of that page only. */
export const listPeople = async (
  store: Store,
  link: string,
  { of, page, most }: { readonly of: ContactPage; readonly page: number; readonly most: number },
): Promise<PeoplePage> => {
  const rows = await store.halves(link, { by: 'page', of, offset: page * most, limit: most + 1 });
  const shown = rows.slice(0, most);
  const pairs = [...new Set(shown.flatMap(({ pair }) => pair ?? []))];
  const others = await store.halves(link, { by: 'pair', pairs });
  const halves = [...shown, ...others].filter(isPresent);
  return { people: peopleOf(halves.map(foundHalf)), hasMore: rows.length > most };
};
