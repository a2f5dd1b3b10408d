import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LinkConfig } from '../../../../src/app/config/link-config.ts';
import { type Activity, NO_ACTIVITY, type RunRow } from '../../../../src/core/state/rows.ts';
import { createFullRunSlots, fullRunRetryMs, fullRunSlots } from '../../../../src/daemon/jobs/full-run-slots.ts';
import type { JobData } from '../../../../src/daemon/jobs/job.ts';
import {
  createPolling,
  LONGEST_POLL_DELAY_MS,
  pollDelayMs,
  type SharedLimit,
  SHORTEST_POLL_DELAY_MS,
  stretchOf,
} from '../../../../src/daemon/jobs/polling.ts';
import { nextSlot, type Schedule, schedulesOf } from '../../../../src/daemon/jobs/scheduler.ts';
import { LINK, startRunner } from '../../../support/jobs/runner.ts';
import { newState } from '../../../support/store/rows.ts';

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
  const firsts = (count: number) =>
    ofKind('incremental', schedulesOf(linksOf(count))).map(({ firstWithinMs }) => firstWithinMs);
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

const SECOND_MS = 1_000;

const MINUTE_MS = 60_000;

type Runner = Awaited<ReturnType<typeof startRunner>>;

/** Starts a runner of a link whose interval is `auto`. */
const startAuto = async (): Promise<Runner> => {
  const runner = await startRunner();
  runner.runner.setLinks([{ ...LINK, hasAutoInterval: true }]);
  return runner;
};

/** Stores a run of another process that ends now. A run that wrote also stores the time of its change. */
const storeRun = async (
  { store, clock }: Runner,
  {
    outcome = 'completed',
    kind = 'incremental',
    wrote = false,
  }: Partial<Pick<RunRow, 'kind'>> & {
    readonly outcome?: 'completed' | 'failed';
    readonly wrote?: boolean;
  } = {},
): Promise<void> => {
  const nowMs = clock.now();
  const token = (await store.acquireLease('a', 'another', 0, 1)) ?? 0;
  const run = { id: `${nowMs}`, kind, undoes: null, startedAtMs: nowMs };
  const activity = { lastChangeAtMs: nowMs, hours: [] };
  await store.commit('a', token, [
    { kind: 'run-started', run },
    { kind: 'patch-run', id: run.id, set: { outcome, reason: null, summary: {}, endedAtMs: nowMs } },
    ...(wrote ? [{ kind: 'link' as const, patch: { activity } }] : []),
  ]);
  await store.releaseLease('a', 'another');
};

test('the report of a job contains the delay to the next poll, except for a link with a fixed interval', async () => {
  await using runner = await startAuto();
  expect(await runner.run()).toMatchObject({ ending: 'completed', nextPollInMs: 5 * MINUTE_MS });
  await storeRun(runner, { wrote: true });
  expect(await runner.run({ kind: 'sweep' })).toMatchObject({ ending: 'completed', nextPollInMs: 10 * SECOND_MS });
  runner.runner.setLinks([LINK]);
  expect(await runner.run()).not.toHaveProperty('nextPollInMs');
});

test('a link that another process polled is not due before its next poll, and the report contains the remaining delay', async () => {
  await using runner = await startAuto();
  await storeRun(runner, { wrote: true });
  runner.clock.advance(4 * SECOND_MS);
  expect(await runner.run()).toMatchObject({ ending: 'skipped', nextPollInMs: 6 * SECOND_MS });
  expect(runner.logged).toContain('jobSkipped {"link":"a","kind":"incremental","why":"not due"}');
  runner.clock.advance(6 * SECOND_MS);
  expect(await runner.run()).toMatchObject({ ending: 'completed' });
  expect(runner.runs).toHaveLength(1);
});

test('the delay between two polls is computed when the last one ended, however late the next job starts', async () => {
  await using runner = await startAuto();
  await storeRun(runner, { wrote: true });
  runner.clock.advance(4 * MINUTE_MS);
  await storeRun(runner);
  runner.clock.advance(20 * SECOND_MS);
  expect(await runner.run()).toMatchObject({ ending: 'completed' });
});

