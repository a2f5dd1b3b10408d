import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { seriesIn } from '../../../support/jobs/log-lines.ts';
import { TWIN_WORDS } from '../../../support/side-words.ts';
import type { Metrics } from '../../../../src/daemon/server/metrics.ts';
import { jobOf, linkNamed, metricsOf, MINUTE_MS, NOW_MS, reportOf, seen, compared } from './support.ts';

/** Returns the series of each metric of this program at a scrape. */
const scrape = async (metrics: Metrics, input?: Parameters<typeof seen>[0]) => {
  const text = await metrics.render(seen(input));
  return (name: string) => seriesIn(text, `contact_sync_${name}`);
};

test('each ended run is counted by its outcome, with its writes, its conflicts (open ones, too) and its duration', async () => {
  const { metrics } = metricsOf('home');
  const left = { pulled: 4, created: 3, updated: 2, deleted: 1, groupsChanged: 0, groupsDeleted: 1, requests: 9 };
  metrics.count(jobOf('home'), reportOf('home', { kind: 'full', left, conflicts: 2, asked: 3 }));
  metrics.count(jobOf('home'), reportOf('home'));
  metrics.count(jobOf('home'), { ...reportOf('home', { left }), ending: 'paused' });
  const shown = await scrape(metrics);
  expect(shown('runs_total')).toEqual({
    'link="home",kind="full",outcome="completed"': 1,
    'link="home",kind="incremental",outcome="completed"': 1,
    'link="home",kind="incremental",outcome="paused"': 1,
  });
  expect(shown('writes_total')).toMatchObject({
    'link="home",side="google",action="created"': 6,
    'link="home",side="google",action="updated"': 4,
    'link="home",side="google",action="deleted"': 2,
    'link="home",side="google",action="groupsDeleted"': 2,
    'link="home",side="service",action="created"': 0,
  });
  expect(shown('conflicts_total')).toEqual({ 'link="home"': 5 });
  expect(shown('run_duration_seconds_count')).toEqual({ 'kind="full"': 1, 'kind="incremental"': 2 });
  expect(shown('run_duration_seconds_sum')).toEqual({ 'kind="full"': 2, 'kind="incremental"': 4 });
});

test('a run that could not start counts by its outcome only, and a job that waits for its turn is not a run', async () => {
  const { metrics } = metricsOf('home');
  const noSummary = { message: null, summary: null, nextInMs: null };
  metrics.count(jobOf('home'), { ...noSummary, ending: 'paused' });
  metrics.count({ ...jobOf('home'), kind: 'full' }, { ...noSummary, ending: 'failed' });
  for (const ending of ['busy', 'skipped', 'stopped'] as const) metrics.count(jobOf('home'), { ...noSummary, ending });
  // The lease was lost to another process.
  metrics.count(jobOf('home'), { ...reportOf('home'), ending: 'busy' });
  const shown = await scrape(metrics);
  expect(shown('runs_total')).toEqual({
    'link="home",kind="incremental",outcome="paused"': 1,
    'link="home",kind="full",outcome="failed"': 1,
    'link="home",kind="incremental",outcome="busy"': 1,
  });
  expect(shown('run_duration_seconds_count')).toEqual({ 'kind="incremental"': 1 });
});

test('lag, state and refused writes of a link are the values at the time of the scrape', async () => {
  const { metrics } = metricsOf('home', 'new', 'club');
  const states = [
    compared('home', { refused: 3 }),
    compared('new', { lastSuccessAtMs: null, state: 'failing' }),
    compared('club', { lastSuccessAtMs: NOW_MS + 5_000, state: 'halted', syncIntervalMs: 5 * MINUTE_MS }),
  ];
  const shown = await scrape(metrics, { states, sinceMs: (link) => (link === 'new' ? NOW_MS - 90_000 : 0) });
  expect(shown('link_lag_seconds')).toEqual({
    'link="home"': 30,
    // Since the daemon loaded the link.
    'link="new"': 90,
    // The clock of another machine is ahead.
    'link="club"': 0,
  });
  expect(shown('link_interval_seconds')).toMatchObject({ 'link="home"': 60, 'link="club"': 300 });
  expect(shown('refused_writes')).toEqual({ 'link="home"': 3, 'link="new"': 0, 'link="club"': 0 });
  expect(shown('link_state')).toMatchObject({
    'link="home",state="active"': 1,
    'link="home",state="halted"': 0,
    'link="new",state="failing"': 1,
    'link="club",state="halted"': 1,
  });
  const later = await scrape(metrics, { states: [compared('home')], nowMs: NOW_MS + 30_000 });
  expect(later('link_lag_seconds')).toEqual({ 'link="home"': 60 });
});

