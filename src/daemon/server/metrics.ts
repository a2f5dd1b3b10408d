import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { App } from '../../app/app.ts';
import type { LinkConfig } from '../../app/config/link-config.ts';
import { SIDES, type Side } from '../../core/contact/side.ts';
import type { Events } from '../../engine/events.ts';
import type { OnReport } from '../daemon.ts';
import { waitsForPerson, type LinkHealth } from './health.ts';
import type { JobReport } from '../jobs/job.ts';
import type { QueueDepth } from '../jobs/scheduler.ts';
import { METRICS } from './metric-table.ts';

/** The values that are read for each request of the metrics, in addition to the counters. */
export type MetricsInput = {
  /** Epoch milliseconds. */
  readonly nowMs: number;
  /** The time since which the daemon serves a link, epoch milliseconds. */
  readonly sinceMs: (link: string) => number;
  readonly states: readonly LinkHealth[];
  readonly traffic: ReturnType<App['traffic']>;
  /** Null if it is unknown now. */
  readonly depth: QueueDepth | null;
};

/** The metrics of one daemon. */
export type Metrics = {
  /** Counts a job that has ended. */
  readonly count: OnReport;
  /** Counts an answer 429. */
  readonly countLimited: Events['rateLimited'];
  /** Returns all metrics in the text format of Prometheus. Calls must not overlap. */
  render(input: MetricsInput): Promise<string>;
  readonly contentType: string;
};

type MetricsOptions = {
  readonly version: string;
  /** The current links. The array is a new one after each change. */
  readonly links: () => readonly LinkConfig[];
};

/** The buckets of durations, from a run without changes to the first sync of a large address book. */
const DURATION_BUCKETS_S = [0.1, 0.3, 1, 3, 10, 30, 60, 300, 900, 3_600, 14_400];

/** Gauges of the client library with names of counters. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** The endings of jobs without a run. */
const NO_RUN: ReadonlySet<JobReport['ending']> = new Set(['skipped', 'busy', 'stopped']);

const WRITES = ['created', 'updated', 'deleted', 'groupsDeleted'] as const;
const STATES = ['active', 'paused', 'halted', 'failing'] as const;

const createSeries = (registry: Registry) => {
  const registers = [registry];
  const optionsOf = <const Label extends string>({ name, help, labels }: Described<Label>) => {
    return { name, help, labelNames: labels, registers };
  };
  return {
    info: new Gauge(optionsOf(METRICS.info)),
    runs: new Counter(optionsOf(METRICS.runs)),
    runDuration: new Histogram({ ...optionsOf(METRICS.runDuration), buckets: DURATION_BUCKETS_S }),
    writes: new Counter(optionsOf(METRICS.writes)),
    conflicts: new Counter(optionsOf(METRICS.conflicts)),
    refused: new Gauge(optionsOf(METRICS.refused)),
    requests: new Counter(optionsOf(METRICS.requests)),
    budgetUsed: new Gauge(optionsOf(METRICS.budgetUsed)),
    rateLimited: new Counter(optionsOf(METRICS.rateLimited)),
    lag: new Gauge(optionsOf(METRICS.lag)),
    interval: new Gauge(optionsOf(METRICS.interval)),
    state: new Gauge(optionsOf(METRICS.state)),
    pausedByHand: new Gauge(optionsOf(METRICS.pausedByHand)),
    jobs: new Gauge(optionsOf(METRICS.jobs)),
    queueUp: new Gauge(optionsOf(METRICS.queueUp)),
  };
};

type Described<Label extends string> = {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly Label[];
};
type Series = ReturnType<typeof createSeries>;

const setLinkHealth = (series: Series, labels: LinkLabels, { states, nowMs, sinceMs }: MetricsInput): void => {
  for (const gauge of [series.refused, series.lag, series.interval, series.state, series.pausedByHand]) gauge.reset();
  for (const [link, own] of Map.groupBy(states, (each) => labels.link(each.link))) {
    // In a series of several links, a link that waits for a user does not count as late.
    const due = link === OTHER ? own.filter((each) => !waitsForPerson(each)) : own;
    const lagsMs = due.map((each) => nowMs - (each.lastSuccessAtMs ?? sinceMs(each.link)));
    series.lag.set({ link }, Math.max(0, ...lagsMs) / 1000);
    series.interval.set({ link }, Math.max(...own.map(({ syncIntervalMs }) => syncIntervalMs)) / 1000);
    series.refused.set(
      { link },
      own.reduce((sum, { refused }) => sum + refused, 0),
    );
    series.pausedByHand.set({ link }, own.filter(({ isPausedByHand }) => isPausedByHand).length);
    for (const state of STATES) series.state.set({ link, state }, own.filter((each) => each.state === state).length);
  }
};

