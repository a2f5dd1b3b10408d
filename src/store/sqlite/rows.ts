import { existsSync } from 'node:fs';
import { KEYS, NOT_COPIED, type CopiedRow, type RowStore, type StoreTable } from '../copy.ts';
import { StoreError } from '../store.ts';
import { TABLES } from './changes.ts';
import { openDatabase } from './database.ts';
import { getTableColumns, getTableName, sql } from './drizzle.ts';
import { budgets, links } from './schema.ts';

const COPIED = { links, ...TABLES, budgets } satisfies Record<StoreTable, unknown>;

const ROWS_AT_ONCE = 500;

const columnsOf = (table: StoreTable) =>
  Object.entries(getTableColumns(COPIED[table])).filter(([name]) => !NOT_COPIED.includes(name));

const batchesOf = function* (rows: Iterable<CopiedRow>): Generator<readonly CopiedRow[]> {
  let batch: CopiedRow[] = [];
  for (const row of rows) {
    batch.push(row);
    if (batch.length < ROWS_AT_ONCE) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
};

/**
 * The rows of a database file; `makes` one that is not there.
 *
 * @throws {StoreError} where it cannot be used.
 */
export const openRows = (path: string, { makes }: { readonly makes: boolean }): RowStore<StoreTable> => {
  if (!makes && !existsSync(path)) throw new StoreError(`There is no database ${path}.`);
  const db = openDatabase(path);
  const nameOf = (table: StoreTable, property: string): string =>
    columnsOf(table).find(([name]) => name === property)?.[1].name ?? property;
  return {
    place: path,
    isLeased: () => {
      const isTaken = sql`${links.leaseOwner} is not null and ${links.leaseUntilMs} > unixepoch('subsec') * 1000`;
      return Promise.resolve(db.orm.select().from(links).where(isTaken).all().length > 0);
    },
    rows: async function* (table) {
      const columns = columnsOf(table);
      const names = columns.map(([, { name }]) => `"${name}"`).join(', ');
      const order = KEYS[table].map((key) => `"${nameOf(table, key)}"`).join(', ');
      // What the schema names, and nothing else.
      const found = db.client
        .prepare<[], Record<string, unknown>>(`select ${names} from "${getTableName(COPIED[table])}" order by ${order}`)
        .iterate();
      const rows = Iterator.from(found).map((row) =>
        Object.fromEntries(
          columns.map(([property, column]) => {
            const value = row[column.name] ?? null;
            return [property, value === null ? null : (column.mapFromDriverValue(value) as string)];
          }),
        ),
      );
      yield* batchesOf(rows);
    },
    add: async (batches) => {
      db.client.exec('begin immediate');
      try {
        for await (const { table, rows } of batches()) {
          for (const row of rows)
            db.orm
              .insert(COPIED[table])
              .values(row as never)
              .run();
        }
        db.client.exec('commit');
      } catch (error) {
        db.client.exec('rollback');
        throw error;
      }
    },
    close: () => Promise.resolve(void db.client.close()),
  };
};
