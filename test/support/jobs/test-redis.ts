import { Redis } from 'ioredis';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

/** A Redis for one test file, which may stop it. */
export type TestRedis = {
  readonly url: string;
  readonly client: Redis;
  /** Ends the server without saving; `start` starts an empty one on the same port. */
  stop(): Promise<void>;
  start(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('No port was given.');
  return address.port;
};

/** Resolves when the server accepts connections; null where `redis-server` is not installed. */
const launch = async (port: number): Promise<ChildProcess | null> => {
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const server = spawn('redis-server', settings, { stdio: ['ignore', 'pipe', 'inherit'] });
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

/** A server of its own on a free port; null if there is no `redis-server`. With CI=true that is an error. */
export const startTestRedis = async (): Promise<TestRedis | null> => {
  const port = await freePort();
  let server = await launch(port);
  if (server === null) {
    if (process.env['CI'] === 'true') throw new Error('There is no redis-server on PATH, which these tests need.');
    return null;
  }
  const url = `redis://127.0.0.1:${port}`;
  const client = new Redis(url, { maxRetriesPerRequest: null });
  client.on('error', () => undefined);
  const stop = async (): Promise<void> => {
    if (server === null) return;
    const exited = once(server, 'exit');
    server.kill('SIGKILL');
    await exited;
    server = null;
  };
  return {
    url,
    client,
    stop,
    start: async () => {
      server = await launch(port);
    },
    [Symbol.asyncDispose]: async () => {
      client.disconnect();
      await stop();
    },
  };
};
