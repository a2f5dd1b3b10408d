import { systemClock, type Clock } from '../../util/clock.ts';
import type { Config, ReadConfig } from '../../app/config/config.ts';
import type { LinkConfig } from '../../app/config/link-config.ts';
import type { Events } from '../../engine/events.ts';
import type { FaultyLink } from '../../app/config/hosted-links.ts';
import { openHostedLinks, type HostedLinks, type StoredLink } from '../../store/hosted-links.ts';
import { keysOf, openStoreOf } from '../../app/open-store.ts';
import { fingerprint } from '../../util/secret.ts';
import { errorMessage } from '../../util/errors.ts';

/** The interval at which a daemon checks the database for changed links. */
export const CHECK_LINKS_EVERY_MS = 2_000;

type Watching = {
  readonly clock: Clock;
  readonly events: Pick<Events, 'databaseLinksUnreadable'>;
  /** Returns the configuration if links in the database have changed, otherwise null. */
  readonly readChanges: () => Promise<Config | null>;
  /** Applies the links of a configuration. */
  readonly apply: (config: Config) => void;
  readonly signal: AbortSignal;
};

/** Applies changes of links in the database until the signal is aborted. */
export const watchLinks = async ({ clock, events, readChanges, apply, signal }: Watching): Promise<void> => {
  /** The last error, so that it is logged once. */
  let trouble: string | null = null;
  while (!signal.aborted) {
    try {
      const config = await readChanges();
      trouble = null;
      if (config !== null && !signal.aborted) apply(config);
    } catch (error) {
      const message = errorMessage(error);
      if (message !== trouble && !signal.aborted) events.databaseLinksUnreadable({ error });
      trouble = message;
    }
    await clock.sleep(CHECK_LINKS_EVERY_MS, signal).catch(() => undefined);
  }
};

export const whole = (config: Config, { links, faulty }: ReturnType<ReadConfig['readLinks']>): Config => ({
  ...config,
  links: [...config.links, ...links],
  faultyLinks: faulty,
});

/**
 * The configuration with the links in its database; unchanged if it has no database.
 *
 * @throws {StoreError} if the database cannot be used.
 */
export const withHostedLinks = async ({ config, readLinks }: ReadConfig): Promise<Config> => {
  const events = { databaseUnreachable: () => undefined, databaseReconnected: () => undefined };
  if (config.databaseUrl === null) return config;
  const { store, isShared } = openStoreOf(
    { ...config, concurrency: 1 },
    { clock: systemClock, events, newId: () => '' },
  );
  try {
    if (!isShared) return config;
    return whole(config, readLinks(await openHostedLinks({ rows: store.hosted, ...keysOf(config) }).all()));
  } finally {
    await store.close();
  }
};

/** The configuration of a daemon, which may change. */
export type LinkSource = {
  /** The configuration that was read last. */
  current(): ReadConfig;
  /** Reads variables and file again, with the links of the database that were read last. Throws {@link ConfigError}. */
  reload(): Config;
  /** Reads the database. Returns the configuration if its links have changed, otherwise null. Throws StoreError. */
  readChanges(): Promise<Config | null>;
};

/** `onFaulty` is called for each invalid link, once for each set of problems. */
export const createLinkSource = (
  reread: () => ReadConfig,
  {
    first,
    hostedLinks,
    onFaulty,
  }: {
    readonly first: ReadConfig;
    readonly hostedLinks: Pick<HostedLinks, 'revision' | 'all'> | null;
    readonly onFaulty: (link: FaultyLink) => void;
  },
): LinkSource => {
  let current = first;
  let stored: readonly StoredLink[] = [];
  /** The revision of the links that were read; null before the first read. A copied database has links at revision 0. */
  let revision: number | null = null;
  let reported = new Set<string>();
  const readAll = (): Config => {
    const read = current.readLinks(stored);
    const faults = read.faulty.map((link) => [JSON.stringify(link), link] as const);
    for (const [text, link] of faults) if (!reported.has(text)) onFaulty(link);
    reported = new Set(faults.map(([text]) => text));
    return whole(current.config, read);
  };
  return {
    current: () => current,
    reload: () => {
      current = reread();
      return readAll();
    },
    readChanges: async () => {
      if (hostedLinks === null) return null;
      const seen = await hostedLinks.revision();
      if (seen === revision) return null;
      // Read after the revision, so that a change in between is found by the next check.
      stored = await hostedLinks.all();
      revision = seen;
      return readAll();
    },
  };
};

/** The differences of links between two configurations, and of settings that require a restart. */
export const compare = (before: Config, links: readonly LinkConfig[], after: Config) => {
  const known = new Map(links.map((link) => [link.name, fingerprint(link)]));
  const names = new Set(after.links.map((link) => link.name));
  const isSame = (key: keyof Config): boolean => fingerprint([before[key]]) === fingerprint([after[key]]);
  const settings = [
    'dataDir',
    'databaseUrl',
    'redisUrl',
    'concurrency',
    'notifyUrl',
    'notifySecret',
    'notifyFormat',
    'listen',
    'consoleToken',
    'consoleReadonly',
    'apiToken',
    'retentionMs',
    'credentialsKey',
    'credentialsKeyOld',
    'logLevel',
    'logFormat',
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

/** The times since which a daemon serves each link with its current settings; its start by default. */
export const createServingTimes = (clock: Clock, startedAtMs: number) => {
  const atMs = new Map<string, number>();
  return {
    note: ({ added, changed, removed }: ReturnType<typeof compare>): void => {
      for (const name of [...added, ...changed]) atMs.set(name, clock.now());
      for (const name of removed) atMs.delete(name);
    },
    sinceMs: (link: string): number => atMs.get(link) ?? startedAtMs,
  };
};
