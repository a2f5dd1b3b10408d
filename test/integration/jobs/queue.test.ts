import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { Config } from '../../../src/app/config/config.ts';
import { systemClock } from '../../../src/util/clock.ts';
import { Secret } from '../../../src/util/secret.ts';
import type { JobReport } from '../../../src/daemon/jobs/job.ts';
import { forgetJobs, openQueueClient } from '../../../src/daemon/jobs/queue-client.ts';
import { QueueError, type RunJob, type Schedule } from '../../../src/daemon/jobs/scheduler.ts';
import { connectWithRetry, jobOptions } from '../../../src/daemon/jobs/queue.ts';
import { every, IN_DATA_DIR, openQueueStage, report, type QueueStage } from '../../support/jobs/queue-stage.ts';
import { createMovableClock } from '../../support/clocks.ts';
import { startSilentProxy } from '../../support/network.ts';
import { startTestRedis } from '../../support/redis.ts';

const redis = await startTestRedis();

const COUNTS = { pulled: 1, created: 2, updated: 3, deleted: 4, groupsChanged: 0, groupsDeleted: 0, requests: 5 };
const RUN = { link: 'a', run: 'r1', kind: 'full', outcome: 'completed', reason: null } as const;
const SUMMARY = { ...RUN, left: COUNTS, right: COUNTS, paired: 11, conflicts: 12, skipped: 13, durationMs: 14 };

const HOUR_MS = 3_600_000;

const hourly = (link: string): Schedule => every(link, HOUR_MS);

/** Schedules whose next slot is in half an hour, and that start no run before it. */
const inHalfAnHour = (link: string): Schedule => {
  return { link, everyMs: HOUR_MS, offsetMs: (Date.now() + HOUR_MS / 2) % HOUR_MS, firstInMs: HOUR_MS };
};

const complete: RunJob = () => Promise.resolve(report({ summary: SUMMARY }));

