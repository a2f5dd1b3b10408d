import type { FeedChange, FeedPage } from '../../core/contact/requests.ts';
import { chunks } from '../../util/batches.ts';
import { feedPage, findKnownRows } from '../listing.ts';
import type { KnownRows, PullRequest } from '../remote.ts';
import type { BookContext } from './book.ts';
import { CARDS_PER_READ, readCards, type CardReading } from './cards.ts';
import type { StoredCard } from './stored-form.ts';
import {
  decodeCursor,
  decodePosition,
  expired,
  type FeedCursor,
  listCards,
  type ListedCard,
  readChanges,
  readCtag,
} from './changes.ts';
import { isGroupCard } from './group-cards.ts';
import { findByUid, listGroupCards, readGroupCards } from './search.ts';
import { cardGroupsOf, type CardRow, categoryNameOf, membershipsIn, type Memberships } from './mapper.ts';

/** A card that was read: the row of a contact, or why it cannot be read. */
type ReadRow = { readonly kind: 'contact'; readonly row: CardRow } | Extract<FeedChange, { kind: 'unreadable' }>;

/** Remembers the categories of contacts, which are groups of the address book. */
const noteCategories = ({ categories }: BookContext, read: readonly ReadRow[]): void => {
  for (const each of read) {
    const groupIds = each.kind === 'contact' ? each.row.groupIds : [];
    for (const name of groupIds.flatMap((id) => categoryNameOf(id) ?? [])) categories.names.add(name);
  }
};

/** Returns a card that was read as a row; none for a group card or a card that is deleted in the meantime. */
const rowsOf = (
  { records }: BookContext,
  id: string,
  reading: CardReading,
  memberships: Memberships,
): readonly ReadRow[] => {
  if (reading.kind === 'gone') return [];
  if (reading.kind === 'unreadable') return [{ kind: 'unreadable', id, reason: reading.reason }];
  if (isGroupCard(reading.stored.card)) return [];
  const row = records.rowOf(reading.stored, cardGroupsOf(reading.stored.card, memberships));
  return [{ kind: 'contact', row }];
};

const changeOf = ({ records }: BookContext, read: ReadRow): FeedChange =>
  read.kind === 'contact' ? { kind: 'upsert', record: records.recordOfRow(read.row), previousIds: [] } : read;

/** Yields the pages of the changes since a cursor. */
async function* pullChanges(context: BookContext, cursorText: string): AsyncGenerator<FeedPage> {
  const { book, search } = context;
  const cursor = decodeCursor(cursorText, book.url);
  search.unread = search.unread.union(new Set(cursor.unread));
  if (cursor.isCtag) {
    const ctag = await readCtag(context);
    if (ctag === null) throw expired('the server has neither sync tokens nor a CTag');
    if (ctag !== cursor.token) throw expired('the CTag of the address book changed');
    // Without sync tokens, an equal CTag means that nothing changed.
    yield feedPage({ cursor: cursorText });
    return;
  }
  if (cursor.token === null) throw expired('the stored cursor has no sync token');
  const { cards, deleted, token } = await readChanges(context, cursor.token);
  const named = new Set([...cards.map(({ id }) => id), ...deleted]);
  const groupIds = new Set(cursor.groups);
  search.groupIds ??= new Set(groupIds);
  if (!named.isDisjointFrom(groupIds)) throw expired('a group changed');
  // A multiget may leave out a new group card.
  const groups = named.size + search.unread.size === 0 ? [] : await readGroupCards(context);
  if (groups.some(({ id }) => !groupIds.has(id) || search.unread.has(id))) throw expired('a group was added');
  const memberships = membershipsIn(groups);
  const namedAsDeleted = new Set(deleted);
  for (const chunk of chunks([...named], CARDS_PER_READ)) {
    const readings = await readCards(context, chunk);
    const isNewGroup = (reading: CardReading): boolean => reading.kind === 'card' && isGroupCard(reading.stored.card);
    if ([...readings.values()].some(isNewGroup)) throw expired('a group was added');
    // A read confirms each deletion (R7). A card that cannot be read is read again later.
    const deletions = [...readings].flatMap(([id, reading]): readonly FeedChange[] =>
      reading.kind === 'gone' && namedAsDeleted.has(id) ? [{ kind: 'tombstone', id }] : [],
    );
    const read = [...readings].flatMap(([id, reading]) => rowsOf(context, id, reading, memberships));
    noteCategories(context, read);
    yield feedPage({ changes: [...deletions, ...read.map((each) => changeOf(context, each))] });
  }
  const next: FeedCursor = { ...cursor, token, unread: [...search.unread] };
  yield feedPage({ cursor: JSON.stringify(next) });
}

type ListingPage = Pick<FeedPage, 'changes' | 'unchanged'>;

