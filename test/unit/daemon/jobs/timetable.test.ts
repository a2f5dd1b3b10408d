import { expect, test } from 'vitest';
import type { LinkConfig } from '../../../../src/app/config/link-config.ts';
import { pollDelayMs, SHORTEST_POLL_DELAY_MS } from '../../../../src/daemon/jobs/due.ts';
import { nextSlot } from '../../../../src/daemon/jobs/embedded-scheduler.ts';
import { schedulesOf } from '../../../../src/daemon/jobs/scheduler.ts';
import { LINK, startRunner } from '../../../support/jobs/runner.ts';
import { storeRun } from '../../../support/store/rows.ts';

const INTERVAL_MS = 300_000;

const linkNamed = (name: string): LinkConfig =>
  ({ name, syncIntervalMs: INTERVAL_MS }) as Partial<LinkConfig> as LinkConfig;

const linksOf = (count: number) => Array.from({ length: count }, (_, index) => linkNamed(`link${index}`));

const histogram = (timesMs: readonly number[], everyMs: number, parts: number): readonly number[] => {
  const counts = Array.from({ length: parts }, () => 0);
  for (const timeMs of timesMs) {
    const part = Math.floor((timeMs / everyMs) * parts);
    counts[part] = (counts[part] ?? 0) + 1;
  }
  return counts;
};

test('the slots of many links are spread evenly over their interval', () => {
  const slots = schedulesOf(linksOf(10_000)).map(({ offsetMs }) => offsetMs);
  const counts = histogram(slots, INTERVAL_MS, 20);
  // A twentieth of 10,000 random slots is 500 with a standard deviation of 22. The bounds are four deviations away.
  expect(Math.min(...counts)).toBeGreaterThan(410);
  expect(Math.max(...counts)).toBeLessThan(590);
});

test('the slots of a link depend on its name only, not on other links or their order', () => {
  const slotsOf = (links: readonly LinkConfig[]) =>
    new Map(schedulesOf(links).map(({ link, offsetMs }) => [link, offsetMs]));
  const [all, some] = [slotsOf(linksOf(50)), slotsOf(linksOf(20).toReversed())];
  for (const [key, offsetMs] of some) expect(all.get(key)).toBe(offsetMs);
});

test('many links start at one a second on average or spread over the interval, and a single link starts at once', () => {
  const firsts = (count: number) => schedulesOf(linksOf(count)).map(({ firstInMs }) => firstInMs);
  expect(firsts(1)).toEqual([0]);
  const few = firsts(100);
  expect(Math.max(...few)).toBeLessThan(99_000);
  expect(Math.max(...histogram(few, 99_000, 10))).toBeLessThan(25);
  const many = firsts(10_000);
  expect(Math.max(...many)).toBeLessThan(INTERVAL_MS);
  expect(Math.max(...histogram(many, INTERVAL_MS, 20))).toBeLessThan(590);
});

test('the next slot is always in the future, and missed slots are skipped', () => {
  const schedule = { everyMs: 100, offsetMs: 30 };
  expect([0, 29, 30, 31, 129, 130, 1_055].map((nowMs) => nextSlot(schedule, nowMs))).toEqual([
    30, 30, 130, 130, 130, 230, 1_130,
  ]);
});

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
type Runner = Awaited<ReturnType<typeof startRunner>>;

const startAuto = async (): Promise<Runner> => {
  const runner = await startRunner();
  runner.runner.setLinks([{ ...LINK, hasAutoInterval: true }]);
  return runner;
};

const storeAuto = ({ store, clock }: Runner, wrote = true, run: Parameters<typeof storeRun>[2] = {}): Promise<void> => {
  const at = { id: `${clock.now()}`, kind: 'incremental', startedAtMs: clock.now() } as const;
  return storeRun(store, 'a', { ...at, ...run }, wrote ? { lastChangeAtMs: clock.now() } : {});
};

test('the report of a job contains the delay to the next poll, except for a link with a fixed interval', async () => {
  await using runner = await startAuto();
  expect(await runner.run()).toMatchObject({ ending: 'completed', nextInMs: INTERVAL_MS });
  await storeAuto(runner);
  expect(await runner.run({ byHand: true })).toMatchObject({ ending: 'completed', nextInMs: 10 * SECOND_MS });
  runner.runner.setLinks([LINK]);
  expect(await runner.run()).toMatchObject({ nextInMs: null });
});

test('a link that another process polled is not due before its next poll, and the report contains the remaining delay', async () => {
  await using runner = await startAuto();
  await storeAuto(runner);
  runner.clock.advance(4 * SECOND_MS);
  expect(await runner.run()).toMatchObject({ ending: 'skipped', nextInMs: 6 * SECOND_MS });
  expect(runner.logged).toContain('jobSkipped {"link":"a","kind":"incremental","why":"not due"}');
  runner.clock.advance(6 * SECOND_MS);
  expect(await runner.run()).toMatchObject({ ending: 'completed' });
  expect(runner.runs).toHaveLength(1);
});

test('the delay between two polls is computed when the last one ended, however late the next job starts', async () => {
  await using runner = await startAuto();
  await storeAuto(runner);
  runner.clock.advance(10 * SECOND_MS);
  await storeAuto(runner, false);
  runner.clock.advance(20 * SECOND_MS);
  expect(await runner.run()).toMatchObject({ ending: 'completed' });
});

test('a clock that was set back does not prevent the next poll', async () => {
  await using runner = await startAuto();
  await storeAuto(runner);
  runner.clock.advance(2 * MINUTE_MS);
  expect(await runner.run()).toMatchObject({ ending: 'completed' });
  await storeAuto(runner);
  runner.clock.setBack(24 * 60 * MINUTE_MS);
  runner.clock.advance(MINUTE_MS);
  expect(await runner.run()).toMatchObject({ ending: 'completed' });
});

test.each([
  ['a job by hand', {}, { byHand: true }],
  ['a job after a run that failed', { outcome: 'failed' }, {}],
  ['a job after an undo', { kind: 'undo' }, {}],
] as const)('%s does not wait for the next poll', async (_, last, job) => {
  await using runner = await startAuto();
  await storeAuto(runner, true, last);
  expect(await runner.run(job)).toMatchObject({ ending: 'completed' });
});

const AUTO = { hasAutoInterval: true, syncIntervalMs: 90 * SECOND_MS };
const CHANGED_AT_MS = 1_700_000_000_000;

test('the delay between polls is 10 seconds after a change, and doubles up to the interval while nothing changes', () => {
  const delaysMs: (number | null)[] = [];
  for (let nowMs = CHANGED_AT_MS; delaysMs.length < 6;) {
    const delayMs = pollDelayMs(AUTO, { lastChangeAtMs: CHANGED_AT_MS }, nowMs);
    delaysMs.push(delayMs);
    nowMs += delayMs ?? 0;
  }
  expect(delaysMs.map((delayMs) => (delayMs ?? 0) / SECOND_MS)).toEqual([10, 20, 40, 80, 90, 90]);
});

test('a link without changes is polled at its interval, and a change in the future has the shortest delay', () => {
  expect(pollDelayMs(AUTO, { lastChangeAtMs: null }, CHANGED_AT_MS)).toBe(90 * SECOND_MS);
  expect(pollDelayMs(AUTO, { lastChangeAtMs: CHANGED_AT_MS }, CHANGED_AT_MS - MINUTE_MS)).toBe(SHORTEST_POLL_DELAY_MS);
});
