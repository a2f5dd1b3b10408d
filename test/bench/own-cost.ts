import { existsSync, readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

/** The cost of some work in its process. Peak memory is that of the process since its start. */
export type Cost = { readonly cpuMs: number; readonly wallMs: number; readonly peakBytes: number };

const STATUS = '/proc/self/status';

/** Linux includes in `maxRSS` the memory of the process before it started this program, as a copy of its parent process. */
const peakOfProcess = (): number => {
  const status = existsSync(STATUS) ? readFileSync(STATUS, 'utf8') : '';
  return Number(/VmHWM:\s+(\d+)/u.exec(status)?.[1] ?? process.resourceUsage().maxRSS) * 1_024;
};

/** Measures the cost of the work in this process, including its other threads. */
export const measureOwn = async (work: () => Promise<void>): Promise<Cost> => {
  const cpu = process.cpuUsage();
  const startedAtMs = performance.now();
  await work();
  const { user, system } = process.cpuUsage(cpu);
  const peakBytes = peakOfProcess();
  return { cpuMs: (user + system) / 1_000, wallMs: performance.now() - startedAtMs, peakBytes };
};
