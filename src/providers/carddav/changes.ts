import { z } from 'zod';
import { type BookContext, idOf } from './book.ts';
import {
  CARD_STATE,
  childOf,
  contains,
  type DavResponse,
  etagOf,
  isGoneStatus,
  propertyOf,
  propfind,
  syncCollection,
} from './dav.ts';
import type { AddressBook } from './discovery.ts';
import { requireMultistatus, type DavAnswer } from './send.ts';
import { CursorExpiredError } from '../errors.ts';
import { notSent } from '../failure.ts';
import { parseStored, startListingWalk } from '../listing.ts';

/** The position in the feed of an address book. */
const cursorSchema = z
  .object({
    bookUrl: z.string(),
    /** The sync token (RFC 6578), or the CTag of a server without tokens; null if it has neither. */
    token: z.string().nullable(),
    /** The ids of the group cards. A change of one of them may change the groups of any contact. */
    groups: z.array(z.string()).readonly(),
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

/** A card of a listing. */
export type ListedCard = { readonly id: string; readonly etag: string | null };

/** The cards of a feed or a listing. */
type Changes = {
  readonly cards: readonly ListedCard[];
  /** The ids of deleted cards and other deleted resources. */
  readonly deleted: readonly string[];
  readonly token: string | null;
};

const isCollection = (response: DavResponse): boolean =>
  childOf(propertyOf(response, 'D:resourcetype'), 'D:collection') !== undefined;

/** A card without a refusal status. Any other status means that the server could not return it. */
const isCard = (response: DavResponse): boolean =>
  !isCollection(response) && (response.status === null || response.status < 400);

const listed = (responses: readonly DavResponse[], book: AddressBook): Omit<Changes, 'token'> => {
  const withIds = responses.flatMap((response) => {
    const id = idOf(response.href, book.url);
    return id === null ? [] : [{ id, response }];
  });
  return {
    cards: withIds
      .filter(({ response }) => isCard(response))
      .map(({ id, response }) => ({ id, etag: etagOf(response) })),
    deleted: withIds.filter(({ response }) => isGoneStatus(response.status)).map(({ id }) => id),
  };
};

/** Returns whether a refusal may mean that the token has expired (RFC 6578, 3.2). Some servers fail at such a token. */
const mayRefuseToken = (status: number): boolean => [400, 403, 409, 410, 412, 500].includes(status);

/**
 * Reads the changes since a token, or all cards without one. After a partial answer (507), the next part is requested.
 *
 * @throws {CursorExpiredError} if the server no longer accepts the token.
 */
export const readChanges = async (
  { send }: BookContext,
  book: AddressBook,
  since: string | null,
  signal: AbortSignal,
): Promise<Changes> => {
  const cards = new Map<string, ListedCard>();
  const deleted = new Set<string>();
  const walk = startListingWalk({ route: ROUTE, clock: null, first: since });
  let token = since;
  for (;;) {
    const asked = syncCollection(book.url, token);
    const request = since === null ? asked : { ...asked, allowStatus: mayRefuseToken };
    const answer = await send(request, signal);
    if (answer.status >= 400) throw expired(refusalOf(answer));
    const { responses, syncToken } = requireMultistatus(request, answer);
    const page = listed(responses, book);
    for (const card of page.cards) {
      cards.set(card.id, card);
      deleted.delete(card.id);
    }
    for (const id of page.deleted) {
      cards.delete(id);
      deleted.add(id);
    }
    token = syncToken ?? token;
    const isCut = responses.some(({ href, status }) => status === 507 && idOf(href, book.url) === null);
    if (!isCut || syncToken === null) return { cards: [...cards.values()], deleted: [...deleted], token };
    walk.take(responses.length, syncToken);
  }
};

const refusalOf = ({ root }: DavAnswer): string =>
  root !== null && contains(root, 'D:valid-sync-token')
    ? 'the server no longer knows the sync token'
    : 'the server refused the sync token';

/** Returns the CTag of an address book, which changes with each of its cards; null if the server has none. */
export const readCtag = async (
  { send }: BookContext,
  book: AddressBook,
  signal: AbortSignal,
): Promise<string | null> => {
  const request = propfind(book.url, '0', ['CS:getctag'], 'the changes');
  const { responses } = requireMultistatus(request, await send(request, signal));
  const [response] = responses;
  return (response && propertyOf(response, 'CS:getctag')?.text.trim()) || null;
};

/** Returns every card of an address book, and the position from which the feed continues. */
export const listCards = async (context: BookContext, book: AddressBook, signal: AbortSignal): Promise<Changes> => {
  if (book.hasSync) return readChanges(context, book, null, signal);
  const token = await readCtag(context, book, signal);
  const request = propfind(book.url, '1', CARD_STATE, 'all cards');
  const { responses } = requireMultistatus(request, await context.send(request, signal));
  return { ...listed(responses, book), token };
};
