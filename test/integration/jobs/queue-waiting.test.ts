import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { Secret } from '../../../src/config/secret.ts';
import type { JobEnding } from '../../../src/jobs/job.ts';
import { createQueueScheduler } from '../../../src/jobs/queue-scheduler.ts';
import { makeQueuePrefix, openQueue } from '../../../src/jobs/queue.ts';
import type { RunJob } from '../../../src/jobs/scheduler.ts';
import { createEventLog } from '../../support/jobs/event-log.ts';
import { startTestRedis } from '../../support/jobs/test-redis.ts';

const redis = await startTestRedis();

const ended = (ending: JobEnding) => ({ ending, message: null, summary: null, retryInMs: 10 });

describe.skipIf(redis === null)('jobs that wait on Redis', () => {
  if (redis === null) return;
  let dataDir = '';
  let stack = new AsyncDisposableStack();
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'contact-sync-test-'));
    return async () => {
      await stack.disposeAsync();
      stack = new AsyncDisposableStack();
      await rm(dataDir, { recursive: true });
    };
  });
  afterAll(() => redis[Symbol.asyncDispose]());

  const startScheduler = (runJob: RunJob) => {
    const log = createEventLog();
    const scheduler = createQueueScheduler({
      redisUrl: new Secret(redis.url),
      prefix: makeQueuePrefix(dataDir),
      clock: systemClock,
      events: log.events,
      concurrency: 10,
      runJob,
      onUsable: () => Promise.resolve(),
    });
    stack.defer(() => scheduler.stop());
    return { scheduler, log };
  };
  const queue = () => {
    const opened = openQueue(redis.client, makeQueuePrefix(dataDir));
    stack.defer(() => opened.close());
    return opened;
  };

  test('one that somebody asked for waits for as long as its link is busy', async () => {
    let attempts = 0;
    const { scheduler } = startScheduler(() => {
      attempts += 1;
      return Promise.resolve(ended(attempts < 15 ? 'busy' : 'completed'));
    });
    await expect.poll(() => scheduler.trouble()).toBeNull();
    await scheduler.order({ link: 'a', kind: 'incremental', override: null, byHand: true });
    await expect.poll(() => queue().getCompletedCount(), { timeout: 20_000 }).toBe(1);
    expect(attempts).toBe(15);
  });
});
