import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createEmbeddedScheduler } from '../../../../src/daemon/jobs/embedded-scheduler.ts';
import type { JobReport } from '../../../../src/daemon/jobs/job.ts';
import type { Schedule } from '../../../../src/daemon/jobs/scheduler.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';

const DONE: JobReport = { ending: 'completed', message: null, summary: null, retryInMs: null };
const SECOND_MS = 1_000;

const incremental = (link: string, everyMs: number, offsetMs = 0): Schedule => {
  return { link, kind: 'incremental', everyMs, offsetMs, firstMs: offsetMs };
};

/** A scheduler whose jobs end when the test says so. */
const startScheduler = (concurrency = 10) => {
  const clock = createVirtualClock();
  const begun: string[] = [];
  const underWay = new Map<string, (report: JobReport) => void>();
  const scheduler = createEmbeddedScheduler({
    clock,
    concurrency,
    runJob: ({ link, kind }) => {
      begun.push(`${link} ${kind} ${clock.monotonic() / SECOND_MS}`);
      if (underWay.has(link)) throw new Error(`Two jobs of ${link} at once.`);
      return new Promise((resolve) => {
        underWay.set(link, (report) => {
          underWay.delete(link);
          resolve(report);
        });
      });
    },
  });
  /** Lets so many seconds pass, one after the other; jobs end at once unless they are to be held. */
  const pass = async (seconds: number, { hold = false } = {}): Promise<void> => {
    for (let second = 0; second <= seconds; second += 1) {
      clock.advance(second > 0 ? SECOND_MS : 0);
      await setImmediate();
      if (!hold) for (const end of underWay.values()) end(DONE);
      await setImmediate();
    }
  };
  return { scheduler, begun, underWay, pass };
};

test('every link starts at its offset and comes again after its interval', async () => {
  const { scheduler, begun, pass } = startScheduler();
  scheduler.apply([incremental('a', 10_000), incremental('b', 10_000, 5_000)]);
  await pass(21);
  expect(begun).toEqual([
    'a incremental 0',
    'b incremental 5',
    'a incremental 10',
    'b incremental 15',
    'a incremental 20',
  ]);
  await scheduler.stop();
});

test('a link whose schedule has begun does not wait for its slot, and keeps to its slots from then on', async () => {
  const { scheduler, begun, pass } = startScheduler();
  scheduler.apply([{ ...incremental('a', 10_000, 7_000), firstMs: 1_000 }]);
  await pass(18);
  expect(begun).toEqual(['a incremental 1', 'a incremental 7', 'a incremental 17']);
  await scheduler.stop();
});

test('a link is worked on by one job at a time, and slots missed meanwhile are left out', async () => {
  const { scheduler, begun, underWay, pass } = startScheduler();
  scheduler.apply([
    incremental('a', 10_000),
    { link: 'a', kind: 'sweep', everyMs: 100_000, offsetMs: 5_000, firstMs: 5_000 },
  ]);
  await pass(34, { hold: true });
  expect(begun).toEqual(['a incremental 0']);
  underWay.get('a')?.(DONE);
  await pass(0);
  await pass(6);
  expect(begun).toEqual(['a incremental 0', 'a sweep 34', 'a incremental 40']);
  await scheduler.stop();
});

test('a job that never ends delays no other link', async () => {
  const { scheduler, begun, underWay, pass } = startScheduler();
  scheduler.apply([incremental('stuck', 10_000), incremental('fine', 10_000)]);
  for (let round = 0; round < 3; round += 1) {
    await pass(10, { hold: true });
    underWay.get('fine')?.(DONE);
  }
  expect(begun.filter((line) => line.startsWith('stuck'))).toEqual(['stuck incremental 0']);
  expect(begun.filter((line) => line.startsWith('fine'))).toHaveLength(3);
});

