import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { RunJob, Schedule } from '../../../src/daemon/jobs/scheduler.ts';
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

  test('schedules of removed links are removed, changed schedules are replaced, and others are not changed', async () => {
    const daemon = stage.startScheduler(() => Promise.resolve(report()));
    await stage.ready(daemon, [every('stays', 3_600_000), every('goes', 3_600_000), every('changes', 3_600_000)]);
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
    const schedules = links.map((link): Schedule => ({
      link,
      everyMs: 200,
      offsetMs: 50,
      firstInMs: 0,
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
});
