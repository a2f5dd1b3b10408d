import Database from 'better-sqlite3';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DirectoryError, makeDirectory } from '../../make-directory.ts';
import { StoreError } from '../store.ts';
import { drizzle, is, Param, Placeholder } from './drizzle.ts';
import { checkVersion, migrate } from './migrate.ts';
import { explainTrouble } from './trouble.ts';

/** Builds queries. */
export type Orm = BetterSQLite3Database;

/** A statement that drizzle builds. */
type Built = { toSQL(): { readonly sql: string; readonly params: readonly unknown[] } };

/** One that answers rows. */
type BuiltQuery<Row> = Built & { readonly _: { readonly result: readonly Row[] } };

type Values = Readonly<Record<string, unknown>>;

/** An open database. */
export type Db = {
  readonly orm: Orm;
  readonly client: Database.Database;
  /** The statement that `build` makes: made at its first use, kept as long as the database is open. */
  prepared<Statement>(build: (orm: Orm) => Statement): Statement;
  /**
   * Runs the statement that `build` makes, kept alike, with these values of its placeholders. For those that run for each
   * contact: drizzle looks at what each parameter is every time.
   */
  write(build: (orm: Orm) => Built, values: Values): Database.RunResult;
  /**
   * Reads with the query that `build` makes, kept alike. For light rows in great numbers, which drizzle would hold twice: here
   * each column keeps the name and the value that SQLite gives it.
   */
  rows<Row>(build: (orm: Orm) => BuiltQuery<Row>, values: Values): readonly Row[];
  /** Does a step wholly or not at all, alone with the database from its beginning on. */
  atomic<T>(step: () => T): T;
  /** Reads all that a step asks for as it stands at one moment, beside whoever writes. */
  atOnce<T>(step: () => T): T;
  /** `data_version`: another one once another connection has committed something; `freelist_count`: free pages. */
  pragma(name: 'data_version' | 'freelist_count'): number;
};

/** Answers what a statement's parameters are by the values of its placeholders. */
const bindingOf = (parameters: readonly unknown[]): ((values: Values) => unknown[]) => {
  const readers = parameters.map((parameter): ((values: Values) => unknown) => {
    const value: unknown = is(parameter, Param) ? parameter.value : parameter;
    if (!is(value, Placeholder)) return () => value;
    const { name } = value;
    const given = (values: Values): unknown => {
      // SQLite would be given null.
      if (values[name] === undefined) throw new Error(`No value was given for ${name}.`);
      return values[name];
    };
    return is(parameter, Param) ? (values) => parameter.encoder.mapToDriverValue(given(values)) : given;
  });
  return (values) => readers.map((read) => read(values));
};

/** A statement, and how its parameters follow from values. */
type Bound = { readonly statement: Database.Statement; readonly bind: (values: Values) => unknown[] };

const dbOf = (client: Database.Database): Db => {
  const orm = drizzle(client);
  const statements = new Map<unknown, unknown>();
  const bound = new Map<unknown, Bound>();
  const transaction = client.transaction((step: () => unknown) => step());
  const pragmas = {
    data_version: client.prepare('pragma data_version').pluck(),
    freelist_count: client.prepare('pragma freelist_count').pluck(),
  };
  const boundBy = (build: (orm: Orm) => Built): Bound => {
    const known = bound.get(build);
    if (known !== undefined) return known;
    const { sql, params } = build(orm).toSQL();
    const made = { statement: client.prepare(sql), bind: bindingOf(params) };
    bound.set(build, made);
    return made;
  };
  return {
    orm,
    client,
    prepared: <Statement>(build: (orm: Orm) => Statement) => {
      if (!statements.has(build)) statements.set(build, build(orm));
      // Only what this very function built is kept under it.
      return statements.get(build) as Statement;
    },
    write: (build, values) => {
      const { statement, bind } = boundBy(build);
      return statement.run(bind(values));
    },
    rows: <Row>(build: (orm: Orm) => BuiltQuery<Row>, values: Values) => {
      const { statement, bind } = boundBy(build);
      return statement.all(bind(values)) as Row[];
    },
    atomic: <T>(step: () => T) => transaction.immediate(step) as T,
    atOnce: <T>(step: () => T) => transaction.deferred(step) as T,
    pragma: (name) => Number(pragmas[name].get()),
  };
};

