import type { Clock } from '../util/clock.ts';
import type { GovernorState } from './governor-state.ts';
import type { Budget, Grant } from './governor.ts';
import { readRateHeaders, readRetryAfterMs, type AnswerHeaders, type RateLimit } from './rate-headers.ts';
import type { RequestRing } from './ring.ts';
import { UnsentError } from './unsent-error.ts';

/** Writes go before reads. */
export type Priority = 'write' | 'read';

/** The leave to send one request. */
export type Permit = {
  /**
   * Must be called once, when the answer's headers came, or with null when none will come. A permit that was not used
   * after all ends with null too. Further calls do nothing.
   */
  done(answer: { readonly status: number; readonly headers: AnswerHeaders } | null): void;
};

/** All requests that count against one limit pass through one gate. */
export type Gate = {
  /**
   * Resolves when a request may be sent; rejects with the signal's reason when aborted while waiting, with what keeps a
   * shared ring from being reached, or with an {@link UnsentError} where a stop lasts too long to wait for.
   */
  acquire(priority: Priority, signal: AbortSignal): Promise<Permit>;
  /** Takes another limit in the place of the one it was opened with. */
  use(limit: RateLimit): void;
  budget(): Budget;
  /** Resolves when every request that has ended is entered in the ring, and so holds no place in a shared one. */
  settled(): Promise<void>;
  /** What the next process needs to keep the limit from its first request on; plain JSON. */
  snapshot(): GovernorState;
};

export type GateOptions = {
  readonly ring: RequestRing;
  readonly clock: Clock;
  /** At least 0, less than 1. */
  readonly random: () => number;
  /** Called for each 429, with the time for which nothing is sent. */
  readonly onLimited?: (limited: { readonly stoppedForMs: number }) => void;
};

const MAX_JITTER_MS = 1_000;
/**
 * A stop until a window of a minute is reset is waited for. A longer one ends the run, which holds its link's lease: the
 * daemon tries again later, and a command gives up within 90 s, in which a last request has time to fail.
 */
const LONGEST_AWAITED_STOP_MS = 65_000;

/** Opens a gate for one limit. It holds at most one timer, and none while nobody waits. */
export const createGate = (options: GateOptions): Gate => {
  const { ring } = options;
  const queue = new WaitingQueue();
  const ending = new Set<Promise<void>>();
  const onEnding = (end: Promise<void>): void => {
    ending.add(end);
    void end.then(() => ending.delete(end));
  };
  const pump = createPump(options, queue, (grant) => permitFor(grant, options, { pump, onEnding }));
  return {
    acquire: (priority, signal) => {
      const permit = queue.join(priority, signal, pump);
      pump();
      return permit;
    },
    use: (limit) => {
      ring.use(limit);
      pump();
    },
    budget: () => ring.budget(),
    settled: async () => {
      await Promise.all(ending);
    },
    snapshot: () => ring.snapshot(),
  };
};

type Waiter = { readonly open: (permit: Permit) => void; readonly refuse: (error: unknown) => void };

/** Who waits at a gate: writes before reads, each in the order in which they came. */
class WaitingQueue {
  readonly #waiting: Readonly<Record<Priority, Set<Waiter>>> = { write: new Set(), read: new Set() };

  get isEmpty(): boolean {
    return this.#waiting.write.size === 0 && this.#waiting.read.size === 0;
  }

  /** Resolves with the permit; an aborted waiter leaves, and `onLeave` is called. */
  join(priority: Priority, signal: AbortSignal, onLeave: () => void): Promise<Permit> {
    const waiting = this.#waiting[priority];
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

  /** Takes who is first, if anybody is left. */
  shift(): Waiter | null {
    for (const waiting of [this.#waiting.write, this.#waiting.read]) {
      for (const waiter of waiting) {
        waiting.delete(waiter);
        return waiter;
      }
    }
    return null;
  }
}

/**
 * Lets through whom the ring admits, one after the other, and sleeps until the next may pass. Calling it again at any
 * time is harmless: it looks once more.
 */
const createPump = (options: GateOptions, queue: WaitingQueue, permit: (grant: Grant) => Permit): (() => void) => {
  const { ring, clock } = options;
  let alarm: AbortController | null = null;
  let isBusy = false;
  /** How often it was called: what changes while it looks makes it look again. */
  let calls = 0;

  const admitNext = async (): Promise<boolean> => {
    const admission = await ring.admit();
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
        // Nobody reads the reason: one that is given spares making an exception each time.
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

const permitFor = (grant: Grant, options: GateOptions, { pump, onEnding }: PermitEnds): Permit => {
  const { ring, clock, random, onLimited } = options;
  let isDone = false;
  const finish = async (answer: Parameters<Permit['done']>[0]): Promise<void> => {
    try {
      const governed = answer && governedAnswer(answer.status, answer.headers, clock.now(), random);
      const { stoppedForMs } = await ring.complete(grant, governed);
      if (answer?.status === 429) onLimited?.({ stoppedForMs });
    } catch {
      // A shared ring that cannot be reached frees the place when its lease ends; the next request reports the fault.
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

const governedAnswer = (status: number, headers: AnswerHeaders, epochMs: number, random: () => number) => ({
  status,
  ...readRateHeaders(headers, epochMs),
  retryAfterMs: readRetryAfterMs(headers, epochMs),
  jitterMs: random() * MAX_JITTER_MS,
});

/** Calls `wake` after the time, unless the returned controller is aborted first. */
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
