import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Redis } from 'ioredis';
import { freePort } from './network.ts';

/** A Redis of its own for one test file, which may stop it. */
export type TestRedis = {
  readonly port: number;
  readonly url: string;
  /** A connection without a password and without TLS. */
  readonly client: Redis;
  /** Ends the server without saving; `start` starts an empty one on the same port. */
  stop(): Promise<void>;
  start(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

export type TestRedisOptions = {
  /** Further options of the command line. */
  readonly settings?: readonly string[];
  /** The paths of a certificate and its key; with them the server accepts only TLS. */
  readonly tls?: { readonly path: string; readonly keyPath: string };
};

/** Resolves when the server accepts connections; null where `redis-server` is not installed. */
const launch = async (port: number, { settings = [], tls }: TestRedisOptions): Promise<ChildProcess | null> => {
  const listen =
    tls === undefined
      ? ['--port', `${port}`]
      : ['--port', '0', '--tls-port', `${port}`, '--tls-cert-file', tls.path, '--tls-key-file', tls.keyPath];
  const safe = tls === undefined ? [] : ['--tls-auth-clients', 'no'];
  const args = [...listen, ...safe, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', ...settings];
  const server = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const isThere = await new Promise<boolean>((resolve) => {
    server.once('spawn', () => resolve(true));
    server.once('error', () => resolve(false));
  });
  if (!isThere) return null;
  for await (const line of createInterface({ input: server.stdout })) {
    if (line.includes('Ready to accept connections')) break;
  }
  server.stdout.resume();
  return server;
};

/** Starts a server on a free port; null if there is no `redis-server`. With CI=true that is an error. */
export const startTestRedis = async (options: TestRedisOptions = {}): Promise<TestRedis | null> => {
  const port = await freePort();
  let server = await launch(port, options);
  if (server === null) {
    if (process.env['CI'] === 'true') throw new Error('There is no redis-server on PATH, which these tests need.');
    return null;
  }
  const url = `redis://127.0.0.1:${port}`;
  let client: Redis | null = null;
  const connect = (): Redis => {
    const made = new Redis(url, { maxRetriesPerRequest: null });
    made.on('error', () => undefined);
    return made;
  };
  const stop = async (): Promise<void> => {
    if (server === null) return;
    const exited = once(server, 'exit');
    server.kill('SIGKILL');
    await exited;
    server = null;
  };
  return {
    port,
    url,
    get client() {
      client ??= connect();
      return client;
    },
    stop,
    start: async () => {
      server = await launch(port, options);
    },
    [Symbol.asyncDispose]: async () => {
      client?.disconnect();
      await stop();
    },
  };
};
