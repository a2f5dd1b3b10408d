import { once } from 'node:events';
import { untilAborted } from '../util/until-aborted.ts';
import type { Clock } from '../util/clock.ts';
import type { GovernorState } from './governor-state.ts';
import type { AdmittedRequest, Budget, GovernedAnswer } from './governor.ts';
import { readRateHeaders, readRetryAfterMs, type AnswerHead } from './headers.ts';
import type { RateLimit } from '../util/values.ts';
import type { RateLimiter } from './limiter.ts';

/** Permission to send one request. */
export type Permit = {
  /**
   * Call it exactly once, with the answer when its headers have arrived, or with null if no answer will arrive or the permit
   * was not used.
   */
  done(answer: AnswerHead | null): void;
};

export type GateOptions = {
  readonly limiter: RateLimiter;
  readonly clock: Clock;
  /** At least 0, less than 1. */
  readonly random: () => number;
  /** Called when a request enters the gate and when one has ended. */
  readonly onUse?: () => void;
  /** Called for each 429, with the time during which no request is sent. */
  readonly onLimited?: (limited: { readonly stoppedForMs: number }) => void;
};

const MAX_JITTER_MS = 1_000;
/**
 * A request waits for a stop until the reset of a one-minute window. A longer stop ends the run, which releases the lease of
 * its link: the daemon retries later, and a command ends within 90 s, the timeout of a last request included.
 */
const LONGEST_AWAITED_STOP_MS = 65_000;

/**
 * Returns a function that does the work for one caller after the other, in order of arrival. If it fails, all callers that wait by
 * then fail with the same error.
 */
const inOrder = <Value>(work: (signal: AbortSignal) => Promise<Value>) => {
  let waiting: { refusal: { readonly error: unknown } | null } = { refusal: null };
  let last: Promise<unknown> = Promise.resolve();
  return (signal: AbortSignal): Promise<Value> => {
    const own = waiting;
    const done = last.then(() => {
      if (own.refusal !== null) throw own.refusal.error;
      return work(signal);
    });
    last = done.catch((error: unknown) => {
      if (signal.aborted || own.refusal !== null) return;
      own.refusal = { error };
      waiting = { refusal: null };
    });
    return untilAborted(done, signal);
  };
};

/** Opens a gate for one limit. Only the first waiting request asks the limiter, and only it has a timer. */
export const createGate = (options: GateOptions) => {
  const { limiter, clock, onUse } = options;
  const ending = new Set<Promise<void>>();
  /** Aborted when the limiter may admit a request earlier than it said, or a waiting request was aborted. */
  let alarm = new AbortController();
  // The reason is not used; without one, each abort would create an exception.
  const checkAgain = (): void => alarm.abort(null);
  const permitFor = (grant: AdmittedRequest): Permit => ({
    done: (answer) => {
      onUse?.();
      const end = finish(options, grant, answer).then(checkAgain);
      ending.add(end);
      void end.then(() => ending.delete(end));
    },
  });
  const admitFirst = async (signal: AbortSignal): Promise<Permit> => {
    for (;;) {
      signal.throwIfAborted();
      alarm = new AbortController();
      const admission = await limiter.admit();
      if (admission.grant !== null) {
        const permit = permitFor(admission.grant);
        if (!signal.aborted) return permit;
        permit.done(null);
      } else {
        if (admission.stoppedForMs > LONGEST_AWAITED_STOP_MS) throw stopError(admission.stoppedForMs);
        await sleepUntilAlarm(clock, admission.waitMs, alarm.signal);
      }
    }
  };
  const admitInOrder = inOrder(admitFirst);
  return {
    /**
     * Resolves when a request may be sent. Rejects with the signal's reason if it is aborted first, with the error of a shared
     * limiter that cannot be reached, or with an {@link UnsentError} if a stop lasts too long to wait for.
     */
    acquire: (signal: AbortSignal): Promise<Permit> => {
      onUse?.();
      const permit = admitInOrder(signal);
      permit.catch(checkAgain);
      return permit;
    },
    /** Replaces the limit. */
    use: (limit: RateLimit): void => {
      limiter.use(limit);
      checkAgain();
    },
    budget: (): Budget => limiter.budget(),
    /** Resolves when the limiter has recorded the end of every request that has ended. */
    settled: async (): Promise<void> => {
      await Promise.all(ending);
    },
    /** The state that the next process continues from; plain JSON. */
    snapshot: (): GovernorState => limiter.snapshot(),
  };
};

/** The queue of all requests that count against one limit. */
export type Gate = ReturnType<typeof createGate>;

/** Sleeps for that time, or without end for null, until the alarm. */
const sleepUntilAlarm = async (clock: Clock, waitMs: number | null, alarm: AbortSignal): Promise<void> => {
  if (alarm.aborted) return;
  await (waitMs === null ? once(alarm, 'abort') : clock.sleep(waitMs, alarm).catch(() => undefined));
};

const stopError = (stoppedForMs: number): UnsentError => {
  const seconds = Math.ceil(stoppedForMs / 1_000);
  return new UnsentError(`the rate limit allows no request for another ${seconds} s`, { retryAfterMs: stoppedForMs });
};

/** Ends an admitted request. */
const finish = async (
  { limiter, clock, random, onLimited }: GateOptions,
  grant: AdmittedRequest,
  answer: AnswerHead | null,
): Promise<void> => {
  try {
    const governed = answer && governedAnswer(answer, clock.now(), random);
    const { stoppedForMs } = await limiter.complete(grant, governed);
    if (answer?.status === 429) onLimited?.({ stoppedForMs });
  } catch {
    // A shared limiter frees the place when its lease expires. The next request reports the error.
  }
};

const governedAnswer = ({ status, headers }: AnswerHead, epochMs: number, random: () => number): GovernedAnswer => ({
  status,
  ...readRateHeaders(headers, epochMs),
  retryAfterMs: readRetryAfterMs(headers, epochMs),
  jitterMs: random() * MAX_JITTER_MS,
});

/**
 * A request that was not sent, because the rate limiter cannot be reached or admits no request for a long time. It was
 * certainly not applied.
 */
export class UnsentError extends Error {
  /** How long no request is admitted, in milliseconds; null if unknown. */
  readonly retryAfterMs: number | null;

  constructor(message: string, options: { readonly cause?: unknown; readonly retryAfterMs?: number }) {
    super(message, options);
    this.name = 'UnsentError';
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}
