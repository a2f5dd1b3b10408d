import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { z } from 'zod';
import { baseImages } from './base-images.ts';
import { ROOT } from './dockerfile.ts';
import type { Ended, Engine } from './engine.ts';
import { expectText, IMAGE, until } from './smoke.ts';

const FILES = ['compose.yaml', 'compose.redis.yaml'];
const PROJECT = `${IMAGE}-${process.pid}`;
const RESTARTS = 3;
const PASSWORD = 'password-of-the-check';
const variables = z.record(z.string(), z.string());

/** The sandbox owns the network in which the daemon runs, since it listens on 127.0.0.1 only. */
const overrideFor = (engine: Engine) => ({
  services: {
    sandbox: {
      image: IMAGE,
      command: ['sandbox', '--json'],
      read_only: true,
      cap_drop: ['ALL'],
      healthcheck: { disable: true },
    },
    'contact-sync': {
      image: IMAGE,
      network_mode: 'service:sandbox',
      ports: [],
      volumes: ['./contact-sync.yaml:/app/config/contact-sync.yaml:ro'],
    },
    redis: { image: baseImages(engine).redis },
  },
});

/** A copy of both compose files, with the secret files that they need. */
const prepare = async (engine: Engine, scratch: string): Promise<string> => {
  const directory = join(scratch, 'config');
  await mkdir(join(directory, 'secrets'), { recursive: true });
  for (const name of FILES) await cp(join(ROOT, 'config', name), join(directory, name));
  // A service in the network of another one cannot publish ports.
  const override = stringify(overrideFor(engine)).replace('ports: []', 'ports: !reset []');
  await writeFile(join(directory, 'override.yaml'), override);
  const secrets = {
    google_client_secret: '',
    service_client_secret: '',
    credentials_key: Buffer.alloc(32, 7).toString('base64'),
    redis_conf: `requirepass ${PASSWORD}\n`,
    redis_url: `redis://:${PASSWORD}@redis:6379\n`,
  };
  for (const [name, value] of Object.entries(secrets)) await writeFile(join(directory, 'secrets', name), value);
  return directory;
};

/** Writes the accounts of the sandbox to the secret files and the configuration. */
const configure = async (directory: string, printed: string): Promise<void> => {
  const env = variables.parse(JSON.parse(printed.slice(printed.indexOf('{'))));
  const of = (name: string): string => env[name] ?? '';
  await writeFile(join(directory, 'secrets/google_client_secret'), of('GOOGLE_CLIENT_SECRET'));
  await writeFile(join(directory, 'secrets/service_client_secret'), of('SERVICE_CLIENT_SECRET'));
  const links = { default: { syncInterval: '5s' } };
  const google = {
    clientId: of('GOOGLE_CLIENT_ID'),
    refreshToken: of('GOOGLE_REFRESH_TOKEN'),
    rootUrl: of('GOOGLE_ROOT_URL'),
    authUrl: of('GOOGLE_AUTH_URL'),
    tokenUrl: of('GOOGLE_TOKEN_URL'),
  };
  const service = {
    baseUrl: of('SERVICE_BASE_URL'),
    authUrl: of('SERVICE_AUTH_URL'),
    clientId: of('SERVICE_CLIENT_ID'),
    accessToken: of('SERVICE_ACCESS_TOKEN'),
  };
  await writeFile(join(directory, 'contact-sync.yaml'), stringify({ google, service, links }));
};

/** Podman leaves the checks of a container's health to systemd, which a container has not. */
const checkHealthOnAndOn = async (engine: Engine, signal: AbortSignal): Promise<void> => {
  while (engine.name === 'podman' && !signal.aborted) {
    const { stdout } = await engine.end('ps', '--quiet', '--filter', `label=com.docker.compose.project=${PROJECT}`);
    for (const id of stdout.split('\n').filter((line) => line !== '')) await engine.end('healthcheck', 'run', id);
    await sleep(1_000);
  }
};

/** Restarts Redis as often as it takes to know that it comes back, with the daemon and the queue as they were. */
const restartRedis = async (compose: (...args: readonly string[]) => Promise<Ended>): Promise<void> => {
  const inDaemon = (...args: readonly string[]) => compose('exec', '-T', 'contact-sync', 'contact-sync', ...args);
  const inRedis = (command: string) =>
    compose('exec', '-T', 'redis', 'sh', '-c', `REDISCLI_AUTH=${PASSWORD} redis-cli ${command}`);
  const readKept = () => inRedis('get kept-over-restarts');
  const health = () => inDaemon('health');
  await inRedis('set kept-over-restarts yes');
  for (let restart = 0; restart < RESTARTS; restart += 1) {
    const restarted = await compose('restart', 'redis');
    if (restarted.code !== 0) throw new Error(`Redis does not restart: ${restarted.stderr}`);
    await until('Redis', readKept, ({ stdout }) => stdout.includes('yes'));
    await until('health', health, ({ stdout }) => stdout === 'healthy: 1 link\n');
    const isDoneByDaemon = ({ code, stderr }: Ended): boolean => code === 0 && !stderr.includes('no daemon');
    await until('a resync by the daemon', () => inDaemon('resync', '--wait'), isDoneByDaemon);
  }
  await compose('stop', 'redis');
  const isWaiting = ({ code, stdout }: Ended): boolean =>
    code === 1 && stdout.startsWith('unhealthy: the daemon waits for its job queue: ');
  await until('health without Redis for a minute', health, isWaiting);
  await compose('start', 'redis');
  await until('health', health, (ended) => ended.code === 0);
};

/** Starts compose.yaml with compose.redis.yaml and a sandbox, and restarts the services. */
export const checkCompose = async (
  engine: Engine,
  run: NonNullable<Engine['compose']>,
  scratch: string,
): Promise<void> => {
  const directory = await prepare(engine, scratch);
  const files = [...FILES, 'override.yaml'].flatMap((name) => ['-f', join(directory, name)]);
  const compose = (...args: readonly string[]) => run('-p', PROJECT, ...files, ...args);
  const must = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await compose(...args);
    if (code !== 0) throw new Error(`compose ${args.join(' ')} ended with ${code}:\n${stdout}${stderr}`);
    return stdout;
  };
  const over = new AbortController();
  const checking = checkHealthOnAndOn(engine, over.signal);
  try {
    await must('config', '--quiet');
    await must('up', '--no-build', '--detach', 'sandbox');
    const ask = () => compose('logs', '--no-log-prefix', 'sandbox');
    const { stdout } = await until('the sandbox', ask, (logs) => logs.stdout.includes('GOOGLE_TOKEN_URL'));
    await configure(directory, stdout);
    await must('up', '--no-build', '--detach');
    const status = () => compose('exec', '-T', 'contact-sync', 'contact-sync', 'status');
    await until('a first run', status, (ended) => ended.stdout.includes('completed'));
    await restartRedis(compose);
    await must('stop', 'contact-sync');
    const ended = await must('ps', '--all', '--format', 'json', 'contact-sync');
    expectText('the exit code', ended, /"ExitCode":0\b/u);
  } catch (error) {
    const { stdout } = await compose('logs', '--tail', '15');
    throw new Error(`compose failed. The last lines of its services:\n${stdout}`, { cause: error });
  } finally {
    over.abort();
    await checking;
    await compose('down', '--volumes', '--timeout', '15');
  }
};
