import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/util/clock.ts';
import type { GovernedAnswer, AdmittedRequest } from '../../../src/net/governor.ts';
import { createRedisLimiters } from '../../../src/net/redis-limiter.ts';
import { openSharedLimiter, type RateLimiter, type SharedCell } from '../../../src/net/limiter.ts';
import { createVirtualClock, type VirtualClock } from '../../support/clocks.ts';
import { createMemoryCell } from '../../support/limiter-models.ts';
import { startTestRedis } from '../../support/redis.ts';
import { startSilentProxy } from '../../support/network.ts';
import { answerWith } from './simulate.ts';

const LIMIT = { requests: 10, windowMs: 60_000 };
const ANSWER = answerWith();

/** Opens the limiter of one name like a separate process. */
type Open = (limit?: typeof LIMIT) => Promise<RateLimiter>;
const redis = await startTestRedis();
const PREFIX = 'contact-sync:test:';
const cleanups: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup();
  await redis?.[Symbol.asyncDispose]();
});

const inMemory = (): Open => {
  const cell = createMemoryCell(systemClock);
  return (limit = LIMIT) => openSharedLimiter({ cell, limit, clock: systemClock, snapshot: null });
};

const inRedis = (): Open => {
  const name = randomUUID();
  return async (limit = LIMIT) => {
    const limiters = createRedisLimiters(redis?.url ?? '', { keyPrefix: PREFIX, stateLifeMs: 60_000 });
    cleanups.push(() => limiters.close());
    return limiters.open(name, { limit, clock: systemClock, snapshot: null });
  };
};

const openTwo = (open: Open) => Promise.all([open(), open()]);

/** Opens a limiter of an empty cell. */
const openAt = (clock: VirtualClock, given: Partial<Parameters<typeof openSharedLimiter>[0]> = {}) =>
  openSharedLimiter({ cell: createMemoryCell(clock), limit: LIMIT, clock, snapshot: null, ...given });

const granted = async (limiter: RateLimiter): Promise<AdmittedRequest> => {
  const { grant } = await limiter.admit();
  if (grant === null) throw new Error('nothing was admitted');
  return grant;
};

const waitOf = async (limiter: RateLimiter): Promise<number | null> => {
  const admission = await limiter.admit();
  if (admission.grant !== null) throw new Error('a request was admitted');
  return admission.waitMs;
};

describe.each([
  ['in memory', inMemory, false],
  ['in Redis', inRedis, redis === null],
] as const)('a limiter shared %s', (_title, create, isSkipped) => {
  test.skipIf(isSkipped)('admits one probe, whichever process sends it', async () => {
    const [one, other] = await openTwo(create());
    const probe = await granted(one);
    expect(await waitOf(other)).toBe(100);
    await one.complete(probe, ANSWER);
    await granted(other);
  });

  test.skipIf(isSkipped)('never admits more requests than a single process would', async () => {
    const open = create();
    const limiters = await Promise.all(Array.from({ length: 4 }, () => open({ requests: 3, windowMs: 60_000 })));
    const [first] = limiters;
    if (first === undefined) throw new Error('no limiter was opened');
    await first.complete(await granted(first), ANSWER);
    const admissions = await Promise.all([...limiters, ...limiters].map((limiter) => limiter.admit()));
    expect(admissions.filter(({ grant }) => grant !== null)).toHaveLength(2);
    expect(new Set(admissions.map(({ grant }) => grant?.id)).size).toBe(3);
  });

  test.skipIf(isSkipped)('shares the limit and the remaining requests of an answer', async () => {
    const [one, other] = await openTwo(create());
    await one.complete(await granted(one), { ...ANSWER, limit: { requests: 5, windowMs: 60_000 }, remaining: 2 });
    await other.complete(await granted(other), ANSWER);
    expect(other.budget()).toMatchObject({ limit: { requests: 5 }, remaining: 1 });
  });

  test.skipIf(isSkipped)('stops every process after a 429', async () => {
    const [one, other] = await openTwo(create());
    const { stoppedForMs } = await one.complete(await granted(one), { ...ANSWER, status: 429, retryAfterMs: 20_000 });
    expect(stoppedForMs).toBe(20_000);
    expect(await waitOf(other)).toBe(1_000);
  });

  test.skipIf(isSkipped)('applies another limit to one process, and to its sent requests', async () => {
    const [one, other] = await openTwo(create());
    await one.complete(await granted(one), ANSWER);
    one.use({ requests: 3, windowMs: 60_000 });
    await one.complete(await granted(one), ANSWER);
    expect(one.budget()).toMatchObject({ limit: { requests: 3 }, remaining: 1 });
    await other.admit();
    expect(other.budget()).toMatchObject({ limit: LIMIT, remaining: 8 });
  });
});

const HOUR_MS = 3_600_000;
const WINDOW_MS = 60_000;
const limit = { requests: 3, windowMs: WINDOW_MS };

/** Sends requests, of which the last ones get no answer, and sets the clock of the cell back by an hour. */
const openSetBack = async (answered: number, unanswered: number, last: GovernedAnswer = ANSWER) => {
  const clock = createVirtualClock();
  const cell = createMemoryCell(clock);
  const open = () => openSharedLimiter({ cell, limit, clock, snapshot: null });
  const limiter = await open();
  for (let sent = 1; sent <= answered; sent += 1) {
    await limiter.complete(await granted(limiter), sent === answered ? last : ANSWER);
  }
  for (let sent = 0; sent < unanswered; sent += 1) await granted(limiter);
  clock.setBack(HOUR_MS);
  return { clock, open, limiter };
};

