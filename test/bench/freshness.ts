import { createEmbeddedScheduler } from '../../src/daemon/jobs/embedded-scheduler.ts';
import type { JobReport } from '../../src/daemon/jobs/job.ts';
import { pollDelayMs } from '../../src/daemon/jobs/due.ts';
import { schedulesOf } from '../../src/daemon/jobs/scheduler.ts';
import { LONGEST_AUTO_INTERVAL_MS, type LinkConfig } from '../../src/app/config/link-config.ts';
import { seeded } from '../support/random.ts';
import { boundText, seconds, type Table } from './table.ts';
import { createVirtualClock } from '../support/clocks.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Only the last day is measured. */
const DAYS = 2;
const PEOPLE = 20;
/** The time from a run's first request until its changes are written to the other side. */
const RUN_MS = 1_000;
/** The number of requests that a run without changes sends to each of two sides. */
const REQUESTS_PER_SIDE = 2;

/** An edit by a person; `isFirst` marks the first one of a burst. */
type Edit = { readonly atMs: number; readonly isFirst: boolean };

/** Working hours, in UTC. */
const WORK = [8, 9, 10, 11, 13, 14, 15, 16];

/** Returns a burst: 3 to 12 edits, 25 seconds apart on average. */
const burst = (random: () => number, atMs: number): Edit[] => {
  let editMs = atMs;
  return Array.from({ length: 3 + Math.floor(random() * 10) }, (_, index): Edit => {
    if (index > 0) editMs += -Math.log(1 - random()) * 25_000;
    return { atMs: editMs, isFirst: index === 0 };
  });
};

/** Returns one person's edits of one day: eight bursts in working hours, sometimes one in the evening, none at night. */
const dayOf = (random: () => number, dayMs: number): Edit[] => {
  const pick = (hours: readonly number[]): number =>
    dayMs + ((hours[Math.floor(random() * hours.length)] ?? 0) + random()) * HOUR_MS;
  const starts = [...Array.from({ length: 8 }, () => pick(WORK)), ...(random() < 0.3 ? [pick([19, 20, 21])] : [])];
  return starts.flatMap((atMs) => burst(random, atMs));
};

type Person = { readonly edits: readonly Edit[]; done: number; lastChangeAtMs: number | null };

const personOf = (seed: number, startMs: number): Person => {
  const random = seeded(seed);
  const edits = Array.from({ length: DAYS }, (_, day) => dayOf(random, startMs + day * DAY_MS)).flat();
  return { edits: edits.toSorted((one, other) => one.atMs - other.atMs), done: 0, lastChangeAtMs: null };
};

type Arrival = { readonly edit: Edit; readonly delayMs: number };

/** The results of the last day. */
type Outcome = {
  /** The times from edit to arrival, ascending. */
  readonly delaysMs: readonly number[];
  /** The same times, only for the first edit of each burst. */
  readonly firstDelaysMs: readonly number[];
  /** The number of requests to both sides of a link. */
  readonly requestsPerLink: number;
  /** The number of requests from all links to the service, in the busiest minute. */
  readonly busiestMinute: number;
};

/** Simulates a run that begins now. The changes that it finds arrive when it ends. */
const look = (person: Person, nowMs: number): readonly Arrival[] => {
  const next = person.edits.findIndex(({ atMs }, index) => index >= person.done && atMs > nowMs);
  const found = person.edits.slice(person.done, next < 0 ? person.edits.length : next);
  person.done += found.length;
  if (found.length > 0) person.lastChangeAtMs = nowMs + RUN_MS;
  return found.map((edit) => ({ edit, delayMs: nowMs + RUN_MS - edit.atMs }));
};

const linkNamed = (name: string, interval: number | 'auto'): LinkConfig => {
  const hasAutoInterval = interval === 'auto';
  const syncIntervalMs = interval === 'auto' ? LONGEST_AUTO_INTERVAL_MS : interval;
  // Sweeps run four times a day with any interval, and are not simulated.
  const sweepIntervalMs = 2 * DAYS * DAY_MS;
  return { name, syncIntervalMs, sweepIntervalMs, hasAutoInterval } as Partial<LinkConfig> as LinkConfig;
};

const REPORT: JobReport = { ending: 'completed', message: null, summary: null, nextInMs: null };

const ascending = (values: readonly number[]): number[] => values.toSorted((one, other) => one - other);

