import { expect, test } from 'vitest';
import { COPIED_TABLES } from '../../../src/store/copy.ts';
import { openClient } from '../../../src/store/sqlite/database.ts';
import type { Table } from '../../../src/store/tables.ts';

/** Columns that the store uses beyond those of its tables: of the lease, and of what hosts share. */
const FURTHER: Readonly<Record<string, readonly string[]>> = {
  links: ['lease_owner', 'lease_until_ms'],
  hosting: ['links_revision'],
};

test.each(Object.entries<Table>(COPIED_TABLES))(
  'the migrations of SQLite make the table %s with the columns of the store, and no others',
  (_property, table) => {
    const client = openClient(':memory:');
    const found = client.prepare<[], string>(`select name from pragma_table_info('${table.name}')`).pluck().all();
    client.close();
    const columns = Object.values(table.columns).filter(({ isDerived }) => isDerived !== true);
    const expected = columns.map(({ name }) => name).concat(table.hasLink ? ['link'] : [], FURTHER[table.name] ?? []);
    expect(found.toSorted()).toEqual(expected.toSorted());
  },
);
