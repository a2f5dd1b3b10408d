/**
 * The governor's rules without clock, timer or network: when the next request may be sent, so that no window of the
 * limit's length ever holds more requests than the limit, whatever the latency and whatever kind of window the server
 * keeps. Every time passed in must come from one clock that never runs backwards.
 *
 * Why the limit holds: a request counts from the moment it is admitted until a window and a guard after its *answer*.
 * Suppose the server saw one request too many within a window; take the one sent last. Each of the others had arrived
 * less than a window before it, so when it was sent they were on the way, or had been answered less than a window ago:
 * it would not have been admitted. Counting from the sending of requests would not do: one that is slow on the way
 * arrives after its place was given to another.
 */
import { countAfter, createRing, listTimes, nthNewest, push, type CompletionRing } from './completion-ring.ts';
import type { RateHeaders, RateLimit } from './rate-headers.ts';

/** How the server counts, as its answers show it: all is forgotten at each reset, or each request after a window. */
type WindowKind = 'unknown' | 'fixed' | 'sliding';

/** The governor's state. It changes only through the functions of this file. */
export type Governor = {
  readonly configured: RateLimit;
  /** The limit in force: the configured one, or the server's own where that is lower. */
  limit: RateLimit;
  readonly completed: CompletionRing;
  inFlight: number;
  /** Until when requests that got no answer still count as in flight; ascending. */
  readonly lostUntilMs: number[];
  /** When the pacer's spacing since the latest requests is used up. */
  pacedUntilMs: number;
  /** Nothing is sent before this time. */
  stoppedUntilMs: number;
  /** A probe is a single request whose answer must come before any other is sent. */
  probe: 'none' | 'due' | 'sent';
  kind: WindowKind;
  /** From when on the window that an earlier answer described must have been reset; null until one did. */
  resetDueMs: number | null;
  /** Until when the quota is taken to be shared with somebody else. */
  sharedUntilMs: number;
};

/** An admitted request; hand it back to {@link complete}. */
export type Grant = { readonly sentAtMs: number; readonly isProbe: boolean };

/** Whether the next request may be sent; if not, after how long to ask again (null: after the next completion). */
export type Admission = { readonly grant: Grant } | { readonly grant: null; readonly waitMs: number | null };

/** What an answer tells the governor. */
export type GovernedAnswer = RateHeaders & {
  readonly status: number;
  readonly retryAfterMs: number | null;
  /** Added to the stop after a 429, so that several processes do not come back together. */
  readonly jitterMs: number;
};

/** Requests left, and how long until all of them are free again. */
export type Budget = { readonly limit: RateLimit; readonly remaining: number; readonly resetMs: number };

/** What a later process must know to keep the limit, in epoch time; plain JSON. */
export type GovernorSnapshot = {
  readonly completedAtMs: readonly number[];
  readonly unanswered: number;
  readonly stoppedUntilMs: number;
  readonly kind: WindowKind;
};

/** The same moment on the governor's clock and in epoch time. */
export type Moment = { readonly nowMs: number; readonly epochMs: number };

const SPACING_MARGIN = 1.01;
const BURST = 4;
const FIXED_GUARD_MS = 300;
/** A sliding window may be counted in whole seconds, so that a request stays in it for up to one second longer. */
const SLIDING_GUARD_MS = 1_000;
/** A request that was aborted or cut off may still be on its way to the server for so long. */
const LOST_GRACE_MS = 5_000;
const RESERVE_SHARE = 0.01;
const RESET_PRECISION_MS = 1_000;
const MIN_STOP_MS = 1_000;
const MIN_EVIDENCE = 10;

/** A governor that knows nothing yet: its first request is a probe, whose answer tells what others already used. */
export const createGovernor = (limit: RateLimit): Governor => ({
  configured: limit,
  limit,
  completed: createRing(limit.requests),
  inFlight: 0,
  lostUntilMs: [],
  pacedUntilMs: Number.NEGATIVE_INFINITY,
  stoppedUntilMs: Number.NEGATIVE_INFINITY,
  probe: 'due',
  kind: 'unknown',
  resetDueMs: null,
  sharedUntilMs: Number.NEGATIVE_INFINITY,
});