test('neither a clock that was set back nor polls from before that prevent the next poll', async () => {
  await using runner = await startAuto();
  const limit = { requests: 4, windowMs: MINUTE_MS };
  runner.limits.push({ name: 'the service', budget: { limit, remaining: 4, resetMs: 0 } });
  await storeRun(runner, { wrote: true });
  runner.clock.advance(2 * MINUTE_MS);
  expect(await runner.run()).toMatchObject({ ending: 'completed' });
  await storeRun(runner, { wrote: true });
  runner.clock.setBack(24 * 60 * MINUTE_MS);
  runner.clock.advance(MINUTE_MS);
  expect(await runner.run()).toMatchObject({ ending: 'completed' });
});

test.each([
  ['a job by hand', { wrote: true }, { byHand: true }],
  ['a sweep', { wrote: true }, { kind: 'sweep' }],
  ['a job after a run that failed', { wrote: true, outcome: 'failed' }, {}],
  ['a job after an undo', { wrote: true, kind: 'undo' }, {}],
] as const)('%s does not wait for the next poll', async (_, last, job) => {
  await using runner = await startAuto();
  await storeRun(runner, last);
  expect(await runner.run(job)).toMatchObject({ ending: 'completed' });
});

test('a link with a fixed interval runs for each job', async () => {
  await using runner = await startRunner();
  await storeRun(runner, { wrote: true });
  expect(await runner.run()).toMatchObject({ ending: 'completed' });
});

test('a poll waits when polls have used their share of a limit, and a job by hand does not', async () => {
  await using runner = await startAuto();
  const limit = { requests: 4, windowMs: MINUTE_MS };
  runner.limits.push({ name: 'the service', budget: { limit, remaining: 4, resetMs: 0 } });
  expect(await runner.run()).toMatchObject({ ending: 'completed' });
  runner.clock.advance(20 * SECOND_MS);
  expect(await runner.run()).toMatchObject({ ending: 'skipped', nextPollInMs: 40 * SECOND_MS });
  expect(await runner.run({ byHand: true })).toMatchObject({ ending: 'completed' });
  runner.clock.advance(40 * SECOND_MS);
  expect(await runner.run()).toMatchObject({ ending: 'completed' });
});

const HOUR_MS = 60 * MINUTE_MS;

/** Noon in UTC. */
const NOON_MS = 480_012 * HOUR_MS;

/** Returns the activity of a link that changed last at noon, with changes on `days` days in each hour. */
const changed = (days = 0): Activity => ({ lastChangeAtMs: NOON_MS, hours: Array.from({ length: 24 }, () => days) });

test.each([
  [0, 10 * SECOND_MS],
  [119 * SECOND_MS, 10 * SECOND_MS],
  [120 * SECOND_MS, 10 * SECOND_MS],
  [4 * MINUTE_MS, 20 * SECOND_MS],
  [12 * MINUTE_MS, MINUTE_MS],
  [30 * MINUTE_MS, 150 * SECOND_MS],
  [60 * MINUTE_MS, 5 * MINUTE_MS],
  [HOUR_MS * 9, 5 * MINUTE_MS],
])('%i ms after a change the next poll is %i ms after the last one', (quietMs, delayMs) => {
  expect(pollDelayMs(changed(), NOON_MS + quietMs)).toBe(delayMs);
});

test('in an hour with frequent changes the delay between polls is at most a minute', () => {
  expect(pollDelayMs(changed(10), NOON_MS + 4 * MINUTE_MS)).toBe(20 * SECOND_MS);
  expect(pollDelayMs(changed(10), NOON_MS + 9 * HOUR_MS)).toBe(MINUTE_MS);
});

test('a link without changes is polled every five minutes, and a change in the future has the shortest delay', () => {
  expect(pollDelayMs(NO_ACTIVITY, NOON_MS)).toBe(LONGEST_POLL_DELAY_MS);
  expect(pollDelayMs(changed(), NOON_MS - HOUR_MS)).toBe(SHORTEST_POLL_DELAY_MS);
});

