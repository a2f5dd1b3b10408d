import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { App } from '../../app/app.ts';
import type { LinkConfig } from '../../app/config/link-config.ts';
import { SIDES } from '../../core/contact/side.ts';
import type { Events } from '../../app/events.ts';
import type { OnRun } from '../daemon.ts';
import { type LinkHealth, provenSuccessAtMs } from './health.ts';
import type { JobData, JobReport } from '../jobs/job.ts';
import type { QueueDepth } from '../jobs/scheduler.ts';
import { METRICS, type Metric } from './metric-table.ts';

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

type MetricsOptions = {
  readonly version: string;
  /** The current links. */
  readonly links: () => readonly LinkConfig[];
};

/** The buckets of durations, from a run without changes to the first sync of a large address book. */
const DURATION_BUCKETS_S = [0.1, 0.3, 1, 3, 10, 30, 60, 300, 900, 3_600, 14_400];

/** Gauges of the client library with names of counters. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** The endings of jobs without a run. */
const NO_RUN: ReadonlySet<JobReport['ending']> = new Set(['skipped', 'busy', 'stopped']);

const WRITES = ['created', 'updated', 'deleted', 'groupsChanged', 'groupsDeleted'] as const;
const STATES = ['active', 'paused', 'halted', 'failing'] as const;

type Table = typeof METRICS;
type Label<Name extends keyof Table> = Table[Name]['labels'][number];
/** The series of each metric of the table. */
type Series = {
  readonly [Name in keyof Table]: {
    counter: Counter<Label<Name>>;
    gauge: Gauge<Label<Name>>;
    histogram: Histogram<Label<Name>>;
  }[Table[Name]['type']];
};

const createSeries = (registry: Registry): Series => {
  const create = ({ type, name, help, labels: labelNames }: Metric) => {
    const options = { name, help, labelNames, registers: [registry] };
    if (type === 'histogram') return new Histogram({ ...options, buckets: DURATION_BUCKETS_S });
    return type === 'counter' ? new Counter(options) : new Gauge(options);
  };
  const entries = Object.entries<Metric>(METRICS).map(([name, metric]) => [name, create(metric)]);
  return Object.fromEntries(entries) as Series;
};

const setLinkHealth = (series: Series, { states, nowMs, sinceMs }: MetricsInput): void => {
  for (const gauge of [series.refused, series.lag, series.interval, series.state, series.pausedByHand]) gauge.reset();
  for (const each of states) {
    const { link, state, isPausedByHand, syncIntervalMs, refused } = each;
    series.lag.set({ link }, Math.max(0, nowMs - (provenSuccessAtMs(each, nowMs) ?? sinceMs(link))) / 1000);
    series.interval.set({ link }, syncIntervalMs / 1000);
    series.refused.set({ link }, refused);
    series.pausedByHand.set({ link }, Number(isPausedByHand));
    for (const name of STATES) series.state.set({ link, state: name }, Number(name === state));
  }
};

const setTraffic = (series: Series, links: readonly LinkConfig[], { traffic }: MetricsInput): void => {
  series.requests.reset();
  series.budgetUsed.reset();
  for (const { link, side, requests, used } of traffic) {
    const config = links.find(({ name }) => name === link);
    if (config === undefined) continue;
    const labels = { link, side: config.sides[side].name };
    series.requests.inc(labels, requests);
    if (used !== null) series.budgetUsed.set(labels, used);
  }
};

const setQueue = (series: Series, { depth }: MetricsInput): void => {
  series.jobs.reset();
  series.queueUp.set(depth === null ? 0 : 1);
  if (depth === null) return;
  series.jobs.set({ state: 'waiting' }, depth.waiting);
  series.jobs.set({ state: 'active' }, depth.active);
};

/** Starts the series of new links at 0: Prometheus does not detect the first increase of a counter that starts above 0. */
const startCounters = (series: Series, links: readonly LinkConfig[]): void => {
  for (const { name: link, sides } of links) {
    series.conflicts.inc({ link }, 0);
    for (const side of SIDES) series.rateLimited.inc({ link, side: sides[side].name }, 0);
  }
};

/** Creates the metrics, which start at 0. Each daemon has its own registry. */
export const createMetrics = ({ version, links }: MetricsOptions) => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  const series = createSeries(registry);
  series.info.set({ version }, 1);
  const countRun: OnRun = (outcome, summary) => {
    const { link, kind, durationMs, conflicts, asked = 0 } = summary;
    series.runs.inc({ link, kind, outcome });
    const sides = links().find(({ name }) => name === link)?.sides;
    if (sides === undefined) return;
    series.runDuration.observe({ kind }, durationMs / 1000);
    series.conflicts.inc({ link }, conflicts + asked);
    for (const side of SIDES) {
      for (const action of WRITES) series.writes.inc({ link, side: sides[side].name, action }, summary[side][action]);
    }
  };
  return {
    /** Counts a job that has ended, and its run. */
    count: ({ link, kind }: JobData, { ending: outcome, summary }: JobReport): void => {
      if (summary !== null) countRun(outcome, summary);
      else if (!NO_RUN.has(outcome)) series.runs.inc({ link, kind, outcome });
    },
    countRun,
    /** Counts an answer 429. */
    countLimited: ({ link, sides, side }: Parameters<Events['rateLimited']>[0]): void =>
      series.rateLimited.inc({ link, side: sides[side].name }),
    /** Returns all metrics in the text format of Prometheus. Calls must not overlap. */
    render: async (input: MetricsInput): Promise<string> => {
      startCounters(series, links());
      setLinkHealth(series, input);
      setTraffic(series, links(), input);
      setQueue(series, input);
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
};

/** The metrics of one daemon. */
export type Metrics = ReturnType<typeof createMetrics>;
