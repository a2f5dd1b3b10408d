/**
 * How the server counts, read from its answers alone. Three questions, answered apart:
 *
 * Is all forgotten at a reset (`fixed`), or each request when it is a window old (`sliding`)? It decides which of our
 * requests a server may still count, so how many of those it counts must be somebody else's.
 *
 * How fine is the count? A server that keeps whole seconds, or sixtieths of a longer window, counts a request for up to
 * such a grain longer than the window says, and only such a server needs a guard of a grain. It gives itself away:
 * Remaining comes back in steps, and just before a step more is counted than was sent in the window. A server that
 * forgets each request in time (or all of them at once) never counts more than that. So until it is known the guard is
 * wide; it becomes narrow when the answers over many of the server's grains, while there was enough that a coarse count
 * would have shown, had no surplus; and wide again with the first one that has. A 429 reopens the question, an hour later.
 * A server that estimates a sliding count from two buckets has a surplus too, but one that reaches back less far, and in a
 * short window only when that is nearly used up. For it a guard in the middle does, in the hour after a 429 too.
 *
 * Is it a bucket that drains evenly at the limit's rate (a token bucket, GCRA)? Then its Reset is as far away as what is
 * in it takes to drain. Where it lets only a few pass at once, Remaining says nothing of the window: twenty at once means
 * nineteen left after a single request. A full sliding window that was not watched from its start looks the same, until
 * what was sent before has left it; so all answers of a whole window must agree.
 */
import { countAfter, LONG_AGO_MS, nthNewest, type CompletionRing } from './completion-ring.ts';
import type { RateLimit } from './rate-headers.ts';

/** What is known of the server's way to count. */
export type WindowWatch = {
  kind: 'unknown' | 'fixed' | 'sliding';
  /** The guard that the answers so far allow. */
  guard: 'wide' | 'middle' | 'narrow';
  /** Since when answers have shown an exact count; null: not since the last one that did not. */
  exactSinceMs: number | null;
  /** Until when an exact count is not believed to stay one. */
  distrustedUntilMs: number;
  /** The most requests that the server had room for at once. */
  capacity: number;
  /** Since when every answer was one that a bucket gives; null: the newest was not. */
  bucketSinceMs: number | null;
  /** From when on the window that an earlier answer described must have been reset; null until one did. */
  resetDueMs: number | null;
};

/** The same together with what was sent. */
type Watched = WindowWatch & {
  readonly limit: RateLimit;
  readonly completed: CompletionRing;
  readonly open: ReadonlyMap<number, number>;
};

/** What one answer said about the quota. */
export type Described = {
  readonly sentAtMs: number;
  readonly remaining: number;
  readonly resetMs: number | null;
  readonly nowMs: number;
};

/** What a narrow guard and one in the middle are of the window. */
const NARROW_GUARD_SHARE = 1 / 200;
const MIDDLE_GUARD_SHARE = 1 / 8;
/** Reset is given in whole seconds. */
export const RESET_PRECISION_MS = 1_000;
/** Of a shorter window a round trip is a good part, and Reset says next to nothing. */
const SHORT_WINDOW_MS = 10_000;
const MIN_OLD_REQUESTS = 10;

const SECOND_MS = 1_000;
const GRAINS_IN_WINDOW = 60;
/** So many requests of the grain before the window show a coarse count: two or more of them are still counted. */
const MIN_REQUESTS_IN_GRAIN = 6;
const SURPLUS = 2;
const EXACT_FOR_GRAINS = 10;
const DISTRUST_MS = 3_600_000;

/** Nothing is known yet. */
export const createWatch = (): WindowWatch => ({
  kind: 'unknown',
  guard: 'wide',
  exactSinceMs: null,
  distrustedUntilMs: LONG_AGO_MS,
  capacity: 0,
  bucketSinceMs: null,
  resetDueMs: null,
});

/** How much longer than the window a request counts. */
export const guardMs = ({ guard, limit }: Watched): number => {
  if (guard === 'narrow') return limit.windowMs * NARROW_GUARD_SHARE;
  return guard === 'middle' ? middleGuardMs(limit) : grainMs(limit);
};

export const isShort = ({ limit }: { readonly limit: RateLimit }): boolean => limit.windowMs < SHORT_WINDOW_MS;

