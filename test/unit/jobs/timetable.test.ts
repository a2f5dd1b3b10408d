import { expect, test } from 'vitest';
import { nextSlot, schedulesOf, type Schedule } from '../../../src/jobs/timetable.ts';
import type { LinkConfig } from '../../../src/config/config.ts';

const linkNamed = (name: string): LinkConfig =>
  ({ name, syncIntervalMs: 300_000, sweepIntervalMs: 21_600_000 }) as Partial<LinkConfig> as LinkConfig;

test('first starts are spread evenly over the interval, by the place of the link', () => {
  const links = Array.from({ length: 20 }, (_, index) => linkNamed(`link${index}`));
  const starts = schedulesOf(links).filter(({ kind }) => kind === 'incremental');
  expect(starts.map(({ offsetMs }) => offsetMs)).toEqual(links.map((_, index) => index * 15_000));
  expect(schedulesOf(links)).toEqual(schedulesOf([...links]));
});

test('every link has a schedule for incremental runs and one for sweeps, half a cycle apart', () => {
  expect(schedulesOf([linkNamed('only')])).toEqual([
    { link: 'only', kind: 'incremental', everyMs: 300_000, offsetMs: 0 },
    { link: 'only', kind: 'sweep', everyMs: 21_600_000, offsetMs: 150_000 },
  ]);
});

test('offsets stay within the interval', () => {
  const links = [linkNamed('a'), { ...linkNamed('b'), sweepIntervalMs: 1_000 }];
  for (const { offsetMs, everyMs } of schedulesOf(links)) expect(offsetMs).toBeLessThan(everyMs);
});

test('the next slot is always a later one, and missed ones are left out', () => {
  const schedule: Schedule = { link: 'a', kind: 'incremental', everyMs: 100, offsetMs: 30 };
  expect([0, 29, 30, 31, 129, 130, 1_055].map((nowMs) => nextSlot(schedule, nowMs))).toEqual([
    30, 30, 130, 130, 130, 230, 1_130,
  ]);
});
