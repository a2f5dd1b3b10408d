import Database from 'better-sqlite3';
import type { SQL } from 'drizzle-orm';
import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DirectoryError, makeDirectory } from '../../util/files.ts';
import { FenceError, StoreError } from '../errors.ts';
import { isIdReturned } from '../sql/operations.ts';
import { newIdOf } from '../sql/row-operation.ts';
import type { RowBatch, ScratchDatabase, Statements } from '../sql/dialect.ts';
import { sql } from '../sql/drizzle.ts';
import type { Rows, Step } from '../sql/step.ts';
import { SQLITE } from './dialect.ts';
import { SQLiteSyncDialect } from './drizzle.ts';
import { checkVersion, migrate } from './migrate.ts';
import { explainTrouble, START_AFRESH } from './trouble.ts';
import { createWriter } from './write.ts';
import { errorMessage } from '../../util/errors.ts';

/** Runs statements of drizzle, each prepared once. */
const createReader = (client: Database.Database): ((statement: SQL) => Rows) => {
  const renderer = new SQLiteSyncDialect();
  const statements = new Map<string, Database.Statement<unknown[], Rows[number]>>();
  return (statement) => {
    const { sql: text, params } = renderer.sqlToQuery(statement);
    const known = statements.get(text) ?? client.prepare<unknown[], Rows[number]>(text);
    statements.set(text, known);
    if (known.reader) return known.all(...params);
    known.run(...params);
    return [];
  };
};

/** Runs a step to its end, without a wait between its statements. */
const drive = <Result>(step: Step<Result>, read: (statement: SQL) => Rows): Result => {
  let next = step.next();
  while (next.done !== true) next = step.next(read(next.value));
  return next.value;
};

/** The number of free pages that are kept for later rows, 1 MiB. Further pages that a pruning frees are returned to the disk. */
const FREE_PAGES_KEPT = 256;

/** Returns unused pages to the disk. The file shrinks with the next checkpoint. */
const shrink = (client: Database.Database): void => {
  const free = Number(client.pragma('freelist_count', { simple: true }));
  if (free > FREE_PAGES_KEPT) client.pragma(`incremental_vacuum(${free - FREE_PAGES_KEPT})`);
};

/** Rewrites the file and empties its log, so that neither contains deleted rows. */
const rewrite = (client: Database.Database): void => {
  client.exec('vacuum');
  const [state] = client.pragma('wal_checkpoint(truncate)') as readonly { readonly busy: number }[];
  if (state?.busy === 1) {
    throw new StoreError('Another process reads the database just now, so its log could not be emptied.', {
      remedy: 'Run the same command again.',
    });
  }
};

const configure = (client: Database.Database): void => {
  client.pragma('auto_vacuum = incremental');
  // Deleted rows are overwritten with zeros.
  client.pragma('secure_delete = on');
  client.pragma('journal_mode = WAL');
  client.pragma('synchronous = FULL');
  // A first sync touches a large part of a large database again and again.
  client.pragma('cache_size = -4096');
  client.pragma('wal_autocheckpoint = 4000');
  // The log does not stay large after a large step.
  client.pragma(`journal_size_limit = ${16 * 1024 * 1024}`);
};

const BUSY_TIMEOUT_MS = 10_000;
const IN_MEMORY = ':memory:';
/** SQLite keeps such a database in its cache, and in a nameless file once the cache is full. It ends with its connection. */
const TEMPORARY = '';

const openFile = (path: string): Database.Database => {
  if (path === IN_MEMORY || path === TEMPORARY) return new Database(path);
  makeDirectory(dirname(path));
  if (!existsSync(path)) {
    closeSync(openSync(path, 'a', 0o600));
    chmodSync(path, 0o600);
  }
  // SQLite would wait forever for a named pipe.
  if (!statSync(path).isFile()) {
    throw new StoreError(`The database ${path} is not a regular file.`, {
      remedy: 'Move it away, or name another DATA_DIR.',
    });
  }
  return new Database(path, { timeout: BUSY_TIMEOUT_MS });
};

/**
 * Opens the database file, creates it if it does not exist (0600, in a directory of 0700), and applies the migrations. The path
 * `:memory:` opens one that lasts as long as the process. Of several processes that make or migrate a file at once, one
 * does so and the others wait.
 *
 * @throws {DirectoryError} if its directory cannot be.
 * @throws {StoreError} if the file is corrupt, of a newer version, of another program, or cannot be opened.
 */
