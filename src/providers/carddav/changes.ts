import { z } from 'zod';
import type { BookContext } from './book.ts';
import { idOf } from './href.ts';
import {
  CARD_STATE,
  childOf,
  contains,
  type DavResponse,
  etagOf,
  isRefusedStatus,
  propertyOf,
  propertyText,
  propfind,
  reportsAbsence,
  syncCollection,
} from './dav.ts';
import type { AddressBook } from './discovery.ts';
import { requireContents, requireMultistatus, type DavAnswer } from './send.ts';
import { CursorExpiredError, UnreadableError } from '../errors.ts';
import { notSent } from '../failure.ts';
import { parseStored, startListingWalk } from '../listing.ts';

/** The position in the feed of an address book. */
const cursorSchema = z
  .object({
    bookUrl: z.string(),
    /** The sync token (RFC 6578), or the CTag; null if the server has neither. */
    token: z.string().nullable(),
    isCtag: z.boolean(),
    /** The ids of the group cards. A change of one of them may change the groups of any contact. */
    groups: z.array(z.string()).readonly(),
    /** Those of them that could not be read, so that the records before lack them. */
    unread: z.array(z.string()).readonly(),
  })
  .readonly();
export type FeedCursor = z.output<typeof cursorSchema>;

/** The position at which an interrupted listing continues: after the card `after`. */
const positionSchema = z.object({ ...cursorSchema.unwrap().shape, after: z.string() });

const ROUTE = 'REPORT the changes';

/** Returns the error if the listing or the feed must start again. */
export const expired = (why: string, cause?: unknown): CursorExpiredError =>
  new CursorExpiredError(`${why}; the address book is listed whole`, {
    ...notSent(ROUTE),
    ...(cause !== undefined && { cause }),
  });

const decode = <Value extends FeedCursor>(schema: z.ZodType<Value>, text: string, bookUrl: string): Value => {
  let value: Value;
  try {
    value = parseStored(schema, text);
  } catch (cause) {
    throw expired('the stored cursor cannot be read', cause);
  }
  if (value.bookUrl !== bookUrl) throw expired('the address book has another address now');
  return value;
};

/** Parses a cursor of that address book. Throws a {@link CursorExpiredError} for any other text. */
export const decodeCursor = (text: string, bookUrl: string): FeedCursor => decode(cursorSchema, text, bookUrl);

/** Parses the position in a listing of that address book. Throws a {@link CursorExpiredError} for any other text. */
export const decodePosition = (text: string, bookUrl: string) => decode(positionSchema, text, bookUrl);

/** A card of a listing. The ETag is null if the server names none, or names the card as deleted, too: then the card is read. */
export type ListedCard = { readonly id: string; readonly etag: string | null };

/** The cards of a feed or a listing. */
type Changes = {
  readonly cards: readonly ListedCard[];
  /** The ids that were named as deleted, whether another row names the card as found or not. A read decides (R7). */
  readonly deleted: readonly string[];
  readonly token: string | null;
  readonly isCtag: boolean;
};

const isCollection = (response: DavResponse): boolean =>
  childOf(propertyOf(response, 'D:resourcetype'), 'D:collection') !== undefined;

/** Returns the cards of rows. The order of the rows has no meaning: some servers repeat their log of changes. */
const cardsOf = (responses: readonly DavResponse[], book: AddressBook): Pick<Changes, 'cards' | 'deleted'> => {
  const etags = new Map<string, string | null>();
  const deleted = new Set<string>();
  for (const response of responses) {
    const id = idOf(response.href, book.url);
    if (id === null || isCollection(response)) continue;
    if (reportsAbsence(response)) deleted.add(id);
    // A row that lacks only its properties may be a card whose properties are not available.
    if (response.status === null || !reportsAbsence(response)) etags.set(id, etagOf(response));
  }
  const cards = [...etags].map(([id, etag]) => ({ id, etag: deleted.has(id) ? null : etag }));
  return { cards, deleted: [...deleted] };
};

/** Returns whether a server cut an answer (507 for the collection). */
const isCut = (responses: readonly DavResponse[], book: AddressBook): boolean =>
  responses.some(({ href, status }) => status === 507 && idOf(href, book.url) === null);

/**
 * Reads the changes since a token, or all cards without one. After a partial answer (507), the next part is requested. RFC 6578
 * names the refusals 403, 409 and 507 (of the whole answer); servers use many others, also for an unknown token.
 *
 * @throws {CursorExpiredError} if the server refuses the token or the request.
 */
export const readChanges = async ({ book, send }: BookContext, since: string | null): Promise<Changes> => {
  const rows: DavResponse[] = [];
  const walk = startListingWalk({ route: ROUTE, first: since });
  let token = since;
  for (;;) {
    const request = { ...syncCollection(book.url, token), allowStatus: isRefusedStatus };
    const answer = await send(request);
    if (answer.status >= 400) throw expired(refusalOf(answer));
    const { responses, syncToken } = requireContents(request, answer, book.url);
    for (const row of responses) rows.push(row);
    token = syncToken ?? token;
    if (!isCut(responses, book)) return { ...cardsOf(rows, book), token, isCtag: false };
    if (syncToken === null) throw expired('the server cut its answer and sent no sync token for the rest');
    walk.take(responses.length, syncToken);
  }
};

const refusalOf = ({ root, status }: DavAnswer): string =>
  root !== null && contains(root, 'D:valid-sync-token')
    ? 'the server no longer knows the sync token'
    : `the server refused to report changes (${status})`;

/** Returns the CTag of an address book, which changes with each of its cards; null if the server has none. */
export const readCtag = async ({ book, send }: BookContext): Promise<string | null> => {
  const request = propfind(book.url, '0', ['CS:getctag'], 'the changes');
  const { responses } = requireMultistatus(request, await send(request));
  const [response] = responses;
  return (response && propertyText(response, 'CS:getctag').trim()) || null;
};

const cutListing = (): UnreadableError =>
  new UnreadableError('the server cut its listing of the address book', {
    status: 507,
    route: 'PROPFIND all cards',
    applied: 'no',
  });

/** Lists every card with its ETag. */
const listByEtag = async (context: BookContext): Promise<Changes> => {
  const { book } = context;
  const token = await readCtag(context);
  const request = propfind(book.url, '1', CARD_STATE, 'all cards');
  const answer = await context.send(request);
  const { responses } = requireContents(request, answer, book.url);
  if (isCut(responses, book)) throw cutListing();
  return { ...cardsOf(responses, book), token, isCtag: true };
};

/** Returns every card of an address book, and the position from which the feed continues. */
export const listCards = async (context: BookContext): Promise<Changes> => {
  if (!context.book.hasSync) return listByEtag(context);
  try {
    return await readChanges(context, null);
  } catch (error) {
    if (!(error instanceof CursorExpiredError)) throw error;
    return listByEtag(context);
  }
};
