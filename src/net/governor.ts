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
 *
 * The way there and back that no request was ever seen to spare does not count: a request arrives at least the way there
 * after it was sent, and arrived at least the way back before its answer. So where the
 * window is short, a completion is entered as that much earlier (`sparedMs`), which keeps the argument.
 */
import { countAfter, createRing, LONG_AGO_MS, nthNewest, push, type CompletionRing } from './completion-ring.ts';
import type { RateHeaders, RateLimit } from './rate-headers.ts';
import {
  createWatch,
  forgetGrain,
  guardMs,
  isBucket,
  isShort,
  learnWindow,
  RESET_PRECISION_MS,
  type Described,
  type WindowWatch,
} from './window-kind.ts';

/** The governor's state. It changes only through the functions of this file. */
export type Governor = WindowWatch & {
  readonly configured: RateLimit;
  /** The server's own limit, as its newest answer that told one says; null where none did. */
  reported: RateLimit | null;
  /** The limit in force: the configured one, or the server's own where that is lower. */
  limit: RateLimit;
  readonly completed: CompletionRing;
  /** The requests that count as in flight, by their ids, and until when each does at the latest. */
  readonly open: Map<number, number>;
  nextId: number;
  /** When the pacer's spacing since the latest requests is used up. */
  pacedUntilMs: number;
  /** Nothing is sent before this time. */
  stoppedUntilMs: number;
  /** A probe is a single request whose answer must come before any other is sent; its id while it is under way. */
  probe: 'none' | 'due' | { readonly id: number };
  /** What the newest answer counted beyond everything of ours, and when its request was sent. */
  foreign: { readonly requests: number; readonly sentAtMs: number };
  /** How many more requests the server had room for by its newest answer, and when it must have room for more. */
  room: { readonly requests: number; readonly moreAtMs: number };
  /** Until when the quota is taken to be shared with somebody else. */
  sharedUntilMs: number;
  /** How long an answer takes on average, and at least; null before the first one. */
  roundTrip: { readonly meanMs: number; readonly leastMs: number } | null;
};

/** An admitted request; hand it back to {@link complete}. */
export type Grant = { readonly id: number; readonly sentAtMs: number };

/** Whether the next request may be sent. */
export type Admission =
  | { readonly grant: Grant }
  | {
      readonly grant: null;
      /** After how long to ask again; null: after the next completion. */
      readonly waitMs: number | null;
      /** For how long nothing at all is sent, whatever is under way. */
      readonly stoppedForMs: number;
    };

/** What an answer tells the governor. */
export type GovernedAnswer = RateHeaders & {
  readonly status: number;
  readonly retryAfterMs: number | null;
  /** Added to the stop after a 429, so that several processes do not come back together. */
  readonly jitterMs: number;
};

/** Requests left, and how long until all of them are free again. */
export type Budget = { readonly limit: RateLimit; readonly remaining: number; readonly resetMs: number };

const SPACING_MARGIN = 1.01;
const BURST = 4;
/** A request that was aborted or cut off may still be on its way to the server for so long. */
export const LOST_GRACE_MS = 5_000;
/** Nothing is under way for so long, unless the process that sent it has died: then its place becomes free again. */
const LEASE_MS = 120_000;
/** Of a shared quota so much is left alone: whoever shares it may be using that at this moment. */
const RESERVE_SHARE = 0.01;
const MAX_RESERVE = 5;
const MAX_RESERVE_SHARE_OF_BUCKET = 0.25;
const MIN_STOP_MS = 1_000;
/** The share of the newest answer in the mean of round trips. */
const MEAN_GAIN = 1 / 64;
/** By this share of what is missing to the mean the least round trip is forgotten with each answer. */
const LEAST_GAIN = 1 / 1_000;
/** Somebody else's requests leave a sliding window too: after this share of it a probe is worth while. */
const MAX_CREEP_SHARE = 0.1;

/** A governor that knows nothing yet: its first request is a probe, whose answer tells what others already used. */
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

/** Admits a request now, or says how long to wait. */
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

