import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Clock } from '../../clock.ts';
import { placeOf } from '../place.ts';
import { StoreError } from '../store.ts';
import { drizzle, Pool } from './drizzle.ts';
import { migrate } from './migrate.ts';
import { driverError, explainTrouble, isPassing, reasonOf } from './trouble.ts';

/** Builds statements and sends them. */
export type Orm = NodePgDatabase;

export type DatabaseOptions = {
  /** `postgres://user:password@host:port/database`; its parameters are those of libpq, `sslmode` above all. */
  readonly url: string;
  readonly clock: Clock;
  /** So many connections at most; more steps than that wait for one another. */
  readonly connections: number;
  /** Told when the database goes away while it is in use, and when it answers again. */
  readonly onAway?: (reason: string) => void;
  readonly onBack?: () => void;
  /** Sees every statement that is sent. */
  readonly onStatement?: (statement: string) => void;
};

/** A database that is opened when it is first used. */
export type Db = {
  /** Host and name, for people: no user, no password. */
  readonly place: string;
  /**
   * Does a step; where the database is away meanwhile, waits and does it again: it must be one that may be repeated.
   * `attempt` counts from 1.
   *
   * @throws {StoreError} where the database cannot be used, or stays away.
   */
  do<T>(step: (orm: Orm, attempt: number) => Promise<T>): Promise<T>;
  close(): Promise<void>;
};

/** A database that is away for longer ends the run; the next one goes on. */
const WAITS_MS = 60_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

const CONNECT_TIMEOUT_MS = 10_000;
const STATEMENT_TIMEOUT_MS = 60_000;
/** A transaction of which its process says nothing more gives its locks back. */
const IDLE_TIMEOUT_MS = 30_000;

/** As libpq reads the parameters of its address: https://www.postgresql.org/docs/current/libpq-ssl.html. */
const asLibpq = (url: string): string => {
  const parsed = new URL(url);
  if (parsed.searchParams.has('sslmode')) parsed.searchParams.set('uselibpqcompat', 'true');
  return parsed.href;
};

const openPool = ({ url, connections }: DatabaseOptions): InstanceType<typeof Pool> => {
  const pool = new Pool({
    application_name: 'contact-sync',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_TIMEOUT_MS,
    keepAlive: true,
    max: connections,
    // What the address says itself takes the place of these.
    connectionString: asLibpq(url),
  });
  // A connection that breaks while nobody uses it is replaced at its next use, which says what is wrong.
  pool.on('error', () => undefined);
  // So does one that breaks between two statements of a transaction: the next one says so.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
};

/** Connects to nothing yet. */
export const openDatabase = (options: DatabaseOptions): Db => {
  const { url, clock, onStatement } = options;
  const place = placeOf(url);
  const pool = openPool(options);
  const orm = drizzle(pool, onStatement === undefined ? {} : { logger: { logQuery: onStatement } });
  const closing = new AbortController();
  let isAway = false;
  let isReady = false;
  let opening: Promise<void> | null = null;

  const told = (error: unknown): void => {
    if (!isAway) options.onAway?.(reasonOf(error));
    isAway = true;
  };
  const patiently = async <T>(step: (orm: Orm, attempt: number) => Promise<T>): Promise<T> => {
    const startedAtMs = clock.monotonic();
    for (let attempt = 1; ; attempt += 1) {
      try {
        const answer = await step(orm, attempt);
        if (isAway) options.onBack?.();
        isAway = false;
        isReady = true;
        return answer;
      } catch (thrown) {
        const error = driverError(thrown);
        // One that has never answered may be named wrongly: that is said at once.
        const waits = isReady && isPassing(error) && clock.monotonic() - startedAtMs < WAITS_MS;
        if (!waits || closing.signal.aborted) throw explainTrouble(thrown, place);
        told(error);
        await clock.sleep(Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS), closing.signal);
      }
    }
  };
  const open = (): Promise<void> =>
    (opening ??= patiently(() => migrate(orm, place)).catch((error: unknown) => {
      opening = null;
      throw error;
    }));

  return {
    place,
    do: async (step) => {
      await open();
      return patiently(step);
    },
    close: async () => {
      closing.abort(new StoreError(`The database ${place} is closed.`));
      await pool.end();
    },
  };
};
