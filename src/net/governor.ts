import { countAfter, createRing, LONG_AGO_MS, nthNewest, push, type CompletionRing } from './completion-ring.ts';
import type { RateHeaders } from './headers.ts';
import type { RateLimit } from '../util/values.ts';
import {
  createWatch,
  forgetGrain,
  guardMs,
  isBucket,
  isShort,
  learnWindow,
  RESET_PRECISION_MS,
  type WindowReport,
  type WindowWatch,
} from './window-kind.ts';

/**
 * The rules of the governor: when the next request may be sent, so that no window of the limit's length contains more
 * requests than the limit, for any latency and any kind of window at the server. The rules have no clock, timer or network.
 * All times that are passed in must come from one clock that never runs backwards.
 *
 * Proof that the limit holds: a request counts from its admission until a window and a guard after its *answer*. Suppose
 * that the server counted one request too many in a window, and take the one that was sent last. Each of the others had
 * arrived less than a window before it. So when the last one was sent, each of the others was in flight or had been answered
 * less than a window before, and the last one would not have been admitted. To count from the time of sending is not
 * enough: a slow request can arrive after its place was given to another one.
 *
 * The shortest round trip that was measured does not count: a request arrives at least half of it after it was sent, and
 * arrived at least the other half before its answer. In a short window a completion is therefore stored as that much
 * earlier (`sparedMs`), which does not change the proof.
 */

