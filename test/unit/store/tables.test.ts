import { expect, test } from 'vitest';
import { COPIED_TABLES } from '../../../src/store/copy.ts';
import { openClient } from '../../../src/store/sqlite/database.ts';
import type { Table } from '../../../src/store/tables.ts';

/** Columns that are not in the table definitions: those of the lease, and those shared by hosts. */
const FURTHER: Readonly<Record<string, readonly string[]>> = {
  links: ['lease_owner', 'lease_until_ms'],
  hosting: ['links_revision'],
};

test.each(Object.entries<Table>(COPIED_TABLES))(
  'the migrations of SQLite create the table %s with exactly the columns of the store',
  (_property, table) => {
    const client = openClient(':memory:');
    const found = client.prepare<[], string>(`select name from pragma_table_info('${table.name}')`).pluck().all();
    client.close();
    const columns = Object.values(table.columns).filter(({ isDerived }) => isDerived !== true);
    const expected = columns.map(({ name }) => name).concat(table.hasLink ? ['link'] : [], FURTHER[table.name] ?? []);
    expect(found.toSorted()).toEqual(expected.toSorted());
  },
);
