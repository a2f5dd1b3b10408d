import { hash } from 'node:crypto';
import type { KnownRows } from './remote.ts';

/** 132 bits: more than enough to tell the states of one contact apart. */
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

/** A row of a listing before it is read; null where not even that is readable. */
export type UnreadRow = { readonly id: string | null; readonly digest: string | null };

/** Answers the digests of the rows that are known; none where nobody knows any. */
export const findKnown = async (
  rows: readonly UnreadRow[],
  known: KnownRows | undefined,
): Promise<ReadonlySet<string | null>> => {
  if (known === undefined) return new Set();
  return known(rows.flatMap(({ id, digest }) => (id === null || digest === null ? [] : [{ id, digest }])));
};
