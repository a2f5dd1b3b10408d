import { execFile, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, chownSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from './network.ts';
import { serverUser } from './server-user.ts';

const run = promisify(execFile);

/** A running PostgreSQL: the server of this machine, or one started for the tests. */
export type TestPostgres = {
  /** Makes an empty database, which is dropped with the server's {@link close}. `options` are those of `create database`. */
  createDatabase(options?: string): Promise<string>;
  /** Runs a statement, for tests that read the tables. */
  query(url: string, statement: string): Promise<readonly Record<string, unknown>[]>;
  close(): Promise<void>;
};

/** A server that a test can stop and start. */
export type OwnPostgres = {
  readonly url: string;
  start(): Promise<void>;
  /** Kills the server without notice to its clients. */
  stop(): Promise<void>;
  close(): Promise<void>;
};

const USUAL = 'postgres://postgres@127.0.0.1:5432/postgres';
const TRIES = 3_000;

const query = async (url: string, statement: string): Promise<readonly Record<string, unknown>[]> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
};

const answers = (url: string): Promise<boolean> =>
  query(url, 'select 1').then(
    () => true,
    () => false,
  );

/** The directory of the newest Debian package, empty for programs on the PATH, null if there is none. */
const findPrograms = (): string | null => {
  const found = globSync('/usr/lib/postgresql/*/bin/initdb').toSorted().at(-1);
  if (found !== undefined) return found.slice(0, -'initdb'.length);
  try {
    execFileSync('initdb', ['--version'], { stdio: 'ignore' });
    return '';
  } catch {
    return null;
  }
};

export type OwnPostgresOptions = {
  /** A further listen address, and its access rule as a line of pg_hba.conf. */
  readonly open?: { readonly address: string; readonly allow: string };
  /** In PEM; with them the server uses TLS. */
  readonly tls?: { readonly certificate: string; readonly key: string };
  /** Settings of postgresql.conf, such as `max_connections=20`. */
  readonly settings?: readonly string[];
};

/** Writes a file that only the user of the server can read. */
const writeOwn = (path: string, text: string, user: ReturnType<typeof serverUser>): void => {
  writeFileSync(path, text, { mode: 0o600 });
  if (user !== null) chownSync(path, user.uid, user.gid);
};

/** Creates and starts a server in a temporary directory. Returns null where PostgreSQL is not installed. */
export const startPostgres = async ({
  open,
  tls,
  settings: more = [],
}: OwnPostgresOptions = {}): Promise<OwnPostgres | null> => {
  const programs = findPrograms();
  if (programs === null) return null;
  const directory = mkdtempSync(join(tmpdir(), 'contact-sync-postgres-'));
  const user = serverUser('postgres');
  if (user !== null) chownSync(directory, user.uid, user.gid);
  const as = { ...user, cwd: directory };
  const data = join(directory, 'data');
  await run(`${programs}initdb`, ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N'], as);
  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  if (open !== undefined) appendFileSync(join(data, 'pg_hba.conf'), `${open.allow}\n`);
  if (tls !== undefined) {
    writeOwn(join(data, 'server.crt'), tls.certificate, user);
    writeOwn(join(data, 'server.key'), tls.key, user);
  }
  const addresses = ['127.0.0.1', ...(open === undefined ? [] : [open.address])].join(',');
  const settings = [
    `port=${port}`,
    `listen_addresses=${addresses}`,
    `unix_socket_directories=${directory}`,
    'fsync=off',
    ...(tls === undefined ? [] : ['ssl=on']),
    ...more,
  ];
  let stop = (): Promise<void> => Promise.resolve();
  const start = async (): Promise<void> => {
    const options = settings.flatMap((setting) => ['-c', setting]);
    const server = spawn(`${programs}postgres`, ['-D', data, ...options], { ...as, stdio: 'ignore' });
    const isGone = new Promise<void>((resolve) => server.once('exit', () => resolve()));
    stop = async () => {
      server.kill('SIGQUIT');
      await isGone;
    };
    for (let attempt = 0; attempt < TRIES && !(await answers(url)); attempt += 1) await setTimeout(100);
  };
  await start();
  return {
    url,
    start,
    stop: () => stop(),
    close: async () => {
      await stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
};

const MISSING = "No PostgreSQL answers at 127.0.0.1:5432, and none is installed. Install Debian's package postgresql.";

/** Finds a server or starts one; null if none answers and PostgreSQL is not installed. With CI=true that is an error. */
export const findPostgres = async (): Promise<TestPostgres | null> => {
  const isThere = await answers(USUAL);
  const own = isThere ? null : await startPostgres();
  const url = isThere ? USUAL : (own?.url ?? null);
  if (url === null) {
    if (process.env['CI'] === 'true') throw new Error(MISSING);
    return null;
  }
  const made: string[] = [];
  return {
    createDatabase: async (options = '') => {
      const name = `contact_sync_test_${randomUUID().replaceAll('-', '')}`;
      await query(url, `create database ${name} ${options}`);
      made.push(name);
      return Object.assign(new URL(url), { pathname: name }).href;
    },
    query,
    close: async () => {
      for (const name of made) await query(url, `drop database if exists ${name} with (force)`);
      await own?.close();
    },
  };
};