/** So many free pages, 1 MiB, are kept for what comes next; what a pruning frees beyond them is given back to the disk. */
const FREE_PAGES_KEPT = 256;

/** Gives pages that nothing stands on any more back to the disk; the file shrinks with the next checkpoint. */
export const shrink = (db: Db): void => {
  const free = db.pragma('freelist_count');
  if (free > FREE_PAGES_KEPT) db.client.pragma(`incremental_vacuum(${free - FREE_PAGES_KEPT})`);
};

/** Rewrites the file and empties its log: of what was deleted nothing is left in either. */
export const rewrite = ({ client }: Db): void => {
  client.exec('vacuum');
  const [state] = client.pragma('wal_checkpoint(truncate)') as readonly { readonly busy: number }[];
  if (state?.busy === 1) {
    throw new StoreError('Another process reads the database just now, so its log could not be emptied.', {
      remedy: 'Run the same command again.',
    });
  }
};

const configure = (client: Database.Database): void => {
  // Of a file that holds tables already it takes effect with the next VACUUM.
  client.pragma('auto_vacuum = incremental');
  // What is deleted is overwritten with zeros.
  client.pragma('secure_delete = on');
  client.pragma('journal_mode = WAL');
  client.pragma('synchronous = FULL');
  // A first sync touches a large part of a large database again and again.
  client.pragma('cache_size = -4096');
  client.pragma('wal_autocheckpoint = 4000');
  // The log of one large step does not stay large.
  client.pragma(`journal_size_limit = ${16 * 1024 * 1024}`);
};

/** What keeps a file from being rewritten: too little room beside it, or somebody at work on it. */
const CANNOT_REWRITE = ['SQLITE_FULL', 'SQLITE_BUSY', 'SQLITE_LOCKED', 'SQLITE_IOERR'];

/** Rewrites the file, so that it can shrink from now on. One that cannot be is used as it is. */
const rewriteFile = (client: Database.Database): void => {
  try {
    client.exec('vacuum');
  } catch (error) {
    const code = error instanceof Database.SqliteError ? error.code : '';
    if (!CANNOT_REWRITE.some((beginning) => code.startsWith(beginning))) throw error;
  }
};

const BUSY_TIMEOUT_MS = 10_000;
const IN_MEMORY = ':memory:';

const openFile = (path: string): Database.Database => {
  if (path === IN_MEMORY) return new Database(path);
  makeDirectory(dirname(path));
  if (!existsSync(path)) {
    closeSync(openSync(path, 'a', 0o600));
    chmodSync(path, 0o600);
  }
  // SQLite would wait for a named pipe without end.
  if (!statSync(path).isFile()) {
    throw new StoreError(`The database ${path} is not a regular file.`, {
      remedy: 'Move it away, or name another DATA_DIR.',
    });
  }
  return new Database(path, { timeout: BUSY_TIMEOUT_MS });
};

/**
 * Opens the database file, made where there is none (0600, in a directory of 0700), and applies the migrations. The path
 * `:memory:` opens one that lasts as long as the process. Of several processes that make or migrate a file at once, one
 * does so and the others wait.
 *
 * @throws {DirectoryError} where its directory cannot be.
 * @throws {StoreError} where the file is corrupt, of a newer version, of another program, or cannot be opened.
 */
export const openDatabase = (path: string): Db => {
  let client: Database.Database | undefined;
  try {
    client = openFile(path);
    // First of all: a file that is refused is left as it is, its journal mode included.
    checkVersion(client, path);
    configure(client);
    const db = dbOf(client);
    if (migrate(db, path) === 'upgraded') rewriteFile(client);
    return db;
  } catch (cause) {
    client?.close();
    if (cause instanceof StoreError || cause instanceof DirectoryError) throw cause;
    const explained = explainTrouble(cause, path);
    if (explained instanceof StoreError) throw explained;
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new StoreError(
      `The database ${path} cannot be used (${detail}); it was left as it is. Check its permissions, restore a backup, ` +
        'or move it away to start afresh: the next run then pairs both address books again.',
      { cause },
    );
  }
};
