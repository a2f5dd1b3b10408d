import { describe, expect, test } from 'vitest';
import { UnavailableError } from '../../../src/providers/errors.ts';
import { retrying } from '../../../src/providers/send.ts';
import type { Clock } from '../../../src/util/clock.ts';
import { createFakeClock } from '../net/fake-clock.ts';

type RetryOptions = Parameters<typeof retrying>[1];

/** Returns a clock that records sleeps. A sleep ends immediately and advances the time. */
const createJumpingClock = (): Clock & { readonly sleptMs: number[] } => {
  const sleptMs: number[] = [];
  const monotonic = (): number => sleptMs.reduce((sum, delayMs) => sum + delayMs, 0);
  const sleep = (delayMs: number): Promise<void> => {
    sleptMs.push(delayMs);
    return Promise.resolve();
  };
  return { now: monotonic, monotonic, sleep, sleptMs };
};

const optionsWith = (changes: Partial<RetryOptions>): RetryOptions => ({
  clock: createJumpingClock(),
  random: () => 0.5,
  signal: new AbortController().signal,
  maxElapsedMs: 1_000_000,
  isRead: true,
  ...changes,
});

const broken = (applied: 'no' | 'unknown' = 'no', retryAfterMs: number | null = null): UnavailableError =>
  new UnavailableError('broken', { status: 503, route: 'GET /', applied, retryAfterMs });

const failTimes = (times: number, error: unknown) => {
  const attempts: number[] = [];
  const send = (attempt: number): Promise<string> => {
    attempts.push(attempt);
    return attempt <= times ? Promise.reject(error) : Promise.resolve('value');
  };
  return { attempts, send };
};

describe('a request that failed', () => {
  test.each([
    ['a random part of 500 ms, doubled each time, up to 30 s', null, [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000]],
    ['at least as long as the remote requires', 2_500, [2_500, 2_500, 2_500, 2_500, 4_000, 8_000, 15_000]],
  ])('is repeated after %s, and each wait is reported', async (_, retryAfterMs, waitsMs) => {
    const clock = createJumpingClock();
    const error = broken('no', retryAfterMs);
    const reported: unknown[] = [];
    const onRetry: RetryOptions['onRetry'] = (...wait) => void reported.push(wait);
    await retrying(failTimes(7, error).send, optionsWith({ clock, onRetry }));
    expect(clock.sleptMs).toEqual(waitsMs);
    expect(reported).toEqual(waitsMs.map((waitMs) => [error, waitMs]));
  });

  test('throws its last error when the next wait would end too late', async () => {
    const clock = createJumpingClock();
    const error = broken();
    const { attempts, send } = failTimes(9, error);
    await expect(retrying(send, optionsWith({ clock, maxElapsedMs: 1_500 }))).rejects.toBe(error);
    expect(clock.sleptMs).toEqual([250, 500]);
    expect(attempts).toHaveLength(3);
  });

  test.each([
    ['a read whose error may be temporary', broken('unknown'), true, 2],
    ['a write that certainly was not applied', broken('no'), false, 2],
    ['[R9] a write that may have been applied', broken('unknown'), false, 1],
    ['an error that is not of a remote', new TypeError('not a function'), true, 1],
  ])('is sent again only if that is safe: %s', async (_, error, isRead, count) => {
    const { attempts, send } = failTimes(1, error);
    await retrying(send, optionsWith({ isRead })).catch((thrown: unknown) => expect(thrown).toBe(error));
    expect(attempts).toHaveLength(count);
  });
});

describe('an abort', () => {
  test('ends the wait with its reason', async () => {
    const clock = createFakeClock();
    const controller = new AbortController();
    const { attempts, send } = failTimes(9, broken());
    const outcome = expect(retrying(send, optionsWith({ clock, signal: controller.signal }))).rejects.toThrow('stop');
    await clock.advance(0);
    controller.abort(new Error('stop'));
    await outcome;
    expect(attempts).toEqual([1]);
    expect(clock.sleepers()).toBe(0);
  });

  test('before the request sends nothing, and after its success keeps the value', async () => {
    const { attempts, send } = failTimes(0, null);
    const signal = AbortSignal.abort(new Error('stop'));
    await expect(retrying(send, optionsWith({ signal }))).rejects.toThrow('stop');
    expect(attempts).toEqual([]);
    const controller = new AbortController();
    const sendAborting = (): Promise<string> => {
      controller.abort();
      return Promise.resolve('value');
    };
    expect(await retrying(sendAborting, optionsWith({ signal: controller.signal }))).toBe('value');
  });
});