export const openClient = (path: string): Database.Database => {
  let client: Database.Database | undefined;
  try {
    client = openFile(path);
    // This check comes first: a file that is refused stays as it is, including its journal mode.
    checkVersion(client, path);
    configure(client);
    migrate(client, path);
    return client;
  } catch (cause) {
    client?.close();
    const explained = explainTrouble(cause, path);
    if (explained instanceof StoreError || explained instanceof DirectoryError) throw explained;
    throw new StoreError(`The database ${path} cannot be used (${errorMessage(cause)}); it was left as it is.`, {
      cause,
      remedy: `Check its permissions. ${START_AFRESH}`,
    });
  }
};

/** Adds rows in one transaction; the connection must not be used for anything else in the meantime. */
const load = async (client: Database.Database, batches: AsyncIterable<RowBatch>): Promise<void> => {
  client.exec('begin immediate');
  try {
    for await (const { table, rows } of batches) {
      const names = Object.keys(rows[0] ?? {}).map((name) => `"${name}"`);
      const statement = client.prepare(
        `insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`,
      );
      for (const row of rows) {
        statement.run(Object.values(row).map((value) => (typeof value === 'boolean' ? Number(value) : value)));
      }
    }
    client.exec('commit');
  } catch (error) {
    client.exec('rollback');
    throw error;
  }
};

/** Opens a database file as {@link openClient} does. Errors name the file, the cause and the remedy. */
export const openDatabase = (path: string): ScratchDatabase => {
  const client = openClient(path);
  const read = createReader(client);
  const write = createWriter(client);
  const fence = client.prepare('select lease_token from links where name = ? and lease_owner is not null').pluck();
  const transaction = client.transaction((step: () => unknown) => step());
  const named = path === TEMPORARY ? 'of the dry run (in TMPDIR, /var/tmp or /tmp)' : path;
  const throwExplained = (error: unknown): never => {
    throw explainTrouble(error, named);
  };
  const explained = <Result>(step: () => Result): Promise<Result> => Promise.try(step).catch(throwExplained);
  const atOnce = <Result>(step: () => Result): Promise<Result> => explained(() => transaction.deferred(step) as Result);
  const atomic = <Result>(step: () => Result): Promise<Result> =>
    explained(() => transaction.immediate(step) as Result);
  const readAll = <Name extends string>(statements: Statements<Name>): Readonly<Record<Name, Rows>> => {
    const entries = Object.entries<SQL>(statements).map(([name, statement]) => [name, read(statement)] as const);
    return Object.fromEntries(entries) as Record<Name, Rows>;
  };

  return {
    dialect: SQLITE,
    place: path,
    run: (step) => explained(() => drive(step(1), read)),
    atOneMoment: async (work) => {
      if (client.memory) return work((step) => explained(() => drive(step, read)));
      // Its own connection: this one writes in the meantime.
      const reader = new Database(path, { readonly: true, timeout: BUSY_TIMEOUT_MS });
      try {
        reader.exec('begin');
        const readThen = createReader(reader);
        return await work((step) => explained(() => drive(step, readThen)));
      } finally {
        reader.close();
      }
    },
    together: (statements) => atOnce(() => readAll(statements)),
    commit: ({ link, token }, operations) =>
      atomic(() => {
        if (fence.get(link) !== token) throw new FenceError(link, token);
        const ids = new Map<number, number>();
        const returned: number[] = [];
        for (const operation of operations) {
          if (operation.op === 'sweep') {
            read(sql`delete from ${sql.identifier(operation.table)} where link = ${link} and ${operation.condition}`);
            continue;
          }
          write(link, operation, ids);
          const id = newIdOf(operation);
          if (id !== null && isIdReturned(operation)) returned.push(ids.get(id) ?? id);
        }
        return returned;
      }),
    load: (batches) => load(client, batches).catch(throwExplained),
    shrink: () => explained(() => shrink(client)),
    compact: () => explained(() => rewrite(client)),
    sharedId: () => Promise.resolve(null),
    released: () => undefined,
    close: () => explained(() => void client.close()),
  };
};

/** Opens an empty database that ends with its connection. A large one takes disk space instead of memory. */
export const openTemporary = (): ScratchDatabase => openDatabase(TEMPORARY);
