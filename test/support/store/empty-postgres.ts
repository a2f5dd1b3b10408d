import pg from 'pg';
import { LINK_TABLES } from '../../../src/store/changes.ts';

const TABLES = [...LINK_TABLES, 'links', 'budgets'];

const named = (table: string): string => table.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);

/** Drops every row of a store on PostgreSQL. */
export const emptyDatabase = async (url: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(TABLES.map((table) => `delete from ${named(table)}`).join(';'));
  await client.end();
};
