import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { openStore } from '../../../src/store/sqlite-store.ts';
import { readSides } from '../../support/compare-sides.ts';
import {
  completed,
  says,
  startDaemonWorld,
  type DaemonProcess,
  type DaemonWorld,
} from '../../support/jobs/daemon-world.ts';
import { startTestRedis } from '../../support/jobs/test-redis.ts';

const redis = await startTestRedis();
afterAll(() => redis?.[Symbol.asyncDispose]());

const QUICK = { syncInterval: '1s' };

const worldOf = async (queue: 'embedded' | 'redis', ...names: readonly string[]): Promise<DaemonWorld> => {
  const world = await startDaemonWorld(queue === 'redis' && redis !== null ? redis.url : null);
  for (const name of names) await world.addLink(name);
  await world.configure(Object.fromEntries(names.map((name) => [name, QUICK])));
  return world;
};

/** Every run of the link is logged when it ends, so two of them at once would overlap in time. */
const overlaps = (daemons: readonly DaemonProcess[], link: string): number => {
  const runs = daemons
    .flatMap(({ lines }) => lines)
    .filter((line) => line.msg === 'run completed' && line['link'] === link)
    .map((line) => ({ endMs: Date.parse(String(line['time'])), durationMs: Number(line['durationMs']) }))
    .toSorted((left, right) => left.endMs - right.endMs);
  return runs.filter((run, index) => index > 0 && run.endMs - run.durationMs < (runs[index - 1]?.endMs ?? 0) - 20)
    .length;
};

const errors = ({ lines }: DaemonProcess) => lines.filter(({ level }) => level === 'error' || level === 'fatal');

const editBothSides = (sandbox: Sandbox, mark: string): void => {
  const person = sandbox.google.account.people().at(-1);
  // Somebody else: what is tested is not how conflicts are settled.
  const contact = sandbox.service.account.contacts().find((one) => one.last_name !== person?.names?.[0]?.familyName);
  sandbox.service.account.updateContact(contact?.id ?? '', { company: `Company ${mark}` });
  sandbox.google.account.updatePerson(person?.resourceName ?? '', {
    biographies: [],
    organizations: [{ title: mark }],
  });
};

const untilEqual = async (sandbox: Sandbox, mark: string): Promise<void> => {
  await expect
    .poll(
      () => {
        const { google, service } = readSides(sandbox);
        const arrived = google.some(({ company }) => company === `Company ${mark}`);
        return (
          arrived && service.some(({ title }) => title === mark) && JSON.stringify(google) === JSON.stringify(service)
        );
      },
      { timeout: 20_000 },
    )
    .toBe(true);
};

