import { systemClock, type Clock } from '../../src/util/clock.ts';

export type ShiftedClock = Clock & {
  /** Lets so many milliseconds pass at once. */
  advance(byMs: number): void;
};

/**
 * The machine's clock, ahead by as much as the test says: for waiting times that nobody waits for. Where it hurries, a wait of
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
