import { setTimeout } from 'node:timers/promises';

/** The source of time. Production passes {@link systemClock}; tests pass a clock that they advance themselves. */
export interface Clock {
  /** Wall-clock time in milliseconds since the epoch. */
  now(): number;
  /** Milliseconds on a clock that never jumps, and stands still while the machine is suspended; only differences have a meaning. */
  monotonic(): number;
  /** Resolves after `delayMs`; rejects with the signal's reason when aborted first. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (delayMs, signal) =>
    setTimeout(delayMs, undefined, signal && { signal }).catch((error: unknown) => {
      throw signal?.reason ?? error;
    }),
};

/** A monotonic time of the past in epoch milliseconds, by what the clock shows now. */
export const timeOf = (clock: Pick<Clock, 'now' | 'monotonic'>, tickMs: number): number =>
  Math.round(clock.now() - (clock.monotonic() - tickMs));

/** A time in epoch milliseconds as ISO 8601 in UTC. */
export const isoOf = (atMs: number | null): string | null => (atMs === null ? null : new Date(atMs).toISOString());
