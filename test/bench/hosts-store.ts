import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import pg from 'pg';
import { startPostgres, type OwnPostgres } from '../support/postgres.ts';

/** Starts a PostgreSQL with durable commits: committed data is on the disk. */
export const startDurablePostgres = async (): Promise<OwnPostgres> => {
  const postgres = await startPostgres({
    settings: ['fsync=on', 'max_connections=200', 'shared_buffers=1GB', 'max_wal_size=8GB'],
  });
  if (postgres === null) throw new Error("There is no PostgreSQL to start: install Debian's package postgresql.");
  return postgres;
};

export const ask = async (url: string, statement: string): Promise<readonly Record<string, unknown>[]> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
};

export const createDatabase = async ({ url }: OwnPostgres): Promise<string> => {
  const name = `bench_${randomUUID().replaceAll('-', '')}`;
  await ask(url, `create database ${name}`);
  return Object.assign(new URL(url), { pathname: name }).href;
};

/** By table of a synced link: the rows that every other link gets, and the column with the link's name. */
type Copied = Readonly<Record<string, { readonly link: string; readonly where: string }>>;

const ALL = { link: 'link', where: 'true' };
const STATE: Copied = {
  links: { link: 'name', where: 'true' },
  cursors: ALL,
  pairs: ALL,
  group_pairs: ALL,
  halves: ALL,
  runs: { link: 'link', where: "outcome = 'completed'" },
};

/** The number of links that are filled in one transaction. */
const FILLED_AT_ONCE = 250;

/** Copies the rows of the first link to the other links. */
export const multiplyLink = async (url: string, names: readonly string[]): Promise<void> => {
  const [first, ...others] = names;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const statements: string[] = [];
  for (const [table, { link, where }] of Object.entries(STATE)) {
    const { rows } = await client.query<{ column_name: string }>(
      `select column_name from information_schema.columns where table_name = '${table}' and column_name <> '${link}'`,
    );
    const columns = rows.map(({ column_name: name }) => `"${name}"`).join(', ');
    statements.push(
      `insert into ${table} (${link}, ${columns}) select other, ${columns} from ${table}, unnest($2::text[]) as other
        where ${link} = $1 and ${where}`,
    );
  }
  for (let from = 0; from < others.length; from += FILLED_AT_ONCE) {
    const filled = others.slice(from, from + FILLED_AT_ONCE);
    await client.query('begin');
    for (const statement of statements) await client.query(statement, [first, filled]);
    await client.query('commit');
  }
  await client.query('vacuum analyze');
  await client.end();
};

/** A proxy to a server that counts the transferred bytes. */
export type Counter = {
  readonly port: number;
  bytes(): number;
  [Symbol.asyncDispose](): Promise<void>;
};

export const countBytes = async (port: number): Promise<Counter> => {
  let bytes = 0;
  const open = new Set<Socket>();
  const server = createServer((caller) => {
    const inner = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [caller, inner],
      [inner, caller],
    ] as const) {
      open.add(from);
      from.on('data', (chunk: Buffer) => (bytes += chunk.byteLength));
      from.on('error', () => undefined);
      from.on('close', () => to.destroy());
      from.pipe(to);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    bytes: () => bytes,
    [Symbol.asyncDispose]: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};
