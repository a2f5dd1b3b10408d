import { chunks } from '../../util/batches.ts';
import { UnreadableError, WrongAddressError } from '../errors.ts';
import type { BookContext } from './book.ts';
import {
  CARDS_PER_READ,
  cardsIn,
  inStoredForm,
  isRefusal,
  readCards,
  requestedVersion,
  unreadableCard,
} from './cards.ts';
import type { StoredCard } from './stored-form.ts';
import { listCards } from './changes.ts';
import type { Card } from './card/content-line.ts';
import { textOf } from './card/edits.ts';
import { isGroupCard, KINDS } from './group-cards.ts';
import { originMarkOf, uidKey } from './origin-uid.ts';
import { addressbookQuery, type CardFilter, propertyOf } from './dav.ts';
import { requireContents } from './send.ts';

const query = async (context: BookContext, filters: readonly CardFilter[]): Promise<readonly StoredCard[]> => {
  const { book } = context;
  const request = { ...addressbookQuery(book.url, filters, requestedVersion(book)), isDivisible: true };
  const { responses } = requireContents(request, await context.send(request), book.url);
  const missing = responses.find((response) => propertyOf(response, 'C:address-data') === undefined);
  if (missing !== undefined) throw unreadableCard('the server found it and did not send it');
  const readings = await inStoredForm(context, cardsIn(responses, book.url), false);
  return [...readings.values()].flatMap((each) => (each.kind === 'card' ? [each.stored] : []));
};

/** Reads all cards, and returns those that match. */
export const scanCards = async (
  context: BookContext,
  matches: (card: Card) => boolean,
): Promise<readonly StoredCard[]> => {
  const { cards } = await listCards(context);
  const found: StoredCard[] = [];
  for (const chunk of chunks(cards, CARDS_PER_READ)) {
    const ids = chunk.map(({ id }) => id);
    for (const reading of (await readCards(context, ids)).values()) {
      if (reading.kind === 'card' && matches(reading.stored.card)) found.push(reading.stored);
    }
  }
  return found;
};

const UIDS_PER_SEARCH = 50;

/** Returns the cards with these UIDs, under whatever name the server stores them. */
export const findByUid = async (context: BookContext, uids: readonly string[]): Promise<readonly StoredCard[]> => {
  const found: StoredCard[] = [];
  for (const chunk of chunks([...new Set(uids)], UIDS_PER_SEARCH)) {
    const keys = new Set(chunk.map(uidKey));
    const filters = chunk.map((text) => ({ property: 'UID', text }));
    found.push(...(await searchCards(context, filters, (card) => keys.has(uidKey(textOf(card, 'UID'))))));
  }
  return found;
};

/** Returns the cards with these UIDs, which derive from origins (`originMarkOf`), by their UID. */
export const findByMark = async (
  context: BookContext,
  uids: readonly string[],
): Promise<ReadonlyMap<string, readonly StoredCard[]>> =>
  Map.groupBy(await findByUid(context, uids), ({ card }) => originMarkOf(card) ?? '');

/** Returns the matching cards. Each must match one of the filters. If the server cannot search, reads all cards. */
export const searchCards = async (
  context: BookContext,
  filters: readonly CardFilter[],
  matches: (card: Card) => boolean,
): Promise<readonly StoredCard[]> => {
  if (context.search.isSupported) {
    try {
      return (await query(context, filters)).filter(({ card }) => matches(card));
    } catch (error) {
      if (isRefusal(error)) context.search.isSupported = false;
      else if (!(error instanceof UnreadableError) || error instanceof WrongAddressError) throw error;
    }
  }
  return scanCards(context, matches);
};

/**
 * Reads all group cards of the address book: those that a search finds, and others with known ids. If the server cannot search, reads
 * the cards with known ids, or all cards if no ids are known. A card that cannot be read becomes one of `search.unread`.
 */
export const readGroupCards = async (
  context: BookContext,
  known: Iterable<string> = context.search.groupIds ?? [],
): Promise<readonly StoredCard[]> => {
  const { groupStyle, search } = context;
  if (groupStyle === 'categories') return [];
  const filters = KINDS.map((property) => ({ property, text: 'group' }));
  const isSearched = search.isSupported || search.groupIds === null;
  const groups = [...(isSearched ? await searchCards(context, filters, isGroupCard) : [])];
  const missing = search.unread.union(new Set(known)).difference(new Set(groups.map(({ id }) => id)));
  for (const [id, reading] of await readCards(context, [...missing])) {
    if (reading.kind === 'unreadable') search.unread.add(id);
    else if (reading.kind === 'card' && isGroupCard(reading.stored.card)) groups.push(reading.stored);
    else search.unread.delete(id);
  }
  search.groupIds = new Set([...groups.map(({ id }) => id), ...search.unread]);
  return groups;
};

/** Lists the group cards that records may name. An unread one is left out, so that it does not count as empty (R7). */
export const listGroupCards = async (
  context: BookContext,
  known?: Iterable<string>,
): Promise<readonly StoredCard[]> => {
  const groups = await readGroupCards(context, known);
  return groups.filter(({ id }) => !context.search.unread.has(id));
};
