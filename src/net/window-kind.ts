/**
 * Learns from answers how the server counts requests. There are three separate questions:
 *
 * Does the server forget all requests at a reset (`fixed`), or each request when it is a window old (`sliding`)? The answer
 * decides which of our requests a server may still count, and so how many of the counted ones belong to other clients.
 *
 * How fine is the count? A server that counts by whole seconds, or by sixtieths of a longer window, counts a request for up
 * to such a grain longer than the window. Only such a server requires a guard of a grain. It can be recognised: Remaining
 * increases in steps, and just before a step the server counts more requests than were sent in the window. A server that
 * forgets each request in time (or all of them at once) never counts more. So the guard is wide at first. It becomes narrow
 * when the answers over many grains had no surplus although a coarse count would have shown one, and wide again with the
 * first surplus. A 429 resets the question for an hour. A server that estimates a sliding count from two buckets has a
 * surplus too, but it reaches back less far, and in a short window it appears only when the window is nearly used up. For
 * such a server a middle guard is enough, also in the hour after a 429.
 *
 * Is it a bucket that drains evenly at the rate of the limit (a token bucket, GCRA)? Then Reset is the time that its content
 * takes to drain. If the bucket is small, Remaining does not describe the window: with a bucket of twenty, nineteen are left
 * after a single request. A full sliding window that was not observed from its start looks the same until the earlier
 * requests have left it, so all answers of a whole window must agree.
 */
import { countAfter, LONG_AGO_MS, nthNewest, type CompletionRing } from './completion-ring.ts';
import type { RateLimit } from '../util/values.ts';

/** The state of what was learned about the server. */
export type WindowWatch = {
  kind: 'unknown' | 'fixed' | 'sliding';
  /** The guard that the answers so far allow. */
  guard: 'wide' | 'middle' | 'narrow';
  /** The time since which all answers have shown an exact count; null if the newest one did not. */
  exactSinceMs: number | null;
  /** The time until which an exact count does not lead to a narrow guard. */
  distrustedUntilMs: number;
  /** The largest number of free requests that the server reported. */
  capacity: number;
  /** The time since which all answers were like those of a bucket; null if the newest one was not. */
  bucketSinceMs: number | null;
  /** The time by which the window of an earlier answer must have been reset; null before such an answer. */
  resetDueMs: number | null;
};

/** The watch with the requests that were sent. */
type Watched = WindowWatch & {
  readonly limit: RateLimit;
  readonly completed: CompletionRing;
  readonly open: ReadonlyMap<number, number>;
};

/** One answer that describes the quota. */
export type WindowReport = {
  readonly sentAtMs: number;
  readonly remaining: number;
  readonly resetMs: number | null;
  readonly nowMs: number;
};

/** The narrow and the middle guard as shares of the window. */
const NARROW_GUARD_SHARE = 1 / 200;
const MIDDLE_GUARD_SHARE = 1 / 8;
/** Reset is in whole seconds. */
export const RESET_PRECISION_MS = 1_000;
/** In a shorter window a round trip is a large part of it, and Reset is too coarse. */
const SHORT_WINDOW_MS = 10_000;
const MIN_OLD_REQUESTS = 10;

const SECOND_MS = 1_000;
const GRAINS_IN_WINDOW = 60;
/** With this many requests in the grain before the window, a coarse count still contains two or more of them. */
const MIN_REQUESTS_IN_GRAIN = 6;
const SURPLUS = 2;
const EXACT_FOR_GRAINS = 10;
const DISTRUST_MS = 3_600_000;

/** The initial state. */
export const createWatch = (): WindowWatch => ({
  kind: 'unknown',
  guard: 'wide',
  exactSinceMs: null,
  distrustedUntilMs: LONG_AGO_MS,
  capacity: 0,
  bucketSinceMs: null,
  resetDueMs: null,
});

/** The time that a request counts in addition to the window. */
export const guardMs = ({ guard, limit }: Watched): number => {
  if (guard === 'narrow') return limit.windowMs * NARROW_GUARD_SHARE;
  return guard === 'middle' ? middleGuardMs(limit) : grainMs(limit);
};

export const isShort = ({ limit }: { readonly limit: RateLimit }): boolean => limit.windowMs < SHORT_WINDOW_MS;

/** Learns from an answer how the server counts. */
export const learnWindow = (watched: Watched, described: WindowReport): void => {
  learnKind(watched, described);
  watched.capacity = Math.max(watched.capacity, described.remaining + 1);
  learnGrain(watched, described);
  learnBucket(watched, described);
};

/** Whether the server uses a bucket, by all answers of a window. */
export const isBucket = ({ bucketSinceMs, limit }: Watched, nowMs: number): boolean =>
  bucketSinceMs !== null && nowMs - bucketSinceMs >= limit.windowMs;

/** Resets what was learned about the grain after a 429. For an hour, an exact count leads to a middle guard at most. */
export const forgetGrain = (watched: WindowWatch, nowMs: number): void => {
  watched.guard = 'wide';
  watched.exactSinceMs = null;
  watched.distrustedUntilMs = nowMs + DISTRUST_MS;
};

/** The coarsest assumed unit of the server's count. */
const grainMs = ({ windowMs }: RateLimit): number => Math.max(SECOND_MS, windowMs / GRAINS_IN_WINDOW);

/** In a long window it equals the wide guard. */
const middleGuardMs = (limit: RateLimit): number => Math.min(limit.windowMs * MIDDLE_GUARD_SHARE, grainMs(limit));

/**
 * After the reset that an answer announced, the next answer shows whether earlier requests still count. It decides only with
 * enough of them, and in doubt for sliding, which can only wait longer.
 */
const learnKind = (watched: Watched, { sentAtMs, remaining, resetMs, nowMs }: WindowReport): void => {
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
 * `exactly` is the largest exact count: the requests answered since a window before this request was sent, and all in flight.
 * `coarsely` is the largest count by grain. More requests belong to other clients. In a short window, Reset does not show a
 * bucket, so the largest number that was ever free counts as its size. The oldest request in a surplus shows how far back the
 * server counts.
 */
const learnGrain = (watched: Watched, { sentAtMs, remaining, nowMs }: WindowReport): void => {
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

const learnBucket = (watched: Watched, { remaining, resetMs, nowMs }: WindowReport): void => {
  const { requests, windowMs } = watched.limit;
  const drainedInMs = ((watched.capacity - remaining) * windowMs) / requests;
  const isLikeOne = resetMs !== null && Math.abs(resetMs - drainedInMs) <= RESET_PRECISION_MS;
  watched.bucketSinceMs = isLikeOne ? (watched.bucketSinceMs ?? nowMs) : null;
};