/** The governor's state. It changes only through the functions of this file. */
export type Governor = WindowWatch & {
  readonly configured: RateLimit;
  /** The limit in the newest answer that reported one; null if no answer did. */
  reported: RateLimit | null;
  /** The current limit: the configured one, or the one that the server reported if it is lower. */
  limit: RateLimit;
  readonly completed: CompletionRing;
  /** The requests in flight: their ids, and the latest time until which each counts. */
  readonly open: Map<number, number>;
  nextId: number;
  /** The end of the pacing interval of the latest requests. */
  pacedUntilMs: number;
  /** No request is sent before this time. */
  stoppedUntilMs: number;
  /** A probe is a single request: no other is sent before its answer. An object with its id while it is in flight. */
  probe: 'none' | 'due' | { readonly id: number };
  /** The requests of other clients by the newest answer, and the time when its request was sent. */
  foreign: { readonly requests: number; readonly sentAtMs: number };
  /** The free requests by the newest answer, and the time when more must be free. */
  room: { readonly requests: number; readonly moreAtMs: number };
  /** The time until which another client is assumed to share the quota. */
  sharedUntilMs: number;
  /** The mean and the least round trip; null before the first answer. */
  roundTrip: { readonly meanMs: number; readonly leastMs: number } | null;
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

const SPACING_MARGIN = 1.01;
const BURST = 4;
/** An aborted request can still arrive at the server within this time. */
export const LOST_GRACE_MS = 5_000;
/** No request is in flight for this long, unless its process died. Then its place becomes free. */
const LEASE_MS = 120_000;
/** The part of a shared quota that is left free for the other client. */
const RESERVE_SHARE = 0.01;
const MAX_RESERVE = 5;
const MAX_RESERVE_SHARE_OF_BUCKET = 0.25;
const MIN_STOP_MS = 1_000;
/** The share of the newest answer in the mean of round trips. */
const MEAN_GAIN = 1 / 64;
/** With each answer, the least round trip grows by this share of its distance to the mean. */
const LEAST_GAIN = 1 / 1_000;
/** Requests of other clients leave a sliding window too. After this share of it, a probe is sent. */
const MAX_CREEP_SHARE = 0.1;

/** A new governor. Its first request is a probe: the answer shows what other clients have used. */
export const createGovernor = (limit: RateLimit): Governor => ({
  ...createWatch(),
  configured: limit,
  reported: null,
  limit,
  completed: createRing(limit.requests),
  open: new Map(),
  nextId: 1,
  pacedUntilMs: LONG_AGO_MS,
  stoppedUntilMs: LONG_AGO_MS,
  probe: 'due',
  foreign: { requests: 0, sentAtMs: LONG_AGO_MS },
  room: { requests: limit.requests, moreAtMs: LONG_AGO_MS },
  sharedUntilMs: LONG_AGO_MS,
  roundTrip: null,
});

/** Admits a request now, or returns how long to wait. */
export const admit = (governor: Governor, nowMs: number): Admission => {
  settleExpired(governor, nowMs);
  const readyAtMs = Math.max(
    governor.stoppedUntilMs,
    pacedReadyAtMs(governor),
    ringReadyAtMs(governor, nowMs),
    roomReadyAtMs(governor, nowMs),
  );
  const stoppedForMs = Math.max(0, governor.stoppedUntilMs - nowMs);
  if (isProbing(governor)) return { grant: null, waitMs: null, stoppedForMs };
  if (readyAtMs > nowMs) return { grant: null, waitMs: readyAtMs - nowMs, stoppedForMs };
  const id = governor.nextId;
  governor.nextId += 1;
  governor.open.set(id, nowMs + LEASE_MS);
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
  learnRoundTrip(governor, nowMs - grant.sentAtMs);
  push(governor.completed, nowMs - Math.min(sparedMs(governor), nowMs - grant.sentAtMs));
  if (answer.limit !== null) {
    governor.reported = answer.limit;
    governor.limit = lowerLimit(governor.configured, answer.limit);
  }
  if (answer.status === 429) {
    const waitMs = Math.max(answer.retryAfterMs ?? 0, answer.resetMs ?? 0, MIN_STOP_MS) + answer.jitterMs;
    forgetGrain(governor, nowMs);
    stopUntil(governor, nowMs + waitMs);
    return;
  }
  // A request from before the latest stop describes an old window. The probe will describe the current one.
  if (answer.remaining === null || grant.sentAtMs < governor.stoppedUntilMs) return;
  const described = { sentAtMs: grant.sentAtMs, remaining: answer.remaining, resetMs: answer.resetMs, nowMs };
  learnWindow(governor, described);
  correctDownward(governor, described);
};

/** The budget of the current window. */
export const budgetOf = (governor: Governor, nowMs: number): Budget => {
  settleExpired(governor, nowMs);
  const ours = governor.open.size + countAfter(governor.completed, nowMs - heldMs(governor));
  const foreign = foreignAt(governor, nowMs);
  const ringFreeAtMs = nthNewest(governor.completed, 1) + heldMs(governor);
  const foreignFreeAtMs = foreign > 0 ? foreignUntilMs(governor) : nowMs;
  return {
    limit: governor.limit,
    remaining: Math.max(0, governor.limit.requests - ours - foreign),
    resetMs: Math.max(ringFreeAtMs, foreignFreeAtMs, governor.stoppedUntilMs, nowMs) - nowMs,
  };
};

/** The limit of the server for the configured window, at most the configured limit. */
export const lowerLimit = (configured: RateLimit, reported: RateLimit): RateLimit => {
  const requests = Math.floor((reported.requests * configured.windowMs) / reported.windowMs);
  return requests < configured.requests ? { ...configured, requests: Math.max(1, requests) } : configured;
};

/**
 * In a short window the spacing includes the guard. Otherwise requests would be sent in bunches, and bunches within one second
 * hide that the server counts by the second.
 */
const spacingMs = (governor: Governor): number => {
  const pacedMs = governor.limit.windowMs * SPACING_MARGIN;
  return (isShort(governor) ? Math.max(pacedMs, heldMs(governor)) : pacedMs) / governor.limit.requests;
};

/**
 * Requests are spread evenly over the window; after a pause, up to {@link BURST} are sent at once. The result is in whole
 * milliseconds, like timers. The spacing is summed exactly, so the mean pace is exact.
 */
const pacedReadyAtMs = (governor: Governor): number =>
  Math.floor(governor.pacedUntilMs - (BURST - 1) * spacingMs(governor));

/** One very slow answer says little about the others: it counts as at most twice the mean. */
const learnRoundTrip = (governor: Governor, tookMs: number): void => {
  const { meanMs, leastMs } = governor.roundTrip ?? { meanMs: tookMs, leastMs: tookMs / 2 };
  governor.roundTrip = {
    meanMs: meanMs + (Math.min(tookMs, 2 * meanMs + 1) - meanMs) * MEAN_GAIN,
    leastMs: Math.min(tookMs, leastMs + (meanMs - leastMs) * LEAST_GAIN),
  };
};

/**
 * A safe minimum of round trips: the least one that was measured, minus the distance of the mean from it. Zero in a long
 * window, where it makes no difference.
 */
const sparedMs = (governor: Governor): number => {
  const { roundTrip } = governor;
  if (roundTrip === null || !isShort(governor)) return 0;
  return Math.max(0, 2 * roundTrip.leastMs - roundTrip.meanMs);
};

/** With `f` requests in flight, the next one may be sent when the (limit - f)-th newest completion has left window and guard. */
const ringReadyAtMs = (governor: Governor, nowMs: number): number => {
  // A probe finds out whether requests of other clients still count, so they do not delay it.
  const foreign = governor.probe === 'due' ? 0 : foreignAt(governor, nowMs);
  const free = governor.limit.requests - governor.open.size - foreign;
  if (free <= 0)
    return Math.min(foreign > 0 ? foreignUntilMs(governor) : Number.POSITIVE_INFINITY, ...governor.open.values());
  return nthNewest(governor.completed, free) + heldMs(governor);
};

/** How long a request counts after its answer. */
const heldMs = (governor: Governor): number => governor.limit.windowMs + guardMs(governor);

/** The time until which requests of other clients count without a newer answer: at most a window, like our own. */
const foreignUntilMs = (governor: Governor): number => {
  const { kind, foreign, room } = governor;
  const leftAtMs = foreign.sentAtMs + heldMs(governor);
  return kind === 'fixed' ? Math.min(leftAtMs, room.moreAtMs) : leftAtMs;
};

/** The requests of other clients that count now. */
const foreignAt = (governor: Governor, nowMs: number): number =>
  nowMs < foreignUntilMs(governor) ? governor.foreign.requests : 0;

/** Whether a probe is in flight: any, or the one with this id. */
const isProbing = ({ probe }: Governor, id?: number): boolean =>
  typeof probe === 'object' && (id === undefined || probe.id === id);

/** A request whose lease has expired counts as answered at that time. */
const settleExpired = (governor: Governor, nowMs: number): void => {
  if (!governor.open.values().some((untilMs) => untilMs <= nowMs)) return;
  const expired = [...governor.open].filter(([, untilMs]) => untilMs <= nowMs);
  for (const [id, untilMs] of expired.toSorted(([, one], [, other]) => one - other)) {
    governor.open.delete(id);
    push(governor.completed, untilMs);
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
 * restart). They use places until a newer answer counts fewer. So an answer can only reduce what the completion ring allows.
 * If it leaves at most the reserve and no request in flight can bring a newer answer, no request is sent until places must
 * be free.
 */
const correctDownward = (governor: Governor, described: WindowReport): void => {
  const { sentAtMs, remaining, nowMs } = described;
  const { limit, completed, open } = governor;
  const isNewest = sentAtMs > governor.foreign.sentAtMs;
  if (isNewest) {
    const ours = countAfter(completed, sentAtMs - heldMs(governor)) + open.size;
    governor.foreign = { requests: Math.max(0, limit.requests - ours - remaining), sentAtMs };
  }
  if (governor.foreign.requests > 0) governor.sharedUntilMs = nowMs + limit.windowMs;
  // The order in which two overlapping requests reached the server is unknown. The answer that leaves less counts.
  if (isNewest || remaining < governor.room.requests) {
    governor.room = { requests: remaining, moreAtMs: moreRoomAtMs(governor, described) };
  }
  const isShared = nowMs < governor.sharedUntilMs;
  if (isShared && open.size === 0 && governor.room.requests <= reserveOf(governor, nowMs)) {
    stopUntil(governor, governor.room.moreAtMs);
  }
};

/** The requests that are left free for another client; 0 if no other client is known. */
const reserveOf = (governor: Governor, nowMs: number): number => {
  if (nowMs >= governor.sharedUntilMs) return 0;
  const ofWindow = Math.min(MAX_RESERVE, Math.ceil(governor.limit.requests * RESERVE_SHARE));
  if (!isBucket(governor, nowMs)) return ofWindow;
  return Math.min(ofWindow, Math.floor(governor.capacity * MAX_RESERVE_SHARE_OF_BUCKET));
};

/**
 * If the requests in flight may use all free requests, the next answer decides. In a short window this would cost too much, so
 * it applies there only while another client shares the quota.
 */
const roomReadyAtMs = (governor: Governor, nowMs: number): number => {
  const { open, room } = governor;
  if (isShort(governor) && nowMs >= governor.sharedUntilMs) return LONG_AGO_MS;
  if (open.size === 0 || room.requests - open.size > reserveOf(governor, nowMs)) return LONG_AGO_MS;
  return Math.min(room.moreAtMs, ...open.values());
};

/** The time when more than the reserve must be free, by the Reset header and our own requests. */
const moreRoomAtMs = (governor: Governor, { sentAtMs, remaining, resetMs, nowMs }: WindowReport): number => {
  const { limit, completed, kind } = governor;
  const resetAtMs = nowMs + (resetMs ?? 0) + RESET_PRECISION_MS;
  if (kind === 'fixed') return resetAtMs;
  const lacking = Math.max(1, reserveOf(governor, nowMs) + 1 - remaining);
  if (isBucket(governor, nowMs)) return nowMs + Math.max(MIN_STOP_MS, lacking * spacingMs(governor));
  if (kind === 'unknown') return resetAtMs;
  // Reset of a sliding window describes one place at most. The missing places are free when as many of ours have left it.
  const counted = countAfter(completed, sentAtMs - limit.windowMs);
  const leftAtMs = nthNewest(completed, Math.max(1, counted + 1 - lacking)) + heldMs(governor);
  return Math.min(leftAtMs, nowMs + limit.windowMs * MAX_CREEP_SHARE + RESET_PRECISION_MS);
};

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
