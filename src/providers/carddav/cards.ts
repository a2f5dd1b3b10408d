import { chunks } from '../../util/batches.ts';
import { isFault, NotFoundError, RemoteError, StaleError, UnreadableError } from '../errors.ts';
import type { AddressBook } from './discovery.ts';
import { type BookContext, idOf, urlOf } from './book.ts';
import { formatLines, nameOf, parseLines, type Card } from './card/content-line.ts';
import { textOf } from './card/edits.ts';
import { CARD_STATE, type DavResponse, etagOf, isGoneStatus, multiget, propertyOf, propfind } from './dav.ts';
import { requireMultistatus } from './send.ts';
import { headerNamed } from '../../net/headers.ts';
import { notSent } from '../failure.ts';

/** A card as the server stores it. */
export type StoredCard = {
  readonly id: string;
  /** Null if the server returned none: then the card cannot be written safely. */
  readonly etag: string | null;
  readonly modifiedAtMs: number | null;
  readonly card: Card;
};

/** The result of a read of one card. */
export type CardReading =
  | { readonly kind: 'card'; readonly stored: StoredCard }
  | { readonly kind: 'gone' }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** The number of cards in one request. Servers fail at many more. */
export const CARDS_PER_READ = 100;

const countOf = (card: Card, name: string): number => card.filter((line) => nameOf(line) === name).length;

/** Returns why a text is not one vCard of a known version; null if it is one. */
const flawOf = (card: Card): string | null => {
  if (countOf(card, 'BEGIN') !== 1 || countOf(card, 'END') !== 1) return 'it is not one vCard';
  const version = textOf(card, 'VERSION').trim();
  return version === '3.0' || version === '4.0' ? null : 'it is not a vCard of version 3.0 or 4.0';
};

const REVISION = /^(\d{4})-?(\d\d)-?(\d\d)T(\d\d):?(\d\d):?(\d\d)(?:\.\d+)?(?:Z|([+-]\d\d):?(\d\d)?)?$/iu;

