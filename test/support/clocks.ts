import { setImmediate } from 'node:timers/promises';
import { type Clock, systemClock } from '../../src/util/clock.ts';

type Sleeper = { readonly atMs: number; readonly wake: () => void };

/** The system clock, which the test can move ahead. */
export type MovableClock = Clock & {
  /** Moves the clock ahead and ends the sleeps until then. */
  advance(byMs: number): void;
};

/** Waiting times of the program take no time if the test advances the clock, and with `hurry` that part of their time. */
export const createMovableClock = (hurry = 1): MovableClock => {
  let aheadMs = 0;
  const sleepers = new Set<Sleeper>();
  const monotonic = (): number => systemClock.monotonic() + aheadMs;
  return {
    now: () => systemClock.now() + aheadMs,
    monotonic,
    sleep: async (delayMs, signal) => {
      const woken = Promise.withResolvers<void>();
      const awake = new AbortController();
      const sleeper: Sleeper = { atMs: monotonic() + delayMs, wake: woken.resolve };
      sleepers.add(sleeper);
      try {
        const signals = signal === undefined ? [awake.signal] : [signal, awake.signal];
        await Promise.race([woken.promise, systemClock.sleep(delayMs / hurry, AbortSignal.any(signals))]);
      } finally {
        sleepers.delete(sleeper);
        awake.abort(new Error('The sleep is over.'));
      }
      aheadMs = Math.max(aheadMs, Math.round(sleeper.atMs - systemClock.monotonic()));
    },
    advance: (byMs) => {
      aheadMs += byMs;
      for (const { atMs, wake } of sleepers) if (atMs <= monotonic()) wake();
    },
  };
};

/** A clock that moves only when asked to. */
export type VirtualClock = Clock & {
  /** Moves the time in one step, and ends the sleeps until then; the work after them runs when the caller yields. */
  advance(durationMs: number): void;
  /** Moves the time from sleep to sleep. The work after each sleep has run when the next one ends, and when the promise resolves. */
  play(durationMs: number): Promise<void>;
  /** The number of sleeps that have not ended. */
  sleepers(): number;
  /** Corrects the time of day, as an administrator does: no time passes. */
  setBack(byMs: number): void;
};

const EPOCH_MS = 1_750_000_000_000;

export const createVirtualClock = (): VirtualClock => {
  let nowMs = 0;
  let epochMs = EPOCH_MS;
  const sleepers = new Set<Sleeper>();
  const moveTo = (atMs: number): void => {
    nowMs = atMs;
    for (const sleeper of sleepers) {
      if (sleeper.atMs > nowMs) continue;
      sleepers.delete(sleeper);
      sleeper.wake();
    }
  };
  const firstAtMs = (): number => Math.min(...[...sleepers].map(({ atMs }) => atMs));
  return {
    now: () => epochMs + nowMs,
    monotonic: () => nowMs,
    sleep: (delayMs, signal) => {
      return new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        const onAbort = (): void => {
          sleepers.delete(sleeper);
          reject(signal?.reason as Error);
        };
        const wake = (): void => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        };
        const sleeper: Sleeper = { atMs: nowMs + delayMs, wake };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', onAbort);
      });
    },
    advance: (durationMs) => moveTo(nowMs + durationMs),
    play: async (durationMs) => {
      const untilMs = nowMs + durationMs;
      await setImmediate();
      for (let atMs = firstAtMs(); atMs <= untilMs; atMs = firstAtMs()) {
        moveTo(Math.max(nowMs, atMs));
        await setImmediate();
      }
      nowMs = untilMs;
    },
    sleepers: () => sleepers.size,
    setBack: (byMs) => {
      epochMs -= byMs;
    },
  };
};

/** A clock whose sleeps take no time and are recorded. Only sleeps and the test move it. */
export const createLeapingClock = (): Clock & { advance(byMs: number): void; readonly sleepsMs: readonly number[] } => {
  let nowMs = Date.UTC(2026, 9, 1, 12);
  const sleepsMs: number[] = [];
  return {
    now: () => nowMs,
    monotonic: () => nowMs,
    sleep: (delayMs, signal) => {
      sleepsMs.push(delayMs);
      if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
      nowMs += delayMs;
      return Promise.resolve();
    },
    advance: (byMs) => {
      nowMs += byMs;
    },
    sleepsMs,
  };
};
