import { join } from 'node:path';
import type { Clock } from '../util/clock.ts';
import { CONCURRENT_LINKS, type Config } from './config/config.ts';
import { DATABASE_FILE } from './config/default-places.ts';
import type { Events } from './events.ts';
import { openStore } from '../store/sqlite/sqlite-store.ts';
import type { StoreWithTokens } from '../store/vault.ts';
import { openPostgres } from '../store/postgres/postgres-store.ts';

type StoreParts = {
  readonly clock: Clock;
  readonly events: Pick<Events, 'databaseUnreachable' | 'databaseReconnected'>;
};

/** For lease renewals and status requests while every run has a connection. */
const MORE_CONNECTIONS = 2;

/**
 * Opens the store of the configuration: PostgreSQL with DATABASE_URL, connected when it is first used, otherwise SQLite in
 * DATA_DIR.
 *
 * @throws {StoreError} if the SQLite database cannot be used.
 */
export const openStoreOf = ({ databaseUrl, dataDir }: Config, { clock, events }: StoreParts): StoreWithTokens => {
  if (databaseUrl === null) return openStore(join(dataDir, DATABASE_FILE));
  return openPostgres({
    url: databaseUrl.reveal(),
    clock,
    connections: CONCURRENT_LINKS + MORE_CONNECTIONS,
    onAway: (reason) => events.databaseUnreachable({ reason }),
    onBack: () => events.databaseReconnected(),
  });
};
