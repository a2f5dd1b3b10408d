import { Socket } from 'node:net';
import type { DrizzleConfig } from 'drizzle-orm';
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
  /** How long nothing may come through a connection; by default a little longer than a statement may take. */
  readonly silentForMs?: number;
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
const ANSWERS_WITHIN_MS = 10_000;
/** A transaction of which its process says nothing more gives its locks back. */
const IDLE_TIMEOUT_MS = 30_000;

/**
 * A statement that takes too long is ended by the server. Where no answer comes even then, the server has fallen silent, or
 * what stands before it, and nobody may ever close the connection. 0 where a statement may take as long as it likes.
 */
const longestSilence = (url: string): number => {
  const longest = Number(new URL(url).searchParams.get('statement_timeout') ?? STATEMENT_TIMEOUT_MS);
  return longest > 0 ? longest + ANSWERS_WITHIN_MS : 0;
};

/** As libpq reads the parameters of its address: https://www.postgresql.org/docs/current/libpq-ssl.html. */
const asLibpq = (url: string): string => {
  const parsed = new URL(url);
  if (parsed.searchParams.has('sslmode')) parsed.searchParams.set('uselibpqcompat', 'true');
  return parsed.href;
};

const openPool = ({
  url,
  connections,
  silentForMs = longestSilence(url),
}: DatabaseOptions): InstanceType<typeof Pool> => {
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
  pool.on('connect', (client) => {
    // So does one that breaks between two statements of a transaction: the next one says so.
    client.on('error', () => undefined);
    const { stream } = client.connection;
    if (stream instanceof Socket) stream.setTimeout(silentForMs, () => stream.destroy());
  });
  return pool;
};

/** drizzle itself never gives a connection back to the pool that breaks while a transaction begins on it. */
const openOrm = (pool: InstanceType<typeof Pool>, options: DrizzleConfig): Orm => {
  const orm = drizzle(pool, options);
  orm.transaction = async (step, config) => {
    const client = await pool.connect();
    let isOver = false;
    try {
      const answer = await drizzle(client, options).transaction(step, config);
      isOver = true;
      return answer;
    } finally {
      // One on which it failed is closed, whatever state it is in.
      client.release(!isOver);
    }
  };
  return orm;
};

/** Connects to nothing yet. */
export const openDatabase = (options: DatabaseOptions): Db => {
  const { url, clock, onStatement } = options;
  const place = placeOf(url);
  const pool = openPool(options);
  const orm = openOrm(pool, onStatement === undefined ? {} : { logger: { logQuery: onStatement } });
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
