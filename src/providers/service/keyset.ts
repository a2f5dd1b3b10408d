const SECOND_MS = 1_000;

/** Rounded down to whole seconds, the resolution of the service's stamps. */
const floorToSecond = (epochMs: number): number => Math.floor(epochMs / SECOND_MS) * SECOND_MS;

/** How a walk by `updated_at` goes on: its next lower bound, and what to read by id before that. */
export type Stretch = {
  readonly afterMs: number;
  /** Where more than a page was changed within a second: the upper bound of what to read by id first; else null. */
  readonly crowdedUntilMs: number | null;
};

/**
 * How to go on after a full first page under the bound `afterMs`, whose last row was changed at `lastMs` (R14). Rows that
 * change during the walk move to its end and shift the pages behind them, so the walk asks for page 1 again under a bound
 * that follows what it saw. The bound stays a second behind, which is right whether the service takes it as inclusive or not.
 * Where the bound cannot move so, more than a page was changed within a second or two; there only ids tell an order that
 * holds from page to page. What is read by id overlaps the next bound by a second, for the same reason.
 */
export const nextStretch = (afterMs: number, lastMs: number): Stretch => {
  const followingMs = floorToSecond(lastMs) - SECOND_MS;
  if (followingMs > afterMs) return { afterMs: followingMs, crowdedUntilMs: null };
  const startMs = floorToSecond(afterMs);
  return { afterMs: startMs + 2 * SECOND_MS, crowdedUntilMs: startMs + 3 * SECOND_MS };
};

/** How far the change feed was read. */
export type KeysetCursor = {
  /** The latest change seen, by the service's own stamps; epoch milliseconds. */
  readonly watermarkMs: number;
  /** When the watermark was first reached, by the client's clock: only differences to that clock are taken. */
  readonly reachedAtMs: number;
  /** How far behind the watermark the next walk starts. */
  readonly behindMs: number;
};

/** For how long rows may still come to light whose stamp was set before: so far behind the watermark a walk starts. */
export const OVERLAP_MS = 120_000;

/** The lower bound of the next walk. */
export const walkFromMs = ({ watermarkMs, behindMs }: KeysetCursor): number => Math.max(0, watermarkMs - behindMs);

/** Where a walk started and what it saw; epoch milliseconds. */
export type WalkSight = {
  readonly maxSeenMs: number | null;
  /** The service's time when the walk began: what changed later may have been missed, so the watermark stays behind it. */
  readonly serverStartMs: number;
  /** The client's time when the walk began. */
  readonly startedAtMs: number;
};

/** The machines that date a service's answers may differ by so much. */
const CLOCK_SPREAD_MS = 5 * SECOND_MS;

/**
 * Whether the service's clock was put back since the watermark was taken from it: what was changed since is stamped below
 * the watermark, and no walk from there would see it.
 */
export const hasSteppedBack = ({ watermarkMs }: KeysetCursor, serverTimeMs: number | null): boolean => {
  return serverTimeMs !== null && serverTimeMs < watermarkMs - CLOCK_SPREAD_MS;
};

/** The cursor before anything was read. */
export const startCursor = (startedAtMs: number): KeysetCursor => ({
  watermarkMs: 0,
  reachedAtMs: startedAtMs,
  behindMs: OVERLAP_MS,
});

/**
 * The cursor after a walk: never backwards, and never past the service's time when the walk began. The overlap need not be
 * read again once it has passed. The client's own clock tells that surely. The service's clock tells it at once, but the
 * machine that dates answers may not be the one that stamps rows: a second is read again, for rows of the same stamp.
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
 * The next page of a walk by page numbers. Where the total fell, rows moved back onto pages already read: they are read
 * again.
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
