import type { ConflictRow } from '../../src/core/state/rows.ts';
import { threadId } from 'node:worker_threads';
import { systemClock } from '../../src/util/clock.ts';
import { scalarsIn, syncedIn, textIn, type SyncedField } from '../../src/core/contact/contact.ts';
import { createExtras, checkShownValue, type Extras } from './computing.ts';
import { fieldOf, createChoosing, isCertain, type Choosing } from './choices.ts';
import { otherSide, SIDES, type Side, type Sides } from '../../src/core/contact/side.ts';
import type { Json } from '../../src/core/contact/record.ts';
import type { Store } from '../../src/store/store.ts';
import { openPostgres } from '../../src/store/postgres/postgres-store.ts';
import { openStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { AdapterFlaw, MemoryRemote, WriteObserver } from '../support/memory-remote.ts';
import { createMemoryRemote } from '../support/memory-remote.ts';
import { createBook, PLAIN_HABITS, type Backup, type Book, type Group, type Row } from '../support/memory/book.ts';
import { MEMORY_PROVIDERS } from '../support/memory/providers.ts';
import { createVirtualClock, type VirtualClock } from '../support/clocks.ts';
import type { UnconfirmedLoss } from './follow-run.ts';
import type { History } from './history.ts';
import { createPeople, type People } from './people.ts';
import { createParts, checkWrite, sourceOf, type Parts } from './parts.ts';
import type { Ledger, Token } from './ledger.ts';
import { contactTokens, createLedger, fieldTokens, membershipToken, tokenOf } from './ledger.ts';

type Books = Readonly<Record<Side, Book>>;

export type Flaws = {
  /** Wraps the store of the engine. */
  readonly store?: (store: Store) => Store;
  /** A write with a stale etag is accepted. */
  readonly ignoresVersions?: boolean;
  /** A former rule of an adapter. */
  readonly adapter?: AdapterFlaw;
};

/** The values that a write of the link added and removed. */
export type Delivered = { readonly added: ReadonlySet<Token>; readonly removed: ReadonlySet<Token> };

/** Both address books, the store, the clock, and the ledger of the values that must be kept. */
export type World = {
  readonly clock: VirtualClock;
  readonly books: Books;
  readonly remotes: Readonly<Record<Side, MemoryRemote>>;
  readonly store: Store;
  readonly link: string;
  readonly ledger: Ledger;
  readonly counts: { writes: number; raced: number };
  readonly complaints: string[];
  /** Conflicts that were already checked. */
  readonly checkedConflicts: Set<string>;
  /** The conflicts with an open question. */
  readonly questions: ConflictRow[];
  /** Contacts that a create made, without an origin id, and that no run has linked yet. */
  readonly unconfirmed: Set<Row>;
  /** The unmapped data of each contact. */
  readonly notes: Map<Row, Json>;
  /** The ids of linked contacts at the end of the last run. */
  readonly linked: Readonly<Record<Side, Set<string>>>;
  /** The effect of the last write to a contact whose answer the link has not received. */
  readonly unanswered: Map<Row, Delivered>;
  /** For a text that a merge by the side replaced, the former text: it is restored unless a user changes it. */
  readonly replaced: Map<Row, Map<Token, Token>>;
  /** The ids of linked pairs with two halves, at the end of the last run. */
  readonly pairs: Sides<string>[];
  /** The losses by the link since the guard was last accepted, the oldest first. */
  readonly destroyed: Destroyed[];
  /** The removals of updates with lost answers, the oldest first. */
  readonly unconfirmedLosses: UnconfirmedLoss[];
  /** People that a user entered in both address books, numbered like their shared email address. */
  readonly twins: Set<number>;
  /** The values on both sides of each pair at the last rest. */
  readonly agreed: Map<number, ReadonlySet<Token>>;
  /** The states of contacts before a backup was restored, since the last rest. */
  readonly beforeRestore: Map<Row, readonly ContactState[]>;
  /** Contacts that no run could read since that time: the link knows their former state. */
  readonly unread: Map<Row, number>;
  /** The last edits, for edits that refer to them. */
  readonly memory: Memory;
  readonly people: People;
  readonly parts: Parts;
  /** The fields that go one way only in a link that writes both sides. */
  readonly directions: NonNullable<History['directions']>;
  readonly choosing: Choosing;
  readonly extras: Extras;
  nextNumber(): number;
};

/** A loss by a write of the link, as R8 counts it: a contact, a member of a group, or every value of a field. */
export type Destroyed = {
  readonly side: Side;
  readonly loss: 'contacts' | 'members' | SyncedField;
  /** The contact that lost a field, which counts once for the field; null for a deleted contact or member. */
  readonly row: Row | null;
  readonly atMs: number;
};

/** A state of a contact. */
export type ContactState = Pick<Row, 'entity' | 'contact' | 'groupIds' | 'state'>;

/** The last edits of users, for edits that refer to them. */
type Memory = {
  move: { readonly side: Side; readonly entity: number; readonly group: number; readonly joined: boolean } | null;
  removed: { readonly entity: number; readonly side: Side } | null;
  backup: Backup | null;
  /** The numbers of email addresses that two people share. */
  readonly sharedEmails: Set<number>;
};

const LINKS_PER_STORE = 500;

/** Opens the store of the histories: SQLite in memory, or the PostgreSQL database in `SIMULATION_DATABASE`. */
const openSimulationStore = (): Store => {
  const url = process.env['SIMULATION_DATABASE'];
  if (url === undefined) return openStore(':memory:');
  return openPostgres({ url, clock: systemClock, connections: 3, leaseClock: 'caller' });
};

/** Histories share a store, so that its statements are prepared once; each has a link of its own. A store in memory is replaced before it grows large. */
const createLinks = () => {
  let store: Store | null = null;
  let openedFor: string | undefined;
  let links = 0;
  return (): Pick<World, 'store' | 'link'> => {
    links += 1;
    const url = process.env['SIMULATION_DATABASE'];
    // Test files in one process may use different databases.
    if (url !== openedFor || (links % LINKS_PER_STORE === 0 && url === undefined)) store = null;
    openedFor = url;
    store ??= openSimulationStore();
    // Several threads may use one database.
    return { store, link: `link-${threadId}-${process.pid}-${links}` };
  };
};

const nextLink = createLinks();

type Seen = Pick<Row, 'entity' | 'contact' | 'groupIds'>;

const memberships = (book: Book, row: Seen): readonly Token[] =>
  [...row.groupIds].flatMap((id) => {
    const group = book.findGroup(id);
    return group === undefined ? [] : [membershipToken(row, group.entity)];
  });

/** The visible values of one field of a contact. */
export const tokensIn = (book: Book, row: Seen, field: SyncedField): Set<Token> =>
  new Set(field === 'buckets' ? memberships(book, row) : fieldTokens(row.contact, field));

/** All visible values of a contact. */
export const visibleTokens = (book: Book, row: Seen): Set<Token> =>
  new Set([...contactTokens(row.contact), ...memberships(book, row)]);

const createObserver = (
  world: Pick<
    World,
    | 'clock'
    | 'counts'
    | 'complaints'
    | 'unconfirmed'
    | 'unanswered'
    | 'replaced'
    | 'ledger'
    | 'destroyed'
    | 'notes'
    | 'agreed'
    | 'choosing'
    | 'parts'
    | 'directions'
    | 'extras'
    | 'memory'
  >,
  books: () => Books,
  showsLate: boolean,
): WriteObserver => ({
  creates: (side, originId) => {
    const origin = books()[otherSide(side)].find(originId);
    if (origin?.state !== 'deleted' || origin.reported === 'no') return;
    world.complaints.push(`${side}: a contact was created from ${originId}, whose deletion the link knew`);
  },
  asks: (side, row, fields) => {
    if (row !== null && world.parts.merged.has(row)) return;
    for (const field of fields.filter((each) => sourceOf(world, each) === side)) {
      world.complaints.push(`${side}: ${field} was written against its direction`);
    }
  },
  // A value of a newly synced field that its side refuses is an edit that is still to be written (R6).
  refuses: (row, field) => {
    if (world.choosing.uncertain.has(field)) world.ledger.changesOf(row.entity).edited = true;
  },
  // A write of a newly synced field overlapped with the deletion: an edit beats a deletion (R6). Where the contact
  // accepts the write and stays archived, the link knows its own write.
  updatesDeleted: (row, fields) => {
    const isTaken = row.state === 'archived' && !SIDES.some((side) => books()[side].habits.writesUnarchive);
    if (isTaken) return;
    if (fields.some((field) => world.choosing.uncertain.has(field))) world.ledger.changesOf(row.entity).edited = true;
  },
  delivered: (side, row, before) => {
    const book = books()[side];
    checkWrite(world, side, row, 'written');
    const atMs = world.clock.now();
    const fault = checkShownValue(world, book, row, before);
    if (fault !== null) world.complaints.push(`${side}: ${fault}`);
    // Values that a merge mergedContact in and that are restored are no loss.
    const losable = world.parts.merged.has(row) ? [] : syncedIn(before.contact);
    for (const loss of losable) {
      const isEmptied = tokensIn(book, { ...row, ...before }, loss).size > 0 && tokensIn(book, row, loss).size === 0;
      if (isEmptied) world.destroyed.push({ side, loss, row, atMs });
    }
    const [held, holds] = [visibleTokens(book, { ...row, ...before }), visibleTokens(book, row)];
    const added = holds.difference(held);
    world.unanswered.set(row, { added, removed: held.difference(holds) });
    for (const token of added) {
      world.ledger.delivered.add(token);
      // A value that was removed before is present again.
      world.ledger.removedAtMs[side].delete(token);
    }
  },
  created: (side, row, originId) => {
    checkWrite(world, side, row, 'created');
    const duplicate = books()[side].rows.find((other) => {
      return other !== row && other.entity === row.entity && other.state === 'live';
    });
    const isOdd = world.ledger.ambiguous.has(row.entity) || world.ledger.mergedPeople.has(row.entity);
    // A side that still shows a deleted contact may get it again for a while.
    if (duplicate !== undefined && !isOdd && !showsLate) {
      world.complaints.push(`${side}: ${row.id} was created for ${originId} although ${duplicate.id} exists there`);
    }
    if (!books()[side].provider.keepsOriginIds) world.unconfirmed.add(row);
    // A contact that is created again at the source of a field has no value there: the sides no longer agree on it.
    const before = world.agreed.get(row.entity) ?? new Set<Token>();
    const shown = visibleTokens(books()[side], row);
    const isAgreed = (token: Token): boolean => shown.has(token) || sourceOf(world, fieldOf(token)) !== side;
    world.agreed.set(row.entity, new Set([...before].filter(isAgreed)));
  },
  overwrote: (_side, before, after) => {
    world.counts.raced += 1;
    world.ledger.overwritten(contactTokens(before), contactTokens(after));
  },
  deletes: (side) => void world.destroyed.push({ side, loss: 'contacts', row: null, atMs: world.clock.now() }),
  deletesGroup: (side, members) => {
    const atMs = world.clock.now();
    for (let count = 0; count < members; count += 1) world.destroyed.push({ side, loss: 'members', row: null, atMs });
  },
  deleted: (side, row) => {
    checkWrite(world, side, row, 'deleted');
    // Values that the link does not sync are deleted with their contact.
    for (const token of visibleTokens(books()[side], row)) {
      if (!isCertain(world.choosing, token)) world.ledger.explain(token);
    }
    const { ambiguous, mergedPeople, personChanges } = world.ledger;
    const isOdd = ambiguous.has(row.entity) || mergedPeople.has(row.entity);
    if (isOdd || personChanges.get(row.entity)?.deleted === true) return;
    world.complaints.push(`${side}: ${row.id} was deleted although no user deleted it`);
  },
  merged: (side, survivor, other, after) => {
    checkWrite(world, side, survivor, 'merged');
    // A merge removes one contact; where the side archives it, it is deleted separately.
    if (other.state !== 'archived')
      world.destroyed.push({ side, loss: 'contacts', row: null, atMs: world.clock.now() });
    world.parts.merged.add(survivor);
    const replaced = world.replaced.get(survivor) ?? new Map<Token, Token>();
    // Values that the link does not sync are not restored on the survivor.
    for (const token of contactTokens(survivor.contact)) {
      if (!isCertain(world.choosing, token)) world.ledger.explain(token);
    }
    for (const field of scalarsIn(survivor.contact, after)) {
      const [was, is] = [tokenOf(field, textIn(survivor.contact, field)), tokenOf(field, textIn(after, field))];
      if (was !== null && is !== null && was !== is) replaced.set(is, was);
    }
    world.replaced.set(survivor, replaced);
    survivor.extra = `${JSON.stringify(survivor.extra)} and ${JSON.stringify(other.extra)}`;
    world.notes.set(survivor, survivor.extra);
  },
  deletedUnread: (side, row) => {
    world.counts.raced += 1;
    world.ledger.overwritten(visibleTokens(books()[side], row), new Set());
  },
  wrote: (side) => {
    world.counts.writes += 1;
    const { direction } = world.parts;
    if (direction !== 'both' && direction !== `to-${side}`) world.complaints.push(`the source, ${side}, was written`);
  },
});

export const createWorld = (history: History, flaws: Flaws): World => {
  const clock = createVirtualClock();
  const ledger = createLedger();
  let number = 0;
  let changes = 0;
  const visibilityDelayMs = (): number => {
    changes += 1;
    return history.lagMs === 0 ? 0 : Math.floor((history.lagMs * ((changes * 7) % 10)) / 10);
  };
  const delayMs = (maxMs: number, factor: number) => (): number => {
    changes += 1;
    return Math.floor((maxMs * ((changes * factor) % 10)) / 10);
  };
  const book = (side: Side): Book => {
    const skewMs = side === 'right' ? history.skewMs : 0;
    const provider = MEMORY_PROVIDERS[history.players[side]];
    const plain = { side, provider, clock, manners: history.manners[side], skewMs, visibilityDelayMs };
    if (history.hardness === undefined) return createBook(plain);
    const { listingLagMs, feedLagMs, habits, oddFeed, readsLag = false } = history.hardness;
    const delays = {
      visibilityDelayMs: delayMs(listingLagMs, 7),
      feedDelayMs: delayMs(feedLagMs, 3),
      readsLag: readsLag && provider.capabilities.lagMs > 0,
    };
    const { cursorsExpire, namesDeletions } = provider.capabilities;
    const isSwept = namesDeletions && !cursorsExpire;
    const own = provider.feed === 'stamps' ? habits : { ...PLAIN_HABITS, renamesNew: isSwept && habits.renamesNew };
    return createBook({ ...plain, ...delays, habits: own, ...(isSwept && { oddFeed }) });
  };
  const books: Books = { left: book('left'), right: book('right') };
  const shared = {
    counts: { writes: 0, raced: 0 },
    complaints: [] as string[],
    checkedConflicts: new Set<string>(),
    questions: [] as ConflictRow[],
    unconfirmed: new Set<Row>(),
    unanswered: new Map<Row, Delivered>(),
    replaced: new Map<Row, Map<Token, Token>>(),
    notes: new Map<Row, Json>(),
    linked: { left: new Set<string>(), right: new Set<string>() },
    pairs: [] as Sides<string>[],
    agreed: new Map<number, ReadonlySet<Token>>(),
    people: createPeople(),
    parts: { ...createParts(), direction: history.hardness?.direction ?? 'both' },
    directions: (history.hardness?.direction ?? 'both') === 'both' ? (history.directions ?? {}) : {},
    destroyed: [] as Destroyed[],
    unconfirmedLosses: [] as UnconfirmedLoss[],
    twins: new Set<number>(),
    beforeRestore: new Map<Row, readonly ContactState[]>(),
    unread: new Map<Row, number>(),
    memory: { move: null, removed: null, backup: null, sharedEmails: new Set<number>() } as Memory,
    ledger,
    choosing: createChoosing(),
    extras: createExtras(),
  };
  const { hardness } = history;
  const showsLate = history.lagMs > 0 || (hardness?.listingLagMs ?? 0) > 0 || (hardness?.feedLagMs ?? 0) > 0;
  const observer = createObserver({ ...shared, clock }, () => books, showsLate);
  const nextNumber = (): number => {
    number += 1;
    return number;
  };
  const remote = (side: Side): MemoryRemote =>
    createMemoryRemote({
      book: books[side],
      clock,
      observer,
      checksVersions: flaws.ignoresVersions !== true,
      adapterFlaw: flaws.adapter ?? null,
      entityOf: (from, id) => books[from].find(id)?.entity ?? -nextNumber(),
      groupEntityOf: (from, name) => {
        // A group that was renamed between the plan and the write is found by its planned name.
        const hadName = (group: Group) => group.names.some((each) => each.toLowerCase() === name.toLowerCase());
        const named = books[from].groups.filter(hadName);
        const isLive = ({ live }: Group) => live;
        const hasName = (group: Group) => group.name.toLowerCase() === name.toLowerCase();
        // A group that was deleted between the plan and the write is still the planned group.
        const twin = named.find((group) => isLive(group) && hasName(group)) ?? named.find(isLive) ?? named.at(-1);
        return twin?.entity ?? -nextNumber();
      },
    });
  const remotes = { left: remote('left'), right: remote('right') };
  return { ...shared, clock, books, remotes, ...nextLink(), nextNumber };
};

/** The live contacts of an address book. */
export const liveRows = (book: Book): Row[] => book.rows.filter((row) => row.state === 'live');

/** The same person on the other side, where there is exactly one. */
export const counterpart = (world: World, side: Side, row: Row): Row | null => {
  const others = liveRows(world.books[otherSide(side)]).filter((other) => other.entity === row.entity);
  return others.length === 1 ? (others[0] ?? null) : null;
};
