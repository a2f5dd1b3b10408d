import { LONGEST_STOP_MS, type RateHeaders } from './headers.ts';
import type { RateLimit } from '../util/values.ts';

/**
 * The rules of the governor: when the next request may be sent, so that no window of the limit's length contains more
 * requests than the limit, for any latency and any kind of window at the server. The rules have no clock, timer or network.
 * All times that are passed in must come from one clock that never runs backwards; {@link boundTimes} corrects a clock that was
 * set back.
 *
 * Proof that the limit holds: a request counts from its admission until a window and a guard after its *answer*. Suppose
 * that the server counted one request too many in a window, and take the one that was sent last. Each of the others had
 * arrived less than a window before it. So when the last one was sent, each of the others was in flight or had been answered
 * less than a window before, and the last one would not have been admitted. To count from the time of sending is not
 * enough: a slow request can arrive after its place was given to another one.
 *
 * The headers of an answer can only delay requests further: they show the requests of other clients.
 */

/** The governor's state. It changes only through the functions of this file. */
export type Governor = {
  readonly configured: RateLimit;
  /** The limit in the newest answer that reported one; null if no answer did. */
  reported: RateLimit | null;
  /** The current limit: the configured one, or the one that the server reported if it is lower. */
  limit: RateLimit;
  /** The newest times of completions, ascending, at most as many as the configured limit. */
  readonly completed: number[];
  /** The requests in flight: their ids, ascending, and the latest time until which each counts. */
  readonly open: Map<number, number>;
  nextId: number;
  /** The end of the pacing interval of the latest requests. */
  pacedUntilMs: number;
  /** No request is sent before this time. */
  stoppedUntilMs: number;
  /** A probe is a single request: no other is sent before its answer. An object with its id while it is in flight. */
  probe: 'none' | 'due' | { readonly id: number };
  room: Room;
  /** The largest number of free requests that the server reported. It is small for a server that counts with a small bucket. */
  mostFree: number;
  /** The time until which another client is assumed to share the quota. */
  sharedUntilMs: number;
};

/** The most requests that may be sent by the newest answer with headers. */
type Room = {
  /** The id of the request that was answered. */
  readonly id: number;
  /** The requests that the server would still accept, minus those that were sent since. */
  readonly requests: number;
  /** The time from which the bound no longer applies. */
  readonly untilMs: number;
};

/** An admitted request; {@link complete} ends it. */
export type AdmittedRequest = { readonly id: number; readonly sentAtMs: number };

/** Whether the next request may be sent. */
export type Admission =
  | { readonly grant: AdmittedRequest }
  | {
      readonly grant: null;
      /** The time until the next attempt; null: after the next completion. */
      readonly waitMs: number | null;
      /** How long no request is sent at all. */
      readonly stoppedForMs: number;
    };

/** The parts of an answer that the governor uses. */
export type GovernedAnswer = RateHeaders & {
  readonly status: number;
  readonly retryAfterMs: number | null;
  /** Added to the stop after a 429, so that several processes do not resume together. */
  readonly jitterMs: number;
};

/** The free requests, and the time until all requests of the limit are free. */
export type Budget = { readonly limit: RateLimit; readonly remaining: number; readonly resetMs: number };

/** A time before any time of any clock. Infinity has no form in JSON. */
const LONG_AGO_MS = -1e15;
const SPACING_MARGIN = 1.01;
const BURST = 4;
/** {@link pacedReadyAtMs} rounds down, so a request may be sent this much before its place. */
const PACE_PRECISION_MS = 1;
/** An aborted request can still arrive at the server within this time. */
export const LOST_GRACE_MS = 5_000;
/** No request is in flight for this long, unless its process died. Then its place becomes free. */
const LEASE_MS = 120_000;
/** The part of a shared quota that is left free for the other client. */
const RESERVE_SHARE = 1 / 60;
const MAX_RESERVE = 8;
const RESERVE_SHARE_OF_FREE = 1 / 4;
const MIN_STOP_MS = 1_000;
/** Reset is in whole seconds. */
const RESET_PRECISION_MS = 1_000;
const SHORT_WINDOW_MS = 10_000;
const SHORT_GUARD_SHARE = 1 / 100;
const LONG_GUARD_SHARE = 1 / 60;
const MIN_LONG_GUARD_MS = 1_000;

