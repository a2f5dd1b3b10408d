import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import type { Config } from '../config/config.ts';
import type { Events } from '../events.ts';
import { openStore } from '../store/sqlite/sqlite-store.ts';
import type { KeyOptions } from '../store/credential-entry.ts';
import type { HostedRows } from '../store/hosted.ts';
import type { HostedStore } from '../store/postgres/postgres-store.ts';
import { placeOf } from '../store/place.ts';
import type { Store } from '../store/store.ts';

type StoreParts = {
  readonly clock: Clock;
  readonly events: Pick<Events, 'databaseUnreachable' | 'databaseReconnected'>;
  readonly newId: () => string;
};

/** What is sealed with, as the configuration has it. */
export const keysOf = ({ credentialsKey, credentialsKeyOld }: Config): KeyOptions => ({
  key: credentialsKey?.reveal() ?? null,
  oldKey: credentialsKeyOld?.reveal() ?? null,
});

/** Leases are renewed, and people ask how things are, while every link has a connection. */
const MORE_CONNECTIONS = 2;

const openPostgresOf = async (
  url: string,
  concurrency: number,
  { clock, events, newId }: StoreParts,
): Promise<HostedStore> => {
  const { openPostgres } = await import('../store/postgres/postgres-store.ts');
  return openPostgres({
    url,
    clock,
    newId,
    connections: concurrency + MORE_CONNECTIONS,
    onAway: (reason) => events.databaseUnreachable({ reason }),
    onBack: () => events.databaseReconnected(),
  });
};

/** A store whose engine is loaded when it is first used: a command that needs none does not wait for it. */
const lateStore = (store: () => Promise<Store>, close: () => Promise<void>): Store => ({
  sharedId: async () => (await store()).sharedId(),
  links: async () => (await store()).links(),
  link: async (...of) => (await store()).link(...of),
  acquireLease: async (...of) => (await store()).acquireLease(...of),
  leaseOwner: async (...of) => (await store()).leaseOwner(...of),
  releaseLease: async (...of) => (await store()).releaseLease(...of),
  pausedByHandAtMs: async (...of) => (await store()).pausedByHandAtMs(...of),
  setPausedByHand: async (...of) => (await store()).setPausedByHand(...of),
  swapTold: async (...of) => (await store()).swapTold(...of),
  halves: async (...of) => (await store()).halves(...of),
  pairs: async (...of) => (await store()).pairs(...of),
  index: async (...of) => (await store()).index(...of),
  members: async (...of) => (await store()).members(...of),
  shown: async (...of) => (await store()).shown(...of),
  known: async (...of) => (await store()).known(...of),
  anyPresent: async (...of) => (await store()).anyPresent(...of),
  counts: async (...of) => (await store()).counts(...of),
  commit: async (...of) => (await store()).commit(...of),
  journal: async (...of) => (await store()).journal(...of),
  writeCounts: async (...of) => (await store()).writeCounts(...of),
  runs: async (...of) => (await store()).runs(...of),
  conflicts: async (...of) => (await store()).conflicts(...of),
  budget: async (...of) => (await store()).budget(...of),
  saveBudget: async (...of) => (await store()).saveBudget(...of),
  compact: async () => (await store()).compact(),
  close,
});

/** The store that the configuration names, and what the hosts that work on it share; null on SQLite. */
export type OpenedStore = { readonly store: Store; readonly hosted: Hosted | null };

/** The rows that hosts share, in a database that is connected to when they are first asked for. */
export type Hosted = { readonly place: string; readonly rows: () => Promise<HostedRows> };

/**
 * Opens the store that the configuration names: on PostgreSQL with DATABASE_URL, which is connected to when it is first used,
 * else on SQLite in DATA_DIR.
 *
 * @throws {StoreError} where the SQLite database cannot be used.
 */
export const openStoreOf = ({ databaseUrl, dataDir, concurrency }: Config, parts: StoreParts): OpenedStore => {
  if (databaseUrl === null) return { store: openStore(join(dataDir, 'contact-sync.db')), hosted: null };
  const url = databaseUrl.reveal();
  let opened: Promise<HostedStore> | null = null;
  const open = (): Promise<HostedStore> => (opened ??= openPostgresOf(url, concurrency, parts));
  const close = async (): Promise<void> => {
    if (opened !== null) await (await opened).close();
  };
  return { store: lateStore(open, close), hosted: { place: placeOf(url), rows: async () => (await open()).hosted } };
};