/** Learns from an answer how the server counts. */
export const learnWindow = (watched: Watched, described: Described): void => {
  learnKind(watched, described);
  watched.capacity = Math.max(watched.capacity, described.remaining + 1);
  learnGrain(watched, described);
  learnBucket(watched, described);
};

/** Whether the server is known to keep a bucket. */
export const isBucket = ({ bucketSinceMs, limit }: Watched, nowMs: number): boolean =>
  bucketSinceMs !== null && nowMs - bucketSinceMs >= limit.windowMs;

/** After a 429 nothing is taken for known about the grain, and for an hour an exact count is not believed to stay one. */
export const forgetGrain = (watched: WindowWatch, nowMs: number): void => {
  watched.guard = 'wide';
  watched.exactSinceMs = null;
  watched.distrustedUntilMs = nowMs + DISTRUST_MS;
};

/** The coarsest unit of time that a server is taken to count in. */
const grainMs = ({ windowMs }: RateLimit): number => Math.max(SECOND_MS, windowMs / GRAINS_IN_WINDOW);

/** In a long window as wide as the wide one. */
const middleGuardMs = (limit: RateLimit): number => Math.min(limit.windowMs * MIDDLE_GUARD_SHARE, grainMs(limit));

/**
 * Once the reset that an answer announced is past, the next answer shows whether requests from before it still count.
 * It judges only where there were enough of them, and where in doubt it says sliding, which merely waits longer.
 */
const learnKind = (watched: Watched, { sentAtMs, remaining, resetMs, nowMs }: Described): void => {
  if (resetMs === null) return;
  watched.resetDueMs ??= nowMs + resetMs + RESET_PRECISION_MS;
  if (sentAtMs < watched.resetDueMs) return;
  const afterReset = countAfter(watched.completed, watched.resetDueMs - 2 * RESET_PRECISION_MS);
  const beforeReset = countAfter(watched.completed, sentAtMs - watched.limit.windowMs) - afterReset;
  const stillCounted = watched.limit.requests - remaining - afterReset - watched.open.size;
  if (beforeReset >= MIN_OLD_REQUESTS) watched.kind = stillCounted < beforeReset / 2 ? 'fixed' : 'sliding';
  watched.resetDueMs = nowMs + resetMs + RESET_PRECISION_MS;
};

/**
 * `exactly` is the most that an exact count may hold: what was answered since a window before this request was sent, and
 * all that is under way. `coarsely` is the most that a count by grain may hold. More than that is somebody else's. In a
 * short window a bucket cannot be told by its Reset: one that never had room for more counts as empty where it had most.
 * The oldest request that a surplus needs tells how far back the server counts.
 */
const learnGrain = (watched: Watched, { sentAtMs, remaining, nowMs }: Described): void => {
  const grain = grainMs(watched.limit);
  const windowStartMs = sentAtMs - watched.limit.windowMs;
  const used = (isShort(watched) ? watched.capacity : watched.limit.requests) - remaining;
  const exactly = countAfter(watched.completed, windowStartMs) + watched.open.size;
  const coarsely = countAfter(watched.completed, windowStartMs - grain) + watched.open.size;
  if (coarsely - exactly < MIN_REQUESTS_IN_GRAIN || used > coarsely) return;
  if (used >= exactly + SURPLUS) {
    const oldestMs = nthNewest(watched.completed, used - watched.open.size - (SURPLUS - 1));
    if (windowStartMs - oldestMs > middleGuardMs(watched.limit)) watched.guard = 'wide';
    else if (watched.guard === 'narrow') watched.guard = 'middle';
    watched.exactSinceMs = null;
    return;
  }
  watched.exactSinceMs ??= nowMs;
  if (nowMs - watched.exactSinceMs < EXACT_FOR_GRAINS * grain) return;
  watched.guard = nowMs < watched.distrustedUntilMs ? 'middle' : 'narrow';
};

const learnBucket = (watched: Watched, { remaining, resetMs, nowMs }: Described): void => {
  const { requests, windowMs } = watched.limit;
  const drainedInMs = ((watched.capacity - remaining) * windowMs) / requests;
  const isLikeOne = resetMs !== null && Math.abs(resetMs - drainedInMs) <= RESET_PRECISION_MS;
  watched.bucketSinceMs = isLikeOne ? (watched.bucketSinceMs ?? nowMs) : null;
};
