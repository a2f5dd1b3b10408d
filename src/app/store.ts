import { join } from 'node:path';
import type { Clock } from '../util/clock.ts';
import type { Config } from './config/config.ts';
import type { Events } from '../engine/events.ts';
import { openStore } from '../store/sqlite/sqlite-store.ts';
import type { KeyOptions } from '../store/credential-entry.ts';
import type { HostedStore } from '../store/hosted.ts';
import { openPostgres } from '../store/postgres/postgres-store.ts';
import { statSync } from 'node:fs';

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

/** The store that the configuration names, and whether several hosts may share its database. */
export type OpenedStore = { readonly store: HostedStore; readonly isShared: boolean };

/**
 * Opens the store that the configuration names: on PostgreSQL with DATABASE_URL, which is connected to when it is first used,
 * else on SQLite in DATA_DIR.
 *
 * @throws {StoreError} where the SQLite database cannot be used.
 */
export const openStoreOf = (
  { databaseUrl, dataDir, concurrency }: Config,
  { clock, events, newId }: StoreParts,
): OpenedStore => {
  if (databaseUrl === null) {
    return { store: openStore(join(dataDir, 'contact-sync.db')), isShared: false };
  }
  const store = openPostgres({
    url: databaseUrl.reveal(),
    clock,
    newId,
    connections: concurrency + MORE_CONNECTIONS,
    onAway: (reason) => events.databaseUnreachable({ reason }),
    onBack: () => events.databaseReconnected(),
  });
  return { store, isShared: true };
};

const WRITABLE_BY_OTHERS = 0o022;

/** 0 where there is nothing, or nothing to be seen: what opens the directory next says why. */
const modeOf = (path: string): number => {
  try {
    return statSync(path).mode;
  } catch {
    return 0;
  }
};

/** Warns of a directory in which others could put a database or a token of theirs. One that does not exist is made well. */
export const warnOfOpenDirectory = (path: string, events: Events): void => {
  const mode = modeOf(path);
  if ((mode & WRITABLE_BY_OTHERS) === 0) return;
  const octal = (mode & 0o777).toString(8).padStart(4, '0');
  events.dataDirWritable({ path, mode: octal, remedy: `chmod 700 ${path}` });
};