describe.each(['embedded', 'redis'] as const)('the daemon, %s', (queue) => {
  test.skipIf(queue === 'redis' && redis === null)('keeps every link in step, and SIGTERM ends it with 0', async () => {
    await using world = await worldOf(queue, 'work', 'home', 'club');
    const daemon = world.startDaemon();
    expect(await daemon.until(says('daemon started'))).toMatchObject({ queue, links: ['work', 'home', 'club'] });
    for (const [name, sandbox] of world.sandboxes) {
      await daemon.until(completed(name, 'full'));
      await daemon.until(completed(name, 'incremental'));
      editBothSides(sandbox, `first ${name}`);
    }
    for (const [name, sandbox] of world.sandboxes) await untilEqual(sandbox, `first ${name}`);
    const healthy = await world.run('health');
    expect(healthy).toMatchObject({ code: 0, stdout: 'healthy: 3 links\n', stderr: '' });
    const startedAt = performance.now();
    daemon.kill('SIGTERM');
    expect(await daemon.exited).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(errors(daemon)).toEqual([]);
    expect(daemon.lines.map(({ msg }) => msg).slice(-1)).toEqual(['daemon stopped']);
    expect(await world.run('health')).toMatchObject({ code: 1, stdout: 'unhealthy: no daemon runs here\n' });
  });

  test.skipIf(queue === 'redis' && redis === null)(
    'a revoked link is paused with one error line, the others go on',
    async () => {
      await using world = await worldOf(queue, 'work', 'home');
      const daemon = world.startDaemon();
      await daemon.until(completed('work', 'incremental'));
      await daemon.until(completed('home', 'incremental'));
      const home = world.sandboxes.get('home');
      home?.service.revokeToken(home.environment()['SERVICE_ACCESS_TOKEN'] ?? '');
      const paused = await daemon.until(says('link paused', 'home'));
      expect(paused).toMatchObject({ level: 'error', side: 'service' });
      expect(paused['remedy']).toContain('contact-sync connect service home');
      const from = daemon.lines.length;
      await daemon.until(says('job skipped', 'home'), from);
      await daemon.until(completed('work'), daemon.lines.length);
      await daemon.until(completed('work'), daemon.lines.length);
      expect(errors(daemon)).toHaveLength(1);
      const accessToken = home?.service.issueToken();
      await world.configure({ work: QUICK, home: { ...QUICK, accessToken } });
      daemon.kill('SIGHUP');
      await daemon.until(says('link resumed', 'home'));
      expect(errors(daemon)).toHaveLength(1);
    },
  );

  test.skipIf(queue === 'redis' && redis === null)(
    'SIGHUP takes links up, drops them, and survives a bad file',
    async () => {
      await using world = await worldOf(queue, 'stays', 'goes');
      const daemon = world.startDaemon();
      await daemon.until(completed('stays'));
      await daemon.until(completed('goes'));
      await world.addLink('comes');
      await world.configure({ stays: QUICK, comes: QUICK });
      daemon.kill('SIGHUP');
      expect(await daemon.until(says('configuration reloaded'))).toMatchObject({ added: ['comes'], removed: ['goes'] });
      await daemon.until(completed('comes', 'full'));
      const from = daemon.lines.length;
      await world.configure({ stays: { syncInterval: 'soon' } });
      daemon.kill('SIGHUP');
      const rejected = await daemon.until(says('configuration rejected'));
      expect(JSON.stringify(rejected['problems'])).toContain('links.stays.syncInterval');
      await daemon.until(completed('stays'), daemon.lines.length);
      await daemon.until(completed('comes'), daemon.lines.length);
      expect(daemon.lines.slice(from).filter(completed('goes'))).toEqual([]);
    },
  );

  test.skipIf(queue === 'redis' && redis === null)(
    'stopped in the middle of a run, it goes on there later',
    async () => {
      await using world = await startDaemonWorld(queue === 'redis' && redis !== null ? redis.url : null);
      const sandbox = await world.addLink('work', 300);
      await world.configure({ work: QUICK });
      const daemon = world.startDaemon();
      await daemon.until(says('plan made'));
      daemon.kill('SIGTERM');
      expect(await daemon.exited).toBe(0);
      expect(daemon.lines.map(({ msg }) => msg)).toContain('run stopped before its end');
      expect(errors(daemon)).toEqual([]);
      expect((await world.run('status')).stdout).toContain('work: active');
      const next = world.startDaemon();
      await next.until(completed('work'));
      const { google, service } = readSides(sandbox);
      expect(google).toEqual(service);
      expect(errors(next)).toEqual([]);
    },
  );

  test.skipIf(queue === 'redis' && redis === null)('a second signal ends it at once', async () => {
    await using world = await worldOf(queue, 'work');
    const daemon = world.startDaemon();
    await daemon.until(says('daemon started'));
    daemon.kill('SIGTERM');
    daemon.kill('SIGINT');
    expect(await daemon.exited).toBe(0);
  });
});

test('health says in one line that the store cannot be used', async () => {
  await using world = await worldOf('embedded', 'work');
  await mkdir(world.dataDir);
  await writeFile(join(world.dataDir, 'contact-sync.db'), 'this is no database '.repeat(100));
  const { code, stdout } = await world.run('health');
  expect(code).toBe(1);
  expect(stdout).toMatch(/^unhealthy: [^\n]*contact-sync\.db[^\n]*\n$/u);
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
  const startedAt = performance.now();
  daemon.kill('SIGTERM');
  expect(await daemon.exited).toBe(0);
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  expect(errors(daemon)).toEqual([]);
  silent.closeAllConnections();
  silent.close();
});