/** Simulates all days with the daemon's own scheduler. */
const play = async (people: number, interval: number | 'auto'): Promise<Outcome> => {
  const clock = createVirtualClock();
  const startMs = Math.ceil(clock.now() / DAY_MS) * DAY_MS;
  const lastDayMs = startMs + (DAYS - 1) * DAY_MS;
  const persons = new Map(Array.from({ length: people }, (_, index) => [`link${index}`, personOf(index + 1, startMs)]));
  const byMinute = new Map<number, number>();
  const arrivals: Arrival[] = [];
  const scheduler = createEmbeddedScheduler({
    clock,
    concurrency: people,
    runJob: async ({ link: name }): Promise<JobReport> => {
      const link = linkNamed(name, interval);
      const person = persons.get(name) ?? personOf(0, startMs);
      const minute = Math.floor(clock.now() / MINUTE_MS);
      byMinute.set(minute, (byMinute.get(minute) ?? 0) + REQUESTS_PER_SIDE);
      arrivals.push(...look(person, clock.now()));
      await clock.sleep(RUN_MS);
      return { ...REPORT, nextInMs: pollDelayMs(link, person, clock.now()) };
    },
  });
  scheduler.apply(schedulesOf([...persons.keys()].map((name) => linkNamed(name, interval))));
  await clock.play(lastDayMs + DAY_MS - clock.now());
  const stopping = scheduler.stop();
  await clock.play(2 * RUN_MS);
  await stopping;
  const measured = arrivals.filter(({ edit }) => edit.atMs >= lastDayMs);
  const minutes = [...byMinute].filter(([minute]) => minute * MINUTE_MS >= lastDayMs).map(([, count]) => count);
  return {
    delaysMs: ascending(measured.map(({ delayMs }) => delayMs)),
    firstDelaysMs: ascending(measured.filter(({ edit }) => edit.isFirst).map(({ delayMs }) => delayMs)),
    requestsPerLink: (2 * minutes.reduce((sum, count) => sum + count, 0)) / people,
    busiestMinute: Math.max(...minutes),
  };
};

const quantileMs = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

const quantile = (sorted: readonly number[], share: number): string => seconds(quantileMs(sorted, share));

/** The bound of the interval `auto`: the median delay, and the requests a day. */
const AUTO_BOUND = { medianMs: 30_000, requests: 5_760 };

const autoBound = ({ delaysMs, requestsPerLink }: Outcome): string => {
  const isKept = quantileMs(delaysMs, 0.5) <= AUTO_BOUND.medianMs && requestsPerLink <= AUTO_BOUND.requests;
  return boundText(`${AUTO_BOUND.medianMs / 1_000} s, ${AUTO_BOUND.requests} requests`, isKept);
};

const rowOf = (title: string, outcome: Outcome, bound: string): readonly string[] => {
  const { delaysMs, firstDelaysMs, requestsPerLink, busiestMinute } = outcome;
  return [
    title,
    quantile(delaysMs, 0.5),
    quantile(delaysMs, 0.9),
    quantile(firstDelaysMs, 0.5),
    requestsPerLink.toFixed(0),
    String(busiestMinute),
    bound,
  ];
};

/** Measures the time from edit to arrival, with fixed intervals and with `auto`. */
export const benchFreshness = async (): Promise<Table> => {
  const auto = await play(PEOPLE, 'auto');
  return {
    title: '11. Freshness: from an edit to its arrival, on a simulated day',
    head: ['interval', 'median', '90 %', 'median of first edits', 'requests a day', 'busiest minute', 'bound'],
    rows: [
      rowOf('5m', await play(PEOPLE, 5 * MINUTE_MS), ''),
      rowOf('1m', await play(PEOPLE, MINUTE_MS), ''),
      rowOf('auto', auto, autoBound(auto)),
    ],
    notes: [
      'The interval `auto` grows to 5 minutes without a change, like the default interval: a first edit after a pause waits that long. With at most 90 seconds, the median was 16.67 s with 4036 requests a day.',
      `${PEOPLE} people, each with eight bursts of 3 to 12 edits (25 s apart in the mean) in eight working hours, one more on three evenings in ten, and none at night; the scheduler is the daemon's, time is simulated, a run takes a second. The last of ${DAYS} days is measured. Requests a day: of one link, to both sides; the busiest minute: to one side, from all links.`,
    ],
  };
};
