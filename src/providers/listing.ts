import { hash } from 'node:crypto';
import type { z } from 'zod';
import type { FeedPage } from '../core/contact/requests.ts';
import { EndlessListingError } from './errors.ts';
import { answered } from './failure.ts';
import type { KnownRows } from './remote.ts';
import type { AnswerLimits } from '../net/exchange.ts';

/** The limits of one listing: pages, and rows on all pages together. Each request has a time limit. */
export type ListingLimits = { readonly pages: number; readonly rows: number };

/**
 * A healthy remote does not reach these limits: they are ten times the contact limit of a Google account. A listing that does
 * not end is aborted.
 */
export const LISTING_LIMITS: ListingLimits = { pages: 5_000, rows: 250_000 };

/** The limits for every remote: a faulty server must not exhaust time or memory. */
export const ANSWER_LIMITS: AnswerLimits = { bytes: 32 * 1024 * 1024, timeMs: 30_000 };

/** The pages of one walk through a listing. */
export type ListingWalk = {
  /**
   * Counts a page with `rows` rows; `next` is the token of the next page, if there is one. Throws an
   * {@link EndlessListingError} if the token was seen before or a limit is exceeded.
   */
  readonly take: (rows: number, next?: string | null) => void;
};

type ListingWalkOptions = {
  /** Method and route, without query. */
  readonly route: string;
  readonly limits?: ListingLimits;
  /** The number of pages that the continued earlier walk has read. */
  readonly pagesBefore?: number;
  /** The token of the first page of the walk. */
  readonly first?: string | null;
};

/** Starts a walk through a listing. It is aborted if the listing does not end. */
export const startListingWalk = (options: ListingWalkOptions): ListingWalk => {
  const { limits = LISTING_LIMITS, pagesBefore = 0, route, first = null } = options;
  const tokens = new Set(first === null ? [] : [first]);
  let pages = pagesBefore;
  let rows = 0;
  const giveUp = (why: string): never => {
    throw new EndlessListingError(`${route} does not end: ${why}`, answered(route));
  };
  return {
    take: (rowCount, next = null) => {
      pages += 1;
      rows += rowCount;
      if (pages > limits.pages) giveUp(`it has more than ${limits.pages} pages`);
      if (rows > limits.rows) giveUp(`it has more than ${limits.rows} rows`);
      if (next === null) return;
      if (tokens.has(next)) giveUp('a page names a page that was read before as the next one');
      tokens.add(next);
    },
  };
};

/** Returns a page of a feed. Without these values it is an empty page in the middle. */
export const feedPage = (page: Partial<FeedPage>): FeedPage => ({
  changes: [],
  unchanged: [],
  resume: null,
  cursor: null,
  total: null,
  ...page,
});

/** Parses a stored cursor or resume point. Throws an Error if the text is not one. */
export const parseStored = <Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> =>
  schema.parse(JSON.parse(text));

/** 132 bits: more than enough to distinguish the states of one contact. */
const DIGEST_LENGTH = 22;

/**
 * Returns a function for the digests of rows (`ContactRecord.digest`). `reader` identifies the version of the code that makes
 * a record of a row: rows that an older version read are not known to a newer one. The digest is null if a row is nested too
 * deeply for JSON.
 */
export const createRowDigest = (reader: string): ((row: unknown) => string | null) => {
  return (row) => {
    try {
      return `${reader} ${hash('sha1', JSON.stringify(row), 'base64url').slice(0, DIGEST_LENGTH)}`;
    } catch {
      return null;
    }
  };
};

/** A row of a listing before it is parsed; null for an id or digest that cannot be determined. */
type UnreadRow = { readonly id: string | null; readonly digest: string | null };

/** Returns the digests of the known rows; an empty set without `known`. */
export const findKnownRows = async (
  rows: readonly UnreadRow[],
  known: KnownRows | undefined,
): Promise<ReadonlySet<string | null>> => {
  const asked = rows.flatMap(({ id, digest }) => (id === null || digest === null ? [] : [{ id, digest }]));
  return known === undefined || asked.length === 0 ? new Set() : known(asked);
};