/** Admits a request now, or says how long to wait. */
export const admit = (governor: Governor, nowMs: number): Admission => {
  settleLost(governor, nowMs);
  const readyAtMs = Math.max(governor.stoppedUntilMs, pacedReadyAtMs(governor), ringReadyAtMs(governor));
  if (governor.probe === 'sent' || readyAtMs === Number.POSITIVE_INFINITY) return { grant: null, waitMs: null };
  if (readyAtMs > nowMs) return { grant: null, waitMs: readyAtMs - nowMs };
  const isProbe = governor.probe === 'due';
  if (isProbe) governor.probe = 'sent';
  governor.inFlight += 1;
  governor.pacedUntilMs = Math.max(governor.pacedUntilMs, nowMs) + spacingMs(governor);
  return { grant: { sentAtMs: nowMs, isProbe } };
};

/** Ends an admitted request: it was answered (the headers came), or null: it was aborted, cut off or timed out. */
export const complete = (governor: Governor, grant: Grant, answer: GovernedAnswer | null, nowMs: number): void => {
  settleLost(governor, nowMs);
  if (grant.isProbe && governor.probe === 'sent') governor.probe = tellsTheState(answer) ? 'none' : 'due';
  if (answer === null) {
    governor.lostUntilMs.push(nowMs + LOST_GRACE_MS);
    return;
  }
  governor.inFlight -= 1;
  push(governor.completed, nowMs);
  if (answer.limit !== null) governor.limit = lowerLimit(governor.configured, answer.limit);
  if (answer.status === 429) {
    const waitMs = Math.max(answer.retryAfterMs ?? 0, answer.resetMs ?? 0, MIN_STOP_MS) + answer.jitterMs;
    stopUntil(governor, nowMs + waitMs);
    return;
  }
  // An answer to a request from before the latest stop describes a window that the probe will describe better.
  if (answer.remaining === null || grant.sentAtMs < governor.stoppedUntilMs) return;
  const described = { sentAtMs: grant.sentAtMs, remaining: answer.remaining, resetMs: answer.resetMs, nowMs };
  classifyWindow(governor, described);
  correctDownward(governor, described);
};

/** What may still be sent in the current window. */
export const budgetOf = (governor: Governor, nowMs: number): Budget => {
  settleLost(governor, nowMs);
  const heldMs = governor.limit.windowMs + guardMs(governor);
  const counted = governor.inFlight + countAfter(governor.completed, nowMs - heldMs);
  const freeAtMs = Math.max(nthNewest(governor.completed, 1) + heldMs, governor.stoppedUntilMs);
  return {
    limit: governor.limit,
    remaining: Math.max(0, governor.limit.requests - counted),
    resetMs: Math.max(0, freeAtMs - nowMs),
  };
};

/** Exports what a later process must know. */
export const snapshotOf = (governor: Governor, { nowMs, epochMs }: Moment): GovernorSnapshot => ({
  completedAtMs: listTimes(governor.completed).map((timeMs) => Math.round(timeMs - nowMs + epochMs)),
  unanswered: governor.inFlight,
  stoppedUntilMs: Math.round(Math.max(0, governor.stoppedUntilMs - nowMs) + epochMs),
  kind: governor.kind,
});

/**
 * A governor that goes on where an earlier one stopped. It begins with a probe all the same: its answer shows what was
 * sent after the snapshot was taken. Times ahead of the clock, which was set back, count as now.
 */
export const restoreGovernor = (limit: RateLimit, snapshot: GovernorSnapshot, moment: Moment): Governor => {
  const { nowMs, epochMs } = moment;
  const governor = createGovernor(limit);
  for (const atMs of snapshot.completedAtMs) push(governor.completed, nowMs + Math.min(0, atMs - epochMs));
  governor.inFlight = snapshot.unanswered;
  for (let index = 0; index < snapshot.unanswered; index += 1) governor.lostUntilMs.push(nowMs + LOST_GRACE_MS);
  governor.stoppedUntilMs = nowMs + Math.max(0, snapshot.stoppedUntilMs - epochMs);
  governor.kind = snapshot.kind;
  return governor;
};

const guardMs = (governor: Governor): number => (governor.kind === 'fixed' ? FIXED_GUARD_MS : SLIDING_GUARD_MS);

const spacingMs = ({ limit }: Governor): number => (limit.windowMs / limit.requests) * SPACING_MARGIN;

/**
 * Requests are spread evenly over the window; after a pause, up to {@link BURST} may go at once. In whole milliseconds,
 * as timers are: the spacing itself is added up exactly, so the pace on average stays.
 */
