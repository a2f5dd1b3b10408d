import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { Secret } from '../../../src/config/secret.ts';
import type { JobData, JobProgress, JobReport } from '../../../src/jobs/job.ts';
import { openQueueClient } from '../../../src/jobs/queue-client.ts';
import { QueueError } from '../../../src/jobs/queue-error.ts';
import { createQueueScheduler } from '../../../src/jobs/queue-scheduler.ts';
import { NO_PROGRESS_YET, track } from '../../../src/jobs/progress.ts';
import { connectPatiently, jobOptions, makeQueuePrefix, openQueue } from '../../../src/jobs/queue.ts';
import type { RunJob } from '../../../src/jobs/scheduler.ts';
import type { Schedule } from '../../../src/jobs/timetable.ts';
import { createEventLog } from '../../support/jobs/event-log.ts';
import { startSilentProxy } from '../../support/silent-proxy.ts';
import { startTestRedis } from '../../support/jobs/test-redis.ts';

const redis = await startTestRedis();

const report = (change: Partial<JobReport> = {}): JobReport => {
  return { ending: 'completed', message: null, summary: null, retryInMs: null, ...change };
};
const SUMMARY = {
  link: 'a',
  run: 'r1',
  kind: 'full',
  outcome: 'completed',
  reason: null,
  left: { pulled: 1, created: 2, updated: 3, deleted: 4, groupsDeleted: 0, requests: 5 },
  right: { pulled: 6, created: 7, updated: 8, deleted: 9, groupsDeleted: 0, requests: 10 },
  paired: 11,
  conflicts: 12,
  skipped: 13,
  durationMs: 14,
} as const;

const every = (link: string, everyMs: number): Schedule => {
  return { link, kind: 'incremental', everyMs, offsetMs: 0, firstMs: 0 };
};
/** A store of no other host. */
const IN_DATA_DIR = { sharedId: () => Promise.resolve(null) };
const following = { clock: systemClock, signal: new AbortController().signal, onProgress: () => undefined };

