import { systemClock, type Clock } from '../../util/clock.ts';

export type DemoClock = Clock & {
  /** Lets so much time pass at once. */
  advance(byMs: number): void;
};

/** The machine's clock, ahead by as much as the demo says: nobody waits for the times between its scenes. */
export const createDemoClock = (): DemoClock => {
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
