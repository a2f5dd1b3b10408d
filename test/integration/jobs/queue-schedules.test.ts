import { afterAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { RunJob, Schedule } from '../../../src/daemon/jobs/scheduler.ts';
import { createMovableClock } from '../../support/clocks.ts';
import { every, openQueueStage, report, type QueueStage } from '../../support/jobs/queue-stage.ts';
import { startTestRedis } from '../../support/redis.ts';

const redis = await startTestRedis();

describe.skipIf(redis === null)('the schedules on Redis', () => {
  if (redis === null) return;
  let stage: QueueStage;
  beforeEach(async () => {
    stage = await openQueueStage(redis);
    return () => stage[Symbol.asyncDispose]();
  });
  afterAll(() => redis[Symbol.asyncDispose]());

  test('every schedule repeats at its interval', async () => {
    let started = 0;
    const thrice = Promise.withResolvers<void>();
    const daemon = stage.startScheduler(({ link, kind }) => {
      expect([link, kind]).toEqual(['a', 'incremental']);
      started += 1;
      if (started === 3) thrice.resolve();
      return Promise.resolve(report());
    });
    await stage.ready(daemon, [every('a', 300)]);
    expect(await daemon.scheduler.trouble()).toBeNull();
    await thrice.promise;
  });

  test('schedules of removed links are removed, changed schedules are replaced, and others are not changed', async () => {
    const daemon = stage.startScheduler(() => Promise.resolve(report()));
    await stage.ready(daemon, [every('stays', 3_600_000), every('goes', 3_600_000), every('changes', 3_600_000)]);
    const from = daemon.log.lines.length;
    daemon.scheduler.apply([every('stays', 3_600_000), every('changes', 7_200_000), every('comes', 3_600_000)]);
    expect(await daemon.log.until('schedulesCreated', from)).toEqual({ schedules: 2, removed: 1 });
    const found = (await stage.queue().getJobSchedulers()).map(({ key, every: everyMs }) => `${key} ${everyMs}`);
    const hours = (link: string, count: number): string => `incremental:${link} ${count * 3_600_000}`;
    expect(found.toSorted()).toEqual([hours('changes', 2), hours('comes', 1), hours('stays', 1)]);
  });

  test('a schedule whose slot moved within the same interval is replaced, and others are not changed', async () => {
    const hourMs = 3_600_000;
    const nowMs = Date.now();
    const sweepIn = (link: string, inMs: number): Schedule => {
      return { link, kind: 'sweep', everyMs: hourMs, offsetMs: (nowMs + inMs) % hourMs, firstWithinMs: hourMs };
    };
    const daemon = stage.startScheduler(() => Promise.resolve(report()));
    await stage.ready(daemon, [sweepIn('stays', 600_000), sweepIn('moves', 600_000)]);
    const from = daemon.log.lines.length;
    daemon.scheduler.apply([sweepIn('stays', 600_000), sweepIn('moves', 1_800_000)]);
    expect(await daemon.log.until('schedulesCreated', from)).toEqual({ schedules: 1, removed: 0 });
    const found = (await stage.queue().getJobSchedulers()).map(({ key, next }) => `${key} ${(next ?? 0) - nowMs}`);
    expect(found.toSorted()).toEqual(['sweep:moves 1800000', 'sweep:stays 600000']);
    expect(await stage.queue().getDelayedCount()).toBe(2);
  });

  test('if Redis loses its data, the schedules are created again, once', async () => {
    const daemon = stage.startScheduler(() => Promise.resolve(report()));
    await stage.ready(daemon, [every('a', 3_600_000), every('b', 3_600_000)]);
    const from = daemon.log.lines.length;
    await redis.client.flushall();
    expect(await daemon.log.until('schedulesCreated', from)).toEqual({ schedules: 2, removed: 0 });
    expect(await stage.queue().getJobSchedulersCount()).toBe(2);
  });

  test.each([
    ['a full resync', 'full', 'foreign'],
    ['a full resync under the id of a schedule', 'full', 'incremental:a'],
    ['a run under another id', 'incremental', 'mine'],
  ] as const)(
    'a foreign schedule of %s is removed without a reload, and starts no further run',
    async (_, kind, id) => {
      const clock = createMovableClock();
      const daemon = stage.startScheduler(() => Promise.resolve(report()), 1, redis.url, clock);
      await stage.ready(daemon, [every('a', 3_600_000)]);
      const from = daemon.log.lines.length;
      const template = { name: kind, data: { link: 'a', kind, override: null } };
      await stage.queue().upsertJobScheduler(id, { every: 3_600_000 }, template);
      clock.advance(61_000);
      expect(await daemon.log.until('schedulesCreated', from)).toMatchObject({ removed: 1 });
      const found = await stage.queue().getJobSchedulers();
      expect(found.map(({ key, template: own }) => [key, own?.data])).toEqual([
        ['incremental:a', { link: 'a', kind: 'incremental', override: null }],
      ]);
    },
  );

  test('a schedule with a distant slot starts one run earlier, and keeps its slots', async () => {
    const started: number[] = [];
    const work: RunJob = () => {
      started.push(Date.now());
      return Promise.resolve(report());
    };
    const [one, other] = [stage.startScheduler(work), stage.startScheduler(work)];
    const hourMs = 3_600_000;
    const offsetMs = (Date.now() + hourMs / 2) % hourMs;
    const schedule: Schedule = { link: 'a', kind: 'incremental', everyMs: hourMs, offsetMs, firstWithinMs: 100 };
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
    const schedules = links.map((link): Schedule => ({
      link,
      kind: 'incremental',
      everyMs: 200,
      offsetMs: 50,
      firstWithinMs: 0,
    }));
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

  /** Sets the clock of the machine ahead, because BullMQ reads only that clock. */
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

  test('a schedule that a fast clock delayed repeats at its interval again', async () => {
    const hourMs = 3_600_000;
    const clock = machineClock();
    const startedAtMs = Date.now();
    const offsetMs = (startedAtMs + hourMs / 2) % hourMs;
    const schedule: Schedule = { link: 'a', kind: 'incremental', everyMs: hourMs, offsetMs, firstWithinMs: 100 };
    let started = 0;
    const work: RunJob = () => {
      started += 1;
      return Promise.resolve(report());
    };
    // For the fast clock the first slots have passed and are served. For the right clock they are in the future.
    for (const aheadHours of [0, 0.6, 1.6]) {
      clock.setAhead(aheadHours * hourMs);
      const runs = started + 1;
      const ahead = stage.startScheduler(work);
      ahead.scheduler.apply([schedule]);
      await expect.poll(() => started).toBe(runs);
      await ahead.stop();
    }
    const hoursUntilNext = async (): Promise<number> => {
      const [scheduler] = await stage.queue().getJobSchedulers();
      return ((scheduler?.next ?? 0) - startedAtMs) / hourMs;
    };
    expect(await hoursUntilNext()).toBe(2.5);
    clock.setAhead(0);
    stage.startScheduler(work).scheduler.apply([schedule]);
    await expect.poll(hoursUntilNext).toBe(0.5);
    await expect.poll(() => stage.queue().getDelayedCount()).toBe(1);
  });
});
