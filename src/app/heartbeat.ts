import { readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { errorCode } from '../util/errors.ts';
import { readStateFile, writeStateFile } from '../util/state-file.ts';

const linkProgress = z.object({
  link: z.string(),
  /** Contacts or changes read so far. */
  listed: z.number(),
  /** Planned writes; null before there is a plan. */
  planned: z.number().nullable(),
  written: z.number(),
  /** The estimated remaining time, in milliseconds; null if unknown. */
  remainingMs: z.number().nullable(),
});
/** The progress of the current run of a link. */
export type LinkProgress = z.infer<typeof linkProgress>;

const heartbeat = z.object({
  queue: z.enum(['embedded', 'redis']),
  beatAtMs: z.number(),
  /** The reason why no job can run now, and the last time when jobs could run; null if jobs can run. */
  waiting: z.object({ reason: z.string(), wellAtMs: z.number().nullable() }).nullable(),
  /** The loaded links, and the time since which each is served with its current settings and no longer waits for a user. */
  links: z.array(z.object({ name: z.string(), syncIntervalMs: z.number(), sinceMs: z.number() })),
  /** The links that are not served, because their settings are invalid. */
  faulty: z.array(z.string()),
  /** The current runs. */
  progress: z.array(linkProgress),
  /** Links whose run has made no progress for long. */
  stalled: z.array(z.string()),
  pid: z.number(),
});

/** The state that a daemon writes every few seconds. */
export type Heartbeat = z.infer<typeof heartbeat>;

/** Three intervals of the heartbeat. A daemon without a heartbeat for longer has ended. */
const ALIVE_FOR_MS = 30_000;

const isAlive = ({ beatAtMs }: Pick<Heartbeat, 'beatAtMs'>, nowMs: number): boolean => nowMs - beatAtMs <= ALIVE_FOR_MS;

/** One file for each machine or container, so that a health check finds the daemon on its own machine. */
const pathIn = (dataDir: string): string => join(dataDir, `heartbeat-${hostname()}.json`);

export const writeHeartbeat = (dataDir: string, beat: Heartbeat): Promise<void> =>
  writeStateFile(pathIn(dataDir), beat);

/** The last heartbeat of a daemon on this machine, which may have ended; null without one. */
export const readHeartbeat = (dataDir: string): Promise<Heartbeat | null> => readStateFile(pathIn(dataDir), heartbeat);

/** The heartbeat of the daemon that runs on this machine; null if none runs. `nowMs` in epoch milliseconds. */
export const readLiveHeartbeat = async (dataDir: string, nowMs: number): Promise<Heartbeat | null> => {
  const beat = await readHeartbeat(dataDir);
  return beat !== null && isAlive(beat, nowMs) ? beat : null;
};

/** Removes the heartbeat of this process; the one of another daemon on this host stays. */
export const removeHeartbeat = async (dataDir: string): Promise<void> => {
  const beat = await readHeartbeat(dataDir);
  if (beat === null || beat.pid === process.pid) await rm(pathIn(dataDir), { force: true });
};

/** The heartbeats of all daemons that run on this directory, on any machine. `nowMs` in epoch milliseconds. */
export const readLiveHeartbeats = async (
  dataDir: string,
  nowMs: number,
): Promise<readonly (Heartbeat & { readonly host: string })[]> => {
  const files = await readdir(dataDir).catch((): string[] => []);
  const beats = files.map(async (file) => {
    const [, host] = /^heartbeat-(.+)\.json$/u.exec(file) ?? [];
    const beat = host === undefined ? null : await readStateFile(join(dataDir, file), heartbeat);
    return host === undefined || beat === null || !isAlive(beat, nowMs) ? [] : [{ ...beat, host }];
  });
  return (await Promise.all(beats)).flat();
};

/** The progress of the current runs of these daemons, with the remaining times as of `nowMs`. */
export const progressOf = (beats: readonly Heartbeat[], nowMs: number): readonly LinkProgress[] =>
  beats.flatMap(({ progress, beatAtMs }) =>
    progress.map((one) => {
      return {
        ...one,
        remainingMs: one.remainingMs === null ? null : Math.max(0, one.remainingMs - (nowMs - beatAtMs)),
      };
    }),
  );

/** Whether a process of this machine runs. */
const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
};

/** Other daemons that use this directory, by their heartbeats. `nowMs` in epoch milliseconds. */
export const findOtherDaemons = async (dataDir: string, nowMs: number): ReturnType<typeof readLiveHeartbeats> =>
  (await readLiveHeartbeats(dataDir, nowMs)).filter(
    ({ host, pid }) => host !== hostname() || (pid !== process.pid && isRunning(pid)),
  );

/** The reason why a command without REDIS_URL cannot send a job to a daemon, as a sentence. `nowMs` in epoch milliseconds. */
export const whyNoQueue = async (dataDir: string, nowMs: number): Promise<string> => {
  const beat = await readLiveHeartbeat(dataDir, nowMs);
  if (beat === null) return 'No daemon runs here.';
  return beat.queue === 'redis'
    ? 'The daemon on this machine receives jobs through Redis, but REDIS_URL is not set for this command.'
    : 'The daemon on this machine receives no jobs, because REDIS_URL is not set. It waits while another process syncs.';
};
