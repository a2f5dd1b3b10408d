import { emailKey } from '../../contact/keys.ts';
import { decodeRecord } from '../codec.ts';
import { KEYS, NOT_COPIED, type CopiedRow, type CopiedTable, type RowStore } from '../copy.ts';
import { openDatabase, type DatabaseOptions, type Orm } from './database.ts';
import { getTableColumns, sql } from './drizzle.ts';
import { putRows, type Row } from './parts.ts';
import { budgets, credentials, hosting, linkSettings, links, ROW_IDS, TABLES } from './schema.ts';

/** The tables whose rows belong to no link. */
const OTHERS = { links, budgets, hosting, credentials, linkSettings };

const COPIED = { ...OTHERS, ...TABLES } satisfies Record<CopiedTable, unknown>;

/** The rows before them are passed over each time. */
const ROWS_AT_ONCE = 5_000;

const columnsOf = (table: CopiedTable) =>
  Object.entries(getTableColumns(COPIED[table])).filter(([name]) => !NOT_COPIED.includes(name));

const orderOf = (table: CopiedTable) => {
  const columns = new Map(columnsOf(table));
  const parts = KEYS[table].flatMap((key) => {
    const column = columns.get(key);
    if (column === undefined) return [];
    return [column.getSQLType() === 'text' ? sql`${column} collate "C"` : sql`${column}`];
  });
  return sql.join(parts, sql`, `);
};

/** What a half is found by beside its key. */
const withDerived = (row: Row): Row => {
  const { groupIds, contact } = decodeRecord(String(row['recordJson']));
  return { ...row, groupIds, emailKeys: contact.emailAddresses.map(({ value }) => emailKey(value)) };
};

const addRows = async (orm: Orm, table: CopiedTable, rows: readonly CopiedRow[]): Promise<void> => {
  if (table in OTHERS) {
    // They are there where the answer to an earlier attempt was lost.
    await orm
      .insert(COPIED[table])
      .values(rows as never)
      .onConflictDoNothing();
    return;
  }
  const own = table as keyof typeof TABLES;
  const keys = KEYS[table].filter((key) => key !== 'link');
  const given: readonly Row[] = table === 'halves' ? rows.map(withDerived) : rows;
  for (const [link, rowsOfLink] of Map.groupBy(given, (row) => String(row['link']))) {
    const withoutLink = rowsOfLink.map(({ link: _link, ...row }) => row);
    await orm.execute(putRows(TABLES[own], link, withoutLink, keys, sql`true`));
  }
};

/** New rows get ids beyond all that were copied. */
const raiseIds = (orm: Orm) => {
  const { conflicts, journal, pairs, shownPages } = TABLES;
  const highest = [conflicts, journal, pairs, shownPages].map((table) => sql`(select max(${table.id}) from ${table})`);
  return orm.execute(sql`select setval(${ROW_IDS}, greatest(1, ${sql.join(highest, sql`, `)}))`);
};

/** The rows of a database on PostgreSQL, which is made and migrated where needed. */
export const openRows = (options: Pick<DatabaseOptions, 'url' | 'clock'>): RowStore => {
  const db = openDatabase({ ...options, connections: 2 });
  return {
    place: db.place,
    isLeased: async () => {
      const isTaken = sql`${links.leaseOwner} is not null
        and ${links.leaseUntilMs} > extract(epoch from clock_timestamp()) * 1000`;
      return (await db.do((orm) => orm.select().from(links).where(isTaken))).length > 0;
    },
    rows: async function* (table) {
      const columns = columnsOf(table);
      const order = orderOf(table);
      for (let from = 0; ; from += ROWS_AT_ONCE) {
        const rows = await db.do((orm) =>
          orm.select(Object.fromEntries(columns)).from(COPIED[table]).orderBy(order).limit(ROWS_AT_ONCE).offset(from),
        );
        // Of these columns, each a text, a number or a truth value.
        if (rows.length > 0) yield rows;
        if (rows.length < ROWS_AT_ONCE) return;
      }
    },
    add: (batches) =>
      db.do((orm) =>
        orm.transaction(async (step) => {
          for await (const { table, rows } of batches()) await addRows(step, table, rows);
          await raiseIds(step);
        }),
      ),
    close: () => db.close(),
  };
};