/** Ends an admitted request: it was answered (the headers came), or null: it was aborted, cut off or timed out. */
export const complete = (governor: Governor, grant: Grant, answer: GovernedAnswer | null, nowMs: number): void => {
  settleExpired(governor, nowMs);
  if (isProbing(governor, grant.id)) governor.probe = tellsTheState(answer) ? 'none' : 'due';
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
  // An answer to a request from before the latest stop describes a window that the probe will describe better.
  if (answer.remaining === null || grant.sentAtMs < governor.stoppedUntilMs) return;
  const described = { sentAtMs: grant.sentAtMs, remaining: answer.remaining, resetMs: answer.resetMs, nowMs };
  learnWindow(governor, described);
  correctDownward(governor, described);
};

/** What may still be sent in the current window. */
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

/** The server's limit in terms of the configured window; never more than configured. */
export const lowerLimit = (configured: RateLimit, reported: RateLimit): RateLimit => {
  const requests = Math.floor((reported.requests * configured.windowMs) / reported.windowMs);
  return requests < configured.requests ? { ...configured, requests: Math.max(1, requests) } : configured;
};

/**
 * In a short window no faster than the guard lets requests pass. Else they would come in bunches, and bunches that lie
 * within the server's seconds hide that it counts those.
 */
const spacingMs = (governor: Governor): number => {
  const pacedMs = governor.limit.windowMs * SPACING_MARGIN;
  return (isShort(governor) ? Math.max(pacedMs, heldMs(governor)) : pacedMs) / governor.limit.requests;
};

/**
 * Requests are spread evenly over the window; after a pause, up to {@link BURST} may go at once. In whole milliseconds,
 * as timers are: the spacing itself is added up exactly, so the pace on average stays.
 */
const pacedReadyAtMs = (governor: Governor): number =>
  Math.floor(governor.pacedUntilMs - (BURST - 1) * spacingMs(governor));

/** One answer that takes very long says little of the others: it counts as twice the mean at most. */
const learnRoundTrip = (governor: Governor, tookMs: number): void => {
  const { meanMs, leastMs } = governor.roundTrip ?? { meanMs: tookMs, leastMs: tookMs / 2 };
  governor.roundTrip = {
    meanMs: meanMs + (Math.min(tookMs, 2 * meanMs + 1) - meanMs) * MEAN_GAIN,
    leastMs: Math.min(tookMs, leastMs + (meanMs - leastMs) * LEAST_GAIN),
  };
};

/**
 * What every round trip takes at least: the least that was seen, less as much as the mean lies above it. Nothing where
 * the window is so long that it does not matter.
 */
const sparedMs = (governor: Governor): number => {
  const { roundTrip } = governor;
  if (roundTrip === null || !isShort(governor)) return 0;
  return Math.max(0, 2 * roundTrip.leastMs - roundTrip.meanMs);
};

/** With `f` in flight, the next may go when the (limit - f)-th newest completion has left the window and the guard. */
const ringReadyAtMs = (governor: Governor, nowMs: number): number => {
  // A probe is there to ask whether somebody else's requests are still counted.
  const foreign = governor.probe === 'due' ? 0 : foreignAt(governor, nowMs);
  const free = governor.limit.requests - governor.open.size - foreign;
  if (free <= 0)
    return Math.min(foreign > 0 ? foreignUntilMs(governor) : Number.POSITIVE_INFINITY, ...governor.open.values());
  return nthNewest(governor.completed, free) + heldMs(governor);
};

/** For how long a request counts after its answer. */
const heldMs = (governor: Governor): number => governor.limit.windowMs + guardMs(governor);

/** Until when somebody else's requests count without newer news of them: at the longest a window, like the own ones. */
const foreignUntilMs = (governor: Governor): number => {
  const { kind, foreign, room } = governor;
  const leftAtMs = foreign.sentAtMs + heldMs(governor);
  return kind === 'fixed' ? Math.min(leftAtMs, room.moreAtMs) : leftAtMs;
};

/** Somebody else's requests that count now. */
const foreignAt = (governor: Governor, nowMs: number): number =>
  nowMs < foreignUntilMs(governor) ? governor.foreign.requests : 0;

/** Whether a probe (this one, where an id is given) is under way. */
const isProbing = ({ probe }: Governor, id?: number): boolean =>
  typeof probe === 'object' && (id === undefined || probe.id === id);

