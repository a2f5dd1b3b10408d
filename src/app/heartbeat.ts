import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { LeaseHolders } from '../engine/lease.ts';
import { readTextFile } from '../util/files.ts';

const linkProgress = z.object({
  link: z.string(),
  /** Contacts or changes that were read. */
  listed: z.number(),
  /** Writes in all; null before the plan was made. */
  planned: z.number().nullable(),
  written: z.number(),
  /** How long the run still takes, in milliseconds; null where that is not known. */
  leftMs: z.number().nullable(),
});
/** How far the run of a link is that is under way. */
export type LinkProgress = z.infer<typeof linkProgress>;

const heartbeat = z.object({
  queue: z.enum(['embedded', 'redis']),
  startedAtMs: z.number(),
  beatAtMs: z.number(),
  /** Why no job would be run now, and when one would have been for the last time; null where they are run. */
  waiting: z.object({ reason: z.string(), wellAtMs: z.number().nullable() }).nullable().default(null),
  /** The links of the configuration that the daemon works with, and since when it has worked with each as it is now. */
  links: z
    .array(z.object({ name: z.string(), syncIntervalMs: z.number(), sinceMs: z.number().default(0) }))
    .default([]),
  /** Links with a run under way. */
  running: z.array(z.string()),
  /** How far they are. */
  progress: z.array(linkProgress).default([]),
  /** Links whose run under way has got nowhere for long. */
  stalled: z.array(z.string()).default([]),
  pid: z.number().nullable().default(null),
  /** The process by the name that a lease knows it by; null where that machine does not tell. */
  process: z.string().nullable().default(null),
});

/** What a daemon says of itself every few seconds. */
export type Heartbeat = z.infer<typeof heartbeat>;

/** Three beats: a daemon that was silent for longer has ended. */
const ALIVE_FOR_MS = 30_000;

/** One for each machine or container: a health check asks for the daemon beside it, whoever else shares the directory. */
const pathIn = (dataDir: string): string => join(dataDir, `heartbeat-${hostname()}.json`);

export const writeHeartbeat = async (dataDir: string, beat: Heartbeat): Promise<void> => {
  const path = pathIn(dataDir);
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, JSON.stringify(beat), { mode: 0o600 });
  await rename(draft, path);
};

const readBeat = async (path: string): Promise<Heartbeat | null> => {
  const read = readTextFile(path).then((text): unknown => JSON.parse(text));
  // Of a file that was cut off, as when the machine lost its power, nothing is known.
  const parsed = heartbeat.safeParse(await read.catch(() => null));
  return parsed.success ? parsed.data : null;
};

/** The daemon's last words; null where there are none. */
export const readHeartbeat = (dataDir: string): Promise<Heartbeat | null> => readBeat(pathIn(dataDir));

/** The words of the daemon that runs on this machine; null where none does. `nowMs` in epoch milliseconds. */
export const readLiveHeartbeat = async (dataDir: string, nowMs: number): Promise<Heartbeat | null> => {
  const beat = await readHeartbeat(dataDir);
  return beat !== null && nowMs - beat.beatAtMs <= ALIVE_FOR_MS ? beat : null;
};

/** Takes this process's words back; another daemon's on this host stay. */
export const removeHeartbeat = async (dataDir: string): Promise<void> => {
  const beat = await readHeartbeat(dataDir);
  if (beat === null || beat.pid === null || beat.pid === process.pid) await rm(pathIn(dataDir), { force: true });
};

const readBeats = async (dataDir: string): Promise<readonly (Heartbeat & { readonly host: string })[]> => {
  const files = await readdir(dataDir).catch((): string[] => []);
  const beats = files.map(async (file) => {
    const [, host] = /^heartbeat-(.+)\.json$/u.exec(file) ?? [];
    const beat = host === undefined ? null : await readBeat(join(dataDir, file)).catch(() => null);
    return host === undefined || beat === null ? [] : [{ ...beat, host }];
  });
  return (await Promise.all(beats)).flat();
};

/** How far the runs are that daemons on any machine have under way, at the time `nowMs` (epoch milliseconds). */
export const readProgress = async (dataDir: string, nowMs: number): Promise<readonly LinkProgress[]> =>
  (await readBeats(dataDir))
    .filter(({ beatAtMs }) => nowMs - beatAtMs <= ALIVE_FOR_MS)
    .flatMap(({ progress, beatAtMs }) =>
      progress.map((one) => {
        return { ...one, leftMs: one.leftMs === null ? null : Math.max(0, one.leftMs - (nowMs - beatAtMs)) };
      }),
    );

/** The links that daemons on any machine work with at the time `nowMs` (epoch milliseconds), and how often each is run. */
export const readServed = async (dataDir: string, nowMs: number): Promise<ReadonlyMap<string, number>> => {
  const beats = (await readBeats(dataDir)).filter(({ beatAtMs }) => nowMs - beatAtMs <= ALIVE_FOR_MS);
  return new Map(beats.flatMap(({ links }) => links.map(({ name, syncIntervalMs }) => [name, syncIntervalMs])));
};

export type OtherDaemon = { readonly host: string; readonly pid: number | null; readonly beatAtMs: number };

/** The daemons that work on this directory besides this process, as far as their last words tell. */
export const findOtherDaemons = async (
  dataDir: string,
  nowMs: number,
  holders: LeaseHolders,
): Promise<readonly OtherDaemon[]> => {
  const beats = await readBeats(dataDir);
  return beats
    .filter(({ beatAtMs, process: name }) => {
      const isOver = name !== null && (name === holders.self || holders.hasEnded(name));
      return !isOver && nowMs - beatAtMs <= ALIVE_FOR_MS;
    })
    .map(({ host, pid, beatAtMs }) => ({ host, pid, beatAtMs }));
};

/** Why no daemon takes orders from a command, as a sentence. */
export type NoDaemon = { readonly why: string };

/** Where REDIS_URL is not set no daemon can be asked, whether one runs or not. `nowMs` in epoch milliseconds. */
export const findNoQueue = async (dataDir: string, nowMs: number): Promise<NoDaemon> => {
  const beat = await readLiveHeartbeat(dataDir, nowMs);
  if (beat === null) return { why: 'No daemon runs here.' };
  return beat.queue === 'redis'
    ? { why: 'The daemon on this machine receives jobs through Redis, but REDIS_URL is not set for this command.' }
    : {
        why: 'The daemon on this machine receives no jobs, because REDIS_URL is not set. It waits while another process syncs.',
      };
};
