import type * as Pg from 'pg';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { asText } from '../codec.ts';
import { StoreError } from '../errors.ts';
import { PgDialect } from './drizzle.ts';
import { migrate } from './migrate.ts';
import { explainTrouble, isPassing, reasonOf } from './trouble.ts';
import type { Rows, SendStatement, Step } from '../sql/step.ts';
import type { Clock } from '../../util/clock.ts';
import { keepResult } from '../../util/share.ts';

/** The host and the name of the database of an address, without user and password. */
const placeOf = (url: string): string => {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname || 'localhost'}${port === '' ? '' : `:${port}`}${pathname}`;
};

// As CommonJS, for the same reason as in sql/drizzle.ts. Loaded at first use.
const require = createRequire(import.meta.url);
const loadDriver = (): typeof Pg => require('pg') as typeof Pg;

export type DatabaseOptions = {
  /** `postgres://user:password@host:port/database`; its parameters are those of libpq, `sslmode` above all. */
  readonly url: string;
  readonly clock: Clock;
  /** The maximum number of connections. Further steps wait. */
  readonly connections: number;
  /** Called when the database becomes unavailable while it is in use, and when it is available again. */
  readonly onAway?: (reason: string) => void;
  readonly onBack?: () => void;
  /** Called with every statement that is sent. */
  readonly onStatement?: (statement: string) => void;
  /** The longest time without any byte on a connection; by default slightly longer than the timeout of a statement. */
  readonly silentForMs?: number;
};

/** A database that is unavailable for longer ends the run. The next run continues. */
const WAITS_MS = 60_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

const CONNECT_TIMEOUT_MS = 10_000;
const STATEMENT_TIMEOUT_MS = 60_000;
const ANSWERS_WITHIN_MS = 10_000;
/** The server ends a transaction whose process sends nothing for that long, which releases its locks. */
const IDLE_TIMEOUT_MS = 30_000;

/**
 * The server ends a statement that takes too long. Without an answer even then, the server or a proxy does not respond, and the
 * connection may stay open without end. Returns 0 if the time of statements is not limited.
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

const openPool = ({ url, connections, silentForMs = longestSilence(url) }: DatabaseOptions): Pg.Pool => {
  const { Pool } = loadDriver();
  const pool = new Pool({
    application_name: 'contact-sync',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_TIMEOUT_MS,
    keepAlive: true,
    max: connections,
    // Parameters of the address replace these values.
    connectionString: asLibpq(url),
  });
  // An unused connection that breaks is replaced at its next use, which reports any error.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => {
    // After a break between two statements of a transaction, the next statement reports the error.
    client.on('error', () => undefined);
    const { stream } = client.connection;
    if (stream instanceof Socket) stream.setTimeout(silentForMs, () => stream.destroy());
  });
  return pool;
};

/** Reads counts, times and ids as numbers, whose range none of them exceeds. */
const numberReaders = (): Pg.CustomTypesConfig => {
  const { types } = loadDriver();
  return {
    getTypeParser: ((id, format) =>
      id === types.builtins.INT8 ? Number : types.getTypeParser(id, format)) as typeof types.getTypeParser,
  };
};

/** Runs a step over a connection. */
export const drive = async <Result>(step: Step<Result>, send: SendStatement): Promise<Result> => {
  let next = step.next();
  while (next.done !== true) next = step.next(await send(next.value));
  return next.value;
};

/** Sends statements over connections of the pool; drivers are loaded with the first one. */
const createSender = (onStatement: (statement: string) => void) => {
  let loaded: { readonly renderer: InstanceType<typeof PgDialect>; readonly types: Pg.CustomTypesConfig } | null = null;
  return (client: Pick<Pg.ClientBase, 'query'>): SendStatement =>
    async (statement) => {
      loaded ??= { renderer: new PgDialect(), types: numberReaders() };
      const { sql: text, params } = loaded.renderer.sqlToQuery(statement);
      onStatement(text);
      const values = params.map((value) => (typeof value === 'string' ? asText(value) : value));
      const { rows } = await client.query<Rows[number]>({ text, values, types: loaded.types });
      return rows;
    };
};

/** Performs a step in one transaction. Closes the connection if its state is unknown afterwards. */
const inTransaction = async <Result>(
  pool: Pg.Pool,
  step: (client: Pg.PoolClient) => Promise<Result>,
): Promise<Result> => {
  const client = await pool.connect();
  let isKnown = false;
  try {
    await client.query('begin');
    const result = await step(client);
    await client.query('commit');
    isKnown = true;
    return result;
  } catch (error) {
    isKnown = await client.query('rollback').then(
      () => true,
      () => false,
    );
    throw error;
  } finally {
    client.release(!isKnown);
  }
};

/** Repeats a step while the database is unavailable, for a limited time. */
const createRetry = ({ clock, onAway, onBack }: DatabaseOptions, place: string, closing: AbortSignal) => {
  let isAway = false;
  let isReady = false;
  return async <Result>(step: (attempt: number) => Promise<Result>): Promise<Result> => {
    const startedTickMs = clock.monotonic();
    for (let attempt = 1; ; attempt += 1) {
      try {
        const result = await step(attempt);
        if (isAway) onBack?.();
        isAway = false;
        isReady = true;
        return result;
      } catch (error) {
        // The address of a database that has never answered may be wrong: that is reported at once.
        const waits = isReady && isPassing(error) && clock.monotonic() - startedTickMs < WAITS_MS;
        if (!waits || closing.aborted) throw explainTrouble(error, place);
        if (!isAway) onAway?.(reasonOf(error));
        isAway = true;
        await clock.sleep(Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS), closing);
      }
    }
  };
};

/** A step that sends statements. `attempt` counts from 1. */
type Attempt<Result> = (send: SendStatement, attempt: number) => Promise<Result>;

/** Connects to nothing yet. */
export const createConnection = (options: DatabaseOptions) => {
  const place = placeOf(options.url);
  const onStatement = (statement: string): void => options.onStatement?.(statement);
  const sendOver = createSender(onStatement);
  const closing = new AbortController();
  const withRetry = createRetry(options, place, closing.signal);
  let opened: Pg.Pool | null = null;
  const pool = (): Pg.Pool => (opened ??= openPool(options));
  const transact = <Result>(step: (send: SendStatement) => Promise<Result>): Promise<Result> => {
    // Its own two statements are round trips, too.
    for (const statement of ['begin', 'commit']) onStatement(statement);
    return inTransaction(pool(), (client) => step(sendOver(client)));
  };
  const open = keepResult(() => withRetry(() => migrate(sendOver(pool()), transact, place)));

  return {
    /** Host and name, for people: no user, no password. */
    place,
    /**
     * Performs a step. While the database is unavailable, waits and performs it again, so the step must be repeatable.
     *
     * @throws {StoreError} if the database cannot be used, or stays away.
     */
    do: async <Result>(step: Attempt<Result>): Promise<Result> => {
      await open();
      return withRetry((attempt) => step(sendOver(pool()), attempt));
    },
    /** As `do`, in one transaction. */
    atomic: async <Result>(step: Attempt<Result>): Promise<Result> => {
      await open();
      return withRetry((attempt) => transact((send) => step(send, attempt)));
    },
    close: async (): Promise<void> => {
      closing.abort(new StoreError(`The database ${place} is closed.`));
      await opened?.end();
    },
  };
};

/** A connected database. */
export type Connection = ReturnType<typeof createConnection>;