/** A new governor. Its first request is a probe: the answer shows what other clients have used. */
export const createGovernor = (limit: RateLimit): Governor => ({
  configured: limit,
  reported: null,
  limit,
  completed: [],
  open: new Map(),
  nextId: 1,
  pacedUntilMs: LONG_AGO_MS,
  stoppedUntilMs: LONG_AGO_MS,
  probe: 'due',
  room: { id: 0, requests: limit.requests, untilMs: LONG_AGO_MS },
  mostFree: 0,
  sharedUntilMs: LONG_AGO_MS,
});

/** The `rank`-th newest time of a completion; rank 1 is the newest. Returns `-Infinity` if there are fewer times. */
const nthNewest = ({ completed }: Governor, rank: number): number => completed.at(-rank) ?? Number.NEGATIVE_INFINITY;

/** Adds a time. A time before the newest one is stored as the newest one, which keeps the order and can only wait longer. */
export const recordCompletion = (governor: Governor, timeMs: number): void => {
  governor.completed.push(Math.max(timeMs, nthNewest(governor, 1)));
  if (governor.completed.length > governor.configured.requests) governor.completed.shift();
};

/** The number of completions after `timeMs`, by binary search. */
export const countAfter = (governor: Governor, timeMs: number): number => {
  let atLeast = 0;
  let atMost = governor.completed.length;
  while (atLeast < atMost) {
    const rank = Math.ceil((atLeast + atMost) / 2);
    if (nthNewest(governor, rank) > timeMs) atLeast = rank;
    else atMost = rank - 1;
  }
  return atLeast;
};

/**
 * The governor with no time further ahead of `nowMs` than its rule sets it. A time is further ahead only after the clock was set
 * back. No bound is earlier than the true time, so requests wait longer, and the limit holds.
 */
export const boundTimes = (governor: Governor, nowMs: number): Governor => {
  const atMost = (timeMs: number, aheadMs: number): number => Math.min(timeMs, nowMs + aheadMs);
  const { completed, open, room } = governor;
  const isAhead = nthNewest(governor, 1) > nowMs;
  return {
    ...governor,
    completed: isAhead ? completed.map((timeMs) => atMost(timeMs, 0)) : completed,
    open: new Map([...open].map(([id, untilMs]) => [id, atMost(untilMs, LEASE_MS)])),
    pacedUntilMs: atMost(governor.pacedUntilMs, BURST * spacingMs(governor) + PACE_PRECISION_MS),
    stoppedUntilMs: atMost(governor.stoppedUntilMs, LONGEST_STOP_MS),
    room: { ...room, untilMs: atMost(room.untilMs, LONGEST_STOP_MS) },
    sharedUntilMs: atMost(governor.sharedUntilMs, governor.limit.windowMs),
  };
};

/** Admits a request now, or returns how long to wait. */
export const admit = (governor: Governor, nowMs: number): Admission => {
  settleExpired(governor, nowMs);
  const readyAtMs = Math.max(
    governor.stoppedUntilMs,
    pacedReadyAtMs(governor),
    ringReadyAtMs(governor),
    roomReadyAtMs(governor, nowMs),
  );
  const stoppedForMs = Math.max(0, governor.stoppedUntilMs - nowMs);
  if (isProbing(governor)) return { grant: null, waitMs: null, stoppedForMs };
  if (readyAtMs > nowMs) return { grant: null, waitMs: readyAtMs - nowMs, stoppedForMs };
  const id = governor.nextId;
  governor.nextId += 1;
  governor.open.set(id, nowMs + LEASE_MS);
  governor.room = { ...governor.room, requests: governor.room.requests - 1 };
  if (governor.probe === 'due') governor.probe = { id };
  governor.pacedUntilMs = Math.max(governor.pacedUntilMs, nowMs) + spacingMs(governor);
  return { grant: { id, sentAtMs: nowMs } };
};

