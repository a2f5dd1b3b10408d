import type { Clock } from '../util/clock.ts';
import type { GovernorState } from './governor-state.ts';
import type { AdmittedRequest, Budget, GovernedAnswer } from './governor.ts';
import { readRateHeaders, readRetryAfterMs, type AnswerHead } from './headers.ts';
import type { RateLimit } from '../util/values.ts';
import type { RateLimiter } from './limiter.ts';

/** Permission to send one request. */
export type Permit = {
  /**
   * Call it once, with the answer when its headers have arrived, or with null if no answer will arrive or the permit was
   * not used. Further calls do nothing.
   */
  done(answer: AnswerHead | null): void;
};

/** The queue of all requests that count against one limit. */
export type Gate = {
  /**
   * Resolves when a request may be sent. Rejects with the signal's reason if it is aborted first, with the error of a shared
   * limiter that cannot be reached, or with an {@link UnsentError} if a stop lasts too long to wait for.
   */
  acquire(signal: AbortSignal): Promise<Permit>;
  /** Replaces the limit. */
  use(limit: RateLimit): void;
  budget(): Budget;
  /** Resolves when the limiter has recorded the end of every request that has ended. */
  settled(): Promise<void>;
  /** The state that the next process continues from; plain JSON. */
  snapshot(): GovernorState;
};

export type GateOptions = {
  readonly limiter: RateLimiter;
  readonly clock: Clock;
  /** At least 0, less than 1. */
  readonly random: () => number;
  /** Called for each 429, with the time during which no request is sent. */
  readonly onLimited?: (limited: { readonly stoppedForMs: number }) => void;
};

const MAX_JITTER_MS = 1_000;
/**
 * A request waits for a stop until the reset of a one-minute window. A longer stop ends the run, which releases the lease of
 * its link: the daemon retries later, and a command ends within 90 s, the timeout of a last request included.
 */
const LONGEST_AWAITED_STOP_MS = 65_000;

/** Opens a gate for one limit. It has at most one timer, and none while no request waits. */
export const createGate = (options: GateOptions): Gate => {
  const { limiter } = options;
  const queue = new WaitingQueue();
  const ending = new Set<Promise<void>>();
  const onEnding = (end: Promise<void>): void => {
    ending.add(end);
    void end.then(() => ending.delete(end));
  };
  const pump = createPump(options, queue, (grant) => permitFor(grant, options, { pump, onEnding }));
  return {
    acquire: (signal) => {
      const permit = queue.join(signal, pump);
      pump();
      return permit;
    },
    use: (limit) => {
      limiter.use(limit);
      pump();
    },
    budget: () => limiter.budget(),
    settled: async () => {
      await Promise.all(ending);
    },
    snapshot: () => limiter.snapshot(),
  };
};

type Waiter = { readonly open: (permit: Permit) => void; readonly refuse: (error: unknown) => void };

/** The requests that wait at a gate, in order of arrival. */
class WaitingQueue {
  readonly #waiting = new Set<Waiter>();

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /** Resolves with the permit. An aborted request leaves the queue, and `onLeave` is called. */
  join(signal: AbortSignal, onLeave: () => void): Promise<Permit> {
    const waiting = this.#waiting;
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason as Error);
        return;
      }
      const onAbort = (): void => {
        waiting.delete(waiter);
        onLeave();
        reject(signal.reason as Error);
      };
      const settle = <Value>(pass: (value: Value) => void) => {
        return (value: Value): void => {
          signal.removeEventListener('abort', onAbort);
          pass(value);
        };
      };
      const waiter: Waiter = { open: settle(resolve), refuse: settle(reject) };
      signal.addEventListener('abort', onAbort, { once: true });
      waiting.add(waiter);
    });
  }

  /** Removes and returns the first waiting request; null if none waits. */
  shift(): Waiter | null {
    const [waiter = null] = this.#waiting;
    if (waiter !== null) this.#waiting.delete(waiter);
    return waiter;
  }
}

