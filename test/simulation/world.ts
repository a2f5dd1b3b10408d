import type { ConflictRow } from '../../src/core/state/rows.ts';
import { randomUUID } from 'node:crypto';
import { threadId } from 'node:worker_threads';
import { systemClock } from '../../src/util/clock.ts';
import { scalarsIn, syncedIn, textIn, type SyncedField } from '../../src/core/contact/contact.ts';
import { createExtras, judgeShown, type Extras } from './computing.ts';
import { createChoosing, isCertain, type Choosing } from './choices.ts';
import { otherSide, SIDES, type Side, type Sides } from '../../src/core/contact/side.ts';
import type { Json } from '../../src/core/contact/record.ts';
import type { Direction } from '../../src/core/reconcile/policy.ts';
import type { Store } from '../../src/store/store.ts';
import { openPostgres } from '../../src/store/postgres/postgres-store.ts';
import { openStore } from '../../src/store/sqlite/sqlite-store.ts';
import { createMemoryRemote, type MemoryRemote, type Witness } from '../support/memory-remote.ts';
import { createBook, PLAIN_HABITS, type Backup, type Book, type Group, type Row } from '../support/memory/book.ts';
import { MEMORY_PROVIDERS } from '../support/memory/providers.ts';
import { createVirtualClock, type VirtualClock } from '../support/virtual-clock.ts';
import type { Doubtful } from './doubtful.ts';
import type { History } from './history.ts';
import { createPeople, type People } from './people.ts';
import { createParts, judgeCreated, judgeWrite, sourceOf, type Parts } from './parts.ts';
import {
  contactTokens,
  createLedger,
  fieldTokens,
  membershipToken,
  tokenOf,
  type Ledger,
  type Token,
} from './ledger.ts';

type Books = Readonly<Record<Side, Book>>;

export type Flaws = {
  /** Wraps the store that the engine works with. */
  readonly store?: (store: Store) => Store;
  /** A write with a stale etag is taken where it should be refused. */
  readonly ignoresVersions?: boolean;
};

/** What a write of the link changed at a contact. */
export type Delivered = { readonly brought: ReadonlySet<Token>; readonly taken: ReadonlySet<Token> };

/** Both address books, the store between them, time, and the ledger of what must stay. */
export type World = {
  readonly clock: VirtualClock;
  readonly books: Books;
  readonly remotes: Readonly<Record<Side, MemoryRemote>>;
  readonly store: Store;
  readonly link: string;
  readonly ledger: Ledger;
  readonly counts: { writes: number; raced: number };
  readonly complaints: string[];
  /** Conflicts that were held against what stood there when they were recorded. */
  readonly judged: Set<string>;
  /** The conflicts that wait for a person. */
  readonly questions: ConflictRow[];
  /** Contacts that a create made, that keep no origin id, and that no run has linked yet. */
  readonly unconfirmed: Set<Row>;
  /** What users noted on a contact that the canonical contact cannot express. */
  readonly notes: Map<Row, Json>;
  /** The ids of linked contacts, as of the end of the last run. */
  readonly linked: Readonly<Record<Side, Set<string>>>;
  /** What the last write brought to a contact, and took from it, where its answer has not reached the link. */
  readonly unanswered: Map<Row, Delivered>;
  /** Of a text that the side's own merge put over another one, that other one: it comes back unless a user changes it. */
  readonly replaced: Map<Row, Map<Token, Token>>;
  /** Of the pairs with two halves, as of the end of the last run: the ids at both sides. */
  readonly pairs: Sides<string>[];
  /** What the link destroyed since it was last let past the guard, the oldest first. */
  readonly destroyed: Destroyed[];
  /** What updates were to destroy whose answers were lost, the oldest first. */
  readonly doubtful: Doubtful[];
  /** People whom a user put into both address books, numbered like the email address that they share. */
  readonly twins: Set<number>;
  /** Of the pairs that are asleep, the same. */
  readonly asleep: Sides<string>[];
  /** What stood on both sides of people in step when everything was at rest last. */
  readonly agreed: Map<number, ReadonlySet<Token>>;
  /** How contacts stood before a backup was brought back, since everything was at rest. */
  readonly beforeRestore: Map<Row, readonly Face[]>;
  /** Contacts that no run could read since then: the link knows them as they stood before. */
  readonly unread: Map<Row, number>;
  /** What some edits refer to. */
  readonly memory: Memory;
  readonly people: People;
  readonly parts: Parts;
  /** The fields that go one way only in a link that writes both sides. */
  readonly directions: NonNullable<History['directions']>;
  readonly choosing: Choosing;
  readonly extras: Extras;
  nextNumber(): number;
};

/** What a write of the link took away, as R8 counts it: a contact, a member of a group, or every value of a field of a contact. */
export type Destroyed = {
  readonly side: Side;
  readonly loss: 'contacts' | 'members' | SyncedField;
  readonly atMs: number;
};

/** What a contact looks like at some moment. */
export type Face = Pick<Row, 'entity' | 'contact' | 'groupIds' | 'state'>;

