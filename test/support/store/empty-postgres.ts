import pg from 'pg';
import { LINK_TABLES } from '../../../src/store/tables.ts';

const TABLES = [...Object.values(LINK_TABLES).map(({ name }) => name), 'links', 'budgets'];

/** Drops every row of a store on PostgreSQL. */
export const emptyDatabase = async (url: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(TABLES.map((table) => `delete from ${table}`).join(';'));
  await client.end();
};
