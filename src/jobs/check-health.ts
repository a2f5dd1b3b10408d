import type { Config, LinkConfig } from '../config/config.ts';
import type { Store } from '../store/store.ts';
import { judgeHealth, type Health } from './health.ts';
import { readHeartbeat } from './heartbeat.ts';
import { standingOf, type LinkStanding } from './standing.ts';

/** What the daemon on this machine is judged by. */
export type HealthSubject = {
  readonly config: Pick<Config, 'dataDir' | 'redisUrl'>;
  readonly links: readonly Pick<LinkConfig, 'name' | 'syncIntervalMs'>[];
  readonly store: Store;
  /** Epoch milliseconds. */
  readonly nowMs: number;
};

/**
 * Looks whether the daemon on this machine does its work.
 *
 * @throws what keeps it from doing so: the store cannot be used, or Redis does not answer.
 */
export const checkHealth = async ({ config, links, store, nowMs }: HealthSubject): Promise<Health> => {
  const beat = await readHeartbeat(config.dataDir);
  const standings: LinkStanding[] = [];
  for (const link of links) standings.push(await standingOf(store, link));
  const health = judgeHealth(beat, standings, nowMs);
  if (health.ok && config.redisUrl !== null) await (await import('./queue.ts')).pingQueue(config.redisUrl);
  return health;
};