/** What counted as in flight until now counts as answered when its time was up. */
const settleExpired = (governor: Governor, nowMs: number): void => {
  if (!governor.open.values().some((untilMs) => untilMs <= nowMs)) return;
  const expired = [...governor.open].filter(([, untilMs]) => untilMs <= nowMs);
  for (const [id, untilMs] of expired.toSorted(([, one], [, other]) => one - other)) {
    governor.open.delete(id);
    push(governor.completed, untilMs);
    if (isProbing(governor, id)) governor.probe = 'due';
  }
};

/** A fault without rate headers comes from something in front of the server and says nothing of the quota. */
const tellsTheState = (answer: GovernedAnswer | null): boolean =>
  answer !== null && (answer.remaining !== null || answer.status < 500);

const stopUntil = (governor: Governor, untilMs: number): void => {
  governor.stoppedUntilMs = Math.max(governor.stoppedUntilMs, untilMs);
  governor.probe = 'due';
};

/**
 * What the server counts beyond everything of ours that it may have counted was sent by somebody else (another
 * process, or this one before it was restarted) and takes places, until a newer answer counts less. So an answer only
 * ever takes away from what the ring allows. When it leaves no more than the reserve and nothing is under way that could
 * tell anything newer, nothing is sent until there must be room again.
 */
const correctDownward = (governor: Governor, described: Described): void => {
  const { sentAtMs, remaining, nowMs } = described;
  const { limit, completed, open } = governor;
  const isNewest = sentAtMs > governor.foreign.sentAtMs;
  if (isNewest) {
    const ours = countAfter(completed, sentAtMs - heldMs(governor)) + open.size;
    governor.foreign = { requests: Math.max(0, limit.requests - ours - remaining), sentAtMs };
  }
  if (governor.foreign.requests > 0) governor.sharedUntilMs = nowMs + limit.windowMs;
  // Which of two overlapping requests reached the server first is not known: the answer that leaves less counts.
  if (isNewest || remaining < governor.room.requests) {
    governor.room = { requests: remaining, moreAtMs: moreRoomAtMs(governor, described) };
  }
  const isShared = nowMs < governor.sharedUntilMs;
  if (isShared && open.size === 0 && governor.room.requests <= reserveOf(governor, nowMs)) {
    stopUntil(governor, governor.room.moreAtMs);
  }
};

/** How many requests are left to whoever shares the quota; none while nobody is known to. */
const reserveOf = (governor: Governor, nowMs: number): number => {
  if (nowMs >= governor.sharedUntilMs) return 0;
  const ofWindow = Math.min(MAX_RESERVE, Math.ceil(governor.limit.requests * RESERVE_SHARE));
  if (!isBucket(governor, nowMs)) return ofWindow;
  return Math.min(ofWindow, Math.floor(governor.capacity * MAX_RESERVE_SHARE_OF_BUCKET));
};

/**
 * Where those under way may take all that the server had room for, the next answer decides. In a short window that costs
 * too much, so there it is done only where somebody else may take what is left.
 */
const roomReadyAtMs = (governor: Governor, nowMs: number): number => {
  const { open, room } = governor;
  if (isShort(governor) && nowMs >= governor.sharedUntilMs) return LONG_AGO_MS;
  if (open.size === 0 || room.requests - open.size > reserveOf(governor, nowMs)) return LONG_AGO_MS;
  return Math.min(room.moreAtMs, ...open.values());
};

/** When the server must have room beyond the reserve again, as far as its Reset and the own requests tell. */
const moreRoomAtMs = (governor: Governor, { sentAtMs, remaining, resetMs, nowMs }: Described): number => {
  const { limit, completed, kind } = governor;
  const resetAtMs = nowMs + (resetMs ?? 0) + RESET_PRECISION_MS;
  if (kind === 'fixed') return resetAtMs;
  const lacking = Math.max(1, reserveOf(governor, nowMs) + 1 - remaining);
  if (isBucket(governor, nowMs)) return nowMs + Math.max(MIN_STOP_MS, lacking * spacingMs(governor));
  if (kind === 'unknown') return resetAtMs;
  // A sliding window's Reset tells of one place at most: as many as lack are free when so many of ours have left it.
  const counted = countAfter(completed, sentAtMs - limit.windowMs);
  const leftAtMs = nthNewest(completed, Math.max(1, counted + 1 - lacking)) + heldMs(governor);
  return Math.min(leftAtMs, nowMs + limit.windowMs * MAX_CREEP_SHARE + RESET_PRECISION_MS);
};
