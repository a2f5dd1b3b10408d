import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config, LinkConfig } from '../../app/config/config.ts';
import type { Store } from '../../store/store.ts';
import { judgeHealth, type Health } from './health.ts';
import { readHeartbeat } from '../../app/heartbeat.ts';
import { standingOf, type LinkStanding } from './standing.ts';

/** What the daemon on this machine is judged by. */
export type HealthSubject = {
  readonly config: Pick<Config, 'dataDir' | 'redisUrl'>;
  readonly links: readonly Pick<LinkConfig, 'name' | 'syncIntervalMs'>[];
  readonly store: Store;
  /** Epoch milliseconds. */
  readonly nowMs: number;
  /** Whether the daemon judges itself. */
  readonly isDaemon: boolean;
};

/** As large as the files of a daemon with many links. */
const PROBE_BYTES = 64 * 1024;

const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);
/** The command `health` may run as another user, or on a read-only mount. Then these codes say nothing about the daemon. */
const NOT_ALLOWED: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS']);

/** Writes a file to DATA_DIR and removes it. Throws if the disk is full or cannot be written. */
const probeDisk = async (dataDir: string, isDaemon: boolean): Promise<void> => {
  const path = join(dataDir, `health-${randomUUID()}`);
  try {
    await writeFile(path, Buffer.alloc(PROBE_BYTES), { mode: 0o600, flag: 'wx' });
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error';
    if (!isDaemon && NOT_ALLOWED.has(code)) return;
    const what = FULL.has(code)
      ? `the disk is full (${code}). Free some space there`
      : `it cannot be written (${code})`;
    throw new Error(`DATA_DIR ${dataDir} cannot be used: ${what}.`, { cause });
  } finally {
    await rm(path, { force: true });
  }
};

/**
 * Looks whether the daemon on this machine does its work.
 *
 * @throws what keeps it from doing so: the disk is full, the store cannot be used, or Redis does not answer.
 */
export const checkHealth = async ({ config, links, store, nowMs, isDaemon }: HealthSubject): Promise<Health> => {
  const beat = await readHeartbeat(config.dataDir);
  // Without a heartbeat there may be no directory either. A daemon on a full disk cannot write one.
  if (beat !== null) await probeDisk(config.dataDir, isDaemon);
  const standings: LinkStanding[] = [];
  for (const link of links) standings.push(await standingOf(store, link));
  const health = judgeHealth(beat, standings, nowMs);
  if (health.ok && config.redisUrl !== null) await (await import('./queue.ts')).pingQueue(config.redisUrl);
  return health;
};
