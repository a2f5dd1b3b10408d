import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createEmbeddedScheduler } from '../../../../src/daemon/jobs/embedded-scheduler.ts';
import type { JobReport } from '../../../../src/daemon/jobs/job.ts';
import type { Schedule } from '../../../../src/daemon/jobs/scheduler.ts';
import { createVirtualClock } from '../../../support/clocks.ts';

const DONE: JobReport = { ending: 'completed', message: null, summary: null, nextInMs: null };
const SECOND_MS = 1_000;

const incremental = (link: string, everyMs: number, offsetMs = 0): Schedule => {
  return { link, everyMs, offsetMs, firstInMs: offsetMs };
};

const startScheduler = (concurrency = 10) => {
  const clock = createVirtualClock();
  const startedJobs: string[] = [];
  const runningJobs = new Map<string, (report: JobReport) => void>();
  const scheduler = createEmbeddedScheduler({
    clock,
    concurrency,
    runJob: ({ link, kind }) => {
      startedJobs.push(`${link} ${kind} ${clock.monotonic() / SECOND_MS}`);
      if (runningJobs.has(link)) throw new Error(`Two jobs of ${link} at once.`);
      return new Promise((resolve) => {
        runningJobs.set(link, (report) => {
          runningJobs.delete(link);
          resolve(report);
        });
      });
    },
  });
  const pass = async (seconds: number, { hold = false } = {}): Promise<void> => {
    for (let second = 0; second <= seconds; second += 1) {
      clock.advance(second > 0 ? SECOND_MS : 0);
      await setImmediate();
      if (!hold) for (const end of runningJobs.values()) end(DONE);
      await setImmediate();
    }
  };
  return { scheduler, startedJobs, runningJobs, pass };
};

test('links start at their slots after their interval, except for a first run before the slot', async () => {
  const { scheduler, startedJobs, pass } = startScheduler();
  const early = { ...incremental('c', 10_000, 7_000), firstInMs: 1_000 };
  scheduler.apply([incremental('a', 10_000), incremental('b', 10_000, 5_000), early]);
  await pass(21);
  const started = ['a 0', 'c 1', 'b 5', 'c 7', 'a 10', 'b 15', 'c 17', 'a 20'];
  expect(startedJobs).toEqual(started.map((each) => each.replace(' ', ' incremental ')));
  await scheduler.stop();
});

test('a link has one running job at a time, slots missed during it are skipped, and other links are not delayed', async () => {
  const { scheduler, startedJobs, runningJobs, pass } = startScheduler();
  scheduler.apply([incremental('long', 10_000), incremental('fine', 10_000)]);
  for (let round = 0; round < 3; round += 1) {
    await pass(10, { hold: true });
    runningJobs.get('fine')?.(DONE);
  }
  const started = (link: string) => startedJobs.filter((line) => line.startsWith(link));
  expect([started('long'), started('fine').length]).toEqual([['long incremental 0'], 3]);
  runningJobs.get('long')?.(DONE);
  await pass(11);
  expect(started('long')).toEqual(['long incremental 0', 'long incremental 40']);
  await scheduler.stop();
});

test('no more links than the concurrency allows run at once, and the others start in order', async () => {
  const { scheduler, startedJobs, runningJobs, pass } = startScheduler(2);
  scheduler.apply(['a', 'b', 'c'].map((link) => incremental(link, 100_000)));
  await pass(1, { hold: true });
  expect([...runningJobs.keys()]).toEqual(['a', 'b']);
  expect(await scheduler.depth()).toEqual({ waiting: 1, active: 2 });
  runningJobs.get('a')?.(DONE);
  await pass(1, { hold: true });
  expect([...runningJobs.keys()]).toEqual(['b', 'c']);
  expect(startedJobs).toEqual(['a incremental 0', 'b incremental 0', 'c incremental 1']);
  await pass(1);
  expect(await scheduler.depth()).toEqual({ waiting: 0, active: 0 });
  await scheduler.stop();
});

const reports = (ending: 'completed' | 'unavailable', ...delays: readonly number[]): readonly JobReport[] =>
  delays.map((nextInMs) => ({ ...DONE, ending, nextInMs }));

test.each<[string, readonly JobReport[], number, readonly number[]]>([
  ['after the delay in the report of its last job', reports('completed', 3_000, 12_000), 16, [0, 3, 15]],
  ['after a retry instead of a slot', reports('unavailable', 3_000, 25_000), 37, [0, 3, 28, 30, 40]],
])('a link runs again %s', async (_, ended, seconds, startedAt) => {
  const { scheduler, startedJobs, runningJobs, pass } = startScheduler();
  scheduler.apply([incremental('a', 10_000)]);
  for (const [index, report] of ended.entries()) {
    await pass(index * 3, { hold: true });
    runningJobs.get('a')?.(report);
  }
  await pass(seconds);
  expect(startedJobs).toEqual(startedAt.map((second) => `a incremental ${second}`));
  await scheduler.stop();
});

test('new schedules replace the earlier ones: remaining links keep their times, and running jobs continue', async () => {
  const { scheduler, startedJobs, runningJobs, pass } = startScheduler();
  scheduler.apply([incremental('stays', 10_000, 2_000), incremental('goes', 10_000), incremental('changes', 10_000)]);
  await pass(4, { hold: true });
  expect([...runningJobs.keys()].toSorted()).toEqual(['changes', 'goes', 'stays']);
  scheduler.apply([
    incremental('comes', 10_000),
    incremental('stays', 10_000, 5_000),
    incremental('changes', 7_000, 3_000),
  ]);
  for (const end of runningJobs.values()) end(DONE);
  await pass(17);
  expect(startedJobs).toEqual([
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

test('stopping starts no further job and waits for running jobs', async () => {
  const { scheduler, startedJobs, runningJobs, pass } = startScheduler(1);
  scheduler.apply([incremental('a', 10_000), incremental('b', 10_000)]);
  await pass(0, { hold: true });
  let hasStopped = false;
  const stopping = scheduler.stop().then(() => {
    hasStopped = true;
  });
  await pass(30, { hold: true });
  expect([hasStopped, startedJobs]).toEqual([false, ['a incremental 0']]);
  expect(await scheduler.trouble()).toBe('The daemon stops.');
  runningJobs.get('a')?.(DONE);
  await stopping;
  expect(startedJobs).toEqual(['a incremental 0']);
});
