import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createApp } from '../../../src/app/app.ts';
import { loadConfig } from '../../../src/app/config/config.ts';
import { createEvents } from '../../../src/app/events.ts';
import { startDaemon } from '../../../src/daemon/daemon.ts';
import { createLogger } from '../../../src/util/logger.ts';
import { startSandbox } from '../../../src/sandbox/sandbox.ts';
import { collectLog, completed, overlaps, says } from '../../support/jobs/log-lines.ts';
import { startTestRedis } from '../../support/redis.ts';
import { FAST_SANDBOX } from '../../support/linked-sandbox.ts';
import { createMovableClock } from '../../support/clocks.ts';
import { findPostgres, startPostgres } from '../../support/postgres.ts';
import { createFolder } from '../../support/folder.ts';

const redis = await startTestRedis();
const postgres = await findPostgres();
afterAll(async () => {
  await redis?.[Symbol.asyncDispose]();
  await postgres?.close();
});

let stack = new AsyncDisposableStack();
let environment: Readonly<Record<string, string>> = {};

beforeEach(async () => {
  stack = new AsyncDisposableStack();
  const sandbox = stack.use(await startSandbox({ count: 10, ...FAST_SANDBOX }));
  environment = { ...sandbox.environment(), LOG_LEVEL: 'debug' };
});
afterEach(() => stack.disposeAsync());

const startHost = async (variables: Readonly<Record<string, string>>) => {
  const { path: dataDir } = stack.use(await createFolder());
  const config = loadConfig({
    env: { ...environment, CREDENTIALS_KEY: 'a key that all hosts share', ...variables, DATA_DIR: dataDir },
    cwd: dataDir,
  });
  const { stream, ...log } = collectLog();
  const logger = createLogger({ level: config.logLevel, format: 'json', destination: stream });
  const events = createEvents(logger, { personalData: false });
  const clock = createMovableClock();
  const app = stack.use(createApp(config, events, { clock }));
  const parts = { app, events, clock, random: () => 0.5, loadConfig: () => config };
  const daemon = startDaemon(parts);
  stack.defer(() => daemon.stop());
  return { ...log, app, clock, daemon };
};

const runsOf = async (url: string, kind: string): Promise<number> => {
  const [row] = (await postgres?.query(url, `select count(*) as runs from runs where kind = '${kind}'`)) ?? [];
  return Number(row?.['runs']);
};

describe.skipIf(postgres === null || redis === null)('daemons on several hosts', () => {
  test('that share a database share one queue, whatever their DATA_DIR, and one of them runs each job', async () => {
    const url = (await postgres?.createDatabase()) ?? '';
    const shared = { DATABASE_URL: url, REDIS_URL: redis?.url ?? '' };
    const hosts = [await startHost(shared), await startHost(shared)];
    const [one, other] = hosts;
    await Promise.race(hosts.map((host) => host.until(completed('default', 'full'))));
    const prefixes = async () => (await redis?.client.keys('contact-sync:*:runs:meta')) ?? [];
    expect(await prefixes()).toHaveLength(1);
    expect(await redis?.client.zcard((await prefixes())[0]?.replace('meta', 'repeat') ?? '')).toBe(1);
    await expect.poll(() => one?.daemon.depth()).toEqual({ waiting: 0, active: 0 });
    const before = await runsOf(url, 'full');
    const ends = hosts.map((host) => host.until(completed('default', 'full'), host.lines.length));
    const order = { link: 'default', kind: 'full', override: null } as const;
    await one?.daemon.requestJob(order);
    await other?.daemon.requestJob(order);
    await Promise.race(ends);
    await expect.poll(() => one?.daemon.depth()).toEqual({ waiting: 0, active: 0 });
    expect(await runsOf(url, 'full')).toBe(before + 1);
    expect(overlaps(hosts, 'default')).toBe(0);
  });

  test('wait for an unreachable database, and start when it is reachable', async () => {
    const own = await startPostgres();
    if (own === null) return;
    stack.defer(() => own.close());
    await own.stop();
    const host = await startHost({ DATABASE_URL: own.url, REDIS_URL: redis?.url ?? '' });
    const lost = await host.until(says('queue unreachable'));
    expect(lost['reason']).toContain('does not answer (ECONNREFUSED)');
    await expect(host.daemon.requestJob({ link: 'default', kind: 'full', override: null })).rejects.toThrow(
      'ECONNREFUSED',
    );
    await own.start();
    host.clock.advance(2_000);
    await host.until(completed('default', 'full'));
  });
});
