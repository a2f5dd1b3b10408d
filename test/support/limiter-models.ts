import type { CellView, SharedCell } from '../../src/net/limiter.ts';
import type { Clock } from '../../src/util/clock.ts';
import type { RateLimit } from '../../src/util/values.ts';

/** The answer of a limiter to one request. */
export type Verdict = { readonly isAccepted: boolean; readonly remaining: number; readonly resetMs: number };
/** A server's limiter; requests must come in order of time. */
export type Limiter = (nowMs: number) => Verdict;

const ceilSeconds = (durationMs: number): number => Math.max(0, Math.ceil(durationMs / 1_000)) * 1_000;

const verdict = (limit: RateLimit, usedBefore: number, resetMs: number): Verdict => {
  const isAccepted = usedBefore + 1 <= limit.requests;
  const used = Math.ceil(usedBefore + (isAccepted ? 1 : 0));
  return { isAccepted, remaining: Math.max(0, limit.requests - used), resetMs: ceilSeconds(resetMs) };
};

/** Windows that begin at whole multiples of their length, shifted by `offsetMs`. */
const fixedByClock = (limit: RateLimit, offsetMs = 0): Limiter => {
  let window = -1;
  let used = 0;
  return (nowMs) => {
    const current = Math.floor((nowMs + offsetMs) / limit.windowMs);
    if (current !== window) used = 0;
    window = current;
    const answer = verdict(limit, used, (current + 1) * limit.windowMs - offsetMs - nowMs);
    if (answer.isAccepted) used += 1;
    return answer;
  };
};

/** A window begins with the first request after the last one ended. */
const fixedFromFirstRequest = (limit: RateLimit): Limiter => {
  let endsAtMs = Number.NEGATIVE_INFINITY;
  let used = 0;
  return (nowMs) => {
    if (nowMs >= endsAtMs) {
      endsAtMs = nowMs + limit.windowMs;
      used = 0;
    }
    const answer = verdict(limit, used, endsAtMs - nowMs);
    if (answer.isAccepted) used += 1;
    return answer;
  };
};

/** Counts the requests of the last window exactly; refused ones too, where `countsRefused`. */
const slidingLog = (limit: RateLimit, countsRefused = false): Limiter => {
  const log: number[] = [];
  return (nowMs) => {
    while ((log[0] ?? nowMs) <= nowMs - limit.windowMs) log.shift();
    const answer = verdict(limit, log.length, (log[0] ?? nowMs) + limit.windowMs - nowMs);
    if (answer.isAccepted || countsRefused) log.push(nowMs);
    return answer;
  };
};

/** Counts whole seconds, so that a request stays counted for up to a second longer than the window. */
const slidingBySecond = (limit: RateLimit): Limiter => {
  const log: number[] = [];
  return (nowMs) => {
    const second = Math.floor(nowMs / 1_000);
    while ((log[0] ?? second) < second - limit.windowMs / 1_000) log.shift();
    const answer = verdict(limit, log.length, ((log[0] ?? second) + 1) * 1_000 + limit.windowMs - nowMs);
    if (answer.isAccepted) log.push(second);
    return answer;
  };
};

/** Estimates the sliding count from this clock window and the weighted one before. */
const slidingByTwoBuckets = (limit: RateLimit): Limiter => {
  let window = 0;
  let counts = { before: 0, now: 0 };
  return (nowMs) => {
    const current = Math.floor(nowMs / limit.windowMs);
    if (current !== window) counts = { before: current === window + 1 ? counts.now : 0, now: 0 };
    window = current;
    const restMs = (current + 1) * limit.windowMs - nowMs;
    const answer = verdict(limit, counts.before * (restMs / limit.windowMs) + counts.now, restMs);
    if (answer.isAccepted) counts.now += 1;
    return answer;
  };
};

/** Keeps sums of fractions of a millisecond from counting as one request more. */
const ROUNDING = 1e-6;

/** A level that drains evenly and holds `burst` requests: a token bucket where that is the limit, else GCRA. */
export const leakyBucket = (limit: RateLimit, burst: number): Limiter => {
  const intervalMs = limit.windowMs / limit.requests;
  let emptyAtMs = 0;
  return (nowMs) => {
    const level = Math.max(0, emptyAtMs - nowMs) / intervalMs;
    const isAccepted = level + 1 <= burst + ROUNDING;
    if (isAccepted) emptyAtMs = Math.max(emptyAtMs, nowMs) + intervalMs;
    const used = Math.ceil(level + (isAccepted ? 1 : 0) - ROUNDING);
    return { isAccepted, remaining: Math.max(0, burst - used), resetMs: ceilSeconds(emptyAtMs - nowMs) };
  };
};

/** A shared cell in memory; each step on it takes `latencyMs` on its clock. */
export const createMemoryCell = (clock: Clock, latencyMs = 0): SharedCell => {
  let held: { readonly revision: number; readonly state: string | null } = { revision: 0, state: null };
  const arrive = async (): Promise<void> => {
    if (latencyMs > 0) await clock.sleep(latencyMs);
  };
  const view = (known: number): CellView => {
    const { revision, state } = held;
    return { nowMs: clock.now(), revision, state: revision === known ? null : state };
  };
  return {
    read: async (known) => {
      await arrive();
      return view(known);
    },
    replace: async (known, state) => {
      await arrive();
      if (known !== held.revision) return view(known);
      held = { revision: known + 1, state };
      return null;
    },
  };
};

/** The ways in which a server may count requests. */
export const MODELS = {
  'fixed, by clock': (limit) => fixedByClock(limit, 0.39 * limit.windowMs),
  'fixed, from first request': (limit) => fixedFromFirstRequest(limit),
  'sliding log': (limit) => slidingLog(limit),
  'sliding by second': (limit) => slidingBySecond(limit),
  'two-bucket': (limit) => slidingByTwoBuckets(limit),
  'token bucket': (limit) => leakyBucket(limit, limit.requests),
  'GCRA, burst 20': (limit) => leakyBucket(limit, 20),
  'sliding log, refused count': (limit) => slidingLog(limit, true),
} satisfies Readonly<Record<string, (limit: RateLimit) => Limiter>>;

export type ModelName = keyof typeof MODELS;