describe.skipIf(redis === null)('the queue on Redis', () => {
  if (redis === null) return;
  let stage: QueueStage;
  beforeEach(async () => {
    stage = await openQueueStage(redis);
    return () => stage[Symbol.asyncDispose]();
  });
  afterAll(() => redis[Symbol.asyncDispose]());

  const startReady = async (run: RunJob, schedules: readonly Schedule[] = [], concurrency = 10, url = redis.url) => {
    const daemon = stage.startScheduler(run, concurrency, url);
    await stage.ready(daemon, schedules);
    return daemon;
  };

  /** A client that requests full runs. */
  const openClient = async () => {
    const client = await stage.client();
    const waiting = { clock: systemClock, signal: new AbortController().signal };
    return {
      enqueue: (link: string, override: string | null = null) => client.enqueue(link, { override }),
      waitFor: (id: string) => client.waitFor(id, waiting),
    };
  };

  const schedulers = () => stage.queue().getJobSchedulers();

  test('the next poll of a link starts once, at the time in the reports, whichever jobs and daemons request it', async () => {
    // In the middle of a second, so that all requests are for the same second.
    const pollAtMs = Math.floor(Date.now() / 1_000) * 1_000 + 2_500;
    const started: string[] = [];
    const run: RunJob = ({ link, kind }) => {
      const nextInMs = pollAtMs - Date.now();
      started.push(`${link} ${kind}`);
      return Promise.resolve(report(nextInMs > 0 ? { nextInMs } : {}));
    };
    await startReady(run, [hourly('a')]);
    await startReady(run);
    const commands = await openClient();
    const ids = await Promise.all(['1', '2'].map((override) => commands.enqueue('a', override)));
    for (const id of ids) await commands.waitFor(id);
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
    await startReady(({ link }) => {
      attempts.push(link);
      if (link === 'refused') return Promise.resolve(report({ ending: 'paused', message: 'Sign in again.' }));
      const isDown = attempts.filter((one) => one === 'down').length < 3;
      return Promise.resolve(report(isDown ? { ending: 'unavailable', message: 'Down.', nextInMs: 50 } : {}));
    });
    const commands = await openClient();
    const [refused, down] = [await commands.enqueue('refused'), await commands.enqueue('down')];
    expect(await commands.waitFor(down)).toMatchObject({ ending: 'completed' });
    expect(await commands.waitFor(refused)).toMatchObject({ ending: 'paused', message: 'Sign in again.' });
    expect(attempts.toSorted()).toEqual(['down', 'down', 'down', 'refused']);
  });

  test('a scheduled job is dropped if a run keeps the lease, and a job by hand waits for it', async () => {
    const attempts = { scheduled: 0, byHand: 0 };
    const run: RunJob = ({ byHand }) => {
      attempts[byHand === true ? 'byHand' : 'scheduled'] += 1;
      const isFree = byHand === true && attempts.byHand === 15;
      return Promise.resolve(report(isFree ? {} : { ending: 'busy', nextInMs: 10 }));
    };
    const daemon = await startReady(run, [hourly('a')]);
    await daemon.scheduler.requestJob({ link: 'b', kind: 'incremental', override: null, byHand: true });
    await expect.poll(() => stage.queue().getCompletedCount()).toBe(2);
    expect(attempts).toEqual({ scheduled: 12, byHand: 15 });
  });

  test('a job whose link one daemon does not serve is run by another daemon, and ends if no daemon serves it', async () => {
    const started: string[] = [];
    let nextInMs = 1;
    // The only daemon at first, so that it gets the jobs.
    await startReady(() => Promise.resolve(report({ ending: 'skipped', nextInMs, isUnknown: true })));
    const commands = await openClient();
    expect(await commands.waitFor(await commands.enqueue('b'))).toMatchObject({ ending: 'skipped' });
    nextInMs = 1_000;
    const id = await commands.enqueue('b');
    await startReady(({ link, kind }) => {
      started.push(`${link} ${kind}`);
      return complete({ link, kind, override: null });
    });
    expect(await commands.waitFor(id)).toMatchObject({ ending: 'completed' });
    expect(started).toEqual(['b full']);
  });

  test('a resync by hand is queued once and before waiting jobs, and its result is reported', async () => {
    const order: string[] = [];
    const first = Promise.withResolvers<JobReport>();
    const full = Promise.withResolvers<JobReport>();
    const run: RunJob = ({ link, kind }) => {
      order.push(`${link} ${kind}`);
      if (order.length === 1) return first.promise;
      return kind === 'full' ? full.promise : Promise.resolve(report());
    };
    const daemon = await startReady(run, [hourly('first')], 1);
    await expect.poll(() => order.length).toBe(1);
    daemon.scheduler.apply(['first', 'waits'].map(hourly));
    await expect.poll(() => stage.queue().getPrioritizedCount()).toBe(1);
    const commands = await openClient();
    const id = await commands.enqueue('a');
    expect(await commands.enqueue('a')).toBe(id);
    expect(await commands.enqueue('b')).not.toBe(id);
    first.resolve(report());
    await expect.poll(() => order.length).toBe(2);
    const result = commands.waitFor(id);
    expect(await commands.enqueue('a')).toBe(id);
    full.resolve(report({ summary: SUMMARY }));
    expect(await result).toMatchObject({ ending: 'completed', summary: SUMMARY });
    await expect.poll(() => order).toEqual(['first incremental', 'a full', 'b full', 'waits incremental']);
    expect(await commands.enqueue('a')).not.toBe(id);
  });

  test('a resync by hand that waits for its next attempt starts at once when it is requested again', async () => {
    let attempts = 0;
    await startReady(() => {
      attempts += 1;
      const down = { ending: 'unavailable', message: 'Down.', nextInMs: HOUR_MS } as const;
      return Promise.resolve(report(attempts > 1 ? {} : down));
    });
    const commands = await openClient();
    const id = await commands.enqueue('a');
    await expect.poll(() => stage.queue().getDelayedCount()).toBe(1);
    expect(await commands.enqueue('a')).toBe(id);
    expect(await commands.waitFor(id)).toMatchObject({ ending: 'completed' });
    expect(attempts).toBe(2);
  });

  test('the depth counts due and running jobs, and is null while Redis is unreachable', async () => {
    const first = Promise.withResolvers<JobReport>();
    const daemon = await startReady(() => first.promise, ['a', 'b', 'c'].map(hourly), 1);
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
    const daemon = await startReady(complete, [], 1, `redis://127.0.0.1:${proxy.port}`);
    await expect.poll(() => daemon.scheduler.trouble()).toBeNull();
    proxy.silence();
    expect(await daemon.scheduler.trouble()).toBe('Redis has not answered yet.');
  });

  test.each([
    ['is a read-only replica', 'answers: READONLY', 'replicaof 127.0.0.1 1', 'replicaof no one'],
    ['has reached its maxmemory', 'answers: OOM', 'config set maxmemory 1', 'config set maxmemory 0'],
  ])('a Redis that %s responds but accepts no job, which is the reported trouble', async (_, answer, on, off) => {
    const call = (text: string) => {
      const [command = '', ...args] = text.split(' ');
      return redis.client.call(command, ...args);
    };
    const daemon = await startReady(complete);
    await call(on);
    // Redis may also be too slow to answer, so each check is repeated until it is the expected one.
    await expect.poll(() => daemon.scheduler.trouble()).toContain(answer);
    await call(off);
    await expect.poll(() => daemon.scheduler.trouble()).toBeNull();
  });

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
    await startReady(complete);
    await stage.queue().add('full', { link: '', kind: 'nonsense' } as never, jobOptions('full'));
    const commands = await openClient();
    expect(await commands.waitFor(await commands.enqueue('a'))).toMatchObject({ ending: 'completed' });
    await expect.poll(() => stage.queue().getFailedCount()).toBe(1);
  });

  test('another daemon continues a job that was running when its daemon stopped', async () => {
    const started = Promise.withResolvers<void>();
    const stopping = Promise.withResolvers<JobReport>();
    const daemon = await startReady(() => {
      started.resolve();
      return stopping.promise;
    });
    const commands = await openClient();
    const id = await commands.enqueue('a');
    await started.promise;
    const stopped = daemon.stop();
    stopping.resolve(report({ ending: 'stopped' }));
    await stopped;
    // The job is already waiting, so no daemon needs to detect that its daemon has stopped.
    expect(await stage.queue().getJobState(id)).toBe('prioritized');
    await startReady(complete);
    expect(await commands.waitFor(id)).toMatchObject({ ending: 'completed', summary: SUMMARY });
  });

  test('without a daemon no queue client is opened, and the reason is returned', async () => {
    const open = (url: string) => openQueueClient({ store: IN_DATA_DIR, dataDir: stage.dataDir }, new Secret(url));
    expect(await open(redis.url)).toEqual({ reason: expect.stringContaining('has worked on the queue') });
    const daemon = await startReady(complete);
    await stage.client();
    await daemon.stop();
    expect(await open(redis.url)).toEqual({ reason: 'No daemon works on the queue.' });
    const unreachable = { reason: expect.stringContaining('Redis does not answer (ECONNREFUSED).') };
    expect(await open('redis://127.0.0.1:1')).toEqual(unreachable);
  });

  test('waiting for a job that Redis lost ends with an error of the queue', async () => {
    const never = Promise.withResolvers<JobReport>();
    await startReady(() => never.promise);
    const commands = await openClient();
    const id = await commands.enqueue('a');
    await redis.client.flushall();
    await expect(commands.waitFor(id)).rejects.toThrow(QueueError);
    never.resolve(report());
  });

  test('schedules of removed links are removed, changed schedules are replaced, and others are not changed', async () => {
    const daemon = await startReady(complete, ['stays', 'goes', 'changes'].map(hourly));
    const from = daemon.log.lines.length;
    daemon.scheduler.apply([hourly('stays'), every('changes', 2 * HOUR_MS), hourly('comes')]);
    expect(await daemon.log.until('schedulesCreated', from)).toEqual({ schedules: 2, removed: 1 });
    const found = (await schedulers()).map(({ key, every: everyMs }) => [key, Number(everyMs) / HOUR_MS]);
    expect(Object.fromEntries(found)).toEqual({ changes: 2, comes: 1, stays: 1 });
  });

  test('the schedule of a link that another daemon does not serve is created again within a minute, and stays', async () => {
    const clock = createMovableClock();
    const daemon = stage.startScheduler(complete, 10, redis.url, clock);
    await stage.ready(daemon, ['a', 'b'].map(hourly));
    const keys = async () => (await schedulers()).map(({ key }) => key).toSorted();
    // The file of the link `b` is missing or invalid on this host.
    const otherClock = createMovableClock();
    const other = stage.startScheduler(complete, 10, redis.url, otherClock);
    other.scheduler.apply([hourly('a')]);
    expect(await other.log.until('schedulesCreated')).toEqual({ schedules: 0, removed: 1 });
    clock.advance(60_000);
    await expect.poll(keys).toEqual(['a', 'b']);
    otherClock.advance(60_000);
    clock.advance(60_000);
    expect(await keys()).toEqual(['a', 'b']);
    expect(other.log.lines.filter(({ name }) => name === 'schedulesCreated')).toHaveLength(1);
  });

  test('a restart keeps the next slots, adds no further first job, and removes schedules of other origin', async () => {
    const schedules = ['a', 'b'].map(inHalfAnHour);
    const first = await startReady(complete, schedules);
    const slots = async () => (await schedulers()).map(({ key, next }) => `${key} ${String(next)}`).toSorted();
    const before = await slots();
    await first.stop();
    const template = { name: 'full', data: { link: 'a', kind: 'full' as const, override: null } };
    await stage.queue().upsertJobScheduler('foreign', { every: HOUR_MS }, template);
    await startReady(complete, schedules);
    expect(await slots()).toEqual(before);
    expect(await stage.queue().getDelayedCount()).toBe(4);
  });

  test.each([
    ['stays while the link is configured', [{ name: 'a' }], ['a', 'b']],
    ['is removed if the link is no longer configured', [], ['b']],
  ])('the schedule of a link that is forgotten %s', async (_, links, expected) => {
    await startReady(complete, ['a', 'b'].map(inHalfAnHour));
    const config = {
      redisUrl: new Secret(redis.url),
      dataDir: stage.dataDir,
      links: links as unknown as Config['links'],
    };
    await forgetJobs({ config, store: IN_DATA_DIR }, 'a');
    expect((await schedulers()).map(({ key }) => key).toSorted()).toEqual(expected);
  });

  test('a schedule with a distant slot starts one run earlier, and keeps its slots', async () => {
    const started: number[] = [];
    const work: RunJob = () => {
      started.push(Date.now());
      return Promise.resolve(report());
    };
    const schedule: Schedule = { ...inHalfAnHour('a'), firstInMs: 100 };
    for (const _ of [1, 2]) stage.startScheduler(work).scheduler.apply([schedule]);
    await expect.poll(() => started.length).toBe(1);
    const [scheduler] = await schedulers();
    expect((scheduler?.next ?? 0) % HOUR_MS).toBe(schedule.offsetMs);
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
    const first = await startReady(work, schedules);
    await expect.poll(() => started.length).toBeGreaterThan(3);
    await first.stop();
    const [oldest] = await stage.queue().getDelayed();
    await expect.poll(() => Date.now() - ((oldest?.timestamp ?? 0) + (oldest?.delay ?? 0))).toBeGreaterThan(10 * 200);
    started.length = 0;
    const startedAtMs = Date.now();
    const second = stage.startScheduler(work);
    second.scheduler.apply(schedules);
    await expect.poll(() => started.filter((link) => link === 'a').length).toBeGreaterThan(2);
    const slots = Math.ceil((Date.now() - startedAtMs) / 200);
    for (const link of links) expect(started.filter((one) => one === link).length).toBeLessThanOrEqual(slots + 1);
    for (const { next } of await schedulers()) expect((next ?? 0) % 200).toBe(50);
  });
});
