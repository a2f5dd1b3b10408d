import { PRINTABLE_ASCII } from '../../core/contact/text.ts';
import { chunks, splitInHalves } from '../../util/batches.ts';
import { isFault, InvalidError, NotFoundError, RemoteError, UnreadableError, WrongAddressError } from '../errors.ts';
import { answered } from '../failure.ts';
import type { AddressBook } from './discovery.ts';
import type { BookContext, KnownVersion } from './book.ts';
import { idOf, segmentOf, urlOf } from './href.ts';
import { parseLines, type Card } from './card/content-line.ts';
import { textOf, versionOf } from './card/edits.ts';
import {
  addressbookQuery,
  CARD_STATE,
  type DavResponse,
  etagOf,
  isGoneStatus,
  isRefusedStatus,
  multiget,
  propertyText,
  propfind,
  reportsAbsence,
  type RequestedVersion,
} from './dav.ts';
import { requireContents, requireMultistatus } from './send.ts';
import { type FoundCard, hasStoredLength, type StoredCard, storedForm, unchecked } from './stored-form.ts';

type Unfound = { readonly kind: 'gone' } | { readonly kind: 'unreadable'; readonly reason: string };

/** The result of a read of one card. */
export type CardReading = { readonly kind: 'card'; readonly stored: StoredCard } | Unfound;

/** The result of a read of one card in one version. */
type Reading = FoundCard | Unfound;

/** The number of cards in one request. Servers fail at many more. */
export const CARDS_PER_READ = 100;

const countOf = (card: Card, name: string): number => card.filter((line) => line.name === name).length;

/** The encoding of version 2.1. Its text may continue on lines that later versions read as other lines. */
const QUOTED_PRINTABLE = /[;=]QUOTED-PRINTABLE(?:;|$)/iu;

/** Returns why a text is not one vCard of a known version; null if it is one. */
const flawOf = (card: Card): string | null => {
  if (countOf(card, 'BEGIN') !== 1 || countOf(card, 'END') !== 1) return 'it is not one vCard';
  const version = versionOf(card);
  if (version !== '3.0' && version !== '4.0') return 'it is not a vCard of version 3.0 or 4.0';
  const isEncoded = card.some(({ head }) => head.includes(';') && QUOTED_PRINTABLE.test(head));
  return isEncoded ? `it has a quoted-printable value, which version ${version} does not allow` : null;
};

const REVISION = /^(\d{4})-?(\d\d)-?(\d\d)T(\d\d):?(\d\d):?(\d\d)(?:\.\d+)?(?:Z|([+-]\d\d):?(\d\d)?)?$/iu;

