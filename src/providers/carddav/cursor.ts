import { z } from 'zod';
import { CursorExpiredError } from '../errors.ts';

/** The position in the feed of an address book. */
export type FeedCursor = {
  readonly bookUrl: string;
  /** The sync token (RFC 6578), or the CTag of a server without tokens; null where it has neither. */
  readonly token: string | null;
  /** The ids of the group cards: when one of them changes, so may the groups of any contact. */
  readonly groups: readonly string[];
};

/** The position at which a listing continues that was cut off. */
export type ListingPlace = FeedCursor & { readonly after: string };

const cursorSchema = z.object({
  bookUrl: z.string(),
  token: z.string().nullable(),
  groups: z.array(z.string()),
});
const placeSchema = cursorSchema.extend({ after: z.string() });

/** The listing or the feed has to begin again. */
export const expired = (why: string, cause?: unknown): CursorExpiredError =>
  new CursorExpiredError(`${why}; the address book is listed whole`, {
    status: null,
    route: 'REPORT the changes',
    applied: 'no',
    ...(cause !== undefined && { cause }),
  });

const decode = <Value extends FeedCursor>(schema: z.ZodType<Value>, text: string, bookUrl: string): Value => {
  let value: Value;
  try {
    value = schema.parse(JSON.parse(text));
  } catch (cause) {
    throw expired('the stored cursor cannot be read', cause);
  }
  if (value.bookUrl !== bookUrl) throw expired('the address book has another address now');
  return value;
};

/** Reads a cursor of that address book. Throws a {@link CursorExpiredError} for any other text. */
export const decodeCursor = (text: string, bookUrl: string): FeedCursor => decode(cursorSchema, text, bookUrl);

/** Reads the place of a listing of that address book. Throws a {@link CursorExpiredError} for any other text. */
export const decodePlace = (text: string, bookUrl: string): ListingPlace => decode(placeSchema, text, bookUrl);