const pacedReadyAtMs = (governor: Governor): number =>
  Math.floor(governor.pacedUntilMs - (BURST - 1) * spacingMs(governor));

/** With `f` in flight, the next may go when the (limit - f)-th newest completion has left the window and the guard. */
const ringReadyAtMs = (governor: Governor): number => {
  const free = governor.limit.requests - governor.inFlight;
  if (free <= 0) return governor.lostUntilMs[0] ?? Number.POSITIVE_INFINITY;
  return nthNewest(governor.completed, free) + governor.limit.windowMs + guardMs(governor);
};

const settleLost = (governor: Governor, nowMs: number): void => {
  let untilMs = governor.lostUntilMs[0];
  while (untilMs !== undefined && untilMs <= nowMs) {
    governor.lostUntilMs.shift();
    governor.inFlight -= 1;
    push(governor.completed, untilMs);
    untilMs = governor.lostUntilMs[0];
  }
};

/** A fault without rate headers comes from something in front of the server and tells nothing of the quota. */
const tellsTheState = (answer: GovernedAnswer | null): boolean =>
  answer !== null && (answer.remaining !== null || answer.status < 500);

const stopUntil = (governor: Governor, untilMs: number): void => {
  governor.stoppedUntilMs = Math.max(governor.stoppedUntilMs, untilMs);
  governor.probe = 'due';
};

/** The server's limit in terms of the configured window; never more than configured. */
const lowerLimit = (configured: RateLimit, told: RateLimit): RateLimit => {
  const requests = Math.floor((told.requests * configured.windowMs) / told.windowMs);
  return requests < configured.requests ? { ...configured, requests: Math.max(1, requests) } : configured;
};

type Described = {
  readonly sentAtMs: number;
  readonly remaining: number;
  readonly resetMs: number | null;
  readonly nowMs: number;
};

/**
 * Once the reset that an answer announced is past, the next answer shows whether requests from before it still count.
 * It judges only where there were enough of them, and where in doubt it says sliding, which merely waits longer.
 */
const classifyWindow = (governor: Governor, { sentAtMs, remaining, resetMs, nowMs }: Described): void => {
  if (resetMs === null) return;
  governor.resetDueMs ??= nowMs + resetMs + RESET_PRECISION_MS;
  if (sentAtMs < governor.resetDueMs) return;
  const afterReset = countAfter(governor.completed, governor.resetDueMs - 2 * RESET_PRECISION_MS);
  const beforeReset = countAfter(governor.completed, sentAtMs - governor.limit.windowMs) - afterReset;
  const stillCounted = governor.limit.requests - remaining - afterReset - governor.inFlight;
  if (beforeReset >= MIN_EVIDENCE) governor.kind = stillCounted < beforeReset / 2 ? 'fixed' : 'sliding';
  governor.resetDueMs = nowMs + resetMs + RESET_PRECISION_MS;
};

/**
 * What the server counts beyond everything of ours that it may have counted was sent by somebody else (another
 * process, or this one before it was restarted) and takes places in the ring. While the quota is shared, the last few
 * requests of the window are left alone: whoever shares it may be using them at this moment.
 */
const correctDownward = (governor: Governor, { sentAtMs, remaining, resetMs, nowMs }: Described): void => {
  const { requests, windowMs } = governor.limit;
  const ours = countAfter(governor.completed, countedSinceMs(governor, sentAtMs, resetMs)) + governor.inFlight;
  const foreign = requests - ours - remaining;
  for (let index = 0; index < foreign; index += 1) push(governor.completed, nowMs);
  if (foreign > 0) governor.sharedUntilMs = nowMs + windowMs;
  const reserve = Math.ceil(requests * RESERVE_SHARE);
  if (nowMs >= governor.sharedUntilMs || remaining - governor.inFlight > reserve) return;
  stopUntil(governor, nowMs + (resetMs ?? 0) + RESET_PRECISION_MS);
};

/** No completion up to this time belongs to a request that the server still counted when it wrote its answer. */
const countedSinceMs = (governor: Governor, sentAtMs: number, resetMs: number | null): number => {
  const { windowMs } = governor.limit;
  const slidingMs = sentAtMs - windowMs - guardMs(governor);
  if (governor.kind !== 'fixed' || resetMs === null || resetMs > windowMs) return slidingMs;
  return Math.max(slidingMs, sentAtMs + resetMs - windowMs - RESET_PRECISION_MS);
};
