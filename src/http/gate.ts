import type { Clock } from '../clock.ts';
import {
  admit,
  budgetOf,
  complete,
  createGovernor,
  restoreGovernor,
  snapshotOf,
  type Budget,
  type Governor,
  type GovernorSnapshot,
  type Grant,
} from './governor.ts';
import { readRateHeaders, readRetryAfterMs, type AnswerHeaders, type RateLimit } from './rate-headers.ts';

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
  /** Resolves when a request may be sent; rejects with the signal's reason when aborted while waiting. */
  acquire(priority: Priority, signal: AbortSignal): Promise<Permit>;
  budget(): Budget;
  /** What the next process needs to keep the limit from its first request on; plain JSON. */
  snapshot(): GovernorSnapshot;
};

export type GateOptions = {
  readonly limit: RateLimit;
  readonly clock: Clock;
  /** At least 0, less than 1. */
  readonly random: () => number;
  /** Called for each 429, with the time for which nothing is sent. */
  readonly onLimited?: (limited: { readonly stoppedForMs: number }) => void;
  /** Of the process before this one; null or left out: nothing is known of it. */
  readonly snapshot?: GovernorSnapshot | null;
};

type Waiter = { readonly open: (permit: Permit) => void };

const MAX_JITTER_MS = 1_000;
/** Timers overflow beyond some weeks; the gate asks again anyway when it wakes. */
const MAX_SLEEP_MS = 3_600_000;

/** Opens a gate for one limit. It holds at most one timer, and none while nobody waits. */
export const createGate = (options: GateOptions): Gate => {
  const { clock } = options;
  const governor = startGovernor(options);
  const queues: Readonly<Record<Priority, Set<Waiter>>> = { write: new Set(), read: new Set() };
  let alarm: AbortController | null = null;

  const pump = (): void => {
    alarm?.abort();
    alarm = null;
    for (let queue = firstQueue(queues); queue !== null; queue = firstQueue(queues)) {
      const admission = admit(governor, clock.monotonic());
      if (admission.grant === null) {
        if (admission.waitMs !== null) alarm = wakeAfter(clock, admission.waitMs, pump);
        return;
      }
      const [waiter] = queue;
      if (waiter !== undefined) queue.delete(waiter);
      waiter?.open(permitFor(governor, admission.grant, options, pump));
    }
  };

  return {
    acquire: (priority, signal) => {
      return new Promise((resolve, reject) => {
        if (signal.aborted) {
          reject(signal.reason as Error);
          return;
        }
        const onAbort = (): void => {
          queues[priority].delete(waiter);
          pump();
          reject(signal.reason as Error);
        };
        const waiter: Waiter = {
          open: (permit) => {
            signal.removeEventListener('abort', onAbort);
            resolve(permit);
          },
        };
        signal.addEventListener('abort', onAbort, { once: true });
        queues[priority].add(waiter);
        pump();
      });
    },
    budget: () => budgetOf(governor, clock.monotonic()),
    snapshot: () => snapshotOf(governor, momentOf(clock)),
  };
};

const startGovernor = ({ limit, clock, snapshot }: GateOptions): Governor =>
  snapshot === undefined || snapshot === null
    ? createGovernor(limit)
    : restoreGovernor(limit, snapshot, momentOf(clock));

const momentOf = (clock: Clock): { nowMs: number; epochMs: number } => ({
  nowMs: clock.monotonic(),
  epochMs: clock.now(),
});

const firstQueue = (queues: Readonly<Record<Priority, Set<Waiter>>>): Set<Waiter> | null => {
  if (queues.write.size > 0) return queues.write;
  return queues.read.size > 0 ? queues.read : null;
};

const permitFor = (governor: Governor, grant: Grant, options: GateOptions, pump: () => void): Permit => {
  const { clock, random, onLimited } = options;
  let isDone = false;
  return {
    done: (answer) => {
      if (isDone) return;
      isDone = true;
      const nowMs = clock.monotonic();
      if (answer === null) {
        complete(governor, grant, null, nowMs);
      } else {
        complete(governor, grant, governedAnswer(answer.status, answer.headers, clock.now(), random), nowMs);
        if (answer.status === 429) onLimited?.({ stoppedForMs: governor.stoppedUntilMs - nowMs });
      }
      pump();
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
      await clock.sleep(Math.min(waitMs, MAX_SLEEP_MS), alarm.signal);
    } catch {
      return;
    }
    if (!alarm.signal.aborted) wake();
  };
  void sleep();
  return alarm;
};
