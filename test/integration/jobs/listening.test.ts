import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { type DaemonWorld, startDaemonWorld } from '../../support/jobs/daemon-world.ts';
import { completed, errors, says, seriesIn } from '../../support/jobs/log-lines.ts';
import { startTestRedis } from '../../support/redis.ts';

// The daemon as a process, with requests over HTTP.

const redis = await startTestRedis();
afterAll(() => redis?.[Symbol.asyncDispose]());

const QUICK = { syncInterval: '1s' };
const ANY_PORT = { listen: '127.0.0.1:0' };

const startListening = async (world: DaemonWorld) => {
  const daemon = world.startProcess();
  const line = await daemon.until(says('HTTP server started'));
  const address = String(line['address']);
  const ask = (path: string): Promise<Response> => fetch(`http://${address}${path}`);
  const metrics = async (): Promise<string> => (await ask('/metrics')).text();
  return { daemon, address, ask, metrics };
};

describe.each(['embedded', 'redis'] as const)('a daemon that listens, %s', (queue) => {
  test.skipIf(queue === 'redis' && redis === null)(
    'serves its metrics and its health, and ends in time with an open connection',
    async () => {
      await using world = await startDaemonWorld(
        { work: QUICK },
        { ...ANY_PORT, redisUrl: queue === 'redis' ? redis?.url : null },
      );
      const { daemon, address, ask, metrics } = await startListening(world);
      expect(await (await ask('/healthz')).text()).toBe('alive\n');
      await daemon.until(completed('work', 'full'));
      await daemon.until(completed('work', 'incremental'));
      const text = await metrics();
      expect(seriesIn(text, 'contact_sync_runs_total')).toMatchObject({
        'link="work",kind="full",outcome="completed"': 1,
        'link="work",kind="incremental",outcome="completed"': expect.any(Number),
      });
      expect(seriesIn(text, 'contact_sync_link_lag_seconds')['link="work"']).toBeLessThan(30);
      expect(seriesIn(text, 'contact_sync_link_state')['link="work",state="active"']).toBe(1);
      expect(seriesIn(text, 'contact_sync_queue_up')).toEqual({ '': 1 });
      // The count contains only requests that the emulators received.
      const requests = seriesIn(text, 'contact_sync_requests_total');
      expect(requests['link="work",side="service"']).toBeGreaterThan(0);
      expect(requests['link="work",side="service"']).toBeLessThanOrEqual(world.sandbox('work').service.requests.length);
      const ready = await ask('/readyz');
      expect(ready.status).toBe(200);
      expect(await ready.text()).toBe((await world.run('health')).stdout);

      const kept = connect(Number(address.split(':')[1]), '127.0.0.1');
      kept.on('error', () => undefined);
      kept.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
      await once(kept, 'data');
      daemon.kill('SIGTERM');
      expect(await daemon.exited).toBe(0);
      expect(daemon.lines.at(-1)).toMatchObject({ msg: 'daemon stopped' });
      expect(errors(daemon)).toEqual([]);
    },
  );
});

test('responses with status 429 are counted by link and side', async () => {
  await using world = await startDaemonWorld({ work: QUICK }, ANY_PORT);
  world.sandbox('work').service.addFault({ times: 1, action: { kind: 'status', status: 429, retryAfter: '1' } });
  const { daemon, metrics } = await startListening(world);
  await daemon.until(says('rate limit exceeded', 'work'));
  expect(seriesIn(await metrics(), 'contact_sync_rate_limited_total')).toEqual({
    'link="work",side="google"': 0,
    'link="work",side="service"': 1,
  });
});

test('a port in use is one error, and the daemon does not start', async () => {
  await using world = await startDaemonWorld({ work: QUICK }, ANY_PORT);
  const { daemon, address } = await startListening(world);
  await daemon.until(completed('work'));
  await world.configure({ work: QUICK }, { listen: address });
  const { code, stdout, stderr } = await world.run('daemon');
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^The configuration has a problem:\n {2}- LISTEN: 127\.0\.0\.1:\d+ is in use\. [^\n]*\n$/u);
});

const MOST_CONNECTIONS = 128;

test('with more connections than the server accepts the daemon syncs, and responds when they have ended', async () => {
  await using world = await startDaemonWorld({ work: QUICK }, ANY_PORT);
  const { daemon, address, ask } = await startListening(world);
  await daemon.until(completed('work', 'full'));
  const idle: Socket[] = [];
  for (let count = 0; count < MOST_CONNECTIONS + 50; count += 1) {
    const socket = connect(Number(address.split(':')[1]), '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    socket.write('GET /healthz HTTP/1.1\r\nHost: loc');
    idle.push(socket);
  }
  expect(await daemon.until(says('HTTP connections limited'))).toMatchObject({
    level: 'warn',
    limit: MOST_CONNECTIONS,
  });
  await daemon.until(completed('work', 'incremental'), daemon.lines.length);
  expect((await world.run('health')).code).toBe(0);
  for (const socket of idle) socket.destroy();
  await expect
    .poll(() =>
      ask('/healthz').then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(200);
  expect(errors(daemon)).toEqual([]);
});