/** Splits cards that were read into changes and the ids of known, unchanged cards, of which no records are made. */
const splitKnown = async (
  context: BookContext,
  read: readonly ReadRow[],
  known: KnownRows | undefined,
): Promise<ListingPage> => {
  const rows = read.flatMap((each) => (each.kind === 'contact' ? [each.row] : []));
  const knownDigests = await findKnownRows(rows, known);
  const isKnown = ({ digest }: CardRow): boolean => knownDigests.has(digest);
  const changed = read.filter((each) => each.kind === 'unreadable' || !isKnown(each.row));
  return {
    changes: changed.map((each) => changeOf(context, each)),
    unchanged: rows.filter(isKnown).map(({ id }) => id),
  };
};

/** The data that all pages of a listing share. */
type ListingState = {
  readonly known: KnownRows | undefined;
  readonly memberships: Memberships;
  /** The ids of members of group cards, as far as they can be determined before the cards are read. */
  readonly memberIds: ReadonlySet<string>;
};

/**
 * Returns one page of a listing. A known card without groups is not read: the digest that is compared before a read is that of a
 * card without groups. A card with groups is always read, because the categories of an address book are those of its cards.
 */
const listedPage = async (
  context: BookContext,
  cards: readonly ListedCard[],
  { known, memberIds, memberships }: ListingState,
): Promise<ListingPage> => {
  const rows = cards.map(({ id, etag }) => ({
    id,
    digest: memberIds.has(id) ? null : context.records.digestOf(id, etag, []),
  }));
  const knownDigests = await findKnownRows(rows, known);
  const isKnown = ({ digest }: { readonly digest: string | null }): boolean => knownDigests.has(digest);
  const asked = rows.filter((row) => !isKnown(row)).map(({ id }) => id);
  const readings = await readCards(context, asked);
  const read = [...readings].flatMap(([id, reading]) => rowsOf(context, id, reading, memberships));
  noteCategories(context, read);
  const page = await splitKnown(context, read, known);
  return { ...page, unchanged: [...rows.filter(isKnown).map(({ id }) => id), ...page.unchanged] };
};

/** Returns the ids of the members of group cards. The file names of most cards are UIDs; other members are searched for. */
const findMembers = async (
  context: BookContext,
  cards: readonly ListedCard[],
  memberships: Memberships,
): Promise<ReadonlySet<string>> => {
  if (memberships.size === 0) return new Set();
  const byName = new Map(cards.map(({ id }) => [id.replace(/\.vcf$/iu, '').toLowerCase(), id]));
  const ids = new Set([...memberships.keys()].flatMap((key) => byName.get(key) ?? []));
  const others = [...memberships.keys()].filter((key) => !byName.has(key));
  for (const { id } of await findByUid(context, others)) ids.add(id);
  return ids;
};

const compareTexts = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Lists the group cards for a whole listing that begins, or that continues at a position. */
const listGroupsAt = (
  context: BookContext,
  position: Pick<FeedCursor, 'groups' | 'unread'> | null,
): Promise<readonly StoredCard[]> => {
  const { search } = context;
  const formerIds = [...(search.groupIds ?? []), ...(position?.groups ?? [])];
  // The changes since the token of the position contain group cards that are newer than the position.
  search.groupIds = position === null ? null : new Set(position.groups);
  search.unread = new Set(position?.unread);
  return listGroupCards(context, formerIds);
};

/** Yields the pages of a whole listing. */
async function* pullWhole(
  context: BookContext,
  { known, resume }: Extract<PullRequest, { mode: 'whole' }>,
): AsyncGenerator<FeedPage> {
  const bookUrl = context.book.url;
  const position = resume === null ? null : decodePosition(resume, bookUrl);
  const listing = await listCards(context);
  const groups = await listGroupsAt(context, position);
  const groupIds = new Set(context.search.groupIds);
  const { token, isCtag } = position ?? listing;
  const cursor: FeedCursor = {
    bookUrl,
    // The first token also returns the changes since the listing began.
    token,
    isCtag,
    groups: [...groupIds],
    unread: [...context.search.unread],
  };
  const memberships = membershipsIn(groups);
  const memberIds = await findMembers(context, listing.cards, memberships);
  const state: ListingState = { known, memberships, memberIds };
  const cards = listing.cards
    .filter(({ id }) => !groupIds.has(id) && (position === null || id > position.after))
    .toSorted((one, other) => compareTexts(one.id, other.id));
  const total = cards.length;
  // An empty address book has one empty page, which yields the cursor.
  const pages = cards.length === 0 ? [[]] : chunks(cards, CARDS_PER_READ);
  for (const [index, page] of pages.entries()) {
    const after = page.at(-1)?.id ?? '';
    const isLast = index === pages.length - 1;
    const content = await listedPage(context, page, state);
    if (isLast && position === null) context.categories.isComplete = true;
    yield feedPage({
      ...content,
      total,
      resume: isLast ? null : JSON.stringify({ ...cursor, after }),
      cursor: isLast ? JSON.stringify(cursor) : null,
    });
  }
}

/** Pulls the contacts of the address book: the changes since a cursor, or all contacts. */
export const pullContacts = (context: BookContext, request: PullRequest): AsyncGenerator<FeedPage> =>
  request.mode === 'changes' ? pullChanges(context, request.cursor) : pullWhole(context, request);
