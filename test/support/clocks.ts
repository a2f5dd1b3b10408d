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

/** A clock that moves only when asked to, in one step and without waiting. */
export type VirtualClock = Clock & {
  /** Moves time on and wakes who slept until then; what they do next runs when the caller yields. */
  advance(durationMs: number): void;
  /** Corrects the time of day, as an administrator does: no time passes. */
  setBack(byMs: number): void;
};

const EPOCH_MS = 1_750_000_000_000;

export const createVirtualClock = (): VirtualClock => {
  let nowMs = 0;
  let epochMs = EPOCH_MS;
  const sleepers = new Set<Sleeper>();
  return {
    now: () => epochMs + nowMs,
    monotonic: () => nowMs,
    sleep: (delayMs, signal) => {
      return new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        const sleeper: Sleeper = { atMs: nowMs + delayMs, wake: resolve };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', () => {
          sleepers.delete(sleeper);
          reject(signal.reason as Error);
        });
      });
    },
    advance: (durationMs) => {
      nowMs += durationMs;
      for (const sleeper of sleepers) {
        if (sleeper.atMs > nowMs) continue;
        sleepers.delete(sleeper);
        sleeper.wake();
      }
    },
    setBack: (byMs) => {
      epochMs -= byMs;
    },
  };
};