/** The last things that users did, for edits that answer them. */
type Memory = {
  move: { readonly side: Side; readonly entity: number; readonly group: number; readonly joined: boolean } | null;
  removed: { readonly entity: number; readonly side: Side } | null;
  backup: Backup | null;
  /** The numbers of email addresses that two people share. */
  readonly sharedEmails: Set<number>;
};

const LINKS_PER_STORE = 500;

/** The store that histories play on: SQLite in memory, or the PostgreSQL database that `SIMULATION_DATABASE` names. */
const openSimulationStore = (): Store => {
  const url = process.env['SIMULATION_DATABASE'];
  if (url === undefined) return openStore(':memory:');
  return openPostgres({ url, clock: systemClock, connections: 3, newId: randomUUID, leaseClock: 'caller' });
};

/** Histories share a store, each with a link of its own: its statements are prepared once. One in memory is left before it grows large. */
const createLinks = () => {
  let store: Store | null = null;
  let openedFor: string | undefined;
  let links = 0;
  return (): Pick<World, 'store' | 'link'> => {
    links += 1;
    const url = process.env['SIMULATION_DATABASE'];
    // Test files that share a process may play on different databases.
    if (url !== openedFor || (links % LINKS_PER_STORE === 0 && url === undefined)) store = null;
    openedFor = url;
    store ??= openSimulationStore();
    // Several threads may play on one database.
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

/** What a user sees of one field of a contact. */
export const tokensIn = (book: Book, row: Seen, field: SyncedField): Set<Token> =>
  new Set(field === 'buckets' ? memberships(book, row) : fieldTokens(row.contact, field));

/** Everything that a user sees of a contact. */
export const visibleTokens = (book: Book, row: Seen): Set<Token> =>
  new Set([...contactTokens(row.contact), ...memberships(book, row)]);

const createWitness = (
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
    | 'choosing'
    | 'parts'
    | 'directions'
    | 'extras'
    | 'memory'
  >,
  books: () => Books,
  showsLate: boolean,
  direction: Direction,
): Witness => ({
  creates: (side, originId) => {
    const origin = books()[otherSide(side)].find(originId);
    if (origin?.state !== 'deleted' || origin.told === 'no') return;
    world.complaints.push(`${side}: a contact was made of ${originId}, of whose deletion the link knew`);
  },
  asks: (side, row, fields) => {
    if (world.parts.byHand || (row !== null && world.parts.merged.has(row))) return;
    for (const field of fields.filter((each) => sourceOf(world, each) === side)) {
      world.complaints.push(`${side}: ${field} was written, though it goes the other way`);
    }
  },
  // The value of a field that joins was on its way when the contact went: an edit beats a deletion (R6). Where the contact
  // takes it and stays away, the link knows what it brought.
  updatesDeleted: (row, fields) => {
    const isTaken = row.state === 'archived' && !SIDES.some((side) => books()[side].habits.writesUnarchive);
    if (isTaken) return;
    if (fields.some((field) => world.choosing.uncertain.has(field))) world.ledger.fateOf(row.entity).edited = true;
  },
  delivered: (side, row, before) => {
    const book = books()[side];
    judgeWrite(world, side, row, 'written');
    const atMs = world.clock.now();
    const fault = judgeShown(world, book, row, before);
    if (fault !== null) world.complaints.push(`${side}: ${fault}`);
    // What a merge mixed in and what is written back is nobody's loss.
    const losable = world.parts.merged.has(row) ? [] : syncedIn(before.contact);
    for (const loss of losable) {
      const isEmptied = tokensIn(book, { ...row, ...before }, loss).size > 0 && tokensIn(book, row, loss).size === 0;
      if (isEmptied) world.destroyed.push({ side, loss, atMs });
    }
    const [held, holds] = [visibleTokens(book, { ...row, ...before }), visibleTokens(book, row)];
    const brought = holds.difference(held);
    world.unanswered.set(row, { brought, taken: held.difference(holds) });
    for (const token of brought) {
      world.ledger.delivered.add(token);
      // Taken away before, it stands there again.
      world.ledger.takenAtMs[side].delete(token);
    }
  },
  created: (side, row, originId) => {
    judgeCreated(world, side, row);
    const rival = books()[side].rows.find((other) => {
      return other !== row && other.entity === row.entity && other.state === 'live';
    });
    const isOdd = world.ledger.blurred.has(row.entity) || world.ledger.peopleOfTwo.has(row.entity);
    // A side that shows a deleted contact for a while may have it brought back, for a while.
    if (rival !== undefined && !isOdd && !showsLate) {
      world.complaints.push(`${side}: ${row.id} was created for ${originId} although ${rival.id} stands there`);
    }
    if (!books()[side].provider.keepsOriginIds) world.unconfirmed.add(row);
  },
  overwrote: (_side, before, after) => {
    world.counts.raced += 1;
    world.ledger.overwritten(contactTokens(before), contactTokens(after));
  },
  deletes: (side) => void world.destroyed.push({ side, loss: 'contacts', atMs: world.clock.now() }),
  deletesGroup: (side, members) => {
    const atMs = world.clock.now();
    for (let count = 0; count < members; count += 1) world.destroyed.push({ side, loss: 'members', atMs });
  },
  deleted: (side, row) => {
    judgeWrite(world, side, row, 'deleted');
    // What the link does not sync of a contact goes with it.
    for (const token of visibleTokens(books()[side], row)) {
      if (!isCertain(world.choosing, token)) world.ledger.explain(token);
    }
    const { blurred, peopleOfTwo, fates } = world.ledger;
    const isOdd = blurred.has(row.entity) || peopleOfTwo.has(row.entity);
    if (isOdd || fates.get(row.entity)?.deleted === true) return;
    world.complaints.push(`${side}: ${row.id} was deleted although no user deleted it`);
  },
  merged: (side, survivor, other, after) => {
    judgeWrite(world, side, survivor, 'merged');
    // A merge takes one contact away; where the side keeps it, it is deleted by itself.
    if (other.state !== 'archived') world.destroyed.push({ side, loss: 'contacts', atMs: world.clock.now() });
    world.parts.merged.add(survivor);
    const replaced = world.replaced.get(survivor) ?? new Map<Token, Token>();
    // What the link does not sync is not given back to the survivor.
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
    const { listingLagMs, feedLagMs, habits, readsLag = false } = history.hardness;
    const delays = {
      visibilityDelayMs: delayMs(listingLagMs, 7),
      feedDelayMs: delayMs(feedLagMs, 3),
      readsLag: readsLag && provider.capabilities.settlesWithinMs > 0,
    };
    const isStamped = provider.feed === 'stamps';
    return createBook({ ...plain, ...delays, habits: isStamped ? habits : PLAIN_HABITS });
  };
  const books: Books = { left: book('left'), right: book('right') };
  const shared = {
    counts: { writes: 0, raced: 0 },
    complaints: [] as string[],
    judged: new Set<string>(),
    questions: [] as ConflictRow[],
    unconfirmed: new Set<Row>(),
    unanswered: new Map<Row, Delivered>(),
    replaced: new Map<Row, Map<Token, Token>>(),
    notes: new Map<Row, Json>(),
    linked: { left: new Set<string>(), right: new Set<string>() },
    pairs: [] as Sides<string>[],
    asleep: [] as Sides<string>[],
    agreed: new Map<number, ReadonlySet<Token>>(),
    people: createPeople(),
    parts: createParts(),
    directions: (history.hardness?.direction ?? 'both') === 'both' ? (history.directions ?? {}) : {},
    destroyed: [] as Destroyed[],
    doubtful: [] as Doubtful[],
    twins: new Set<number>(),
    beforeRestore: new Map<Row, readonly Face[]>(),
    unread: new Map<Row, number>(),
    memory: {
      move: null,
      removed: null,
      backup: null,
      sharedEmails: new Set<number>(),
    } as Memory,
    ledger,
    choosing: createChoosing(),
    extras: createExtras(),
  };
  const { hardness } = history;
  const showsLate = history.lagMs > 0 || (hardness?.listingLagMs ?? 0) > 0 || (hardness?.feedLagMs ?? 0) > 0;
  const witness = createWitness({ ...shared, clock }, () => books, showsLate, hardness?.direction ?? 'both');
  const nextNumber = (): number => {
    number += 1;
    return number;
  };
  const remote = (side: Side): MemoryRemote =>
    createMemoryRemote({
      book: books[side],
      clock,
      witness,
      checksVersions: flaws.ignoresVersions !== true,
      entityOf: (from, id) => books[from].find(id)?.entity ?? -nextNumber(),
      groupEntityOf: (from, name) => {
        // Renamed between the plan and the write, the group still answers to the name that the plan saw.
        const hadName = (group: Group) => group.names.some((each) => each.toLowerCase() === name.toLowerCase());
        const named = books[from].groups.filter(hadName);
        const isLive = ({ live }: Group) => live;
        const hasName = (group: Group) => group.name.toLowerCase() === name.toLowerCase();
        // Deleted between the plan and the write, it is still the group that the plan saw.
        const twin = named.find((group) => isLive(group) && hasName(group)) ?? named.find(isLive) ?? named.at(-1);
        return twin?.entity ?? -nextNumber();
      },
    });
  return {
    ...shared,
    clock,
    books,
    remotes: { left: remote('left'), right: remote('right') },
    ...nextLink(),
    nextNumber,
  };
};

/** The contacts that a user finds in an address book. */
export const liveRows = (book: Book): Row[] => book.rows.filter((row) => row.state === 'live');

/** The same person on the other side, where there is exactly one. */
export const counterpart = (world: World, side: Side, row: Row): Row | null => {
  const others = liveRows(world.books[otherSide(side)]).filter((other) => other.entity === row.entity);
  return others.length === 1 ? (others[0] ?? null) : null;
};
