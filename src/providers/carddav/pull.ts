import type { FeedChange, FeedPage } from '../../core/contact/requests.ts';
import { chunks } from '../../util/batches.ts';
import { feedPage, findKnownRows } from '../listing.ts';
import type { KnownRows, PullRequest } from '../remote.ts';
import { type BookContext, noteCategories } from './book.ts';
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
import { cardGroupsOf, type CardRow, membershipsIn, type Memberships } from './mapper.ts';

/** A card that was read: the row of a contact, or why it cannot be read. */
type ReadRow = { readonly kind: 'contact'; readonly row: CardRow } | Extract<FeedChange, { kind: 'unreadable' }>;

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

const groupIdsIn = (read: readonly ReadRow[]): readonly string[] =>
  read.flatMap((each) => (each.kind === 'contact' ? each.row.groupIds : []));

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
    if (newGroupsIn(context, readings).length > 0) throw expired('a group was added');
    // A read confirms each deletion (R7). A card that cannot be read is read again later.
    const deletions = [...readings].flatMap(([id, reading]): readonly FeedChange[] =>
      reading.kind === 'gone' && namedAsDeleted.has(id) ? [{ kind: 'tombstone', id }] : [],
    );
    const read = [...readings].flatMap(([id, reading]) => rowsOf(context, id, reading, memberships));
    noteCategories(context, groupIdsIn(read));
    yield feedPage({ changes: [...deletions, ...read.map((each) => changeOf(context, each))] });
  }
  const next: FeedCursor = { ...cursor, token, unread: [...search.unread] };
  yield feedPage({ cursor: JSON.stringify(next) });
}

type ListingPage = Pick<FeedPage, 'changes' | 'unchanged'>;

/** Returns the group cards that were read as contacts, because no search has found them. */
const newGroupsIn = ({ groupStyle }: BookContext, readings: ReadonlyMap<string, CardReading>): readonly StoredCard[] =>
  groupStyle === 'categories'
    ? []
    : [...readings.values()].flatMap((each) =>
        each.kind === 'card' && isGroupCard(each.stored.card) ? [each.stored] : [],
      );

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
): Promise<{ readonly page: ListingPage; readonly newGroups: readonly StoredCard[] }> => {
  const rows = cards.map(({ id, etag }) => ({
    id,
    digest: memberIds.has(id) ? null : context.records.digestOf(id, etag, []),
  }));
  const knownDigests = await findKnownRows(rows, known);
  const isKnown = ({ digest }: { readonly digest: string | null }): boolean => knownDigests.has(digest);
  const asked = rows.filter((row) => !isKnown(row)).map(({ id }) => id);
  const readings = await readCards(context, asked);
  const read = [...readings].flatMap(([id, reading]) => rowsOf(context, id, reading, memberships));
  noteCategories(context, groupIdsIn(read));
  const split = await splitKnown(context, read, known);
  const page = { ...split, unchanged: [...rows.filter(isKnown).map(({ id }) => id), ...split.unchanged] };
  return { page, newGroups: newGroupsIn(context, readings) };
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

const listingState = async (
  context: BookContext,
  cards: readonly ListedCard[],
  groups: readonly StoredCard[],
  known: KnownRows | undefined,
): Promise<ListingState> => {
  const memberships = membershipsIn(groups);
  return { known, memberships, memberIds: await findMembers(context, cards, memberships) };
};

const compareTexts = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Returns the pages of cards after an id. Without cards there is one empty page, which yields the cursor. */
const pagesAfter = (cards: readonly ListedCard[], after: string): readonly (readonly ListedCard[])[] => {
  const rest = cards.filter(({ id }) => id > after).toSorted((one, other) => compareTexts(one.id, other.id));
  return rest.length === 0 ? [[]] : chunks(rest, CARDS_PER_READ);
};

/** Returns the position after a page: after its last card, or the cursor if it is the last page (null). */
const positionAfter = (cursor: FeedCursor, after: string | null): Pick<FeedPage, 'resume' | 'cursor'> =>
  after === null
    ? { resume: null, cursor: JSON.stringify(cursor) }
    : { resume: JSON.stringify({ ...cursor, after }), cursor: null };

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

/** Yields the end of a listing that read group cards that no search has found: their members again, now with these groups. */
async function* pullNewMembers(
  context: BookContext,
  cards: readonly ListedCard[],
  groups: readonly StoredCard[],
  cursor: FeedCursor,
): AsyncGenerator<FeedPage> {
  const { search } = context;
  const state = await listingState(context, cards, groups, undefined);
  for (const ids of chunks([...state.memberIds], CARDS_PER_READ)) {
    const members = ids.map((id) => ({ id, etag: null }));
    const { page } = await listedPage(context, members, state);
    yield feedPage(page);
  }
  search.groupIds = new Set(groups.map(({ id }) => id)).union(search.unread);
  yield feedPage({ cursor: JSON.stringify({ ...cursor, groups: [...search.groupIds] }) });
}

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
  const state = await listingState(context, listing.cards, groups, known);
  const contacts = listing.cards.filter(({ id }) => !groupIds.has(id));
  const pages = pagesAfter(contacts, position?.after ?? '');
  const total = pages.flat().length;
  const newGroups: StoredCard[] = [];
  for (const [index, listed] of pages.entries()) {
    const after = listed.at(-1)?.id ?? '';
    const isLast = index === pages.length - 1;
    const { page, newGroups: found } = await listedPage(context, listed, state);
    newGroups.push(...found);
    // A listing that is interrupted before `pullNewMembers` begins again.
    const isWhole = newGroups.length === 0;
    yield feedPage({
      ...page,
      total,
      ...(isWhole && positionAfter(cursor, isLast ? null : after)),
    });
  }
  context.categories.isComplete ||= position === null;
  if (newGroups.length > 0) yield* pullNewMembers(context, listing.cards, [...groups, ...newGroups], cursor);
}

/** Pulls the contacts of the address book: the changes since a cursor, or all contacts. */
export const pullContacts = (context: BookContext, request: PullRequest): AsyncGenerator<FeedPage> =>
  request.mode === 'changes' ? pullChanges(context, request.cursor) : pullWhole(context, request);
