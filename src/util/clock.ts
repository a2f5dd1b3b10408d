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
  sleep: (delayMs, signal) => {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason as Error);
        return;
      }
      const onAbort = (): void => {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      }, delayMs);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  },
};

/** A monotonic time of the past in epoch milliseconds, by what the clock shows now. */
export const timeOf = (clock: Pick<Clock, 'now' | 'monotonic'>, tickMs: number): number =>
  Math.round(clock.now() - (clock.monotonic() - tickMs));

/** A time in epoch milliseconds as ISO 8601 in UTC. */
export const isoOf = (atMs: number | null): string | null => (atMs === null ? null : new Date(atMs).toISOString());
