import { spawn } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { Redis } from 'ioredis';

/** A Redis that answers: the usual one of this machine, or one that was started for this purpose. */
export type TestRedis = {
  readonly url: string;
  /** Deletes every key that begins so. */
  forget(prefix: string): Promise<void>;
  close(): Promise<void>;
};

const USUAL = 'redis://127.0.0.1:6379';
const TRIES = 3_000;

const answers = async (url: string): Promise<boolean> => {
  const redis = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null });
  redis.on('error', () => undefined);
  try {
    return (await redis.ping()) === 'PONG';
  } catch {
    return false;
  } finally {
    redis.disconnect();
  }
};

const forgetIn =
  (url: string) =>
  async (prefix: string): Promise<void> => {
    const redis = new Redis(url);
    const keys = await redis.keys(`${prefix}*`);
    if (keys.length > 0) await redis.del(...keys);
    await redis.quit();
  };

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
};

/** Finds or starts one; null where there is none and no `redis-server` to start. */
export const findRedis = async (): Promise<TestRedis | null> => {
  if (await answers(USUAL)) return { url: USUAL, forget: forgetIn(USUAL), close: () => Promise.resolve() };
  const port = await freePort();
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const server = spawn('redis-server', options, { stdio: 'ignore' });
  const isGone = new Promise<'gone'>((resolve) => {
    server.once('error', () => resolve('gone'));
    server.once('exit', () => resolve('gone'));
  });
  const url = `redis://127.0.0.1:${port}`;
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    if (await answers(url))
      return { url, forget: forgetIn(url), close: async () => void (server.kill() && (await isGone)) };
    if ((await Promise.race([isGone, setTimeout(100)])) === 'gone') return null;
  }
  server.kill();
  return null;
};
