import { systemClock, type Clock } from '../../src/util/clock.ts';

export type ShiftedClock = Clock & {
  /** Moves the clock ahead by this many milliseconds. */
  advance(byMs: number): void;
};

/**
 * The system clock, moved ahead by the test, so that waiting times take no time. With `hurry`, a wait of
 * the program takes that part of its time only.
 */
export const createShiftedClock = (hurry = 1): ShiftedClock => {
  let aheadMs = 0;
  return {
    now: () => systemClock.now() + aheadMs,
    monotonic: () => systemClock.monotonic() + aheadMs,
    sleep: async (delayMs, signal) => {
      const untilMs = systemClock.monotonic() + aheadMs + delayMs;
      await systemClock.sleep(delayMs / hurry, signal);
      aheadMs = Math.max(aheadMs, Math.round(untilMs - systemClock.monotonic()));
    },
    advance: (byMs) => {
      aheadMs += byMs;
    },
  };
};
