import { z } from 'zod';
import { parseStored } from '../listing.ts';
import { type Definitions, definitionSchema } from './custom-fields.ts';

const SECOND_MS = 1_000;

/** Rounds down to whole seconds, the resolution of the service's stamps. */
const floorToSecond = (epochMs: number): number => Math.floor(epochMs / SECOND_MS) * SECOND_MS;

/** The continuation of a walk by `updated_at`: its next lower bound, and the range to read by id before that. */
type Stretch = {
  readonly afterMs: number;
  /** The upper bound of the range to read by id first, if more than a page was changed within a second; else null. */
  readonly crowdedUntilMs: number | null;
};

/**
 * Returns the continuation after a full first page under the bound `afterMs`, whose last row was changed at `lastMs` (R14).
 * Rows that change during the walk move to its end and shift the pages after them. Therefore the walk requests page 1 again
 * under a later bound. The bound stays one second behind the last row, which is right for inclusive and exclusive bounds.
 * If the bound cannot advance, more than a page was changed within one or two seconds. That range is read by id, the only
 * order that is stable across pages. It overlaps the next bound by one second, for the same reason.
 */
export const nextStretch = (afterMs: number, lastMs: number): Stretch => {
  const followingMs = floorToSecond(lastMs) - SECOND_MS;
  if (followingMs > afterMs) return { afterMs: followingMs, crowdedUntilMs: null };
  const startMs = floorToSecond(afterMs);
  return { afterMs: startMs + 2 * SECOND_MS, crowdedUntilMs: startMs + 3 * SECOND_MS };
};

/** The position in the change feed. */
const cursorSchema = z
  .object({
    /** The latest change seen, as stamped by the service; epoch milliseconds. */
    watermarkMs: z.number().int().nonnegative(),
    /** The time when the watermark was first reached, by the client's clock. It is only compared with that clock. */
    reachedAtMs: z.number(),
    /** The distance from the watermark to the start of the next walk. */
    behindMs: z.number().int().nonnegative(),
  })
  .readonly();
export type KeysetCursor = z.output<typeof cursorSchema>;

/** Encodes a cursor for storage, with the definitions of the custom fields that the link chose. */
export const encodeCursor = (cursor: KeysetCursor, definitions: Definitions = new Map()): string =>
  JSON.stringify(definitions.size === 0 ? cursor : { ...cursor, definitions: Object.fromEntries(definitions) });

/** Parses a cursor. Throws if the text is not a cursor of this program. */
export const decodeCursor = (text: string): KeysetCursor => parseStored(cursorSchema, text);

const definitionsSchema = z.object({ definitions: z.record(z.string(), definitionSchema).default({}) });

/** Returns the custom field definitions in a cursor. Throws if the text is not a cursor of this program. */
export const definitionsIn = (text: string): Definitions =>
  new Map(Object.entries(parseStored(definitionsSchema, text).definitions));

/** The time in which rows with an earlier stamp may still appear. A walk starts this far before the watermark. */
const OVERLAP_MS = 120_000;

/** Returns the lower bound of the next walk. */
export const walkFromMs = ({ watermarkMs, behindMs }: KeysetCursor): number => Math.max(0, watermarkMs - behindMs);

/** The start of a walk and the latest change that it saw; epoch milliseconds. */
type WalkSight = {
  readonly maxSeenMs: number | null;
  /** The service's time when the walk began. Later changes may have been missed, so the watermark does not pass it. */
  readonly serverStartMs: number;
  /** The client's time when the walk began. */
  readonly startedAtMs: number;
};

/** The maximum difference between the clocks of the machines that date the service's answers. */
const CLOCK_SPREAD_MS = 5 * SECOND_MS;

/**
 * Returns whether the service's clock was set back after the watermark was taken from it. Later changes are then stamped
 * below the watermark, and a walk from the watermark would miss them.
 */
export const hasSteppedBack = ({ watermarkMs }: KeysetCursor, serverTimeMs: number | null): boolean => {
  return serverTimeMs !== null && serverTimeMs < watermarkMs - CLOCK_SPREAD_MS;
};

/** Returns the cursor before the first read. */
export const startCursor = (startedAtMs: number): KeysetCursor => ({
  watermarkMs: 0,
  reachedAtMs: startedAtMs,
  behindMs: OVERLAP_MS,
});

/**
 * Returns the cursor after a walk. It never moves backwards, and never passes the service's time when the walk began. The
 * overlap is not read again after its time has passed. By the client's own clock this is certain. By the service's clock it
 * is known earlier, but the machine that dates answers may not be the one that stamps rows. Therefore one second is read
 * again, for rows with the same stamp.
 */
export const nextCursor = (old: KeysetCursor, { maxSeenMs, serverStartMs, startedAtMs }: WalkSight): KeysetCursor => {
  const seenMs = floorToSecond(Math.min(maxSeenMs ?? 0, serverStartMs));
  const isAhead = seenMs > old.watermarkMs;
  const watermarkMs = isAhead ? seenMs : old.watermarkMs;
  const reachedAtMs = isAhead ? startedAtMs : old.reachedAtMs;
  if (startedAtMs - reachedAtMs >= OVERLAP_MS) return { watermarkMs, reachedAtMs, behindMs: 0 };
  const behindMs = serverStartMs - watermarkMs >= OVERLAP_MS ? SECOND_MS : OVERLAP_MS;
  return { watermarkMs, reachedAtMs, behindMs: isAhead ? behindMs : Math.min(behindMs, old.behindMs) };
};

/**
 * Returns the next page of a walk by page numbers. If the total fell, rows moved back onto pages that were already read, and
 * these pages are read again.
 */
export const nextPageNumber = (
  page: number,
  totalBefore: number | null,
  total: number | null,
  pageSize: number,
): number => {
  const lost = totalBefore === null || total === null ? 0 : Math.max(0, totalBefore - total);
  return lost === 0 ? page + 1 : Math.max(1, page - Math.ceil(lost / pageSize));
};
