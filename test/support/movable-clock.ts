import { systemClock, type Clock } from '../../src/util/clock.ts';

type Sleeper = { readonly atMs: number; readonly wake: () => void };

/** The system clock, which the test can move ahead. */
export type MovableClock = Clock & {
  /** Moves the clock ahead and ends the sleeps until then. */
  advance(byMs: number): void;
};

export const createMovableClock = (): MovableClock => {
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
        await Promise.race([woken.promise, systemClock.sleep(delayMs, AbortSignal.any(signals))]);
      } finally {
        sleepers.delete(sleeper);
        awake.abort(new Error('The sleep is over.'));
      }
    },
    advance: (byMs) => {
      aheadMs += byMs;
      for (const { atMs, wake } of sleepers) if (atMs <= monotonic()) wake();
    },
  };
};
