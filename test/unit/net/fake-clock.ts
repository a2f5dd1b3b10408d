import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../../src/util/clock.ts';
import { createLeapingClock } from '../../support/contract/harness.ts';

type Sleeper = { readonly atMs: number; readonly wake: () => void };

/** A clock that changes only when it is advanced. Epoch time and monotonic time differ by a constant. */
export type FakeClock = Clock & {
  /** Advances the time and wakes sleepers in order. The work that they start has run when the promise resolves. */
  advance(durationMs: number): Promise<void>;
  readonly sleepers: () => number;
};

const EPOCH_MS = 1_700_000_000_000;

export const createFakeClock = (): FakeClock => {
  let nowMs = 0;
  let sleepers: Sleeper[] = [];
  const sleep = (delayMs: number, signal?: AbortSignal): Promise<void> => {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const sleeper = { atMs: nowMs + delayMs, wake: resolve };
      sleepers.push(sleeper);
      signal?.addEventListener('abort', () => {
        sleepers = sleepers.filter((other) => other !== sleeper);
        reject(signal.reason as Error);
      });
    });
  };
  const advance = async (durationMs: number): Promise<void> => {
    const untilMs = nowMs + durationMs;
    await setImmediate();
    for (let next = earliest(sleepers, untilMs); next !== null; next = earliest(sleepers, untilMs)) {
      const due = next;
      sleepers = sleepers.filter((other) => other !== due);
      nowMs = Math.max(nowMs, due.atMs);
      due.wake();
      await setImmediate();
    }
    nowMs = untilMs;
  };
  return { now: () => EPOCH_MS + nowMs, monotonic: () => nowMs, sleep, advance, sleepers: () => sleepers.length };
};

const earliest = (sleepers: readonly Sleeper[], untilMs: number): Sleeper | null =>
  sleepers.filter(({ atMs }) => atMs <= untilMs).sort((one, other) => one.atMs - other.atMs)[0] ?? null;

/** A clock whose sleeps take no time and are recorded. */
export const createRecordingClock = () => {
  const clock = createLeapingClock();
  const sleepsMs: number[] = [];
  const sleep: Clock['sleep'] = (delayMs, signal) => {
    sleepsMs.push(delayMs);
    return clock.sleep(delayMs, signal);
  };
  return { ...clock, sleepsMs, sleep };
};