describe.skipIf(redis === null)('the queue on Redis', () => {
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

  /** A scheduler whose jobs end as the test says; several on one directory are several daemons. */
  const startScheduler = (runJob: RunJob, concurrency = 10, url = redis.url) => {
    const log = createEventLog();
    const redisUrl = new Secret(url);
    const options = {
      redisUrl,
      prefix: makeQueuePrefix(dataDir),
      clock: systemClock,
      events: log.events,
      concurrency,
      runJob,
      onUsable: () => Promise.resolve(),
    };
    const scheduler = createQueueScheduler(options);
    const stopOnce = (): Promise<void> => (stopping ??= scheduler.stop());
    let stopping: Promise<void> | null = null;
    stack.defer(stopOnce);
    return { scheduler, log, stop: stopOnce };
  };
  const queue = () => {
    const opened = openQueue(redis.client, makeQueuePrefix(dataDir));
    stack.defer(() => opened.close());
    return opened;
  };
  const client = async () => {
    const opened = await openQueueClient({ store: IN_DATA_DIR, dataDir }, new Secret(redis.url));
    if ('why' in opened) throw new Error(opened.why);
    return stack.use(opened);
  };
  /** Resolves when a daemon has said that it lives. */
  const ready = async ({ scheduler, log }: ReturnType<typeof startScheduler>, schedules: readonly Schedule[]) => {
    scheduler.apply(schedules);
    if (schedules.length > 0) await log.until('schedulesCreated');
    await expect.poll(() => redis.client.scard(`${makeQueuePrefix(dataDir)}:daemons`)).toBeGreaterThan(0);
  };

  test('every schedule comes again and again, in its time', async () => {
    let begun = 0;
    const thrice = Promise.withResolvers<void>();
    const daemon = startScheduler(({ link, kind }) => {
      expect([link, kind]).toEqual(['a', 'incremental']);
      begun += 1;
      if (begun === 3) thrice.resolve();
      return Promise.resolve(report());
    });
    await ready(daemon, [every('a', 300)]);
    expect(await daemon.scheduler.trouble()).toBeNull();
    await thrice.promise;
  });

  test('the next look at a link comes when a job says so, once, whichever jobs and daemons ask for it', async () => {
    // In the middle of a second, so that all who ask mean the same one.
    const lookAtMs = Math.floor(Date.now() / 1_000) * 1_000 + 2_500;
    const begun: string[] = [];
    const run: RunJob = ({ link, kind }) => {
      const nextLookInMs = lookAtMs - Date.now();
      begun.push(`${link} ${kind}`);
      return Promise.resolve(report(nextLookInMs > 0 ? { nextLookInMs } : {}));
    };
    await ready(startScheduler(run), [every('a', 3_600_000)]);
    await ready(startScheduler(run), []);
    const commands = await client();
    const ids = await Promise.all(['1', '2'].map((override) => commands.enqueue('a', { override })));
    for (const id of ids) await commands.follow(id, following);
    await expect.poll(() => begun.length).toBe(3);
    const looks = async () => (await queue().getDelayed()).filter(({ id }) => id?.startsWith('look '));
    await expect
      .poll(async () => (await looks()).map(({ data }) => data))
      .toEqual([{ link: 'a', kind: 'incremental', override: null }]);
    await expect
      .poll(() => begun.toSorted(), { timeout: 10_000 })
      .toEqual(['a full', 'a full', 'a incremental', 'a incremental']);
    expect(await looks()).toEqual([]);
  });

  test('an unavailable remote is tried again when the error says so; a refused credential is not', async () => {
    const attempts: string[] = [];
    const done = Promise.withResolvers<void>();
    const daemon = startScheduler(({ link }) => {
      attempts.push(link);
      if (link === 'refused') return Promise.resolve(report({ ending: 'paused', message: 'Sign in again.' }));
      if (attempts.filter((one) => one === 'down').length < 3) {
        return Promise.resolve(report({ ending: 'unavailable', message: 'Down.', retryInMs: 50 }));
      }
      done.resolve();
      return Promise.resolve(report());
    });
    await ready(daemon, []);
    const commands = await client();
    const refused = await commands.enqueue('refused', { override: null });
    const down = await commands.enqueue('down', { override: null });
    await done.promise;
    expect(await commands.follow(down, following)).toMatchObject({ ending: 'completed' });
    expect(await commands.follow(refused, following)).toMatchObject({ ending: 'paused', message: 'Sign in again.' });
    expect(attempts.toSorted()).toEqual(['down', 'down', 'down', 'refused']);
  });

  test('a busy link is tried again without using up the attempts', async () => {
    let attempts = 0;
    const daemon = startScheduler(() => {
      attempts += 1;
      return Promise.resolve(attempts < 9 ? report({ ending: 'busy', retryInMs: 20 }) : report({ summary: SUMMARY }));
    });
    await ready(daemon, []);
    const commands = await client();
    const id = await commands.enqueue('a', { override: null });
    expect(await commands.follow(id, following)).toMatchObject({ ending: 'completed', summary: SUMMARY });
    expect(attempts).toBe(9);
  });

  test('a scheduled job gives way to a run that stays alive, one that somebody asked for waits', async () => {
    const attempts = { scheduled: 0, asked: 0 };
    const daemon = startScheduler(({ byHand }) => {
      attempts[byHand === true ? 'asked' : 'scheduled'] += 1;
      const isFree = byHand === true && attempts.asked === 15;
      return Promise.resolve(report({ ending: isFree ? 'completed' : 'busy', retryInMs: 10 }));
    });
    await ready(daemon, [every('a', 3_600_000)]);
    await daemon.scheduler.order({ link: 'b', kind: 'incremental', override: null, byHand: true });
    await expect.poll(() => queue().getCompletedCount(), { timeout: 20_000 }).toBe(2);
    expect(attempts).toEqual({ scheduled: 12, asked: 15 });
  });

  test('a resync by hand goes before what waits, is queued once, and shows its progress and its result', async () => {
    const order: string[] = [];
    const first = Promise.withResolvers<JobReport>();
    const full = Promise.withResolvers<JobReport>();
    let tell: (progress: JobProgress) => void = () => undefined;
    const daemon = startScheduler(({ link, kind }: JobData, { onProgress } = {}) => {
      order.push(`${link} ${kind}`);
      if (order.length === 1) return first.promise;
      if (kind !== 'full') return Promise.resolve(report());
      tell = onProgress ?? tell;
      return full.promise;
    }, 1);
    await ready(daemon, [every('first', 3_600_000)]);
    await expect.poll(() => order.length).toBe(1);
    daemon.scheduler.apply([every('first', 3_600_000), every('waits', 3_600_000)]);
    await expect.poll(() => queue().getPrioritizedCount()).toBe(1);
    const commands = await client();
    const id = await commands.enqueue('a', { override: null });
    expect(await commands.enqueue('a', { override: null })).toBe(id);
    expect(await commands.enqueue('b', { override: null })).not.toBe(id);
    first.resolve(report());
    await expect.poll(() => order.length).toBe(2);
    const seen: unknown[] = [];
    const followed = commands.follow(id, { ...following, onProgress: ({ sides }) => seen.push(sides.left.listed) });
    tell(track(NO_PROGRESS_YET, { kind: 'listed', side: 'left', whole: true, contacts: 7, total: 9 }));
    await expect.poll(() => seen).toContain(7);
    expect(await commands.enqueue('a', { override: null })).toBe(id);
    full.resolve(report({ summary: SUMMARY }));
    expect(await followed).toMatchObject({ ending: 'completed', summary: SUMMARY });
    await expect.poll(() => order).toEqual(['first incremental', 'a full', 'b full', 'waits incremental']);
    expect(await commands.enqueue('a', { override: null })).not.toBe(id);
  });

  test('a resync by hand that waits for its next attempt begins at once when it is asked for again', async () => {
    let attempts = 0;
    const daemon = startScheduler(() => {
      attempts += 1;
      if (attempts > 1) return Promise.resolve(report({ summary: SUMMARY }));
      return Promise.resolve(report({ ending: 'unavailable', message: 'Down.', retryInMs: 3_600_000 }));
    });
    await ready(daemon, []);
    const commands = await client();
    const id = await commands.enqueue('a', { override: null });
    await expect.poll(() => queue().getDelayedCount()).toBe(1);
    expect(await commands.enqueue('a', { override: null })).toBe(id);
    expect(await commands.follow(id, following)).toMatchObject({ ending: 'completed' });
    expect(attempts).toBe(2);
  });

  test('the jobs that are due and under way are told, and nothing while Redis is away', async () => {
    const first = Promise.withResolvers<JobReport>();
    const daemon = startScheduler(() => first.promise, 1);
    const schedules = ['a', 'b', 'c'].map((link) => every(link, 3_600_000));
    await ready(daemon, schedules);
    // The next ones of the schedules, an hour away, are not due.
    await expect.poll(() => daemon.scheduler.depth()).toEqual({ waiting: 2, active: 1 });
    await redis.stop();
    // Each look waits for a while.
    await expect.poll(() => daemon.scheduler.depth(), { timeout: 20_000 }).toBeNull();
    await redis.start();
    await expect.poll(() => daemon.scheduler.depth(), { timeout: 20_000 }).not.toBeNull();
    first.resolve(report());
  });

  test('it is told that Redis has fallen silent on a connection that nobody closed', async () => {
    const proxy = stack.use(await startSilentProxy(Number(new URL(redis.url).port)));
    const daemon = startScheduler(() => Promise.resolve(report()), 1, `redis://127.0.0.1:${proxy.port}`);
    await ready(daemon, []);
    expect(await daemon.scheduler.trouble()).toBeNull();
    proxy.silence();
    expect(await daemon.scheduler.trouble()).toBe('Redis has not answered yet.');
  });

  test('a connection that has fallen silent is replaced, and what was asked is answered there', async () => {
    await using proxy = await startSilentProxy(Number(new URL(redis.url).port));
    const connection = connectPatiently(new Secret(`redis://127.0.0.1:${proxy.port}`), { silentForMs: 300 });
    stack.defer(() => connection.disconnect());
    connection.on('error', () => undefined);
    expect(await connection.ping()).toBe('PONG');
    proxy.silence();
    expect(await connection.ping()).toBe('PONG');
  });

  test('a job that cannot be read fails, and the others go on', async () => {
    const daemon = startScheduler(() => Promise.resolve(report({ summary: SUMMARY })));
    await ready(daemon, []);
    await queue().add('full', { link: '', kind: 'nonsense' } as never, jobOptions('full'));
    const commands = await client();
    expect(await commands.follow(await commands.enqueue('a', { override: null }), following)).toMatchObject({
      ending: 'completed',
    });
    await expect.poll(() => queue().getFailedCount()).toBe(1);
  });

  test('schedules of links that are gone are removed, changed ones replaced, the others left as they are', async () => {
    const daemon = startScheduler(() => Promise.resolve(report()));
    await ready(daemon, [every('stays', 3_600_000), every('goes', 3_600_000), every('changes', 3_600_000)]);
    const from = daemon.log.lines.length;
    daemon.scheduler.apply([every('stays', 3_600_000), every('changes', 7_200_000), every('comes', 3_600_000)]);
    expect(await daemon.log.until('schedulesCreated', from)).toEqual({ schedules: 2, removed: 1 });
    const found = (await queue().getJobSchedulers()).map(({ key, every: everyMs }) => `${key} ${everyMs}`);
    const hours = (link: string, count: number): string => `incremental:${link} ${count * 3_600_000}`;
    expect(found.toSorted()).toEqual([hours('changes', 2), hours('comes', 1), hours('stays', 1)]);
  });

  test('where Redis lost everything the schedules are created again, once', async () => {
    const daemon = startScheduler(() => Promise.resolve(report()));
    await ready(daemon, [every('a', 3_600_000), every('b', 3_600_000)]);
    const from = daemon.log.lines.length;
    await redis.client.flushall();
    expect(await daemon.log.until('schedulesCreated', from)).toEqual({ schedules: 2, removed: 0 });
    expect(await queue().getJobSchedulersCount()).toBe(2);
  });

  test('a schedule whose slot is far away begins sooner, once, and keeps its slots', async () => {
    const begun: number[] = [];
    const work: RunJob = () => {
      begun.push(Date.now());
      return Promise.resolve(report());
    };
    const [one, other] = [startScheduler(work), startScheduler(work)];
    const hourMs = 3_600_000;
    const offsetMs = (Date.now() + hourMs / 2) % hourMs;
    const schedule: Schedule = { link: 'a', kind: 'incremental', everyMs: hourMs, offsetMs, firstMs: 100 };
    other.scheduler.apply([schedule]);
    one.scheduler.apply([schedule]);
    await expect.poll(() => begun.length, { timeout: 5_000 }).toBe(1);
    const [scheduler] = await queue().getJobSchedulers();
    expect((scheduler?.next ?? 0) % hourMs).toBe(offsetMs);
    expect(await queue().getDelayedCount()).toBe(1);
  });

  test('slots that passed while no daemon was there are made up for once, not each', async () => {
    const begun: string[] = [];
    const work: RunJob = ({ link }) => {
      begun.push(link);
      return Promise.resolve(report());
    };
    const links = ['a', 'b', 'c'];
    const schedules = links.map((link): Schedule => ({
      link,
      kind: 'incremental',
      everyMs: 200,
      offsetMs: 50,
      firstMs: 0,
    }));
    const first = startScheduler(work);
    await ready(first, schedules);
    await expect.poll(() => begun.length).toBeGreaterThan(3);
    await first.stop();
    const delayed = () => queue().getDelayed();
    const [oldest] = await delayed();
    await expect
      .poll(() => Date.now() - ((oldest?.timestamp ?? 0) + (oldest?.delay ?? 0)), { timeout: 5_000 })
      .toBeGreaterThan(10 * 200);
    begun.length = 0;
    const startedAtMs = Date.now();
    const second = startScheduler(work);
    second.scheduler.apply(schedules);
    await expect.poll(() => begun.filter((link) => link === 'a').length).toBeGreaterThan(2);
    const slots = Math.ceil((Date.now() - startedAtMs) / 200);
    for (const link of links) expect(begun.filter((one) => one === link).length).toBeLessThanOrEqual(slots + 1);
    for (const { next } of await queue().getJobSchedulers()) expect((next ?? 0) % 200).toBe(50);
  });

  /** Sets the machine's clock ahead, which is the only one that BullMQ reads. */
  const machineClock = () => {
    const now = Date.now.bind(Date);
    let aheadMs = 0;
    const spy = vi.spyOn(Date, 'now').mockImplementation(() => now() + aheadMs);
    onTestFinished(() => spy.mockRestore());
    return {
      setAhead: (byMs: number): void => {
        aheadMs = byMs;
      },
    };
  };

  test('a schedule that a clock which was ahead has put far off comes at its interval again', async () => {
    const hourMs = 3_600_000;
    const clock = machineClock();
    const startedAtMs = Date.now();
    const offsetMs = (startedAtMs + hourMs / 2) % hourMs;
    const schedule: Schedule = { link: 'a', kind: 'incremental', everyMs: hourMs, offsetMs, firstMs: 100 };
    let begun = 0;
    const work: RunJob = () => {
      begun += 1;
      return Promise.resolve(report());
    };
    // By that clock the first slots have passed and are served, which are to come by the right one.
    for (const aheadHours of [0, 0.6, 1.6]) {
      clock.setAhead(aheadHours * hourMs);
      const runs = begun + 1;
      const ahead = startScheduler(work);
      ahead.scheduler.apply([schedule]);
      await expect.poll(() => begun, { timeout: 20_000 }).toBe(runs);
      await ahead.stop();
    }
    const hoursUntilNext = async (): Promise<number> => {
      const [scheduler] = await queue().getJobSchedulers();
      return ((scheduler?.next ?? 0) - startedAtMs) / hourMs;
    };
    expect(await hoursUntilNext()).toBe(2.5);
    clock.setAhead(0);
    startScheduler(work).scheduler.apply([schedule]);
    await expect.poll(hoursUntilNext, { timeout: 5_000 }).toBe(0.5);
    await expect.poll(() => queue().getDelayedCount()).toBe(1);
  });

  test('a job under way when its daemon stops is taken up by another one', async () => {
    const begun = Promise.withResolvers<void>();
    const stopping = Promise.withResolvers<JobReport>();
    const daemon = startScheduler(() => {
      begun.resolve();
      return stopping.promise;
    });
    await ready(daemon, []);
    const commands = await client();
    const id = await commands.enqueue('a', { override: null });
    await begun.promise;
    const stopped = daemon.stop();
    stopping.resolve(report({ ending: 'stopped' }));
    await stopped;
    // It waits already: nobody has to find out that its daemon is gone.
    expect(await queue().getJobState(id)).toBe('prioritized');
    const other = startScheduler(() => Promise.resolve(report({ summary: SUMMARY })));
    await ready(other, []);
    expect(await commands.follow(id, following)).toMatchObject({ ending: 'completed', summary: SUMMARY });
  });

  test('without a daemon there is no queue to ask, and it is said why', async () => {
    const url = new Secret(redis.url);
    expect(await openQueueClient({ store: IN_DATA_DIR, dataDir }, url)).toEqual({
      why: expect.stringContaining('has worked on the queue'),
    });
    const daemon = startScheduler(() => Promise.resolve(report()));
    await ready(daemon, []);
    await client();
    await daemon.stop();
    expect(await openQueueClient({ store: IN_DATA_DIR, dataDir }, url)).toEqual({
      why: 'No daemon works on the queue.',
    });
    const away = await openQueueClient({ store: IN_DATA_DIR, dataDir }, new Secret('redis://127.0.0.1:1'));
    expect(away).toEqual({
      why: 'No daemon can be asked: Redis does not answer (ECONNREFUSED). Start Redis, or correct REDIS_URL.',
    });
  });

  test('following a job that Redis lost ends with what to do', async () => {
    const never = Promise.withResolvers<JobReport>();
    const daemon = startScheduler(() => never.promise);
    await ready(daemon, []);
    const commands = await client();
    const id = await commands.enqueue('a', { override: null });
    await redis.client.flushall();
    await expect(commands.follow(id, following)).rejects.toThrow(QueueError);
    never.resolve(report());
  });
});
