import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { METRICS, type Metric } from '../../../src/daemon/server/metric-table.ts';
import { metricsOf, seen } from '../daemon/server/support.ts';

const DEPLOY = join(import.meta.dirname, '../../../config/deploy');
const ALERTS = join(DEPLOY, 'alerts.yaml');
const DASHBOARD = join(DEPLOY, 'grafana.json');

const alertRule = z.object({
  alert: z.string(),
  expr: z.string(),
  labels: z.record(z.string(), z.string()),
  annotations: z.object({ summary: z.string(), description: z.string() }),
});
const rules = z
  .object({ groups: z.array(z.object({ rules: z.array(alertRule) })) })
  .parse(parse(readFileSync(ALERTS, 'utf8')))
  .groups.flatMap((group) => group.rules);

const target = z.object({ expr: z.string(), refId: z.string() });
const dashboard = z
  .object({
    templating: z.object({ list: z.array(z.looseObject({ name: z.string(), definition: z.string().optional() })) }),
    panels: z.array(
      z.looseObject({
        id: z.number(),
        title: z.string(),
        gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
        targets: z.array(target).nonempty(),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync(DASHBOARD, 'utf8')));

const queries = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
  ...dashboard.templating.list.flatMap(({ name, definition }) => (definition ? [[name, definition] as const] : [])),
];

const served = await metricsOf('home').metrics.render(seen());
const types = new Map(
  [...served.matchAll(/^# TYPE (\w+) (\w+)$/gmu)].map(([, name, type]) => [name ?? '', type ?? '']),
);
/** A histogram is asked for by its buckets. */
const nameOf = (used: string): string => {
  const whole = used.replace(/_(?:bucket|sum|count)$/u, '');
  return types.get(whole) === 'histogram' ? whole : used;
};
const usedIn = (expr: string): readonly string[] => expr.match(/\b(?:contact_sync|process|nodejs)_\w+/gu) ?? [];

test('every metric of the program is used by an alert or by the dashboard', () => {
  const used = new Set(queries.flatMap(([, expr]) => usedIn(expr).map(nameOf)));
  const own = Object.values<Metric>(METRICS).map(({ name }) => name);
  expect(own.filter((name) => !used.has(name))).toEqual([]);
});

test.each(queries)('%s uses existing metrics and labels: %s', (_, expr) => {
  const used = usedIn(expr);
  const isOfPrometheus = expr.startsWith('up{');
  expect(used.length > 0 || isOfPrometheus).toBe(true);
  expect(used.filter((name) => !types.has(nameOf(name)))).toEqual([]);
  const labels = new Set([
    // Labels that Prometheus adds to every series.
    'job',
    'instance',
    'le',
    ...Object.values<Metric>(METRICS).flatMap((metric) =>
      used.map(nameOf).includes(metric.name) ? metric.labels : [],
    ),
  ]);
  const inSelectors = [...expr.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/gu)].map(([, label]) => label ?? '');
  const inClauses = [...expr.matchAll(/\b(?:by|on|ignoring|without)\s*\(([^)]*)\)/gu)].flatMap(([, list]) =>
    (list ?? '').split(',').map((label) => label.trim()),
  );
  expect([...inSelectors, ...inClauses].filter((label) => !labels.has(label))).toEqual([]);
});

const promtool = (...args: readonly string[]) => promisify(execFile)('promtool', [...args]);
const hasPromtool = await promtool('--version').then(
  () => true,
  () => false,
);
const directory = mkdtempSync(join(tmpdir(), 'contact-sync-alerts-'));
afterAll(() => rmSync(directory, { recursive: true }));

const OF_DAEMON = 'job="contact-sync",instance="a"';
const series = (name: string, labels: string, values: string) => {
  return { series: `${name}{${OF_DAEMON}${labels === '' ? '' : `,${labels}`}}`, values };
};
const lateLink = (link: string, pausedValues: string) => [
  series('contact_sync_link_lag_seconds', `link="${link}"`, '0+60x60'),
  series('contact_sync_link_interval_seconds', `link="${link}"`, '300x60'),
  series('contact_sync_link_state', `link="${link}",state="paused"`, pausedValues),
];
/** When an alert is looked for, in minutes, and the labels by which it is expected; none: it is silent. */
const at = (minutes: number, alert: string, ...labels: readonly Readonly<Record<string, string>>[]) => {
  const { labels: own } = rules.find((rule) => rule.alert === alert) ?? {};
  const expected = labels.map((more) => ({ alertname: alert, ...own, job: 'contact-sync', instance: 'a', ...more }));
  return { minutes, alert, expected };
};

test.skipIf(!hasPromtool)('promtool accepts the rules, and each alert fires when expected', async () => {
  await promtool('check', 'rules', ALERTS);
  const ofAnHour = [
    ...lateLink('late', '0x60'),
    ...lateLink('waits', '1x60'),
    ...lateLink('other', '1x60'),
    series('contact_sync_link_paused_by_hand', 'link="other"', '2x60'),
    series('contact_sync_link_state', 'link="full",state="halted"', '0x10 1x50'),
    series('contact_sync_rate_limited_total', 'link="late",side="private"', '0x20 5x40'),
    series('contact_sync_queue_up', '', '1x30 0x30'),
    series('contact_sync_queue_jobs', 'state="waiting"', '4x60'),
    series('contact_sync_queue_jobs', 'state="active"', '0x30 1x30'),
    series('up', '', '1x40 0x20'),
  ];
  const ofTwoDays = [series('contact_sync_refused_writes', 'link="late"', '5x1440 20x400')];
  const looks = [
    at(25, 'ContactSyncNoSuccess'),
    at(40, 'ContactSyncNoSuccess', { link: 'late' }, { link: 'other' }),
    at(5, 'ContactSyncPaused', { link: 'waits', state: 'paused' }, { link: 'other', state: 'paused' }),
    at(5, 'ContactSyncHalted'),
    at(12, 'ContactSyncHalted', { link: 'full', state: 'halted' }),
    at(15, 'ContactSyncRateLimited'),
    at(25, 'ContactSyncRateLimited', { link: 'late', side: 'private' }),
    at(20, 'ContactSyncQueueStuck', { state: 'waiting' }),
    at(45, 'ContactSyncQueueStuck'),
    at(25, 'ContactSyncQueueDown'),
    at(40, 'ContactSyncQueueDown', {}),
    at(30, 'ContactSyncDown'),
    at(50, 'ContactSyncDown', {}),
  ];
  const late = [at(1_430, 'ContactSyncRefusedGrowing'), at(1_600, 'ContactSyncRefusedGrowing', { link: 'late' })];
  const toTest = (input: readonly object[], of: readonly ReturnType<typeof at>[]) => ({
    interval: '1m',
    input_series: input,
    promql_expr_test: of.map(({ minutes, alert, expected }) => ({
      eval_time: `${minutes}m`,
      expr: `sum without (alertstate) (ALERTS{alertname="${alert}",alertstate="firing"})`,
      exp_samples: expected.map((labels) => ({
        labels: `{${Object.entries(labels)
          .map(([label, value]) => `${label}="${value}"`)
          .join()}}`,
        value: 1,
      })),
    })),
  });
  const path = join(directory, 'alerts-test.yaml');
  writeFileSync(
    path,
    stringify({
      rule_files: [ALERTS],
      evaluation_interval: '1m',
      tests: [toTest(ofAnHour, looks), toTest(ofTwoDays, late)],
    }),
  );
  const { stdout } = await promtool('test', 'rules', path);
  expect(stdout).toContain('SUCCESS');
});
