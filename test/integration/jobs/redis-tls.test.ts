import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { Secret } from '../../../src/util/secret.ts';
import { connectBriefly } from '../../../src/daemon/jobs/queue.ts';
import { watchTrouble } from '../../../src/util/redis-trouble.ts';
import { startTestRedis } from '../../support/redis.ts';
import { makeCertificate } from '../../support/certificate.ts';

const directory = mkdtempSync(join(tmpdir(), 'contact-sync-test-'));
const tls = makeCertificate(directory);
const redis = await startTestRedis({ tls });
afterAll(async () => {
  await redis?.[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

const QUEUE = join(import.meta.dirname, '../../../src/daemon/jobs/queue.ts');
const SECRET = join(import.meta.dirname, '../../../src/util/secret.ts');
const RINGS = join(import.meta.dirname, '../../../src/net/redis-limiter.ts');
const CLOCK = join(import.meta.dirname, '../../../src/util/clock.ts');

/** Returns a program that uses the queue and the shared rate limit at an address. */
const programOf = (url: string): string => `
  import { connectWithRetry, openQueue, jobOptions } from ${JSON.stringify(QUEUE)};
  import { Secret } from ${JSON.stringify(SECRET)};
  import { createRedisLimiters } from ${JSON.stringify(RINGS)};
  import { systemClock } from ${JSON.stringify(CLOCK)};
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