test('requests and the share of the limit are reported by side, without those of a removed link', async () => {
  const { metrics } = metricsOf('home');
  const traffic = [
    { link: 'home', side: 'left', requests: 7, used: 0.25 },
    { link: 'home', side: 'right', requests: 40, used: null },
    { link: 'gone', side: 'left', requests: 1_000, used: 1 },
  ] as const;
  const shown = await scrape(metrics, { traffic });
  expect(shown('requests_total')).toEqual({ 'link="home",side="google"': 7, 'link="home",side="service"': 40 });
  expect(shown('budget_used_ratio')).toEqual({ 'link="home",side="google"': 0.25 });
  // A second scrape counts nothing twice.
  const again = await scrape(metrics, { traffic });
  expect(again('requests_total')).toMatchObject({ 'link="home",side="google"': 7 });
});

test('the depth of the queue is omitted while it is unknown', async () => {
  const { metrics } = metricsOf('home');
  const withDepth = await scrape(metrics, { depth: { waiting: 3, active: 1 } });
  expect(withDepth('queue_jobs')).toEqual({ 'state="waiting"': 3, 'state="active"': 1 });
  expect(withDepth('queue_up')).toEqual({ '': 1 });
  const withoutDepth = await scrape(metrics, { depth: null });
  expect(withoutDepth('queue_jobs')).toEqual({});
  expect(withoutDepth('queue_up')).toEqual({ '': 0 });
});

test('counters of alerts start at 0; after a reload a removed link has no state, and a new link has counters', async () => {
  const { metrics, use } = metricsOf('stays', 'goes');
  const before = await scrape(metrics, { states: ['stays', 'goes'].map((name) => compared(name)) });
  expect(before('rate_limited_total')).toMatchObject({
    'link="goes",side="google"': 0,
    'link="goes",side="service"': 0,
  });
  const limited = { link: 'stays', sides: linkNamed('stays').sides, side: 'right', retryAfterMs: 1_000 } as const;
  metrics.countLimited(limited);
  use([linkNamed('stays'), linkNamed('comes', TWIN_WORDS)]);
  const shown = await scrape(metrics, { states: ['stays', 'comes'].map((name) => compared(name)) });
  expect(Object.keys(shown('link_lag_seconds'))).toEqual(['link="stays"', 'link="comes"']);
  expect(shown('rate_limited_total')).toMatchObject({
    'link="stays",side="service"': 1,
    'link="comes",side="private"': 0,
  });
});

test('each daemon has its own metrics, including those of the process', async () => {
  const [one, other] = [metricsOf('home'), metricsOf('home')];
  one.metrics.count(jobOf('home'), reportOf('home'));
  const text = await other.metrics.render(seen());
  const shown = await scrape(other.metrics);
  expect(shown('runs_total')).toEqual({});
  expect(seriesIn(text, 'process_resident_memory_bytes')['']).toBeGreaterThan(1e6);
  expect(shown('info')).toEqual({ 'version="1.2.3"': 1 });
});

const hasPromtool = await promisify(execFile)('promtool', ['--version']).then(
  () => true,
  () => false,
);

test.skipIf(!hasPromtool)('promtool finds no fault in the served metrics', async () => {
  const { metrics } = metricsOf('home');
  metrics.count(jobOf('home'), reportOf('home'));
  const traffic = [{ link: 'home', side: 'left', requests: 1, used: 0.5 }] as const;
  const text = await metrics.render(seen({ states: [compared('home')], traffic }));
  const checking = promisify(execFile)('promtool', ['check', 'metrics']);
  checking.child.stdin?.end(text);
  expect(await checking).toEqual({ stdout: '', stderr: '' });
});
