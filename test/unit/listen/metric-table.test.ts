import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { METRICS, type Metric } from '../../../src/listen/metric-table.ts';
import { jobOf, metricsOf, reportOf, seen, standing } from './support.ts';

const README = readFileSync(join(import.meta.dirname, '../../../README.md'), 'utf8');

const rows = Object.values<Metric>(METRICS).map(({ name, type, labels, help }) => {
  return `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`;
});

test('the table of the README has every metric as the code has it', () => {
  expect(README.split('\n').filter((line) => line.startsWith('| `contact_sync_'))).toEqual(rows);
});

const hasPromtool = await promisify(execFile)('promtool', ['--version']).then(
  () => true,
  () => false,
);

test.skipIf(!hasPromtool)('promtool finds no fault in what is served', async () => {
  const { metrics } = metricsOf('home');
  metrics.count(jobOf('home'), reportOf('home'));
  const traffic = [{ link: 'home', side: 'left', requests: 1, used: 0.5 }] as const;
  const text = await metrics.render(seen({ standings: [standing('home')], traffic }));
  const checking = promisify(execFile)('promtool', ['check', 'metrics']);
  checking.child.stdin?.end(text);
  expect(await checking).toEqual({ stdout: '', stderr: '' });
});
