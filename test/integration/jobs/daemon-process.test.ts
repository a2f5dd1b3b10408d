import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { startCliHost } from '../../support/cli-host.ts';
import { readSides } from '../../support/compare-sides.ts';
import { startDaemonWorld, type DaemonWorld } from '../../support/jobs/daemon-world.ts';
import { editBothSides, untilEqual } from '../../support/jobs/edits.ts';
import { completed, errors, overlaps, says } from '../../support/jobs/log-lines.ts';
import { startTestRedis } from '../../support/jobs/test-redis.ts';

// What only shows in a process of its own: signals, the exit code, sudden death.

const redis = await startTestRedis();
const host = startCliHost();
afterAll(async () => {
  await host[Symbol.asyncDispose]();
  await redis?.[Symbol.asyncDispose]();
});

const QUICK = { syncInterval: '1s' };
/** As configured, so that a daemon here agrees on the schedules with one in a process of its own. */
const AS_CONFIGURED = 1;
/** How long the lease of a process that died stands in the way of others. */
const LEASE_MS = 15_000;

const worldOf = async (queue: 'embedded' | 'redis', ...names: readonly string[]): Promise<DaemonWorld> => {
  const world = await startDaemonWorld(queue === 'redis' && redis !== null ? redis.url : null, host);
  for (const name of names) await world.addLink(name);
  await world.configure(Object.fromEntries(names.map((name) => [name, QUICK])));
  return world;
};

test('a second daemon on one DATA_DIR says so at its start, and not of one that was killed', async () => {
  await using world = await worldOf('embedded', 'work');
  const first = world.startProcess();
  await first.until(completed('work', 'incremental'));
  const second = world.startDaemon(AS_CONFIGURED);
  const beside = await second.until(says('DATA_DIR shared with another daemon'));
  expect(beside).toMatchObject({ level: 'warn', pid: expect.any(Number), host: expect.any(String) });
  await second.stop();
  first.kill('SIGKILL');
  await first.exited;
  const third = world.startDaemon(AS_CONFIGURED);
  await third.until(completed('work'));
  expect(third.lines.filter(says('DATA_DIR shared with another daemon'))).toEqual([]);
});

describe.each(['embedded', 'redis'] as const)('the process of the daemon, %s', (queue) => {
  const isLeftOut = queue === 'redis' && redis === null;

  test.skipIf(isLeftOut)(
    'reloads on SIGHUP, and ends in order and with 0 on SIGTERM in the middle of a run',
    async () => {
      await using world = await worldOf(queue, 'work');
      const daemon = world.startProcess();
      await daemon.until(completed('work', 'full'));
      await world.addLink('large', 120);
      await world.configure({ work: QUICK, large: QUICK });
      daemon.kill('SIGHUP');
      expect(await daemon.until(says('configuration reloaded'))).toMatchObject({ added: ['large'] });
      await daemon.until(says('plan computed', 'large'));
      daemon.kill('SIGTERM');
      expect(await daemon.exited).toBe(0);
      expect(errors(daemon)).toEqual([]);
      expect(daemon.lines.find(says('daemon stopping'))).toMatchObject({ signal: 'SIGTERM' });
      expect(daemon.lines.at(-1)).toMatchObject({ msg: 'daemon stopped' });
    },
  );

  test.skipIf(isLeftOut)('a second signal ends it at once', async () => {
    await using world = await worldOf(queue, 'work');
    const daemon = world.startProcess();
    await daemon.until(says('daemon started'));
    daemon.kill('SIGTERM');
    daemon.kill('SIGINT');
    expect(await daemon.exited).toBe(0);
  });
});

test('a remote that never answers does not keep the daemon from ending in time', async () => {
  await using world = await worldOf('embedded', 'work');
  const asked = Promise.withResolvers<void>();
  const silent = createServer(() => asked.resolve()).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const address = silent.address();
  const baseUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  await world.configure({ work: { ...QUICK, baseUrl } });
  const daemon = world.startDaemon();
  await asked.promise;
  const stopped = daemon.stop();
  // What is under way has six seconds to end.
  daemon.clock.advance(6_000);
  await stopped;
  expect(errors(daemon)).toEqual([]);
  silent.closeAllConnections();
  silent.close();
});

test('health says in one line that the store cannot be used', async () => {
  await using world = await worldOf('embedded', 'work');
  await mkdir(world.dataDir);
  await writeFile(join(world.dataDir, 'contact-sync.db'), 'this is no database '.repeat(100));
  const { code, stdout } = await world.run('health');
  expect(code).toBe(1);
  expect(stdout).toMatch(/^unhealthy: [^\n]*contact-sync\.db[^\n]*\n$/u);
});

describe.skipIf(redis === null)('two daemons on one Redis and one store', () => {
  test('no link is run twice at once, and where one is killed the other takes over', async () => {
    await using world = await worldOf('redis', 'work', 'home', 'club');
    const mortal = world.startProcess();
    await mortal.until(says('run completed'));
    const other = world.startDaemon(AS_CONFIGURED);
    await Promise.all([mortal, other].map((daemon) => daemon.until(says('run completed'), daemon.lines.length)));
    for (const [name, sandbox] of world.sandboxes) editBothSides(sandbox, `second ${name}`);
    mortal.kill('SIGKILL');
    expect(await mortal.exited).toBeNull();
    other.clock.advance(LEASE_MS);
    const from = other.lines.length;
    for (const [name, sandbox] of world.sandboxes) {
      await other.until(completed(name), from);
      await untilEqual(sandbox, `second ${name}`);
    }
    for (const name of world.sandboxes.keys()) expect([name, overlaps([mortal, other], name)]).toEqual([name, 0]);
    expect([mortal, other].flatMap(errors)).toEqual([]);
  });

  test('a run whose daemon was killed in the middle is gone on with by another one', async () => {
    await using world = await worldOf('redis');
    const sandbox = await world.addLink('work', 120);
    await world.configure({ work: QUICK });
    const mortal = world.startProcess();
    await mortal.until(says('plan computed'));
    mortal.kill('SIGKILL');
    await mortal.exited;
    const other = world.startDaemon(AS_CONFIGURED);
    // The lease of a process that is known to be dead is free at once.
    await other.until(completed('work'));
    const { google, service } = readSides(sandbox);
    expect(google).toEqual(service);
    expect([mortal, other].flatMap(errors)).toEqual([]);
  });
});
