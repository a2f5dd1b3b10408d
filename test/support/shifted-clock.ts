import { systemClock, type Clock } from '../../src/clock.ts';

export type ShiftedClock = Clock & {
  /** Lets so many milliseconds pass at once. */
  advance(byMs: number): void;
};

/** The machine's clock, ahead by as much as the test says: for waiting times that nobody waits for. */
export const createShiftedClock = (): ShiftedClock => {
  let aheadMs = 0;
  return {
    now: () => systemClock.now() + aheadMs,
    monotonic: () => systemClock.monotonic() + aheadMs,
    sleep: (delayMs, signal) => systemClock.sleep(delayMs, signal),
    advance: (byMs) => {
      aheadMs += byMs;
    },
  };
};
