import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/util/clock.ts';
import { Secret } from '../../../src/util/secret.ts';
import type { JobData, JobReport } from '../../../src/daemon/jobs/job.ts';
import { forgetJobs, openQueueClient } from '../../../src/daemon/jobs/queue-client.ts';
import { QueueError, type RunJob, type Schedule } from '../../../src/daemon/jobs/scheduler.ts';
import { connectWithRetry, jobOptions } from '../../../src/daemon/jobs/queue.ts';
import { every, IN_DATA_DIR, openQueueStage, report, type QueueStage } from '../../support/jobs/queue-stage.ts';
import { createMovableClock } from '../../support/clocks.ts';
import { startSilentProxy } from '../../support/network.ts';
import { startTestRedis } from '../../support/redis.ts';

const redis = await startTestRedis();

const COUNTS = { pulled: 1, created: 2, updated: 3, deleted: 4, groupsDeleted: 0, requests: 5 };
const RUN = { link: 'a', run: 'r1', kind: 'full', outcome: 'completed', reason: null } as const;
const SUMMARY = { ...RUN, left: COUNTS, right: COUNTS, paired: 11, conflicts: 12, skipped: 13, durationMs: 14 };

const waiting = { clock: systemClock, signal: new AbortController().signal };

describe.skipIf(redis === null)('the queue on Redis', () => {
  if (redis === null) return;
  let stage: QueueStage;
  beforeEach(async () => {
    stage = await openQueueStage(redis);
    return () => stage[Symbol.asyncDispose]();
  });
  afterAll(() => redis[Symbol.asyncDispose]());

  const startIdle = async (schedules: readonly Schedule[] = [], url = redis.url) => {
    const daemon = stage.startScheduler(() => Promise.resolve(report({ summary: SUMMARY })), 1, url);
    await stage.ready(daemon, schedules);
    return daemon;
  };

  test('the next poll of a link starts once, at the time in the reports, whichever jobs and daemons request it', async () => {
    // In the middle of a second, so that all requests are for the same second.
    const pollAtMs = Math.floor(Date.now() / 1_000) * 1_000 + 2_500;
    const started: string[] = [];
    const run: RunJob = ({ link, kind }) => {
      const nextPollInMs = pollAtMs - Date.now();
      started.push(`${link} ${kind}`);
      return Promise.resolve(report(nextPollInMs > 0 ? { nextPollInMs } : {}));
    };
    await stage.ready(stage.startScheduler(run), [every('a', 3_600_000)]);
    await stage.ready(stage.startScheduler(run), []);
    const commands = await stage.client();
    const ids = await Promise.all(['1', '2'].map((override) => commands.enqueue('a', { override })));
    for (const id of ids) await commands.waitFor(id, waiting);
    await expect.poll(() => started.length).toBe(3);
    const polls = async () => (await stage.queue().getDelayed()).filter(({ id }) => id?.startsWith('look '));
    await expect
      .poll(async () => (await polls()).map(({ data }) => data))
      .toEqual([{ link: 'a', kind: 'incremental', override: null }]);
    await expect.poll(() => started.toSorted()).toEqual(['a full', 'a full', 'a incremental', 'a incremental']);
    expect(await polls()).toEqual([]);
  });

  test('a job for an unavailable remote is retried after its delay, and a job with a refused credential is not retried', async () => {
    const attempts: string[] = [];
    const done = Promise.withResolvers<void>();
    const daemon = stage.startScheduler(({ link }) => {
      attempts.push(link);
      if (link === 'refused') return Promise.resolve(report({ ending: 'paused', message: 'Sign in again.' }));
      if (attempts.filter((one) => one === 'down').length < 3) {
        return Promise.resolve(report({ ending: 'unavailable', message: 'Down.', retryInMs: 50 }));
      }
      done.resolve();
      return Promise.resolve(report());
    });
    await stage.ready(daemon, []);
    const commands = await stage.client();
    const refused = await commands.enqueue('refused', { override: null });
    const down = await commands.enqueue('down', { override: null });
    await done.promise;
    expect(await commands.waitFor(down, waiting)).toMatchObject({ ending: 'completed' });
    expect(await commands.waitFor(refused, waiting)).toMatchObject({ ending: 'paused', message: 'Sign in again.' });
    expect(attempts.toSorted()).toEqual(['down', 'down', 'down', 'refused']);
  });

  test('a scheduled job is dropped if a run keeps the lease, and a job by hand waits for it', async () => {
    const attempts = { scheduled: 0, byHand: 0 };
    const daemon = stage.startScheduler(({ byHand }) => {
      attempts[byHand === true ? 'byHand' : 'scheduled'] += 1;
      const isFree = byHand === true && attempts.byHand === 15;
      return Promise.resolve(report({ ending: isFree ? 'completed' : 'busy', retryInMs: 10 }));
    });
    await stage.ready(daemon, [every('a', 3_600_000)]);
    await daemon.scheduler.requestJob({ link: 'b', kind: 'incremental', override: null, byHand: true });
    await expect.poll(() => stage.queue().getCompletedCount()).toBe(2);
    expect(attempts).toEqual({ scheduled: 12, byHand: 15 });
  });

  test('a resync by hand is queued once and before waiting jobs, and its result is reported', async () => {
    const order: string[] = [];
    const first = Promise.withResolvers<JobReport>();
    const full = Promise.withResolvers<JobReport>();
    const daemon = stage.startScheduler(({ link, kind }: JobData) => {
      order.push(`${link} ${kind}`);
      if (order.length === 1) return first.promise;
      return kind === 'full' ? full.promise : Promise.resolve(report());
    }, 1);
    await stage.ready(daemon, [every('first', 3_600_000)]);
    await expect.poll(() => order.length).toBe(1);
    daemon.scheduler.apply([every('first', 3_600_000), every('waits', 3_600_000)]);
    await expect.poll(() => stage.queue().getPrioritizedCount()).toBe(1);
    const commands = await stage.client();
    const id = await commands.enqueue('a', { override: null });
    expect(await commands.enqueue('a', { override: null })).toBe(id);
    expect(await commands.enqueue('b', { override: null })).not.toBe(id);
    first.resolve(report());
    await expect.poll(() => order.length).toBe(2);
    const result = commands.waitFor(id, waiting);
    expect(await commands.enqueue('a', { override: null })).toBe(id);
    full.resolve(report({ summary: SUMMARY }));
    expect(await result).toMatchObject({ ending: 'completed', summary: SUMMARY });
    await expect.poll(() => order).toEqual(['first incremental', 'a full', 'b full', 'waits incremental']);
    expect(await commands.enqueue('a', { override: null })).not.toBe(id);
  });

  test('a resync by hand that waits for its next attempt starts at once when it is requested again', async () => {
    let attempts = 0;
    const daemon = stage.startScheduler(() => {
      attempts += 1;
      if (attempts > 1) return Promise.resolve(report({ summary: SUMMARY }));
      return Promise.resolve(report({ ending: 'unavailable', message: 'Down.', retryInMs: 3_600_000 }));
    });
    await stage.ready(daemon, []);
    const commands = await stage.client();
    const id = await commands.enqueue('a', { override: null });
    await expect.poll(() => stage.queue().getDelayedCount()).toBe(1);
    expect(await commands.enqueue('a', { override: null })).toBe(id);
    expect(await commands.waitFor(id, waiting)).toMatchObject({ ending: 'completed' });
    expect(attempts).toBe(2);
  });

  test('the depth counts due and running jobs, and is null while Redis is unreachable', async () => {
    const first = Promise.withResolvers<JobReport>();
    const daemon = stage.startScheduler(() => first.promise, 1);
    const schedules = ['a', 'b', 'c'].map((link) => every(link, 3_600_000));
    await stage.ready(daemon, schedules);
    // The next jobs of the schedules, in an hour, are not due.
    await expect.poll(() => daemon.scheduler.depth()).toEqual({ waiting: 2, active: 1 });
    await redis.stop();
    // Each call waits for a timeout.
    await expect.poll(() => daemon.scheduler.depth()).toBeNull();
    await redis.start();
    await expect.poll(() => daemon.scheduler.depth()).not.toBeNull();
    first.resolve(report());
  });

  test('a Redis that no longer responds on an open connection is the reported trouble', async () => {
    const proxy = stage.stack.use(await startSilentProxy(Number(new URL(redis.url).port)));
    const daemon = await startIdle([], `redis://127.0.0.1:${proxy.port}`);
    await expect.poll(() => daemon.scheduler.trouble()).toBeNull();
    proxy.silence();
    expect(await daemon.scheduler.trouble()).toBe('Redis has not answered yet.');
  });

  test.each([
    ['is a read-only replica', 'answers: READONLY', ['replicaof', '127.0.0.1', '1'], ['replicaof', 'no', 'one']],
    [
      'has reached its maxmemory',
      'answers: OOM',
      ['config', 'set', 'maxmemory', '1'],
      ['config', 'set', 'maxmemory', '0'],
    ],
  ] as const)(
    'a Redis that %s responds but accepts no job, which is the reported trouble',
    async (_, answer, on, off) => {
      const call = ([command, ...args]: readonly string[]) => redis.client.call(command ?? '', ...args);
      const daemon = await startIdle();
      await call(on);
      // Redis may also be too slow to answer, so each check is repeated until it is the expected one.
      await expect.poll(() => daemon.scheduler.trouble()).toContain(answer);
      await call(off);
      await expect.poll(() => daemon.scheduler.trouble()).toBeNull();
    },
  );

  test('a connection without responses is replaced, and its pending commands are answered on the new one', async () => {
    await using proxy = await startSilentProxy(Number(new URL(redis.url).port));
    const connection = connectWithRetry(new Secret(`redis://127.0.0.1:${proxy.port}`), { silentForMs: 300 });
    stage.stack.defer(() => connection.disconnect());
    connection.on('error', () => undefined);
    expect(await connection.ping()).toBe('PONG');
    proxy.silence();
    expect(await connection.ping()).toBe('PONG');
  });

  test('an unreadable job fails, and other jobs continue', async () => {
    await startIdle();
    await stage.queue().add('full', { link: '', kind: 'nonsense' } as never, jobOptions('full'));
    const commands = await stage.client();
    expect(await commands.waitFor(await commands.enqueue('a', { override: null }), waiting)).toMatchObject({
      ending: 'completed',
    });
    await expect.poll(() => stage.queue().getFailedCount()).toBe(1);
  });

  test('another daemon continues a job that was running when its daemon stopped', async () => {
    const started = Promise.withResolvers<void>();
    const stopping = Promise.withResolvers<JobReport>();
    const daemon = stage.startScheduler(() => {
      started.resolve();
      return stopping.promise;
    });
    await stage.ready(daemon, []);
    const commands = await stage.client();
    const id = await commands.enqueue('a', { override: null });
    await started.promise;
    const stopped = daemon.stop();
    stopping.resolve(report({ ending: 'stopped' }));
    await stopped;
    // The job is already waiting, so no daemon needs to detect that its daemon has stopped.
    expect(await stage.queue().getJobState(id)).toBe('prioritized');
    await startIdle();
    expect(await commands.waitFor(id, waiting)).toMatchObject({ ending: 'completed', summary: SUMMARY });
  });

  test('without a daemon no queue client is opened, and the reason is returned', async () => {
    const url = new Secret(redis.url);
    expect(await openQueueClient({ store: IN_DATA_DIR, dataDir: stage.dataDir }, url)).toEqual({
      reason: expect.stringContaining('has worked on the queue'),
    });
    const daemon = await startIdle();
    await stage.client();
    await daemon.stop();
    expect(await openQueueClient({ store: IN_DATA_DIR, dataDir: stage.dataDir }, url)).toEqual({
      reason: 'No daemon works on the queue.',
    });
    const unreachable = await openQueueClient(
      { store: IN_DATA_DIR, dataDir: stage.dataDir },
      new Secret('redis://127.0.0.1:1'),
    );
    expect(unreachable).toEqual({
      reason: 'No daemon can be asked: Redis does not answer (ECONNREFUSED). Start Redis, or correct REDIS_URL.',
    });
  });

  test('waiting for a job that Redis lost ends with an error of the queue', async () => {
    const never = Promise.withResolvers<JobReport>();
    const daemon = stage.startScheduler(() => never.promise);
    await stage.ready(daemon, []);
    const commands = await stage.client();
    const id = await commands.enqueue('a', { override: null });
    await redis.client.flushall();
    await expect(commands.waitFor(id, waiting)).rejects.toThrow(QueueError);
    never.resolve(report());
  });

  test('schedules of removed links are removed, changed schedules are replaced, and others are not changed', async () => {
    const daemon = await startIdle([every('stays', 3_600_000), every('goes', 3_600_000), every('changes', 3_600_000)]);
    const from = daemon.log.lines.length;
    daemon.scheduler.apply([every('stays', 3_600_000), every('changes', 7_200_000), every('comes', 3_600_000)]);
    expect(await daemon.log.until('schedulesCreated', from)).toEqual({ schedules: 2, removed: 1 });
    const found = (await stage.queue().getJobSchedulers()).map(({ key, every: everyMs }) => `${key} ${everyMs}`);
    const hours = (link: string, count: number): string => `${link} ${count * 3_600_000}`;
    expect(found.toSorted()).toEqual([hours('changes', 2), hours('comes', 1), hours('stays', 1)]);
  });

  test('a restart keeps the next slots, adds no further first job, and removes schedules of other origin', async () => {
    const work: RunJob = () => Promise.resolve(report());
    const hourMs = 3_600_000;
    const offsetMs = (Date.now() + hourMs / 2) % hourMs;
    const schedules = ['a', 'b'].map((link): Schedule => ({ link, everyMs: hourMs, offsetMs, firstInMs: hourMs }));
    const first = stage.startScheduler(work);
    await stage.ready(first, schedules);
    const slots = async () => (await stage.queue().getJobSchedulers()).map(({ key, next }) => `${key} ${String(next)}`);
    const before = (await slots()).toSorted();
    await first.stop();
    const template = { name: 'full', data: { link: 'a', kind: 'full' as const, override: null } };
    await stage.queue().upsertJobScheduler('foreign', { every: hourMs }, template);
    const second = stage.startScheduler(work);
    await stage.ready(second, schedules);
    expect((await slots()).toSorted()).toEqual(before);
    expect(await stage.queue().getDelayedCount()).toBe(4);
  });

  describe('the restored schedules', () => {
    const hourMs = 3_600_000;
    const minuteMs = 60_000;
    const inHalfAnHour = (link: string): Schedule => {
      return { link, everyMs: hourMs, offsetMs: (Date.now() + hourMs / 2) % hourMs, firstInMs: hourMs };
    };
    const storedLinks = async () => (await stage.queue().getJobSchedulers()).map(({ key }) => key).toSorted();
    const nextRuns = async () => (await stage.queue().getJobSchedulers()).map(({ next = 0 }) => next - Date.now());
    const storeDayAhead = async (link: string): Promise<void> => {
      const data = { link, kind: 'incremental', override: null } as const;
      const startDate = Date.now() + 24 * hourMs;
      await stage.queue().removeJobScheduler(link);
      await stage.queue().upsertJobScheduler(link, { every: hourMs, startDate }, { name: data.kind, data });
      expect(Math.max(...(await nextRuns()))).toBeGreaterThan(20 * hourMs);
    };
    const start = () => {
      const clock = createMovableClock();
      return { clock, ...stage.startScheduler(() => Promise.resolve(report()), 1, redis.url, clock) };
    };

    test('after the clock was set back, a restarted daemon replaces a next run that is more than two intervals ahead', async () => {
      await storeDayAhead('a');
      const daemon = start();
      daemon.scheduler.apply([inHalfAnHour('a')]);
      expect(await daemon.log.until('schedulesCreated')).toEqual({ schedules: 1, removed: 0 });
      expect(Math.max(...(await nextRuns()))).toBeLessThanOrEqual(hourMs);
      // The next run and the first run; the one in a day was removed.
      await expect.poll(() => stage.queue().getDelayedCount()).toBe(2);
    });

    test('after the clock was set back, a running daemon replaces such a run within a minute', async () => {
      const daemon = start();
      await stage.ready(daemon, [inHalfAnHour('a')]);
      await storeDayAhead('a');
      const from = daemon.log.lines.length;
      daemon.clock.advance(minuteMs);
      expect(await daemon.scheduler.trouble()).toBeNull();
      expect(await daemon.log.until('schedulesCreated', from)).toEqual({ schedules: 1, removed: 0 });
      expect(Math.max(...(await nextRuns()))).toBeLessThanOrEqual(hourMs);
    });

    test('a link that was forgotten but is still configured gets its schedule back within a minute', async () => {
      const daemon = start();
      await stage.ready(daemon, ['a', 'b'].map(inHalfAnHour));
      const config = { redisUrl: new Secret(redis.url), dataDir: stage.dataDir };
      await forgetJobs({ config, store: IN_DATA_DIR }, 'a');
      expect(await storedLinks()).toEqual(['b']);
      const from = daemon.log.lines.length;
      daemon.clock.advance(minuteMs);
      expect(await daemon.scheduler.trouble()).toBeNull();
      expect(await daemon.log.until('schedulesCreated', from)).toEqual({ schedules: 1, removed: 0 });
      expect(await storedLinks()).toEqual(['a', 'b']);
    });

    test('schedules of a daemon with another configuration are not removed or changed', async () => {
      const daemon = start();
      await stage.ready(daemon, ['a', 'b'].map(inHalfAnHour));
      await startIdle([{ ...inHalfAnHour('a'), everyMs: 2 * hourMs }, inHalfAnHour('c')]);
      const from = daemon.log.lines.length;
      daemon.clock.advance(minuteMs);
      expect(await daemon.scheduler.trouble()).toBeNull();
      expect(await daemon.log.until('schedulesCreated', from)).toEqual({ schedules: 1, removed: 0 });
      const intervals = (await stage.queue().getJobSchedulers()).map(({ key, every: everyMs }) => [key, everyMs]);
      expect(Object.fromEntries(intervals)).toEqual({ a: 2 * hourMs, b: hourMs, c: hourMs });
    });
  });

  test('a schedule with a distant slot starts one run earlier, and keeps its slots', async () => {
    const started: number[] = [];
    const work: RunJob = () => {
      started.push(Date.now());
      return Promise.resolve(report());
    };
    const [one, other] = [stage.startScheduler(work), stage.startScheduler(work)];
    const hourMs = 3_600_000;
    const offsetMs = (Date.now() + hourMs / 2) % hourMs;
    const schedule: Schedule = { link: 'a', everyMs: hourMs, offsetMs, firstInMs: 100 };
    other.scheduler.apply([schedule]);
    one.scheduler.apply([schedule]);
    await expect.poll(() => started.length).toBe(1);
    const [scheduler] = await stage.queue().getJobSchedulers();
    expect((scheduler?.next ?? 0) % hourMs).toBe(offsetMs);
    expect(await stage.queue().getDelayedCount()).toBe(1);
  });

  test('slots that passed without a daemon are replaced by a single run', async () => {
    const started: string[] = [];
    const work: RunJob = ({ link }) => {
      started.push(link);
      return Promise.resolve(report());
    };
    const links = ['a', 'b', 'c'];
    const schedules = links.map((link): Schedule => ({ link, everyMs: 200, offsetMs: 50, firstInMs: 0 }));
    const first = stage.startScheduler(work);
    await stage.ready(first, schedules);
    await expect.poll(() => started.length).toBeGreaterThan(3);
    await first.stop();
    const delayed = () => stage.queue().getDelayed();
    const [oldest] = await delayed();
    await expect.poll(() => Date.now() - ((oldest?.timestamp ?? 0) + (oldest?.delay ?? 0))).toBeGreaterThan(10 * 200);
    started.length = 0;
    const startedAtMs = Date.now();
    const second = stage.startScheduler(work);
    second.scheduler.apply(schedules);
    await expect.poll(() => started.filter((link) => link === 'a').length).toBeGreaterThan(2);
    const slots = Math.ceil((Date.now() - startedAtMs) / 200);
    for (const link of links) expect(started.filter((one) => one === link).length).toBeLessThanOrEqual(slots + 1);
    for (const { next } of await stage.queue().getJobSchedulers()) expect((next ?? 0) % 200).toBe(50);
  });
});