/**
 * Returns a function that gives permits to waiting requests as the limiter admits them, and sleeps until the next one can
 * be admitted. It may be called at any time, and then checks again.
 */
const createPump = (
  options: GateOptions,
  queue: WaitingQueue,
  permit: (grant: AdmittedRequest) => Permit,
): (() => void) => {
  const { limiter, clock } = options;
  let alarm: AbortController | null = null;
  let isBusy = false;
  /** The number of calls. A call during a check causes another check. */
  let calls = 0;

  const admitNext = async (): Promise<boolean> => {
    const admission = await limiter.admit();
    if (admission.grant === null) {
      if (admission.stoppedForMs > LONGEST_AWAITED_STOP_MS) throw stopError(admission.stoppedForMs);
      if (admission.waitMs !== null && !queue.isEmpty) alarm = wakeAfter(clock, admission.waitMs, pump);
      return false;
    }
    const waiter = queue.shift();
    if (waiter === null) permit(admission.grant).done(null);
    else waiter.open(permit(admission.grant));
    return true;
  };
  const admitAll = async (): Promise<void> => {
    try {
      for (let answered = -1; answered !== calls;) {
        answered = calls;
        // The reason is not used; without one, each abort would create an exception.
        alarm?.abort(null);
        alarm = null;
        while (!queue.isEmpty && (await admitNext()));
      }
    } catch (error) {
      for (let waiter = queue.shift(); waiter !== null; waiter = queue.shift()) waiter.refuse(error);
    } finally {
      isBusy = false;
    }
  };
  const pump = (): void => {
    calls += 1;
    if (isBusy) return;
    isBusy = true;
    void admitAll();
  };
  return pump;
};

const stopError = (stoppedForMs: number): UnsentError => {
  const seconds = Math.ceil(stoppedForMs / 1_000);
  return new UnsentError(`the rate limit allows no request for another ${seconds} s`, { retryAfterMs: stoppedForMs });
};

type PermitEnds = { readonly pump: () => void; readonly onEnding: (end: Promise<void>) => void };

const permitFor = (grant: AdmittedRequest, options: GateOptions, { pump, onEnding }: PermitEnds): Permit => {
  const { limiter, clock, random, onLimited } = options;
  let isDone = false;
  const finish = async (answer: AnswerHead | null): Promise<void> => {
    try {
      const governed = answer && governedAnswer(answer, clock.now(), random);
      const { stoppedForMs } = await limiter.complete(grant, governed);
      if (answer?.status === 429) onLimited?.({ stoppedForMs });
    } catch {
      // A shared limiter frees the place when its lease expires. The next request reports the error.
    }
    pump();
  };
  return {
    done: (answer) => {
      if (isDone) return;
      isDone = true;
      onEnding(finish(answer));
    },
  };
};

const governedAnswer = ({ status, headers }: AnswerHead, epochMs: number, random: () => number): GovernedAnswer => ({
  status,
  ...readRateHeaders(headers, epochMs),
  retryAfterMs: readRetryAfterMs(headers, epochMs),
  jitterMs: random() * MAX_JITTER_MS,
});

/** Calls `wake` after `waitMs`, unless the returned controller is aborted first. */
const wakeAfter = (clock: Clock, waitMs: number, wake: () => void): AbortController => {
  const alarm = new AbortController();
  const sleep = async (): Promise<void> => {
    try {
      await clock.sleep(waitMs, alarm.signal);
    } catch {
      return;
    }
    if (!alarm.signal.aborted) wake();
  };
  void sleep();
  return alarm;
};

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

/** The {@link UnsentError} in the chain of causes of an error; null if it does not exist. */
export const findUnsent = (error: unknown): UnsentError | null => {
  if (error instanceof UnsentError) return error;
  return error instanceof Error && error.cause !== undefined ? findUnsent(error.cause) : null;
};
