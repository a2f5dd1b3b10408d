import Database from 'better-sqlite3';

export type Row = Readonly<Record<string, string | number | null>>;

/** Every row of every table of a database file, by table; the file is only read. */
export const readTables = (path: string): ReadonlyMap<string, readonly Row[]> => {
  const client = new Database(path, { readonly: true });
  const names = client.prepare<[], string>("select name from sqlite_master where type = 'table'").pluck().all();
  const rows = names.map((name) => [name, client.prepare<[], Row>(`select * from ${name}`).all()] as const);
  client.close();
  return new Map(rows);
};
