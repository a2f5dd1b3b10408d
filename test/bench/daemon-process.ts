import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createApp, type App } from '../../src/app/app.ts';
import { systemClock } from '../../src/util/clock.ts';
import { loadConfig } from '../../src/app/config/config.ts';
import { createEvents } from '../../src/engine/events.ts';
import { startDaemon, type Daemon } from '../../src/daemon/jobs/daemon.ts';
import { createLogger } from '../../src/util/logger.ts';
import { serve } from './child.ts';

/** The work of a daemon since its start. */
export type DaemonLoad = {
  readonly runs: number;
  /** The number of jobs that did not complete, by their ending. */
  readonly otherwise: Readonly<Record<string, number>>;
  readonly links: number;
  /** For each link, the longest time from a completed run to the next one, or to now, in milliseconds. */
  readonly gapsMs: readonly number[];
  readonly cpuMs: number;
  readonly peakBytes: number;
};

const STATUS = '/proc/self/status';
const peakBytes = (): number => {
  const status = existsSync(STATUS) ? readFileSync(STATUS, 'utf8') : '';
  return Number(/VmHWM:\s+(\d+)/u.exec(status)?.[1] ?? process.resourceUsage().maxRSS) * 1_024;
};

type Open = { readonly environment: Record<string, string>; readonly dataDir: string; readonly config: string };
type Running = {
  readonly app: App;
  readonly daemon: Daemon;
  readonly startedAtMs: number;
  readonly completed: Map<string, number[]>;
  readonly otherwise: Record<string, number>;
};
let running: Running | null = null;
const opened = (): Running => {
  if (running === null) throw new Error('The daemon is not started.');
  return running;
};

const start = ({ environment, dataDir, config }: Open): void => {
  const env = { ...environment, DATA_DIR: dataDir };
  const logger = createLogger({ level: 'error', format: 'json', destination: process.stderr });
  const events = createEvents(logger, { personalData: false });
  const load = () => loadConfig({ env, configPath: config, cwd: dataDir });
  const app = createApp(load(), events);
  const completed = new Map<string, number[]>();
  const otherwise: Record<string, number> = {};
  const daemon = startDaemon({
    app,
    events,
    clock: systemClock,
    random: Math.random,
    newId: randomUUID,
    loadConfig: load,
    onReport: ({ link }, { ending }) => {
      if (ending !== 'completed') otherwise[ending] = (otherwise[ending] ?? 0) + 1;
      else completed.set(link, [...(completed.get(link) ?? []), performance.now()]);
    },
  });
  running = { app, daemon, completed, otherwise, startedAtMs: performance.now() };
};

const load = (): DaemonLoad => {
  const { app, completed, otherwise, startedAtMs } = opened();
  const nowMs = performance.now();
  const gapsMs = app.config.links.map(({ name }) => {
    const times = [startedAtMs, ...(completed.get(name) ?? []), nowMs];
    return Math.max(...times.slice(1).map((time, index) => time - (times[index] ?? time)));
  });
  const { user, system } = process.cpuUsage();
  const runs = completed.values().reduce((sum, { length }) => sum + length, 0);
  return {
    runs,
    otherwise,
    links: completed.size,
    gapsMs: gapsMs.toSorted((one, other) => one - other),
    cpuMs: (user + system) / 1_000,
    peakBytes: peakBytes(),
  };
};

const stop = async (): Promise<void> => {
  const { app, daemon } = opened();
  await daemon.stop();
  await app[Symbol.asyncDispose]();
};

const handlers = { start, load, stop };
export type DaemonProcess = typeof handlers;
serve(handlers);
