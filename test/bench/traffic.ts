import { createGate } from '../../src/net/gate.ts';
import { createLocalLimiter, openSharedLimiter, type RateLimiter } from '../../src/net/limiter.ts';
import type { Clock } from '../../src/util/clock.ts';
import type { RateLimit } from '../../src/util/values.ts';
import { type Limiter, type Verdict, createMemoryCell } from '../support/limiter-models.ts';
import { createVirtualClock } from '../support/clocks.ts';
import { roundTripMs, seeded } from '../support/random.ts';

/** The service's own limit. */
export const LIMIT: RateLimit = { requests: 500, windowMs: 60_000 };

/** Waits until a request may be sent. The returned function receives its result. */
type Pacer = () => Promise<(verdict: Verdict) => void>;

const NEVER = new AbortController().signal;
const REDIS_LATENCY_MS = 0.5;

const pacerOf = (limiter: RateLimiter, clock: Clock): Pacer => {
  const gate = createGate({ limiter, clock, random: () => 0.5 });
  return async () => {
    const permit = await gate.acquire(NEVER);
    return ({ isAccepted, remaining, resetMs }) => {
      const headers = { 'x-rate-limit-remaining': String(remaining), 'x-rate-limit-reset': String(resetMs / 1_000) };
      permit.done({ status: isAccepted ? 200 : 429, headers });
    };
  };
};

/** The program's own gates. Several processes share their limiter. */
const ownGates = async (clock: Clock, processes: number, limit: RateLimit): Promise<readonly Pacer[]> => {
  if (processes === 1) return [pacerOf(createLocalLimiter(limit, clock, null), clock)];
  const cell = createMemoryCell(clock, REDIS_LATENCY_MS);
  const open = () => openSharedLimiter({ cell, limit, clock, snapshot: null });
  const limiters = await Promise.all(Array.from({ length: processes }, open));
  return limiters.map((limiter) => pacerOf(limiter, clock));
};

export type Traffic = {
  readonly limiter: Limiter;
  readonly processes: number;
  /** The variable part of a round trip. Any part of it may be before the server receives the request. */
  readonly medianMs: number;
  /** The constant part of a round trip, half of it in each direction. */
  readonly steadyMs?: number;
  /** {@link LIMIT} by default. */
  readonly limit?: RateLimit;
  readonly minutes: number;
  /** The requests a minute of other clients with the same quota. */
  readonly foreign?: number;
};

export type TrafficResult = {
  readonly accepted: number;
  readonly refused: number;
  readonly foreignAccepted: number;
  readonly foreignRefused: number;
  /** The time of the last refusal. */
  readonly lastRefusalMs: number | null;
};

const PARALLEL = 16;

/** Sends as much as the gates allow against the limiter, in virtual time. */
export const drive = async (traffic: Traffic): Promise<TrafficResult> => {
  const { limiter, processes, medianMs, steadyMs = 0, limit = LIMIT, minutes, foreign = 0 } = traffic;
  const clock = createVirtualClock();
  const random = seeded(7);
  const result = { accepted: 0, refused: 0, foreignAccepted: 0, foreignRefused: 0 };
  let lastRefusalMs: number | null = null;
  const work = async (pacer: Pacer): Promise<never> => {
    for (;;) {
      const done = await pacer();
      const durationMs = roundTripMs(medianMs, random);
      const wayMs = durationMs * random();
      await clock.sleep(wayMs + steadyMs / 2);
      const verdict = limiter(clock.monotonic());
      result[verdict.isAccepted ? 'accepted' : 'refused'] += 1;
      if (!verdict.isAccepted) lastRefusalMs = clock.monotonic();
      await clock.sleep(durationMs - wayMs + steadyMs / 2);
      done(verdict);
    }
  };
  const intrude = async (): Promise<never> => {
    for (;;) {
      await clock.sleep((limit.windowMs / foreign) * 2 * random());
      result[limiter(clock.monotonic()).isAccepted ? 'foreignAccepted' : 'foreignRefused'] += 1;
    }
  };
  const begin = async (): Promise<void> => {
    for (const pacer of await ownGates(clock, processes, limit)) {
      for (let worker = 0; worker < PARALLEL; worker += 1) void work(pacer);
    }
    if (foreign > 0) void intrude();
  };
  void begin();
  await clock.play(minutes * 60_000);
  return { ...result, lastRefusalMs };
};