/** Returns the time of the last edit, epoch milliseconds, as the editing program wrote it; null without a valid one. */
const revisionOf = (card: Card): number | null => {
  const parts = REVISION.exec(textOf(card, 'REV').trim());
  if (parts === null) return null;
  const [, year, month, day, hour, minute, second, hours, minutes = '00'] = parts;
  const zone = hours === undefined ? 'Z' : `${hours}:${minutes}`;
  const timeMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`);
  return Number.isNaN(timeMs) ? null : timeMs;
};

/** Returns the reading of a row; null if only its properties are missing, so that the row does not show whether the card exists. */
const readingOf = (id: string, response: DavResponse): Reading | null => {
  if (isGoneStatus(response.status)) return { kind: 'gone' };
  if (reportsAbsence(response)) return null;
  const data = propertyText(response, 'C:address-data');
  if (data.trim() === '') return { kind: 'unreadable', reason: 'the server did not send the card' };
  const card = parseLines(data);
  const flaw = flawOf(card);
  if (flaw !== null) return { kind: 'unreadable', reason: flaw };
  const writtenAtMs = Date.parse(propertyText(response, 'D:getlastmodified'));
  const modifiedAtMs = Number.isNaN(writtenAtMs) ? revisionOf(card) : writtenAtMs;
  const length = propertyText(response, 'D:getcontentlength').trim();
  return {
    kind: 'card',
    stored: { id, etag: etagOf(response), modifiedAtMs, card, isOriginal: true },
    text: data,
    storedBytes: /^\d+$/u.test(length) ? Number(length) : null,
  };
};

const RANKS: Readonly<Record<Reading['kind'], number>> = { card: 2, unreadable: 1, gone: 0 };

/** Returns the cards of an answer by their ids. If several rows name one card, it exists if one of them shows it (R7). */
export const cardsIn = (responses: readonly DavResponse[], bookUrl: string): ReadonlyMap<string, Reading> => {
  const readings = new Map<string, Reading>();
  for (const response of responses) {
    const id = idOf(response.href, bookUrl);
    if (id === null) continue;
    const reading = readingOf(id, response);
    const known = readings.get(id);
    if (reading !== null && (known === undefined || RANKS[reading.kind] > RANKS[known.kind])) readings.set(id, reading);
  }
  return readings;
};

/** Returns whether to retry with fewer cards. SabreDAV 1 returns 404 for all cards if one of them does not exist. */
const mayReadFewer = (error: unknown): error is RemoteError =>
  error instanceof RemoteError &&
  !(error instanceof WrongAddressError) &&
  (error instanceof UnreadableError ||
    error instanceof NotFoundError ||
    error instanceof InvalidError ||
    isFault(error));

/**
 * Reads a card that a multiget leaves out, or reports as absent in an unusual way: SabreDAV 2 to 4 leave missing cards out. Only
 * a 404 or 410 for the card itself confirms that it does not exist (R7).
 */
const readAbsent = async ({ book, send }: BookContext, id: string): Promise<Reading> => {
  const request = { method: 'GET', url: urlOf(id, book.url), what: 'a card', allowStatus: isRefusedStatus } as const;
  const { status } = await send(request);
  return isGoneStatus(status)
    ? { kind: 'gone' }
    : { kind: 'unreadable', reason: 'the server left the card out of its answer' };
};

/** Returns the reading of a single refused card. It counts as deleted only if the address book still exists. */
const refusedAlone = async (context: BookContext, id: string, error: RemoteError): Promise<Reading> => {
  if (!(error instanceof NotFoundError)) return { kind: 'unreadable', reason: error.message };
  const request = propfind(context.book.url, '0', CARD_STATE, 'the address book');
  requireMultistatus(request, await context.send(request));
  return readAbsent(context, id);
};

const readChunk = async (
  context: BookContext,
  ids: readonly string[],
  version: RequestedVersion,
): Promise<ReadonlyMap<string, Reading>> => {
  const { book } = context;
  const { pathname } = new URL(book.url);
  const hrefs = ids.map((id) => `${pathname}${segmentOf(id)}`);
  const request = { ...multiget(book.url, hrefs, version), isDivisible: ids.length > 1 };
  try {
    const { responses } = requireContents(request, await context.send(request), book.url);
    const found = cardsIn(responses, book.url);
    const readings = new Map<string, Reading>();
    for (const id of ids) readings.set(id, found.get(id) ?? (await readAbsent(context, id)));
    return readings;
  } catch (error) {
    if (!mayReadFewer(error)) throw error;
    const [id = ''] = ids;
    if (ids.length === 1) return new Map([[id, await refusedAlone(context, id, error)]]);
    const [first, second] = splitInHalves(ids);
    return new Map([...(await readChunk(context, first, version)), ...(await readChunk(context, second, version))]);
  }
};

/** A weak ETag matches no `If-Match` (RFC 9110, 8.8.3.2), and a header can hold printable ASCII only. */
export const isStrong = (etag: string): boolean => !etag.startsWith('W/') && PRINTABLE_ASCII.test(etag);

const takesBothVersions = ({ versions }: AddressBook): boolean => versions.includes('3.0') && versions.includes('4.0');

/** Returns the version in which cards are requested first. */
export const requestedVersion = ({ version, versions }: AddressBook): RequestedVersion =>
  versions.length === 1 && version === '4.0' ? '4.0' : 'default';

/** Reads cards in one version. A card that the server fails to return does not affect the others (R15). */
const readEach = async (
  context: BookContext,
  ids: readonly string[],
  version: RequestedVersion,
): Promise<ReadonlyMap<string, Reading>> => {
  const readings = new Map<string, Reading>();
  for (const chunk of chunks([...new Set(ids)], CARDS_PER_READ)) {
    for (const [id, reading] of await readChunk(context, chunk, version)) readings.set(id, reading);
  }
  return readings;
};

/** Returns whether a server refuses a kind of request, or fails at it, by the status of its answer. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof RemoteError && isRefusedStatus(error.status ?? 0);

const isRefused = (error: unknown): boolean => error instanceof UnreadableError || isRefusal(error);

/** Reads cards in version 4.0. Returns none if the server refuses that. */
const readAsVersion4 = async (context: BookContext, ids: readonly string[]): Promise<ReadonlyMap<string, Reading>> => {
  try {
    return await readEach(context, ids, '4.0');
  } catch (error) {
    if (isRefused(error)) return new Map();
    throw error;
  }
};

/** Searches for the stored version of all cards, and remembers those that are found in exactly one version. */
const findVersions = async ({ book, send, versions }: BookContext): Promise<void> => {
  const found = new Map<string, KnownVersion | null>();
  try {
    for (const version of ['3.0', '4.0'] as const) {
      const request = {
        ...addressbookQuery(book.url, [{ property: 'VERSION', text: version }], null),
        isDivisible: true,
      };
      for (const response of requireMultistatus(request, await send(request)).responses) {
        const [id, etag] = [idOf(response.href, book.url), etagOf(response)];
        if (id !== null && etag !== null) found.set(id, found.has(id) ? null : { etag, version });
      }
    }
  } catch (error) {
    if (!isRefused(error)) throw error;
    return;
  }
  for (const [id, known] of found) if (known !== null) versions.set(id, known);
};

const knownVersion = ({ versions }: BookContext, { id, etag }: StoredCard): string | null => {
  const known = versions.get(id);
  return known !== undefined && known.etag === etag ? known.version : null;
};

/** Remembers the version in which this program has stored a card. */
export const noteVersion = ({ book, versions }: BookContext, { id, card }: StoredCard, etag: string | null): void => {
  if (etag !== null && takesBothVersions(book)) versions.set(id, { etag, version: versionOf(card) });
};

/**
 * Returns the readings with each card in the form in which it is stored, if the address book takes both versions. To make a
 * record, a second form is read only if the first one does not have the stored length. To edit a card (`isEdited`), both are read.
 */
export const inStoredForm = async (
  context: BookContext,
  readings: ReadonlyMap<string, Reading>,
  isEdited: boolean,
): Promise<ReadonlyMap<string, CardReading>> => {
  if (!takesBothVersions(context.book)) return readings;
  // A card that was requested in version 3.0 and returned in version 4.0 was not converted.
  const shown = [...readings.values()].filter(
    (reading): reading is FoundCard => reading.kind === 'card' && versionOf(reading.stored.card) === '3.0',
  );
  const doubtful = shown.filter((each) => isEdited || (each.storedBytes !== null && !hasStoredLength(each)));
  const ids = doubtful.map(({ stored }) => stored.id);
  const others = ids.length === 0 ? new Map<string, Reading>() : await readAsVersion4(context, ids);
  const choose = (first: FoundCard): FoundCard | null => {
    const second = others.get(first.stored.id);
    return storedForm(first, second?.kind === 'card' ? second : null, knownVersion(context, first.stored));
  };
  if (isEdited && doubtful.some((first) => choose(first) === null)) await findVersions(context);
  const chosen = shown.map((first) => (doubtful.includes(first) ? choose(first) : null) ?? unchecked(first));
  return new Map([...readings, ...chosen.map((each) => [each.stored.id, each] as const)]);
};

/** Reads cards by their ids: to make records of them, or to edit them (`isEdited`). */
export const readCards = async (
  context: BookContext,
  ids: readonly string[],
  isEdited = false,
): Promise<ReadonlyMap<string, CardReading>> => {
  const read = await readEach(context, ids, requestedVersion(context.book));
  return inStoredForm(context, read, isEdited);
};

/** Returns the card of a reading; null if it does not exist. Throws if it cannot be read. */
export const storedIn = (reading: CardReading | undefined): StoredCard | null => {
  if (reading?.kind === 'unreadable') throw unreadableCard(reading.reason);
  return reading?.kind === 'card' ? reading.stored : null;
};

/** Reads one card; null if it does not exist. Throws if it cannot be read. */
export const readStored = async (context: BookContext, id: string, isEdited = false): Promise<StoredCard | null> =>
  storedIn((await readCards(context, [id], isEdited)).get(id));

/** Returns the error for a card that exists and cannot be read. */
export const unreadableCard = (reason: string): UnreadableError =>
  new UnreadableError(`the card cannot be read: ${reason}`, answered('REPORT cards'));
