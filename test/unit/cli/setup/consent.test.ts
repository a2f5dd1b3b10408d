import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Clock } from '../../../../src/util/clock.ts';
import { answerIn } from '../../../../src/cli/setup/consent-answer.ts';
import { askForConsent } from '../../../../src/cli/setup/consent.ts';
import { codeIn } from '../../../../src/providers/sign-in.ts';
import { createTestTerminal } from '../terminal.ts';

const NEVER = new AbortController().signal;
/** Sleeps until a test ends the time. */
const createStoppedClock = () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const slept: number[] = [];
  const sleep: Clock['sleep'] = (delayMs) => {
    slept.push(delayMs);
    return promise;
  };
  return { clock: { now: () => 0, monotonic: () => 0, sleep }, slept, wake: resolve };
};

const begin = (changes: Partial<Parameters<typeof askForConsent>[1]> = {}) => {
  const time = createStoppedClock();
  const input = new PassThrough();
  const terminal = createTestTerminal();
  const requested = Promise.withResolvers<{ redirectUri: string; state: string }>();
  const options = { terminal, input, clock: time.clock, signal: NEVER, port: 0, opensBrowser: false, ...changes };
  const consent = askForConsent((request) => {
    requested.resolve(request);
    return 'http://consent.test/';
  }, options);
  return { ...time, consent, input, terminal, requested: requested.promise };
};

test('a sign-in gives up after five minutes', async () => {
  const { consent, requested, slept, wake } = begin();
  await requested;
  await setImmediate();
  wake();
  await expect(consent).rejects.toThrow('No consent was given within 5 minutes');
  expect(slept).toEqual([300_000]);
});

test('a sign-in accepts only the redirect with its own state, also after standard input has ended', async () => {
  const { consent, requested, input } = begin();
  input.end();
  const { redirectUri, state } = await requested;
  const [stray, favicon] = await Promise.all([fetch(redirectUri), fetch(new URL('/favicon.ico', redirectUri))]);
  expect([stray.status, favicon.status]).toEqual([404, 404]);
  for (const query of ['code=c2&state=other', 'error=access_denied&state=other', 'code=c2']) {
    const answer = await fetch(`${redirectUri}?${query}`);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('another sign-in')]);
  }
  const response = await fetch(`${redirectUri}?code=c1&state=${state}`);
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('Back to the terminal')]);
  expect(await consent).toEqual({ code: 'c1', redirectUri });
  await expect(fetch(redirectUri)).rejects.toThrow('fetch failed');
});

test('each sign-in has its own state', async () => {
  const states = await Promise.all(
    [begin(), begin()].map(async ({ requested, wake, consent }) => {
      const { state } = await requested;
      wake();
      await consent.catch(() => undefined);
      return state;
    }),
  );
  expect(new Set(states).size).toBe(2);
  expect(states.every((state) => state.length >= 43)).toBe(true);
});

test('the reason of a refusal is printed without special characters', () => {
  expect(() => codeIn(new URLSearchParams('error=%1b[31mbad'))).toThrow('refused (31mbad)');
  expect(answerIn('not an address')).toBeNull();
  expect(answerIn('http://127.0.0.1/')).toBeNull();
});
