import { expect, test } from 'vitest';
import { nextSlot, schedulesOf, type Schedule } from '../../../../src/daemon/jobs/scheduler.ts';
import type { LinkConfig } from '../../../../src/app/config/link-config.ts';

const INTERVAL_MS = 300_000;
const SWEEP_MS = 21_600_000;

const linkNamed = (name: string): LinkConfig =>
  ({ name, syncIntervalMs: INTERVAL_MS, sweepIntervalMs: SWEEP_MS }) as Partial<LinkConfig> as LinkConfig;

const linksOf = (count: number) => Array.from({ length: count }, (_, index) => linkNamed(`link${index}`));

const ofKind = (kind: Schedule['kind'], schedules: readonly Schedule[]) =>
  schedules.filter((schedule) => schedule.kind === kind);

/** Counts the times in each of `parts` equal parts of the interval. */
const histogram = (timesMs: readonly number[], everyMs: number, parts: number): readonly number[] => {
  const counts = Array.from({ length: parts }, () => 0);
  for (const timeMs of timesMs) {
    const part = Math.floor((timeMs / everyMs) * parts);
    counts[part] = (counts[part] ?? 0) + 1;
  }
  return counts;
};

test.each([
  ['incremental', INTERVAL_MS],
  ['sweep', SWEEP_MS],
] as const)('the slots of many links are spread evenly over their interval: %s', (kind, everyMs) => {
  const slots = ofKind(kind, schedulesOf(linksOf(10_000))).map(({ offsetMs }) => offsetMs);
  const counts = histogram(slots, everyMs, 20);
  // A twentieth of 10,000 random slots is 500 with a standard deviation of 22. The bounds are four deviations away.
  expect(Math.min(...counts)).toBeGreaterThan(410);
  expect(Math.max(...counts)).toBeLessThan(590);
});

test('the slots of a link depend on its name only, not on other links or their order', () => {
  const slotsOf = (links: readonly LinkConfig[]) =>
    new Map(schedulesOf(links).map(({ link, kind, offsetMs }) => [`${link} ${kind}`, offsetMs]));
  const [all, some] = [slotsOf(linksOf(50)), slotsOf(linksOf(20).toReversed())];
  for (const [key, offsetMs] of some) expect(all.get(key)).toBe(offsetMs);
});

test('a sweep starts half an interval after an incremental run', () => {
  const schedules = schedulesOf(linksOf(200));
  const sweeps = ofKind('sweep', schedules);
  for (const [index, { offsetMs }] of ofKind('incremental', schedules).entries()) {
    expect(((sweeps[index]?.offsetMs ?? 0) - offsetMs - INTERVAL_MS / 2) % INTERVAL_MS).toBeCloseTo(0, -1);
  }
});

test('many links start at one a second on average or spread over the interval, and a single link starts at once', () => {
  const firsts = (count: number) => ofKind('incremental', schedulesOf(linksOf(count))).map(({ firstMs }) => firstMs);
  expect(firsts(1)).toEqual([0]);
  const few = firsts(100);
  expect(Math.max(...few)).toBeLessThan(99_000);
  expect(Math.max(...histogram(few, 99_000, 10))).toBeLessThan(25);
  const many = firsts(10_000);
  expect(Math.max(...many)).toBeLessThan(INTERVAL_MS);
  expect(Math.max(...histogram(many, INTERVAL_MS, 20))).toBeLessThan(590);
});

test('offsets are less than the interval', () => {
  const links = [linkNamed('a'), { ...linkNamed('b'), sweepIntervalMs: 1_000 }];
  for (const { offsetMs, everyMs } of schedulesOf(links)) expect(offsetMs).toBeLessThan(everyMs);
});

test('the next slot is always in the future, and missed slots are skipped', () => {
  const schedule = { everyMs: 100, offsetMs: 30 };
  expect([0, 29, 30, 31, 129, 130, 1_055].map((nowMs) => nextSlot(schedule, nowMs))).toEqual([
    30, 30, 130, 130, 130, 230, 1_130,
  ]);
});
