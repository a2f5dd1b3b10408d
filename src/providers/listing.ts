import { hash } from 'node:crypto';
import { EndlessListingError } from './errors.ts';
import type { KnownRows } from './remote.ts';
import type { Clock } from '../util/clock.ts';

/** The limits of one listing: time, pages, and rows on all pages together. */
export type ListingLimits = { readonly pages: number; readonly rows: number; readonly timeMs: number };

/** The limits of one answer: bytes after decompression, and the time from its headers to its end. */
export type AnswerLimits = { readonly bytes: number; readonly timeMs: number };

/**
 * No listing of a healthy remote reaches these limits: ten times the contact limit of a Google account. The listing of a
 * remote that
 * does not end is aborted.
 */
export const LISTING_LIMITS: ListingLimits = { pages: 5_000, rows: 250_000, timeMs: 6 * 3_600_000 };

/** The same for every remote: a faulty server must not exhaust time or memory. */
export const ANSWER_LIMITS: AnswerLimits = { bytes: 32 * 1024 * 1024, timeMs: 30_000 };

/** The pages of one walk through a listing. */
export type ListingWalk = {
  /**
   * Counts a page with so many rows; `next` names the page that follows where a token does. Throws an
   * {@link EndlessListingError} where the walk went round in a circle or passed a limit.
   */
  readonly take: (rows: number, next?: string | null) => void;
};

type ListingWalkOptions = {
  /** Method and route, without query. */
  readonly route: string;
  /** Null: the walk has no limit of time, as each of its requests has one. */
  readonly clock: Clock | null;
  readonly limits?: ListingLimits;
  /** The pages that an earlier walk, which this one goes on with, has taken. */
  readonly pagesBefore?: number;
  /** The token of the page that the walk begins with. */
  readonly first?: string | null;
};

/** Begins a walk through a listing that is given up where it does not end. */
export const startListingWalk = (options: ListingWalkOptions): ListingWalk => {
  const { clock, limits = LISTING_LIMITS, pagesBefore = 0, route, first = null } = options;
  const tokens = new Set(first === null ? [] : [first]);
  const startedAtMs = clock?.monotonic() ?? 0;
  let pages = pagesBefore;
  let rows = 0;
  const giveUp = (why: string): never => {
    throw new EndlessListingError(`${route} does not end: ${why}`, { status: 200, route, applied: 'no' });
  };
  return {
    take: (rowCount, next = null) => {
      pages += 1;
      rows += rowCount;
      if (pages > limits.pages) giveUp(`it has more than ${limits.pages} pages`);
      if (rows > limits.rows) giveUp(`it has more than ${limits.rows} rows`);
      const elapsedMs = clock === null ? 0 : clock.monotonic() - startedAtMs;
      if (elapsedMs > limits.timeMs) giveUp(`it takes longer than ${limits.timeMs / 60_000} minutes`);
      if (next === null) return;
      if (tokens.has(next)) giveUp('a page names a page that was read before as the next one');
      tokens.add(next);
    },
  };
};

/** 132 bits: more than enough to distinguish the states of one contact. */
const DIGEST_LENGTH = 22;

/**
 * Makes the digests of rows (`ContactRecord.digest`). `reader` names the version of the code that makes a record of a row:
 * what an older version made of the same row is not known to a newer one. Null where a row is nested too deeply to be
 * written as text.
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
  if (known === undefined) return new Set();
  return known(rows.flatMap(({ id, digest }) => (id === null || digest === null ? [] : [{ id, digest }])));
};