describe.skipIf(redis === null)('daemons on one Redis and one store', () => {
  // The lease of a killed process is over after 15 s.
  const LEASE_AND_MORE = { timeout: 60_000 };
  test('no link is run twice at once, and where one is killed the other takes over', LEASE_AND_MORE, async () => {
    await using world = await worldOf('redis', 'work', 'home', 'club');
    const daemons = [world.startDaemon(), world.startDaemon()] as const;
    for (const name of world.sandboxes.keys()) {
      await Promise.race(daemons.map((daemon) => daemon.until(completed(name, 'incremental'))));
    }
    for (const daemon of daemons) await daemon.until(says('run completed'));
    for (const [name, sandbox] of world.sandboxes) editBothSides(sandbox, `second ${name}`);
    daemons[0].kill('SIGKILL');
    expect(await daemons[0].exited).toBeNull();
    const from = daemons[1].lines.length;
    for (const [name, sandbox] of world.sandboxes) {
      await daemons[1].until(completed(name), from);
      await untilEqual(sandbox, `second ${name}`);
    }
    for (const name of world.sandboxes.keys()) expect([name, overlaps(daemons, name)]).toEqual([name, 0]);
    expect(daemons.flatMap(errors)).toEqual([]);
  });

  test('a run whose daemon was killed in the middle is gone on with by another one', LEASE_AND_MORE, async () => {
    await using world = await startDaemonWorld(redis?.url ?? null);
    const sandbox = await world.addLink('work', 300);
    await world.configure({ work: QUICK });
    const daemons = [world.startDaemon(), world.startDaemon()];
    const working = await Promise.race(daemons.map((daemon) => daemon.until(says('plan made')).then(() => daemon)));
    working.kill('SIGKILL');
    const [other] = daemons.filter((daemon) => daemon !== working);
    // The dead one's lease is over 15 s after its last renewal.
    await other?.until(completed('work'));
    await expect.poll(() => JSON.stringify(readSides(sandbox).google)).toBe(JSON.stringify(readSides(sandbox).service));
    expect(daemons.flatMap(errors)).toEqual([]);
  });

  test('where Redis is stopped and comes back empty the schedules are created anew, and nothing is doubled', async () => {
    await using world = await worldOf('redis', 'work', 'home');
    const daemon = world.startDaemon();
    await daemon.until(completed('work', 'incremental'));
    await redis?.stop();
    await daemon.until(says('queue unreachable, waiting for it'));
    const from = daemon.lines.length;
    await redis?.start();
    expect(await daemon.until(says('schedules created'), from)).toMatchObject({ schedules: 4 });
    for (const [name, sandbox] of world.sandboxes) {
      editBothSides(sandbox, `third ${name}`);
      await daemon.until(completed(name), from);
      await untilEqual(sandbox, `third ${name}`);
    }
    await redis?.client.flushall();
    await daemon.until(says('schedules created'), daemon.lines.length);
    for (const name of world.sandboxes.keys()) await daemon.until(completed(name), daemon.lines.length);
    expect(errors(daemon)).toEqual([]);
    for (const name of world.sandboxes.keys()) expect([name, overlaps([daemon], name)]).toEqual([name, 0]);
  });

  test('a resync from another process is done by the daemon, shown as it goes, and its result is the exit code', async () => {
    await using world = await worldOf('redis', 'work', 'home');
    const daemon = world.startDaemon();
    await daemon.until(completed('work', 'incremental'));
    await daemon.until(completed('home', 'incremental'));
    const from = daemon.lines.length;
    const resync = await world.run('resync', 'work', '--wait');
    expect(resync).toMatchObject({ code: 0, stderr: '' });
    expect(resync.stdout).toContain('contacts read');
    expect(resync.stdout).toContain('work: completed (full)');
    const [line] = daemon.lines.slice(from).filter(completed('work', 'full'));
    expect(line).toBeDefined();
  });

  test('the result of several links is one document, and a refused credential is exit code 4', async () => {
    await using world = await worldOf('redis', 'work', 'home');
    const daemon = world.startDaemon();
    await daemon.until(completed('work', 'full'));
    await daemon.until(completed('home', 'full'));
    const asJson = await world.run('resync', '--wait', '--json');
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      runs: [
        { link: 'work', kind: 'full', outcome: 'completed' },
        { link: 'home', kind: 'full', outcome: 'completed' },
      ],
    });
    const work = world.sandboxes.get('work');
    work?.google.revokeAllTokens();
    const refused = await world.run('resync', 'work', '--wait');
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain('contact-sync connect google work');
    const queued = await world.run('resync', 'home');
    expect(queued).toMatchObject({ code: 0, stdout: 'The daemon will resync: home\n' });
  });

  test('Ctrl-C ends the waiting, not the resync', async () => {
    await using world = await worldOf('redis', 'work');
    await world.configure({ work: { syncInterval: '1h' } });
    const daemon = world.startDaemon();
    await daemon.until(completed('work', 'full'));
    // While somebody else holds the link the job waits, however fast the machine is.
    const store = openStore(join(world.dataDir, 'contact-sync.db'));
    await store.acquireLease('work', 'the test', Date.now(), Date.now() + 3_600_000);
    const waiting = world.start('resync', 'work', '--wait');
    const told = waiting.stderr?.toArray();
    await daemon.until(says('link is being synced by another process', 'work'));
    waiting.kill('SIGINT');
    expect(await once(waiting, 'exit')).toEqual([1, null]);
    expect(String(await told)).toContain('the daemon goes on');
    const from = daemon.lines.length;
    await store.releaseLease('work', 'the test');
    await store.close();
    await daemon.until(completed('work', 'full'), from);
    expect(errors(daemon)).toEqual([]);
  });

  test('without a live daemon the resync runs here', async () => {
    await using world = await worldOf('redis', 'work');
    const resync = await world.run('resync', 'work', '--json');
    expect(JSON.parse(resync.stdout)).toMatchObject({ runs: [{ link: 'work', kind: 'full', outcome: 'completed' }] });
  });
});
