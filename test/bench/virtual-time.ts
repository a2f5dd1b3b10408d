import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../src/util/clock.ts';

type Sleeper = { readonly atMs: number; readonly wake: () => void };

/** A clock whose time advances as soon as all work between two sleeps is done. */
export type VirtualTime = {
  readonly clock: Clock;
  /** Advances the time to `untilMs`. */
  run(untilMs: number): Promise<void>;
};

const EPOCH_MS = 1_700_000_012_345;

export const createVirtualTime = (): VirtualTime => {
  let nowMs = 0;
  /** Sleepers, latest first. */
  const sleepers: Sleeper[] = [];
  const sleep = (delayMs: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const onAbort = (): void => {
        const at = sleepers.indexOf(sleeper);
        if (at >= 0) sleepers.splice(at, 1);
        reject(signal?.reason as Error);
      };
      const wake = (): void => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      const sleeper = { atMs: nowMs + delayMs, wake };
      let index = sleepers.length;
      while (index > 0 && (sleepers[index - 1]?.atMs ?? 0) <= sleeper.atMs) index -= 1;
      sleepers.splice(index, 0, sleeper);
      signal?.addEventListener('abort', onAbort);
    });
  return {
    clock: { now: () => EPOCH_MS + nowMs, monotonic: () => nowMs, sleep },
    run: async (untilMs) => {
      await setImmediate();
      for (let next = sleepers.at(-1); next !== undefined && next.atMs <= untilMs; next = sleepers.at(-1)) {
        nowMs = Math.max(nowMs, next.atMs);
        // All sleepers with the same time wake up together.
        while ((sleepers.at(-1)?.atMs ?? Number.POSITIVE_INFINITY) <= nowMs) sleepers.pop()?.wake();
        await setImmediate();
      }
      nowMs = untilMs;
    },
  };
};
