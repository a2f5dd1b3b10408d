import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { startDaemonWorld, type DaemonWorld } from '../../support/jobs/daemon-world.ts';
import { editBothSides, untilEqual } from '../../support/jobs/edits.ts';
import { completed, errors, overlaps, says, seriesIn } from '../../support/jobs/log-lines.ts';
import { startTestRedis } from '../../support/redis.ts';

const redis = await startTestRedis();
afterAll(() => redis?.[Symbol.asyncDispose]());

const QUICK = { syncInterval: '1s' };
/** The configured intervals, so that a daemon in this process has the same schedules as one in a separate process. */
const AS_CONFIGURED = 1;
const LEASE_MS = 15_000;

const ANY_PORT = { listen: '127.0.0.1:0' };

const startListening = async (world: DaemonWorld) => {
  const daemon = world.startProcess();
  const line = await daemon.until(says('HTTP server started'));
  const address = String(line['address']);
  return { daemon, address, ask: (path: string): Promise<Response> => fetch(`http://${address}${path}`) };
};

const settingsOf = (queue: 'embedded' | 'redis') => ({ redisUrl: queue === 'redis' ? redis?.url : null });

test('a second daemon on one DATA_DIR logs a warning at its start, but not for a daemon that was killed', async () => {
  await using world = await startDaemonWorld({ work: QUICK });
  const first = world.startProcess();
  await first.until(completed('work', 'incremental'));
  const second = world.startDaemon(AS_CONFIGURED);
  const shared = await second.until(says('DATA_DIR shared with another daemon'));
  expect(shared).toMatchObject({ level: 'warn', pid: expect.any(Number), host: expect.any(String) });
  await second.stop();
  first.kill('SIGKILL');
  await first.exited;
  const third = world.startDaemon(AS_CONFIGURED);
  third.clock.advance(LEASE_MS);
  await third.until(completed('work'));
  expect(third.lines.filter(says('DATA_DIR shared with another daemon'))).toEqual([]);
});

describe.each(['embedded', 'redis'] as const)('the process of the daemon, %s', (queue) => {
  const isLeftOut = queue === 'redis' && redis === null;

  test.skipIf(isLeftOut)('serves metrics and health, reloads on SIGHUP, and ends in time on SIGTERM', async () => {
    await using world = await startDaemonWorld({ work: QUICK }, { ...ANY_PORT, ...settingsOf(queue) });
    const { daemon, address, ask } = await startListening(world);
    expect(await (await ask('/healthz')).text()).toBe('alive\n');
    await daemon.until(completed('work', 'full'));
    await daemon.until(completed('work', 'incremental'));
    const text = await (await ask('/metrics')).text();
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
    expect([ready.status, await ready.text()]).toEqual([200, (await world.run('health')).stdout]);

    await world.addLink('large', 120);
    await world.configure({ work: QUICK, large: QUICK }, ANY_PORT);
    daemon.kill('SIGHUP');
    expect(await daemon.until(says('configuration reloaded'))).toMatchObject({ added: ['large'] });
    const kept = connect(Number(address.split(':')[1]), '127.0.0.1').on('error', () => undefined);
    kept.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(kept, 'data');
    await daemon.until(says('plan computed', 'large'));
    daemon.kill('SIGTERM');
    expect(await daemon.exited).toBe(0);
    expect(errors(daemon)).toEqual([]);
    expect(daemon.lines.find(says('daemon stopping'))).toMatchObject({ signal: 'SIGTERM' });
    expect(daemon.lines.at(-1)).toMatchObject({ msg: 'daemon stopped' });
  });

  test.skipIf(isLeftOut)('ends at once on a second signal', async () => {
    await using world = await startDaemonWorld({ work: QUICK }, settingsOf(queue));
    const daemon = world.startProcess();
    await daemon.until(says('daemon started'));
    daemon.kill('SIGTERM');
    daemon.kill('SIGINT');
    expect(await daemon.exited).toBe(0);
  });
});

test('a remote that never responds does not prevent the daemon from ending in time', async () => {
  await using world = await startDaemonWorld({ work: QUICK });
  const requested = Promise.withResolvers<void>();
  const silent = createServer(() => requested.resolve()).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const address = silent.address();
  const baseUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  await world.configure({ work: { ...QUICK, baseUrl } });
  const daemon = world.startDaemon();
  await requested.promise;
  const stopped = daemon.stop();
  // A running job has six seconds to end.
  daemon.clock.advance(6_000);
  await stopped;
  expect(errors(daemon)).toEqual([]);
  silent.closeAllConnections();
  silent.close();
});

test('health reports in one line that the store cannot be used', async () => {
  await using world = await startDaemonWorld({ work: QUICK });
  await mkdir(world.dataDir);
  await writeFile(join(world.dataDir, 'contact-sync.db'), 'this is no database '.repeat(100));
  const stdout = expect.stringMatching(/^unhealthy: [^\n]*contact-sync\.db[^\n]*\n$/u);
  expect(await world.run('health')).toMatchObject({ code: 1, stdout });
});

describe.skipIf(redis === null)('two daemons on one Redis and one store', () => {
  test('no link has two runs at once, and if one daemon is killed the other continues its links', async () => {
    await using world = await startDaemonWorld({ work: QUICK, home: QUICK, club: QUICK }, settingsOf('redis'));
    const killed = world.startProcess();
    await killed.until(says('run completed'));
    const other = world.startDaemon(AS_CONFIGURED);
    await Promise.all([killed, other].map((daemon) => daemon.until(says('run completed'), daemon.lines.length)));
    for (const [name, sandbox] of world.sandboxes) editBothSides(sandbox, `second ${name}`);
    killed.kill('SIGKILL');
    expect(await killed.exited).toBeNull();
    other.clock.advance(LEASE_MS);
    const from = other.lines.length;
    for (const [name, sandbox] of world.sandboxes) {
      await other.until(completed(name), from);
      await untilEqual(sandbox, `second ${name}`);
    }
    for (const name of world.sandboxes.keys()) expect([name, overlaps([killed, other], name)]).toEqual([name, 0]);
    expect([killed, other].flatMap(errors)).toEqual([]);
  });
});

test('responses with status 429 are counted by link and side, and a port in use is one error of a second daemon', async () => {
  await using world = await startDaemonWorld({ work: QUICK }, ANY_PORT);
  world.sandbox('work').service.addFault({ times: 1, action: { kind: 'status', status: 429, retryAfter: '1' } });
  const { daemon, address, ask } = await startListening(world);
  await daemon.until(says('rate limit exceeded', 'work'));
  expect(seriesIn(await (await ask('/metrics')).text(), 'contact_sync_rate_limited_total')).toEqual({
    'link="work",side="google"': 0,
    'link="work",side="service"': 1,
  });
  await world.configure({ work: QUICK }, { listen: address });
  const stderr = expect.stringMatching(/^The configuration has a problem:\n.* is in use\. [^\n]*\n$/u);
  expect(await world.run('daemon')).toEqual({ code: 2, stdout: '', stderr });
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
  const warning = { level: 'warn', limit: MOST_CONNECTIONS };
  expect(await daemon.until(says('HTTP connections limited'))).toMatchObject(warning);
  await daemon.until(completed('work', 'incremental'), daemon.lines.length);
  expect((await world.run('health')).code).toBe(0);
  for (const socket of idle) socket.destroy();
  await expect.poll(() => ask('/healthz').catch(() => null)).toMatchObject({ status: 200 });
  expect(errors(daemon)).toEqual([]);
});