test('the longer a link has had no change, the longer is the delay to its next poll', () => {
  fc.assert(
    fc.property(fc.nat(5 * HOUR_MS), fc.nat(5 * HOUR_MS), (quietMs, moreMs) => {
      const [sooner, later] = [quietMs, quietMs + moreMs].map((ms) => pollDelayMs(changed(), NOON_MS + ms));
      expect(sooner).toBeGreaterThanOrEqual(SHORTEST_POLL_DELAY_MS);
      expect(later).toBeGreaterThanOrEqual(sooner ?? 0);
      expect(later).toBeLessThanOrEqual(LONGEST_POLL_DELAY_MS);
    }),
  );
});

const limit = (links: number, everyMs: number, free = 500): SharedLimit => {
  return { requests: 500, windowMs: MINUTE_MS, free, wantedPerMs: links / everyMs };
};

test('polls keep their delays while they use at most half of a limit', () => {
  expect(stretchOf([])).toBe(1);
  expect(stretchOf([limit(1, 10 * SECOND_MS), limit(125, MINUTE_MS)])).toBe(1);
});

test('links that need more than half of a limit are all polled less often, so that they use half of it', () => {
  // 250 links need 500 requests a minute, and 250 requests are reserved for polls.
  expect(stretchOf([limit(250, MINUTE_MS)])).toBeCloseTo(2);
  expect(stretchOf([limit(1, MINUTE_MS), limit(10_000, 5 * MINUTE_MS)])).toBeCloseTo(16);
});

test('polls slow down when other work leaves less than half of a limit, but do not stop', () => {
  expect(stretchOf([limit(125, MINUTE_MS, 125)])).toBeCloseTo(2);
  expect(stretchOf([limit(125, MINUTE_MS, 0)])).toBeCloseTo(10);
});

const pacedLink = (name: string, hasAutoInterval = true): LinkConfig =>
  ({ name, syncIntervalMs: INTERVAL_MS, hasAutoInterval }) as Partial<LinkConfig> as LinkConfig;

/** Returns a pace where all links except `alone` share a limit of `requests` a minute. */
const paceWith = (requests: number) =>
  createPolling({
    limits: (link) => [
      {
        name: link === 'alone' ? 'its own' : 'shared',
        budget: { limit: { requests, windowMs: MINUTE_MS }, remaining: requests, resetMs: 0 },
      },
    ],
  });

/** Returns the delay between two polls of a link without changes. */
const delayOf = (pace: ReturnType<typeof paceWith>, link: LinkConfig) => pace.delayMs(link, newState(link.name), 0);

test('a link with a fixed interval has no poll delay and keeps its interval', () => {
  const pace = paceWith(4);
  expect(delayOf(pace, pacedLink('fixed', false))).toBeNull();
  expect(pace.intervalMs(pacedLink('fixed', false))).toBe(INTERVAL_MS);
});

test('links that share a limit slow each other down, and other links keep their delay', () => {
  const pace = paceWith(4);
  const links = Array.from({ length: 10 }, (_, index) => pacedLink(`link${index}`));
  for (const link of links) delayOf(pace, link);
  // Ten polls in five minutes are four requests a minute. Two requests a minute are reserved for polls.
  expect(links.map((link) => delayOf(pace, link))).toEqual(links.map(() => 2 * INTERVAL_MS));
  expect(delayOf(pace, pacedLink('alone'))).toBe(INTERVAL_MS);
  expect(pace.intervalMs(pacedLink('link3'))).toBe(2 * INTERVAL_MS);
});

test('the share of a removed link is available to the other links', () => {
  const pace = paceWith(4);
  for (let index = 0; index < 10; index += 1) delayOf(pace, pacedLink(`link${index}`));
  pace.keep(new Set(['link0', 'link1']));
  expect(delayOf(pace, pacedLink('link0'))).toBe(INTERVAL_MS);
  expect(pace.intervalMs(pacedLink('link9'))).toBe(INTERVAL_MS);
});

