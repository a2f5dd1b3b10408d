import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

const heartbeat = z.object({
  queue: z.enum(['embedded', 'redis']),
  startedAtMs: z.number(),
  beatAtMs: z.number(),
  /** Links with a run under way. */
  running: z.array(z.string()),
});

/** What a daemon says of itself every few seconds, for as long as its scheduler is alive. */
export type Heartbeat = z.infer<typeof heartbeat>;

/** One for each machine or container: a health check asks for the daemon beside it, whoever else shares the directory. */
const pathIn = (dataDir: string): string => join(dataDir, `heartbeat-${hostname()}.json`);

export const writeHeartbeat = async (dataDir: string, beat: Heartbeat): Promise<void> => {
  const path = pathIn(dataDir);
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, JSON.stringify(beat), { mode: 0o600 });
  await rename(draft, path);
};

export const removeHeartbeat = (dataDir: string): Promise<void> => rm(pathIn(dataDir), { force: true });

/** The daemon's last words; null where there are none. */
export const readHeartbeat = async (dataDir: string): Promise<Heartbeat | null> => {
  const text = await readFile(pathIn(dataDir), 'utf8').catch(() => null);
  if (text === null) return null;
  const parsed = heartbeat.safeParse(JSON.parse(text));
  return parsed.success ? parsed.data : null;
};