/** Returns the time of the last edit, epoch milliseconds, as the editing program wrote it; null without a valid one. */
const revisionOf = (card: Card): number | null => {
  const [, year, month, day, hour, minute, second, hours, minutes = '00'] =
    REVISION.exec(textOf(card, 'REV').trim()) ?? [];
  const zone = hours === undefined ? 'Z' : `${hours}:${minutes}`;
  const timeMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`);
  return Number.isNaN(timeMs) ? null : timeMs;
};

const readingOf = (id: string, response: DavResponse): CardReading => {
  if (isGoneStatus(response.status)) return { kind: 'gone' };
  const data = propertyOf(response, 'C:address-data')?.text ?? '';
  if (data.trim() === '') return { kind: 'unreadable', reason: 'the server did not send the card' };
  const card = parseLines(data);
  const flaw = flawOf(card);
  if (flaw !== null) return { kind: 'unreadable', reason: flaw };
  const writtenAtMs = Date.parse(propertyOf(response, 'D:getlastmodified')?.text ?? '');
  const modifiedAtMs = Number.isNaN(writtenAtMs) ? revisionOf(card) : writtenAtMs;
  return { kind: 'card', stored: { id, etag: etagOf(response), modifiedAtMs, card } };
};

/** Returns the cards of an answer by their ids. */
export const cardsIn = (responses: readonly DavResponse[], bookUrl: string): ReadonlyMap<string, CardReading> =>
  new Map(
    responses.flatMap((response) => {
      const id = idOf(response.href, bookUrl);
      return id === null ? [] : [[id, readingOf(id, response)] as const];
    }),
  );

/** Returns whether to retry with fewer cards. SabreDAV 1 returns 404 for all cards if one of them does not exist. */
const mayReadFewer = (error: unknown): error is RemoteError =>
  error instanceof RemoteError &&
  (error instanceof UnreadableError ||
    error instanceof NotFoundError ||
    isFault(error) ||
    [413, 507].includes(error.status ?? 0));

/** Returns the reading of a single refused card. It counts as deleted only if the address book still exists. */
const refusedAlone = async (
  { send }: BookContext,
  book: AddressBook,
  error: RemoteError,
  signal: AbortSignal,
): Promise<CardReading> => {
  if (!(error instanceof NotFoundError)) return { kind: 'unreadable', reason: error.message };
  const request = propfind(book.url, '0', CARD_STATE, 'the address book');
  requireMultistatus(request, await send(request, signal));
  return { kind: 'gone' };
};

const readChunk = async (
  context: BookContext,
  book: AddressBook,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, CardReading>> => {
  const { pathname } = new URL(book.url);
  const hrefs = ids.map((id) => `${pathname}${encodeURIComponent(id)}`);
  const request = { ...multiget(book.url, hrefs), isDivisible: ids.length > 1 };
  try {
    const { responses } = requireMultistatus(request, await context.send(request, signal));
    const found = cardsIn(responses, book.url);
    const left: CardReading = { kind: 'unreadable', reason: 'the server left the card out of its answer' };
    return new Map(ids.map((id) => [id, found.get(id) ?? left]));
  } catch (error) {
    if (!mayReadFewer(error)) throw error;
    const [id = ''] = ids;
    if (ids.length === 1) return new Map([[id, await refusedAlone(context, book, error, signal)]]);
    const middle = Math.ceil(ids.length / 2);
    const first = await readChunk(context, book, ids.slice(0, middle), signal);
    return new Map([...first, ...(await readChunk(context, book, ids.slice(middle), signal))]);
  }
};

/** A weak ETag matches no `If-Match` (RFC 9110, 8.8.3.2). */
const isStrong = (etag: string): boolean => !etag.startsWith('W/');

const MOST_RECENT = 200;
/** Excludes cards with a photo, which are longer. */
const LONGEST_RECENT = 10_000;

/** Returns whether a card is short and can be written conditionally. */
const isKept = ({ card, etag }: StoredCard): boolean =>
  etag !== null &&
  isStrong(etag) &&
  card.reduce((length, { value }) => length + (value?.length ?? 0), 0) <= LONGEST_RECENT;

const keepRecent = ({ recent }: BookContext, readings: Iterable<CardReading>): void => {
  for (const reading of readings) {
    if (reading.kind !== 'card' || !isKept(reading.stored)) continue;
    recent.delete(reading.stored.id);
    recent.set(reading.stored.id, reading.stored);
  }
  for (const id of recent.keys()) {
    if (recent.size <= MOST_RECENT) break;
    recent.delete(id);
  }
};

/** Returns the cards in the given states. Only cards that were not read recently are read. */
export const readInState = async (
  context: BookContext,
  states: readonly { readonly id: string; readonly version: string }[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, CardReading>> => {
  const known = states.flatMap(({ id, version }) => {
    const stored = context.recent.get(id);
    return stored?.etag === version ? [[id, { kind: 'card', stored } as const] as const] : [];
  });
  const found = new Map<string, CardReading>(known);
  const others = states.map(({ id }) => id).filter((id) => !found.has(id));
  return others.length === 0 ? found : new Map([...found, ...(await readCards(context, others, signal))]);
};

/** Reads cards by their ids. A card that the server fails to return does not affect the others (R15). */
export const readCards = async (
  context: BookContext,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, CardReading>> => {
  const book = await context.find(signal);
  const readings = new Map<string, CardReading>();
  for (const chunk of chunks([...new Set(ids)], CARDS_PER_READ)) {
    for (const [id, reading] of await readChunk(context, book, chunk, signal)) readings.set(id, reading);
  }
  keepRecent(context, readings.values());
  return readings;
};

const condition = (etag: string | null): Readonly<Record<string, string>> =>
  etag === null || !isStrong(etag) ? {} : { 'if-match': etag };

const CARD_TYPE = 'text/vcard; charset=utf-8';

/** The error options of a write that was not sent. */
export const PUT = notSent('PUT a card');

/**
 * Writes a card. Returns the ETag of the answer, or null if it has none. `etag` is that of the replaced card; with `new`, the
 * card must not exist yet.
 */
export const putCard = async (
  context: BookContext,
  id: string,
  card: Card,
  etag: string | null | { readonly kind: 'new' },
  signal: AbortSignal,
): Promise<string | null> => {
  const book = await context.find(signal);
  const isNew = typeof etag === 'object' && etag !== null;
  const headers = { 'content-type': CARD_TYPE, ...(isNew ? { 'if-none-match': '*' } : condition(etag)) };
  const request = {
    method: 'PUT',
    url: urlOf(id, book.url),
    what: 'a card',
    headers,
    body: formatLines(card),
  } as const;
  const answer = await context.send(request, signal);
  return headerNamed(answer.headers, 'etag');
};

/** Deletes a card if it still has that ETag. */
export const deleteCard = async (
  context: BookContext,
  id: string,
  etag: string | null,
  signal: AbortSignal,
): Promise<void> => {
  const book = await context.find(signal);
  const request = {
    method: 'DELETE',
    url: urlOf(id, book.url),
    what: 'a card',
    headers: condition(etag),
    allowStatus: isGoneStatus,
  } as const;
  await context.send(request, signal);
};

const MOST_ATTEMPTS = 3;

/** Returns the card of a reading; null if it does not exist. Throws if it cannot be read. */
export const storedIn = (reading: CardReading | undefined): StoredCard | null => {
  if (reading?.kind === 'unreadable') throw unreadableCard(reading.reason);
  return reading?.kind === 'card' ? reading.stored : null;
};

/** Reads one card; null if it does not exist. Throws if it cannot be read. */
export const readStored = async (context: BookContext, id: string, signal: AbortSignal): Promise<StoredCard | null> => {
  return storedIn((await readCards(context, [id], signal)).get(id));
};

/**
 * Reads a card, edits it and writes it. Repeats this if the card changed in the meantime. Returns the card afterwards, or null
 * if it does not exist. An edit that returns the same card is not written.
 */
export const editCard = async (
  context: BookContext,
  id: string,
  edit: (card: Card) => Card,
  signal: AbortSignal,
): Promise<Card | null> => {
  let recent = context.recent.get(id);
  for (let attempt = 1; ; attempt += 1) {
    // A recently read card may have changed: then the conditional write fails. If the edit changes nothing, the card is read.
    const stored = recent ?? (await readStored(context, id, signal));
    if (stored === null) return null;
    const edited = edit(stored.card);
    const isChanged = formatLines(edited) !== formatLines(stored.card);
    if (!isChanged && recent === undefined) return stored.card;
    recent = undefined;
    context.recent.delete(id);
    if (!isChanged) continue;
    try {
      await putCard(context, id, edited, stored.etag, signal);
      return edited;
    } catch (error) {
      if (!(error instanceof StaleError) || attempt >= MOST_ATTEMPTS) throw error;
    }
  }
};

/** Returns the error for a card that exists and cannot be read. */
export const unreadableCard = (reason: string): UnreadableError =>
  new UnreadableError(`the card cannot be read: ${reason}`, { status: 200, route: 'REPORT cards', applied: 'no' });
