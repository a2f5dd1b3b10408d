import type { Clock } from '../../src/util/clock.ts';

type Sleeper = { readonly atMs: number; readonly wake: () => void };

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
