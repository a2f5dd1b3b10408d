import type { Config } from '../../app/config/config.ts';
import type { LinkConfig } from '../../app/config/link-config.ts';
import { timeOf, type Clock } from '../../util/clock.ts';
import { fingerprint } from '../../util/secret.ts';

/** The differences of links between two configurations, and of settings that require a restart. */
export const compare = (before: Config, links: readonly LinkConfig[], after: Config) => {
  const known = new Map(links.map((link) => [link.name, fingerprint(link)]));
  const names = new Set(after.links.map((link) => link.name));
  const isSame = (key: keyof Config): boolean => fingerprint([before[key]]) === fingerprint([after[key]]);
  const settings = [
    'dataDir',
    'databaseUrl',
    'redisUrl',
    'notifyUrl',
    'listen',
    'consoleToken',
    'retentionMs',
    'credentialsKey',
    'logLevel',
    'logPersonalData',
  ] as const;
  return {
    added: after.links.filter(({ name }) => !known.has(name)).map(({ name }) => name),
    removed: links.filter(({ name }) => !names.has(name)).map(({ name }) => name),
    changed: after.links
      .filter((link) => known.has(link.name) && known.get(link.name) !== fingerprint(link))
      .map(({ name }) => name),
    needsRestart: settings.filter((key) => !isSame(key)),
  };
};

/**
 * The times since which a daemon serves each link with its current settings; its start by default. If the clock is set, they move with
 * it: a start in the future would hide for as long that nothing is synced.
 */
export const createServingTimes = (clock: Clock) => {
  const startedTickMs = clock.monotonic();
  const ticksMs = new Map<string, number>();
  return {
    note: ({ added, changed, removed }: ReturnType<typeof compare>): void => {
      for (const name of [...added, ...changed]) ticksMs.set(name, clock.monotonic());
      for (const name of removed) ticksMs.delete(name);
    },
    sinceMs: (link: string): number => timeOf(clock, ticksMs.get(link) ?? startedTickMs),
  };
};
