import { existsSync, readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

/** What some work cost the process that did it; peak memory is that of the process since its start. */
export type Cost = { readonly cpuMs: number; readonly wallMs: number; readonly peakBytes: number };

const STATUS = '/proc/self/status';

/** Linux counts into `maxRSS` what the process held before it became this program, a copy of the one that started it. */
const peakOfProcess = (): number => {
  const status = existsSync(STATUS) ? readFileSync(STATUS, 'utf8') : '';
  return Number(/VmHWM:\s+(\d+)/u.exec(status)?.[1] ?? process.resourceUsage().maxRSS) * 1_024;
};

/** What the work costs this process, its other threads included. */
export const measureOwn = async (work: () => Promise<void>): Promise<Cost> => {
  const cpu = process.cpuUsage();
  const startedAtMs = performance.now();
  await work();
  const { user, system } = process.cpuUsage(cpu);
  const peakBytes = peakOfProcess();
  return { cpuMs: (user + system) / 1_000, wallMs: performance.now() - startedAtMs, peakBytes };
};
