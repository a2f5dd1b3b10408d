import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { connectBriefly } from '../../../src/daemon/jobs/queue.ts';
import { watchTrouble } from '../../../src/util/redis-trouble.ts';
import { Secret } from '../../../src/util/secret.ts';
import { makeCertificate } from '../../support/certificate.ts';
import { startDaemonWorld } from '../../support/jobs/daemon-world.ts';
import { type LogLine, says } from '../../support/jobs/log-lines.ts';
import { startTestRedis } from '../../support/redis.ts';

// Without a token no request is sent to these hosts.

const WARNING = 'unencrypted remote address';
const OPEN = {
  baseUrl: 'http://service.invalid',
  rootUrl: 'http://10.0.0.7:80',
  accessToken: null,
  refreshToken: null,
};
const FOUND = {
  level: 'warn',
  addresses: [
    { side: 'google', where: 'links.open.google.rootUrl', host: '10.0.0.7' },
    { side: 'service', where: 'links.open.service.baseUrl', host: 'service.invalid' },
  ],
  remedy: 'Set links.open.google.rootUrl and links.open.service.baseUrl to an address that begins with https://.',
};

const warned = (lines: readonly LogLine[]): unknown[] => lines.filter(says(WARNING)).map(({ link }) => link);

test('the daemon warns of unencrypted addresses, once for each link, and of a webhook, of which it names only the host', async () => {
  const settings = { notifyUrl: 'http://hooks.invalid/T0SECRET' };
  await using world = await startDaemonWorld({ open: OPEN, closed: {} }, settings);
  const daemon = world.startDaemon();
  expect(await daemon.until(says(WARNING, 'open'))).toMatchObject(FOUND);
  const warning = await daemon.until(says('unencrypted notification URL'));
  expect(warning).toMatchObject({ level: 'warn', host: 'hooks.invalid' });
  await daemon.until(says('run completed', 'closed'));
  await world.configure({ open: OPEN, closed: { ...OPEN, rootUrl: undefined } }, settings);
  daemon.reload();
  await daemon.until(says(WARNING, 'closed'));
  expect(warned(daemon.lines)).toEqual(['open', 'closed']);
  expect(JSON.stringify(daemon.lines)).not.toContain('T0SECRET');
});

test('sync warns of the unencrypted addresses of the links that it runs', async () => {
  await using world = await startDaemonWorld({ open: OPEN, closed: {} });
  const linesOf = async (...args: readonly string[]): Promise<readonly LogLine[]> => {
    const { stderr } = await world.run('sync', ...args, '--json');
    return stderr.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as LogLine] : []));
  };
  const lines = await linesOf();
  expect(lines.find(says(WARNING))).toMatchObject({ link: 'open', ...FOUND });
  expect(warned(lines)).toEqual(['open']);
  expect(warned(await linesOf('closed'))).toEqual([]);
});

const directory = mkdtempSync(join(tmpdir(), 'contact-sync-test-'));
const tls = makeCertificate(directory);
const redis = await startTestRedis({ tls });
afterAll(async () => {
  await redis?.[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

const source = (path: string): string => JSON.stringify(join(import.meta.dirname, '../../../src', path));

const programOf = (url: string): string => `
  import { connectWithRetry, openQueue, jobOptions } from ${source('daemon/jobs/queue.ts')};
  import { Secret } from ${source('util/secret.ts')};
  import { createRedisLimiters } from ${source('net/redis-limiter.ts')};
  import { systemClock } from ${source('util/clock.ts')};
  const redis = connectWithRetry(new Secret(${JSON.stringify(url)}));
  const queue = openQueue(redis, 'contact-sync:tls');
  await queue.add('full', { link: 'a', kind: 'full', override: null }, jobOptions('full'));
  const limiters = createRedisLimiters(${JSON.stringify(url)});
  const limiter = await limiters.open('tls', { limit: { requests: 10, windowMs: 1000 }, clock: systemClock, snapshot: null });
  const { grant } = await limiter.admit();
  console.log(await queue.getPrioritizedCount(), grant !== null);
  process.exit(0);
`;

describe.skipIf(redis === null)('Redis over TLS', () => {
  test('serves the queue and the shared rate limit if its authority is trusted', async () => {
    const args = ['--input-type=module', '-e', programOf(`rediss://localhost:${redis?.port}`)];
    const env = { PATH: process.env['PATH'], NODE_EXTRA_CA_CERTS: tls.path };
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    expect(stdout.trim()).toBe('1 true');
  });

  test('is not used if its certificate is not trusted, and the trouble has a remedy', async () => {
    const connection = connectBriefly(new Secret(`rediss://localhost:${redis?.port}`));
    const troubleOf = watchTrouble(connection);
    const trouble = await connection.connect().then(() => null, troubleOf);
    connection.disconnect();
    expect(trouble).toEqual({
      what: 'shows a certificate that is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)',
      remedy: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
    });
  });
});