const setTraffic = (series: Series, labels: LinkLabels, { traffic }: MetricsInput): void => {
  series.requests.reset();
  series.budgetUsed.reset();
  const known = traffic.filter(({ link }) => labels.isKnown(link));
  for (const [link, ofLink] of Map.groupBy(known, (each) => labels.link(each.link))) {
    for (const [side, own] of Map.groupBy(ofLink, (each) => labels.side(each.link, each.side))) {
      series.requests.inc(
        { link, side },
        own.reduce((sum, { requests }) => sum + requests, 0),
      );
      const used = own.flatMap((each) => each.used ?? []);
      if (used.length > 0) series.budgetUsed.set({ link, side }, Math.max(...used));
    }
  }
};

const setQueue = (series: Series, { depth }: MetricsInput): void => {
  series.jobs.reset();
  series.queueUp.set(depth === null ? 0 : 1);
  if (depth === null) return;
  series.jobs.set({ state: 'waiting' }, depth.waiting);
  series.jobs.set({ state: 'active' }, depth.active);
};

/** Drops the series of links that no longer have their own, and starts the series of new links at 0. */
const setLinks = async (series: Series, labels: LinkLabels): Promise<void> => {
  for (const counter of [series.runs, series.writes, series.conflicts, series.rateLimited]) {
    for (const { labels: own } of (await counter.get()).values) {
      const link = String(own.link);
      if (link !== OTHER && !labels.named.has(link)) counter.remove(own);
    }
  }
  // Prometheus does not detect the first increase of a counter that starts above 0.
  for (const { link, side } of labels.sides) {
    series.conflicts.inc({ link }, 0);
    series.rateLimited.inc({ link, side }, 0);
  }
};

/** Creates the metrics, which start at 0. Each daemon has its own registry. */
export const createMetrics = ({ version, links }: MetricsOptions): Metrics => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  const series = createSeries(registry);
  series.info.set({ version }, 1);
  let known = { links: links(), labels: labelsFor(links()) };
  const labelsNow = (): LinkLabels => {
    if (known.links !== links()) known = { links: links(), labels: labelsFor(links()) };
    return known.labels;
  };
  return {
    count: ({ link: name, kind }, { ending: outcome, summary }) => {
      if (summary === null && NO_RUN.has(outcome)) return;
      const labels = labelsNow();
      const link = labels.link(name);
      series.runs.inc({ link, kind: summary?.kind ?? (kind === 'full' ? kind : 'incremental'), outcome });
      if (summary === null) return;
      series.runDuration.observe({ kind: summary.kind }, summary.durationMs / 1000);
      series.conflicts.inc({ link }, summary.conflicts);
      for (const side of SIDES) {
        for (const action of WRITES) {
          series.writes.inc({ link, side: labels.side(name, side), action }, summary[side][action]);
        }
      }
    },
    countLimited: ({ link, side }) => {
      const labels = labelsNow();
      series.rateLimited.inc({ link: labels.link(link), side: labels.side(link, side) });
    },
    render: async (input) => {
      const labels = labelsNow();
      await setLinks(series, labels);
      setLinkHealth(series, labels, input);
      setTraffic(series, labels, input);
      setQueue(series, input);
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
};

/** The number of links with their own series; the label of the others is {@link OTHER}. */
const MOST_NAMED = 50;

/** The label of all further links, of a link with this name, and of sides that no link with its own series has. */
const OTHER = 'other';

/** The values of the labels `link` and `side`. Their number is bounded. */
type LinkLabels = {
  /** The links with their own series. */
  readonly named: ReadonlySet<string>;
  /** The labels of each side of a link that is configured. */
  readonly sides: readonly { readonly link: string; readonly side: string }[];
  isKnown(link: string): boolean;
  link(name: string): string;
  side(link: string, side: Side): string;
};

/** The labels of these links. Only the first {@link MOST_NAMED} links have their own. */
const labelsFor = (links: readonly Pick<LinkConfig, 'name' | 'sides'>[]): LinkLabels => {
  const byName = new Map(links.map((link) => [link.name, link]));
  const first = links.slice(0, MOST_NAMED);
  const named = new Set(first.map(({ name }) => name));
  const sideNames = new Set(first.flatMap(({ sides }) => SIDES.map((side) => sides[side].name)));
  const labelOf = (name: string): string => (named.has(name) ? name : OTHER);
  const sideLabelOf = (link: string, side: Side): string => {
    const name = byName.get(link)?.sides[side].name;
    return name !== undefined && sideNames.has(name) ? name : OTHER;
  };
  return {
    named,
    sides: links.flatMap(({ name }) => SIDES.map((side) => ({ link: labelOf(name), side: sideLabelOf(name, side) }))),
    isKnown: (link) => byName.has(link),
    link: labelOf,
    side: sideLabelOf,
  };
};