/** Ends an admitted request with its answer (the headers arrived), or with null: it was aborted, cut off or timed out. */
export const complete = (
  governor: Governor,
  grant: AdmittedRequest,
  answer: GovernedAnswer | null,
  nowMs: number,
): void => {
  settleExpired(governor, nowMs);
  if (isProbing(governor, grant.id)) governor.probe = describesQuota(answer) ? 'none' : 'due';
  if (answer === null) {
    governor.open.set(grant.id, nowMs + LOST_GRACE_MS);
    return;
  }
  governor.open.delete(grant.id);
  recordCompletion(governor, nowMs);
  if (answer.limit !== null) {
    governor.reported = answer.limit;
    governor.limit = lowerLimit(governor.configured, answer.limit);
  }
  if (answer.status === 429) {
    const waitMs = Math.max(answer.retryAfterMs ?? 0, answer.resetMs ?? 0, MIN_STOP_MS) + answer.jitterMs;
    stopUntil(governor, nowMs + waitMs);
    return;
  }
  // A request from before the latest stop describes an old window. The probe will describe the current one.
  if (answer.remaining === null || grant.sentAtMs < governor.stoppedUntilMs) return;
  correctDownward(governor, grant, { remaining: answer.remaining, resetMs: answer.resetMs ?? 0, nowMs });
};

/** The budget of the current window. */
export const budgetOf = (governor: Governor, nowMs: number): Budget => {
  settleExpired(governor, nowMs);
  const { limit, room } = governor;
  const ours = governor.open.size + countAfter(governor, nowMs - countedMs(limit));
  const isBounded = nowMs < Math.min(room.untilMs, governor.sharedUntilMs) && room.requests < limit.requests - ours;
  const ringFreeAtMs = nthNewest(governor, 1) + countedMs(limit);
  return {
    limit,
    remaining: Math.max(0, isBounded ? room.requests : limit.requests - ours),
    resetMs: Math.max(ringFreeAtMs, isBounded ? room.untilMs : nowMs, governor.stoppedUntilMs, nowMs) - nowMs,
  };
};

/** The limit of the server for the configured window, at most the configured limit. */
export const lowerLimit = (configured: RateLimit, reported: RateLimit): RateLimit => {
  const requests = Math.floor((reported.requests * configured.windowMs) / reported.windowMs);
  return requests < configured.requests ? { ...configured, requests: Math.max(1, requests) } : configured;
};

const spacingMs = ({ limit }: Governor): number => (limit.windowMs * SPACING_MARGIN) / limit.requests;

/**
 * Requests are spread evenly over the window; after a pause, up to {@link BURST} are sent at once. The result is in whole
 * milliseconds, like timers. The spacing is summed exactly, so the mean pace is exact.
 */
const pacedReadyAtMs = (governor: Governor): number =>
  Math.floor(governor.pacedUntilMs - (BURST - 1) * spacingMs(governor));

/** With `f` requests in flight, the next one may be sent when the (limit - f)-th newest completion has left window and guard. */
const ringReadyAtMs = (governor: Governor): number => {
  const { limit, open } = governor;
  const free = limit.requests - open.size;
  return free <= 0 ? Math.min(...open.values()) : nthNewest(governor, free) + countedMs(limit);
};

/**
 * How long a request counts after its answer: the window and a guard. In a long window the guard is at least a second, because
 * some servers count in whole seconds. In a short window such a guard would leave half of the limit unused. There, only servers
 * that count exactly never refuse a request.
 */
