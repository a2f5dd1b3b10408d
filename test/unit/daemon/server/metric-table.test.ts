import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { jobOf, metricsOf, reportOf, seen, standing } from './support.ts';

const hasPromtool = await promisify(execFile)('promtool', ['--version']).then(
  () => true,
  () => false,
);

test.skipIf(!hasPromtool)('promtool finds no fault in the served metrics', async () => {
  const { metrics } = metricsOf('home');
  metrics.count(jobOf('home'), reportOf('home'));
  const traffic = [{ link: 'home', side: 'left', requests: 1, used: 0.5 }] as const;
  const text = await metrics.render(seen({ states: [standing('home')], traffic }));
  const checking = promisify(execFile)('promtool', ['check', 'metrics']);
  checking.child.stdin?.end(text);
  expect(await checking).toEqual({ stdout: '', stderr: '' });
});
