import { AbortError } from 'p-retry';
import { expect, test } from 'vitest';
import { retry } from '../../../src/net/retry.ts';
import { createLeapingClock, createVirtualClock } from '../../support/clocks.ts';

type RetryOptions = Parameters<typeof retry>[1];

const optionsWith = (changes: Partial<RetryOptions>): RetryOptions => ({
  clock: createLeapingClock(),
  random: () => 0.999_999,
  signal: new AbortController().signal,
  maxElapsedMs: 1_000_000,
  decide: () => ({ afterMs: null }),
  ...changes,
});

const failTimes = (times: number, error: unknown) => {
  const attempts: number[] = [];
  const operation = (attempt: number): Promise<string> => {
    attempts.push(attempt);
    return attempt <= times ? Promise.reject(error) : Promise.resolve('value');
  };
  return { attempts, operation };
};

test('retry waits a random part of 500 ms, doubled each time, up to 30 s, and reports each wait with its error', async () => {
  const clock = createLeapingClock();
  const waits: number[] = [];
  const broken = new Error('broken');
  const onRetry: RetryOptions['onRetry'] = (error, waitMs) => void (error === broken && waits.push(waitMs));
  await retry(failTimes(8, broken).operation, optionsWith({ clock, random: () => 0.5, onRetry }));
  expect(clock.sleepsMs).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
  expect(waits).toEqual(clock.sleepsMs);
});

test('retry throws the last error when the next wait would end too late', async () => {
  const clock = createLeapingClock();
  const error = new Error('broken');
  const { attempts, operation } = failTimes(9, error);
  const options = optionsWith({ clock, maxElapsedMs: 1_500, random: () => 0.5 });
  await expect(retry(operation, options)).rejects.toBe(error);
  expect(clock.sleepsMs).toEqual([250, 500]);
  expect(attempts).toHaveLength(3);
});

test.each([
  ['a TypeError', new TypeError('not a function')],
  ['an AbortError of p-retry', new AbortError('inner')],
  ['a DOMException', new DOMException('aborted', 'AbortError')],
  ['no Error', 'text'],
  ['nothing', undefined],
])('retry passes %s to the decision, retries it and rethrows it unchanged', async (_title, thrown) => {
  const decided: unknown[] = [];
  const decide = (error: unknown) => {
    decided.push(error);
    return decided.length < 2 ? { afterMs: null } : null;
  };
  const { attempts, operation } = failTimes(9, thrown);
  await expect(retry(operation, optionsWith({ decide }))).rejects.toBe(thrown);
  expect(attempts).toHaveLength(2);
  expect(decided[0]).toBe(thrown);
});

test('an abort ends the wait with its reason', async () => {
  const clock = createVirtualClock();
  const controller = new AbortController();
  const { attempts, operation } = failTimes(9, new Error('broken'));
  const outcome = expect(retry(operation, optionsWith({ clock, signal: controller.signal }))).rejects.toThrow('stop');
  await clock.play(0);
  controller.abort(new Error('stop'));
  await outcome;
  expect(attempts).toEqual([1]);
  expect(clock.sleepers()).toBe(0);
});

test('retry does not call the operation if it is already aborted', async () => {
  const { attempts, operation } = failTimes(0, null);
  const signal = AbortSignal.abort(new Error('stop'));
  await expect(retry(operation, optionsWith({ signal }))).rejects.toThrow('stop');
  expect(attempts).toEqual([]);
});

test('retry keeps the value of an operation that succeeded after it was aborted', async () => {
  const controller = new AbortController();
  const operation = (): Promise<string> => {
    controller.abort();
    return Promise.resolve('value');
  };
  expect(await retry(operation, optionsWith({ signal: controller.signal }))).toBe('value');
});