/** Waits as the limiter requires and returns how long that was, until a request was admitted. */
const waitedMs = async (limiter: RateLimiter, clock: VirtualClock): Promise<number> => {
  const fromMs = clock.monotonic();
  for (;;) {
    const admission = await limiter.admit();
    if (admission.grant !== null || clock.monotonic() - fromMs > 2 * HOUR_MS) return clock.monotonic() - fromMs;
    clock.advance(admission.waitMs ?? 0);
  }
};

test.each<[string, number, number, boolean, number, number]>([
  ['requests of this process count for one more window and its guard', 3, 0, false, 61_000, 61_000],
  ['requests of another process count for one more window and its guard', 3, 0, true, 61_000, 61_000],
  ['the pace waits for the requests of one burst at most', 1, 1, false, 0, (WINDOW_MS * 1.01) / limit.requests + 1],
  ['the place of a request without an answer becomes free after its lease', 0, 1, false, 120_000, 120_000],
])('after the clock of the cell was set back by an hour, %s', async (_, answered, unanswered, isOther, min, max) => {
  const { clock, open, limiter } = await openSetBack(answered, unanswered);
  const waited = await waitedMs(isOther ? await open() : limiter, clock);
  expect(waited).toBeGreaterThanOrEqual(min);
  expect(waited).toBeLessThanOrEqual(max);
});

test('after the clock of the cell was set back, another client shares the quota for one more window at most', async () => {
  const { clock, open } = await openSetBack(1, 0, { ...ANSWER, remaining: 0, resetMs: 10_000 });
  const limiter = await open();
  await limiter.admit();
  clock.advance(WINDOW_MS + 1);
  expect(limiter.snapshot().sharedUntilMs).toBeLessThanOrEqual(clock.now());
});

test('a stop after a 429 holds although the cell is emptied, as by a Redis that restarts', async () => {
  const clock = createVirtualClock();
  let cell = createMemoryCell(clock);
  const shared: SharedCell = { read: (...of) => cell.read(...of), replace: (...of) => cell.replace(...of) };
  const limiter = await openAt(clock, { cell: shared });
  await limiter.complete(await granted(limiter), { ...ANSWER, status: 429, retryAfterMs: 20_000 });
  cell = createMemoryCell(clock);
  expect(await waitOf(limiter)).toBe(1_000);
  expect(limiter.budget().remaining).toBe(9);
});

test.each([-10, 10])('a stop in a snapshot lasts as long if the clock of the cell is %i min off', async (minutes) => {
  const clock = createVirtualClock();
  const before = await openAt(clock);
  await before.complete(await granted(before), { ...ANSWER, status: 429, retryAfterMs: 20_000 });
  const cell = createMemoryCell({ ...clock, now: () => clock.now() + minutes * 60_000 });
  const after = await openAt(clock, { cell, snapshot: before.snapshot() });
  expect(await after.admit()).toMatchObject({ grant: null, stoppedForMs: 20_000 });
});

test('requests fail while the cell is unreachable', async () => {
  const clock = createVirtualClock();
  const cell = createMemoryCell(clock);
  let isDown = true;
  const flaky = { ...cell, read: (known: number) => (isDown ? Promise.reject(new Error('down')) : cell.read(known)) };
  const limiter = await openAt(clock, { cell: flaky });
  await expect(limiter.admit()).rejects.toThrow('down');
  await setImmediate();
  isDown = false;
  await granted(limiter);
});

test('an admission that the cell did not store takes no place of the limit', async () => {
  const clock = createVirtualClock();
  const cell = createMemoryCell(clock);
  let isDown = false;
  const replace: SharedCell['replace'] = (...of) => (isDown ? Promise.reject(new Error('down')) : cell.replace(...of));
  const limiter = await openAt(clock, { cell: { read: (known) => cell.read(known), replace } });
  await limiter.complete(await granted(limiter), ANSWER);
  isDown = true;
  for (let count = 1; count < LIMIT.requests; count += 1) await expect(limiter.admit()).rejects.toThrow('down');
  isDown = false;
  await granted(limiter);
});

test('the error names a Redis that is unreachable', async () => {
  const limiters = createRedisLimiters('redis://127.0.0.1:1');
  const limiter = await limiters.open('any', { limit: LIMIT, clock: systemClock, snapshot: null });
  await expect(limiter.admit()).rejects.toThrow('does not answer (ECONNREFUSED). Start Redis, or correct REDIS_URL.');
  await limiters.close();
});

test.skipIf(redis === null)('a connection to Redis without responses is replaced', async () => {
  await using proxy = await startSilentProxy(redis?.port ?? 0);
  const options = { keyPrefix: PREFIX, stateLifeMs: 60_000, silentForMs: 1_500 };
  const limiters = createRedisLimiters(`redis://127.0.0.1:${proxy.port}`, options);
  const limiter = await limiters.open(randomUUID(), { limit: LIMIT, clock: systemClock, snapshot: null });
  const first = await granted(limiter);
  proxy.silence();
  await expect(limiter.complete(first, ANSWER)).rejects.toThrow('Redis, which shares the rate limit, does not answer');
  await limiter.complete(first, ANSWER);
  await granted(limiter);
  await limiters.close();
});