const countedMs = ({ windowMs }: RateLimit): number => {
  if (windowMs < SHORT_WINDOW_MS) return windowMs * (1 + SHORT_GUARD_SHARE);
  return windowMs + Math.max(MIN_LONG_GUARD_MS, windowMs * LONG_GUARD_SHARE);
};

/** The time until which the headers delay requests. With requests in flight, a newer answer may come earlier. */
const roomReadyAtMs = (governor: Governor, nowMs: number): number =>
  nowMs < governor.sharedUntilMs && governor.room.requests <= reserveOf(governor) ? governor.room.untilMs : LONG_AGO_MS;

/** Whether a probe is in flight: any, or the one with this id. */
const isProbing = ({ probe }: Governor, id?: number): boolean =>
  typeof probe === 'object' && (id === undefined || probe.id === id);

/** A request whose lease has expired counts as answered at that time. */
const settleExpired = (governor: Governor, nowMs: number): void => {
  if (!governor.open.values().some((untilMs) => untilMs <= nowMs)) return;
  const expired = [...governor.open].filter(([, untilMs]) => untilMs <= nowMs);
  for (const [id, untilMs] of expired.toSorted(([, one], [, other]) => one - other)) {
    governor.open.delete(id);
    recordCompletion(governor, untilMs);
    if (isProbing(governor, id)) governor.probe = 'due';
  }
};

/** A fault without rate headers comes from a proxy and does not describe the quota. */
const describesQuota = (answer: GovernedAnswer | null): boolean =>
  answer !== null && (answer.remaining !== null || answer.status < 500);

const stopUntil = (governor: Governor, untilMs: number): void => {
  governor.stoppedUntilMs = Math.max(governor.stoppedUntilMs, untilMs);
  governor.probe = 'due';
};

/**
 * Requests that the server counts in addition to ours come from another client (another process, or this one before a
 * restart). For a window from then on, the free requests of the newest answer, minus those sent after it, are an upper bound
 * until the reset. Of two overlapping requests, the order in which they reached the server is unknown: the answer that leaves
 * less counts. If it leaves at most the reserve and no request in flight can bring a newer answer, no request is sent until the
 * reset.
 */
const correctDownward = (
  governor: Governor,
  { id, sentAtMs }: AdmittedRequest,
  { remaining, resetMs, nowMs }: { readonly remaining: number; readonly resetMs: number; readonly nowMs: number },
): void => {
  const { limit, open } = governor;
  const ours = countAfter(governor, sentAtMs - countedMs(limit)) + open.size;
  if (limit.requests - remaining > ours) governor.sharedUntilMs = nowMs + limit.windowMs;
  const requests = remaining - (governor.nextId - 1 - id);
  governor.mostFree = Math.max(governor.mostFree, remaining);
  if (id > governor.room.id || requests < governor.room.requests) {
    governor.room = { id, requests, untilMs: nowMs + resetMs + RESET_PRECISION_MS };
  }
  const readyAtMs = roomReadyAtMs(governor, nowMs);
  if (open.size === 0 && readyAtMs > nowMs) stopUntil(governor, readyAtMs);
};

/** The requests of a shared quota that are left free for the other client. */
const reserveOf = ({ limit, mostFree }: Governor): number =>
  Math.floor(Math.min(MAX_RESERVE, limit.requests * RESERVE_SHARE, mostFree * RESERVE_SHARE_OF_FREE));

/**
 * Estimates the time to send `requests` more requests, in milliseconds. They are spread evenly over the window. Requests that
 * exceed the free ones also wait until used ones become free, which happens evenly until the reset. Slow answers and other
 * clients are not included.
 */
export const timeToSendMs = (requests: number, { limit, remaining, resetMs }: Budget): number => {
  const pacedMs = (requests * limit.windowMs) / limit.requests;
  const used = limit.requests - remaining;
  const waiting = Math.max(0, Math.min(used, requests - remaining));
  return Math.round(Math.max(pacedMs, waiting === 0 ? 0 : (resetMs * waiting) / used));
};
