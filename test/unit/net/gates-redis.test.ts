import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { systemClock } from '../../../src/util/clock.ts';
import { createGates } from '../../../src/net/gates.ts';
import { startTestRedis } from '../../support/redis.ts';

const redis = await startTestRedis();
afterAll(() => redis?.[Symbol.asyncDispose]());

const LIMIT = { requests: 60, windowMs: 60_000 };
const store = { budget: () => Promise.resolve(null), saveBudget: () => Promise.resolve() };

test.skipIf(redis === null)(
  'a process that ends immediately leaves no probe that the next process waits for',
  async () => {
    const name = `test-${randomUUID()}`;
    const start = () => createGates({ clock: systemClock, random: () => 0, store, redisUrl: redis?.url ?? null });
    const acquire = async (gates: ReturnType<typeof start>) => {
      const gate = await gates.open(name, LIMIT, () => undefined);
      return gate.acquire(AbortSignal.timeout(5_000));
    };
    const first = start();
    (await acquire(first)).done({ status: 200, headers: {} });
    await first.close();
    const second = start();
    const permit = await acquire(second);
    expect(permit).toBeDefined();
    permit.done({ status: 200, headers: {} });
    await second.close();
  },
);
