const SECOND_MS = 1_000;

/** Where a walk by `updated_at` stands: the lower bound asked for and the page under it. */
export type KeysetPosition = { readonly afterMs: number; readonly page: number };

/** Rounded down to whole seconds, the resolution of the service's stamps. */
const floorToSecond = (epochMs: number): number => Math.floor(epochMs / SECOND_MS) * SECOND_MS;

/**
 * The next page to ask for, after a page whose last row was changed at `lastMs` (R14). Rows that change during the walk
 * move to its end and shift the pages behind them, so the walk asks for page 1 under a bound that follows what it saw. The
 * bound stays a second behind, which is right whether the service takes it as inclusive or not. Deeper pages are asked for
 * only where more than a page was changed within that second.
 */
export const nextPosition = (position: KeysetPosition, lastMs: number | null): KeysetPosition => {
  const afterMs = lastMs === null ? position.afterMs : floorToSecond(lastMs) - SECOND_MS;
  return afterMs > position.afterMs ? { afterMs, page: 1 } : { afterMs: position.afterMs, page: position.page + 1 };
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
