import { createStore } from '../sql/sql-store.ts';
import type { SqlDatabase, Statements } from '../sql/dialect.ts';
import { sql } from '../sql/drizzle.ts';
import type { Rows } from '../sql/step.ts';
import { openTemporary } from '../sqlite/database.ts';
import type { StoreWithTokens } from '../vault.ts';
import { commit, RowIds } from './commit.ts';
import { createConnection, drive, type Connection, type DatabaseOptions } from './database.ts';
import { postgresDialect, type LeaseClock } from './dialect.ts';

export type PostgresOptions = DatabaseOptions & {
  /** The clock of the database, unless a test sets the time itself. */
  readonly leaseClock?: LeaseClock;
};

/** The rows of several statements as columns of one: each a list in JSON. */
const asLists = (statements: Statements) =>
  sql.join(
    Object.entries(statements).map(
      ([name, statement]) =>
        sql`coalesce((select json_agg(row_to_json(rows)) from (${statement}) as rows), '[]') as ${sql.identifier(name)}`,
    ),
    sql`, `,
  );

/** A database on PostgreSQL, which is connected to and migrated when it is first used. */
const openDatabase = (db: Connection, leaseClock: LeaseClock): SqlDatabase => {
  const rowIds = new RowIds();
  return {
    dialect: postgresDialect(leaseClock),
    place: db.place,
    run: (step) => db.do((send, attempt) => drive(step(attempt), send)),
    atOneMoment: (work) =>
      db.atomic(async (send) => {
        await send(sql`set transaction isolation level repeatable read, read only`);
        return work((step) => drive(step, send));
      }),
    together: async <Name extends string>(statements: Statements<Name>) => {
      const [read] = await db.do((send) => send(sql`select ${asLists(statements)}`));
      return read as Readonly<Record<Name, Rows>>;
    },
    commit: (fence, operations) => commit(db, rowIds, fence, operations),
    // The server returns the space of deleted rows by itself.
    shrink: () => Promise.resolve(),
    compact: () => Promise.resolve(),
    /**
     * PostgreSQL's own name of the server's data, and of the database and the table in them, so that a copy of the database has
     * another one, on its server too. A standby that takes over keeps it.
     */
    sharedId: async () => {
      const [row] = await db.do((send) =>
        send(sql`select system_identifier || '-' || pg_database.oid || '-' || 'links'::regclass::oid as id
          from pg_control_system(), pg_database where datname = current_database()`),
      );
      if (row === undefined) throw new Error('PostgreSQL did not report its server id.');
      return String(row['id']);
    },
    released: (link) => rowIds.forget(link),
    close: () => db.close(),
  };
};

/** The store on PostgreSQL, for daemons on many hosts; connects, and migrates the database, when it is first used. */
export const openPostgres = (options: PostgresOptions): StoreWithTokens =>
  createStore(openDatabase(createConnection(options), options.leaseClock ?? 'database'), openTemporary);
