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

/**
 * Where the next incremental walk starts from: the latest change seen, but not past the service's own time when this walk
 * began, since what was changed later may have been missed; never backwards.
 */
export const nextWatermark = (oldMs: number, maxSeenMs: number | null, serverStartMs: number): number => {
  return floorToSecond(Math.max(oldMs, Math.min(maxSeenMs ?? oldMs, serverStartMs)));
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