test('no more links than the concurrency allows are worked on at once; the others come in order', async () => {
  const { scheduler, begun, underWay, pass } = startScheduler(2);
  scheduler.apply(['a', 'b', 'c'].map((link) => incremental(link, 100_000)));
  await pass(1, { hold: true });
  expect([...underWay.keys()]).toEqual(['a', 'b']);
  expect(await scheduler.depth()).toEqual({ waiting: 1, active: 2 });
  underWay.get('a')?.(DONE);
  await pass(1, { hold: true });
  expect([...underWay.keys()]).toEqual(['b', 'c']);
  expect(begun).toEqual(['a incremental 0', 'b incremental 0', 'c incremental 1']);
  await pass(1);
  expect(await scheduler.depth()).toEqual({ waiting: 0, active: 0 });
  await scheduler.stop();
});

test('a link is run again when the report says that it is to be looked at, after a sweep too', async () => {
  const { scheduler, begun, underWay, pass } = startScheduler();
  scheduler.apply([
    incremental('a', 10_000),
    { link: 'a', kind: 'sweep', everyMs: 100_000, offsetMs: 15_000, firstMs: 15_000 },
  ]);
  await pass(0, { hold: true });
  underWay.get('a')?.({ ...DONE, nextPollInMs: 3_000 });
  await pass(3, { hold: true });
  underWay.get('a')?.({ ...DONE, nextPollInMs: 40_000 });
  await pass(12, { hold: true });
  underWay.get('a')?.({ ...DONE, nextPollInMs: 2_000 });
  await pass(6);
  expect(begun).toEqual(['a incremental 0', 'a incremental 3', 'a sweep 15', 'a incremental 17', 'a incremental 20']);
  await scheduler.stop();
});

test('another attempt comes in the place of the next slot, sooner or later than it', async () => {
  const { scheduler, begun, underWay, pass } = startScheduler();
  scheduler.apply([incremental('a', 10_000)]);
  await pass(0, { hold: true });
  underWay.get('a')?.({ ...DONE, ending: 'unavailable', retryInMs: 3_000 });
  await pass(3, { hold: true });
  underWay.get('a')?.({ ...DONE, ending: 'unavailable', retryInMs: 25_000 });
  await pass(37);
  expect(begun).toEqual([
    'a incremental 0',
    'a incremental 3',
    'a incremental 28',
    'a incremental 30',
    'a incremental 40',
  ]);
  await scheduler.stop();
});

test('new schedules take the place of the earlier ones: links that stay keep their time, work under way goes on', async () => {
  const { scheduler, begun, underWay, pass } = startScheduler();
  scheduler.apply([incremental('stays', 10_000, 2_000), incremental('goes', 10_000), incremental('changes', 10_000)]);
  await pass(4, { hold: true });
  expect([...underWay.keys()].toSorted()).toEqual(['changes', 'goes', 'stays']);
  scheduler.apply([
    incremental('comes', 10_000),
    incremental('stays', 10_000, 5_000),
    incremental('changes', 7_000, 3_000),
  ]);
  for (const end of underWay.values()) end(DONE);
  await pass(17);
  expect(begun).toEqual([
    'goes incremental 0',
    'changes incremental 0',
    'stays incremental 2',
    'comes incremental 4',
    'changes incremental 7',
    'stays incremental 12',
    'comes incremental 14',
    'changes incremental 14',
    'changes incremental 21',
  ]);
  await scheduler.stop();
});

test('stopping begins nothing more and waits for what is under way', async () => {
  const { scheduler, begun, underWay, pass } = startScheduler(1);
  scheduler.apply([incremental('a', 10_000), incremental('b', 10_000)]);
  await pass(0, { hold: true });
  let hasStopped = false;
  const stopping = scheduler.stop().then(() => {
    hasStopped = true;
  });
  await pass(30, { hold: true });
  expect([hasStopped, begun]).toEqual([false, ['a incremental 0']]);
  expect(await scheduler.trouble()).toBe('The daemon stops.');
  underWay.get('a')?.(DONE);
  await stopping;
  expect(begun).toEqual(['a incremental 0']);
});
