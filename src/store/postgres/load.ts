import type { SQL } from 'drizzle-orm';
import { decodeRecord } from '../codec.ts';
import { COPIED_TABLES, copiedColumns, type CopiedRow, type CopiedTable } from '../copy.ts';
import type { Where } from '../sql/operations.ts';
import { derivedColumns } from '../rows.ts';
import { sql } from '../sql/drizzle.ts';
import { halves, type Table } from '../tables.ts';
import { given, unnested, type Named } from './batch.ts';
import { ROW_IDS } from './commit.ts';

const DERIVED: Named = Object.entries(halves.columns).filter(([, { isDerived }]) => isDerived === true);

/** Adds copied rows. They exist where the answer to an earlier attempt was lost. */
export const insertCopied = (table: CopiedTable, rows: readonly CopiedRow[]): SQL => {
  const target: Table = COPIED_TABLES[table];
  const isHalves = table === 'halves';
  const columns: Named = [...copiedColumns(target), ...(isHalves ? DERIVED : [])];
  const values = rows.map((row) =>
    isHalves ? { ...row, ...derivedColumns(decodeRecord(String(row['recordJson']))) } : row,
  ) as readonly Where[];
  const list = (parts: readonly SQL[]): SQL => sql.join([...parts], sql`, `);
  return sql`insert into ${sql.identifier(target.name)} (${list(columns.map(([, { name }]) => sql`${sql.identifier(name)}`))})
    select ${list(columns.map(([, column]) => given(column)))} from ${unnested(columns, values)} on conflict do nothing`;
};

const WITH_ROW_IDS = ['pairs', 'journal', 'conflicts', 'shown_pages'];

/** New rows get ids beyond all that were copied. */
export const raiseIds = (): SQL => {
  const highest = WITH_ROW_IDS.map((name) => sql`(select max(id) from ${sql.identifier(name)})`);
  return sql`select setval(${ROW_IDS}, greatest(1, ${sql.join(highest, sql`, `)}))`;
};