test('polls in a window use at most their share of a limit, and polls outside the window do not count', () => {
  const pace = paceWith(12);
  const waitAt = (link: string, nowMs: number): number => pace.waitMs(pacedLink(link), nowMs);
  // Half of twelve requests is enough for three polls.
  expect([0, 1_000, 2_000].map((nowMs) => waitAt('a', nowMs))).toEqual([0, 0, 0]);
  expect(waitAt('b', 3_000)).toBe(57_000);
  expect(waitAt('alone', 3_000)).toBe(0);
  expect(waitAt('b', 59_000)).toBe(10_000);
  expect(waitAt('b', 60_000)).toBe(0);
  expect(waitAt('c', 60_500)).toBe(10_000);
});

test('a link with a fixed interval never waits for its share', () => {
  const pace = paceWith(4);
  for (let times = 0; times < 5; times += 1) expect(pace.waitMs(pacedLink('a', false), 0)).toBe(0);
});

const COMPLETED = {} as RunRow;

/** Returns slots for full runs where runs of the given links have completed. */
const slotsOf = (concurrency: number, synced: readonly string[]) =>
  createFullRunSlots({
    concurrency,
    store: { runs: (link) => Promise.resolve(synced.includes(link) ? [COMPLETED] : []) },
  });

const job = (link: string, kind: JobData['kind'] = 'incremental'): JobData => ({ link, kind, override: null });

test('full runs leave a quarter of the slots to other runs, and at least one slot if there are two or more', () => {
  expect([1, 2, 3, 4, 10, 100].map(fullRunSlots)).toEqual([1, 1, 2, 3, 8, 75]);
});

test('waiting full runs retry at most ten times a second in total, however many there are', () => {
  expect([1, 20, 100, 10_000].map(fullRunRetryMs)).toEqual([2_000, 2_000, 10_000, 1_000_000]);
});

test('first syncs and resyncs use no slot of incremental runs, and the next one starts when one has ended', async () => {
  const slots = slotsOf(4, ['d', 'e']);
  const held = [await slots.acquire(job('a')), await slots.acquire(job('b')), await slots.acquire(job('d', 'full'))];
  for (const slot of held) expect(slot).not.toHaveProperty('retryInMs');
  expect(await slots.acquire(job('c'))).toEqual({ retryInMs: 2_000 });
  expect(await slots.acquire(job('e', 'full'))).toEqual({ retryInMs: 2_000 });
  expect(await slots.acquire(job('e'))).not.toHaveProperty('retryInMs');
  expect(await slots.acquire(job('e', 'sweep'))).not.toHaveProperty('retryInMs');
  const [first] = held;
  if (first !== undefined && Symbol.dispose in first) first[Symbol.dispose]();
  expect(await slots.acquire(job('c'))).not.toHaveProperty('retryInMs');
});

test('a link whose first sync another process has completed is no longer counted as waiting', async () => {
  const synced: string[] = [];
  const slots = slotsOf(1, synced);
  await slots.acquire(job('a'));
  const others = Array.from({ length: 99 }, (_, index) => `b${index}`);
  for (const link of others) await slots.acquire(job(link));
  expect(await slots.acquire(job('c'))).toEqual({ retryInMs: 10_000 });
  synced.push(...others);
  for (const link of others) await slots.acquire(job(link));
  expect(await slots.acquire(job('c'))).toEqual({ retryInMs: 2_000 });
});

test('a full run without a free slot starts no run and is retried', async () => {
  await using runner = await startRunner({ concurrency: 2 });
  const ended = Promise.withResolvers<null>();
  const started = Promise.withResolvers<void>();
  runner.until(() => {
    started.resolve();
    return ended.promise;
  });
  const long = runner.run({ kind: 'full' });
  await started.promise;
  expect(await runner.run({ link: 'b' })).toMatchObject({ ending: 'busy', retryInMs: 2_000 });
  expect(runner.runs).toHaveLength(1);
  ended.resolve(null);
  await long;
  expect(await runner.run({ link: 'b' })).toMatchObject({ ending: 'completed' });
});
