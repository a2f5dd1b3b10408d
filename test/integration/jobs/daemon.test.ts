import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { checkHealth } from '../../../src/daemon/server/health.ts';
import { readHeartbeat } from '../../../src/app/heartbeat.ts';
import { jobOptions, makeQueuePrefix, openQueue } from '../../../src/daemon/jobs/queue.ts';
import { openStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { readSides } from '../../support/compare-sides.ts';
import { accountsOf, startDaemonWorld, type DaemonWorld } from '../../support/jobs/daemon-world.ts';
import { editBothSides, untilEqual } from '../../support/jobs/edits.ts';
import { completed, errors, overlaps, says } from '../../support/jobs/log-lines.ts';
import { startTestRedis } from '../../support/redis.ts';

// Daemons in this process. Signals and kills are tested in daemon-process.test.ts.

const redis = await startTestRedis();
afterAll(() => redis?.[Symbol.asyncDispose]());

/** A daemon in this process runs every 250 ms. Its health requires a run within three of these intervals of 10 s. */
const QUICK = { syncInterval: '10s' };
const RARE = { syncInterval: '1h' };
const HOUR_MS = 3_600_000;

const worldOf = async (queue: 'embedded' | 'redis', ...names: readonly string[]): Promise<DaemonWorld> => {
  const redisUrl = queue === 'redis' ? redis?.url : null;
  return startDaemonWorld(Object.fromEntries(names.map((name) => [name, QUICK])), { redisUrl });
};

describe.each(['embedded', 'redis'] as const)('the daemon, %s', (queue) => {
  const isLeftOut = queue === 'redis' && redis === null;

  test.skipIf(isLeftOut)('keeps every link in sync and quiet, and applies a reload, valid or not', async () => {
    await using world = await worldOf(queue, 'work', 'home', 'club');
    const daemon = world.startDaemon();
    expect(await daemon.until(says('daemon started'))).toMatchObject({ queue, links: ['work', 'home', 'club'] });
    for (const [name, sandbox] of world.sandboxes) {
      const { run } = await daemon.until(completed(name, 'full'));
      expect(daemon.lines.find(says('run started', name))).toMatchObject({ level: 'debug', run, kind: 'full' });
      await daemon.until(completed(name, 'incremental'));
      editBothSides(sandbox, `first ${name}`);
    }
    for (const [name, sandbox] of world.sandboxes) await untilEqual(sandbox, `first ${name}`);
    expect(await world.run('health')).toEqual({ code: 0, stdout: 'healthy: 3 links\n', stderr: '' });
    const names = ['work', 'home', 'club'];
    const allAgain = async (): Promise<void> => {
      for (const name of names) await daemon.until(completed(name, 'incremental'), daemon.lines.length);
    };
    await allAgain();
    const quiet = daemon.lines.length;
    await allAgain();
    expect(daemon.lines.slice(quiet).filter(({ level }) => level !== 'debug')).toEqual([]);

    expect(daemon.reached().toSorted()).toEqual(['club', 'home', 'work']);
    await world.addLink('comes');
    await world.configure({ work: QUICK, comes: QUICK });
    daemon.reload();
    const changes = { added: ['comes'], removed: ['home', 'club'] };
    expect(await daemon.until(says('configuration reloaded'))).toMatchObject(changes);
    await daemon.until(completed('comes', 'full'));
    // The connections of a removed link are released.
    await expect.poll(() => daemon.reached().toSorted()).toEqual(['comes', 'work']);
    const from = daemon.lines.length;
    await world.configure({ work: { syncInterval: 'soon' } });
    const note = /^healthy: 2 links; .* because the current one is invalid: links\.work\.syncInterval/u;
    await expect.poll(() => world.run('health')).toMatchObject({ code: 0, stdout: expect.stringMatching(note) });
    daemon.reload();
    const rejected = await daemon.until(says('configuration rejected'));
    for (const name of ['work', 'comes']) await daemon.until(completed(name), daemon.lines.length);
    expect(daemon.lines.slice(from).filter(completed('home'))).toEqual([]);
    await daemon.stop();
    expect(errors(daemon)).toEqual([rejected]);
    expect(daemon.lines.at(-1)).toMatchObject({ msg: 'daemon stopped' });
    await world.configure({ work: QUICK });
    expect(await world.run('health')).toMatchObject({ code: 1, stdout: 'unhealthy: no daemon runs here\n' });
  });

  test.skipIf(isLeftOut)('continues a run that it stopped, after the next start', async () => {
    await using world = await worldOf(queue);
    const sandbox = await world.addLink('work', 60);
    await world.configure({ work: QUICK });
    const daemon = world.startDaemon();
    await daemon.until(says('plan computed'));
    await daemon.stop();
    expect(daemon.lines.map(({ msg }) => msg)).toContain('run stopped');
    expect((await world.run('status')).stdout).toContain('work: the last run was stopped');
    const next = world.startDaemon();
    await next.until(completed('work'));
    const { google, service } = readSides(sandbox);
    expect(google).toEqual(service);
    expect([daemon, next].flatMap(errors)).toEqual([]);
  });
});

test('a resync does not wait for a daemon if no daemon receives jobs, and reports that', async () => {
  await using world = await worldOf('embedded', 'work');
  await world.configure({ work: RARE });
  const alone = await world.run('resync', '--wait');
  expect(alone).toMatchObject({ code: 0, stderr: expect.stringContaining('No daemon runs here. The resync runs in') });
  const daemon = world.startDaemon();
  await daemon.until(completed('work'));
  daemon.clock.advance(1_000);
  await expect.poll(() => world.run('health')).toMatchObject({ code: 0 });
  const stderr = expect.stringContaining('The daemon on this machine receives no jobs, because REDIS_URL is not set');
  expect(await world.run('resync', '--wait')).toMatchObject({ code: 0, stderr });
});

test('a link that a reload adds is late if it completes no run, but not before its first run is due', async () => {
  await using world = await worldOf('embedded', 'work');
  await world.configure({ work: RARE });
  const daemon = world.startDaemon(1);
  await daemon.until(completed('work'));
  const beforeLong = daemon.lines.length;
  daemon.clock.advance(4 * HOUR_MS);
  await daemon.until(completed('work'), beforeLong);
  await world.addLink('comes');
  await world.configure({ work: RARE, comes: RARE });
  const store = openStore(join(world.dataDir, 'contact-sync.db'));
  await using _ = { [Symbol.asyncDispose]: () => store.close() };
  const blockAt = (nowMs: number) => store.acquireLease('comes', 'another process', nowMs, nowMs + 60_000);
  await blockAt(daemon.clock.now());
  daemon.reload();
  await daemon.until(says('lease held by another process', 'comes'));
  const links = ['work', 'comes'].map((name) => ({ name, syncIntervalMs: HOUR_MS }));
  const health = () => {
    return checkHealth({ dataDir: world.dataDir, links, store, nowMs: daemon.clock.now(), isDaemon: false });
  };
  await expect.poll(health).toEqual({ ok: true, line: 'healthy: 2 links' });
  await blockAt(daemon.clock.now() + 3 * HOUR_MS);
  daemon.clock.advance(3 * HOUR_MS);
  await expect.poll(health).toEqual({ ok: false, line: 'unhealthy: no completed run within 3 intervals: comes' });
});

test('a link in a file of its own is added at a reload, left out while the file is invalid, and kept in the store without the file', async () => {
  await using world = await worldOf('embedded', 'stays');
  await world.configure({ stays: QUICK });
  const folder = join(dirname(world.dataDir), 'links');
  const file = join(folder, 'comes.yaml');
  const daemon = world.startDaemon();
  await daemon.until(completed('stays'));
  await mkdir(folder);
  const section = stringify(accountsOf(await world.addLink('comes', 3), QUICK));
  await writeFile(file, section);
  daemon.reload();
  expect(await daemon.until(says('configuration reloaded'))).toMatchObject({ added: ['comes'] });
  await daemon.until(completed('comes', 'full'));

  await writeFile(file, `${section}direction: sideways\n`);
  daemon.reload();
  const problems = [expect.stringMatching(/^links\/comes\.yaml: direction /u)];
  expect(await daemon.until(says('link settings invalid'))).toMatchObject({ link: 'comes', problems });
  await daemon.until(completed('stays'), daemon.lines.length);
  expect(await world.run('status')).toMatchObject({ code: 0, stderr: expect.stringContaining('comes is not used') });

  const from = daemon.lines.length;
  await writeFile(file, section);
  daemon.reload();
  expect(await daemon.until(says('configuration reloaded'), from)).toMatchObject({ added: ['comes'] });
  await rm(file);
  daemon.reload();
  await daemon.until((line) => says('configuration reloaded')(line) && String(line['removed']) === 'comes', from);
  const { stdout } = await world.run('status', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ unconfigured: ['comes'] });
});

test('a daemon starts without Redis, and reports that it waits for it', async () => {
  await using world = await startDaemonWorld({ work: RARE }, { redisUrl: 'redis://127.0.0.1:1' });
  const daemon = world.startDaemon();
  const { reason } = await daemon.until(says('queue unreachable'));
  expect(reason).toContain('Redis does not answer (ECONNREFUSED).');
  const stdout = `unhealthy: the daemon waits for its job queue: ${String(reason)}\n`;
  await expect.poll(() => world.run('health')).toMatchObject({ code: 1, stdout });
});

describe.skipIf(redis === null)('the daemon and other processes on one Redis and one store', () => {
  test('if Redis stops and restarts empty, the schedules are created again, and no run is duplicated', async () => {
    await using world = await worldOf('redis', 'work', 'home');
    const daemon = world.startDaemon();
    await daemon.until(completed('work', 'incremental'));
    await redis?.stop();
    await daemon.until(says('queue unreachable'));
    // The daemon waits for a Redis that is away for less than a minute.
    expect(await world.run('health')).toMatchObject({ code: 0 });
    const from = daemon.lines.length;
    await redis?.start();
    expect(await daemon.until(says('schedules created'), from)).toMatchObject({ schedules: 2 });
    for (const [name, sandbox] of world.sandboxes) {
      editBothSides(sandbox, `third ${name}`);
      await daemon.until(completed(name), from);
      await untilEqual(sandbox, `third ${name}`);
    }
    expect(errors(daemon)).toEqual([]);
    for (const name of world.sandboxes.keys()) expect([name, overlaps([daemon], name)]).toEqual([name, 0]);
  });

  test('if Redis is lost during the stop, no new run starts, and the last log line is that the daemon stopped', async () => {
    await using world = await worldOf('redis', 'work', 'home');
    const daemon = world.startDaemon();
    await daemon.until(completed('work', 'incremental'));
    // During a run, so that the worker has a job to return to the queue.
    await daemon.until(says('run started'), daemon.lines.length);
    const stopping = daemon.stop();
    await redis?.stop();
    await stopping;
    await redis?.start();
    // A worker that still used the queue would get jobs at the same time as the next daemon.
    const next = world.startDaemon();
    await next.until(completed('home'));
    await next.until(completed('work'), next.lines.length);
    // A run of the other link may start before the signal is handled.
    const stopped = daemon.lines.slice(daemon.lines.findIndex(says('daemon stopping')));
    expect(stopped.filter(says('run started'))).toEqual([]);
    expect(stopped.at(-1)).toMatchObject({ msg: 'daemon stopped' });
  });
});

// Each test continues with the daemon of the previous test.
describe.skipIf(redis === null)('a daemon that gets jobs of commands through Redis', () => {
  let world: DaemonWorld;
  let daemon: ReturnType<DaemonWorld['startDaemon']>;

  beforeAll(async () => {
    world = await worldOf('redis');
    await world.addLink('work', 60);
    await world.addLink('home');
    await world.configure({ work: RARE, home: RARE });
    daemon = world.startDaemon();
    return () => world[Symbol.asyncDispose]();
  });

  test('writes its heartbeat before the first job can start', async () => {
    await daemon.until(says('schedules created'));
    expect(await readHeartbeat(world.dataDir)).toMatchObject({ queue: 'redis', waiting: null });
  });

  test('returns the results of several links in one document', async () => {
    await daemon.until(completed('work', 'full'));
    const folder = join(dirname(world.dataDir), 'links');
    await mkdir(folder);
    await writeFile(join(folder, 'comes.yaml'), 'direction: sideways\n');
    const { stdout } = await world.run('resync', '--wait', '--json');
    const [work, home] = ['work', 'home'].map((link) => ({ link, kind: 'full', outcome: 'completed' }));
    const error = expect.stringMatching(/^The link comes is not used\. [^\n]+$/u);
    expect(JSON.parse(stdout)).toMatchObject({ runs: [work, home], error });
    await rm(folder, { recursive: true });
    expect(await world.run('resync', 'home')).toMatchObject({ code: 0, stdout: 'The daemon resyncs: home\n' });
  });

  test('[R8] does not pass the guard for a job in Redis, except with the nonce of the halted plan, once', async () => {
    const { google, service } = world.sandbox('work');
    const before = service.account.contacts().length;
    for (const { resourceName } of google.account.people().slice(0, 20))
      google.account.deletePerson(resourceName ?? '');
    expect(await world.run('resync', 'work', '--wait')).toMatchObject({ code: 3 });
    const from = daemon.lines.length;
    const queue = openQueue(redis?.client as Redis, makeQueuePrefix(world.dataDir));
    const forged = { link: 'work', kind: 'full', override: 'guessed', accepts: { kind: 'losses' } } as const;
    await queue.add('full', forged, jobOptions('full'));
    await daemon.until(says('run halted', 'work'), from);
    await queue.close();
    expect(service.account.contacts()).toHaveLength(before);
    const folder = join(dirname(world.dataDir), 'links');
    await mkdir(folder);
    await writeFile(join(folder, 'comes.yaml'), 'direction: sideways\n');
    const accepted = await world.run('resync', 'work', '--accept-deletes', '--wait');
    await rm(folder, { recursive: true });
    const stderr = expect.stringMatching(/^The link comes is not used\. [^\n]+\n$/u);
    expect(accepted).toMatchObject({ code: 0, stderr });
    expect(service.account.contacts()).toHaveLength(before - 20);
    expect(daemon.lines.slice(from).filter(completed('work', 'full'))).toHaveLength(1);
  });

  test('continues a resync after Ctrl-C, which ends only the wait', async () => {
    // While another process has the lease of the link, the job waits, however fast the machine is.
    const store = openStore(join(world.dataDir, 'contact-sync.db'));
    const lease = () => store.acquireLease('home', 'the test', Date.now(), Date.now() + 60_000);
    await expect.poll(lease).not.toBeNull();
    const waiting = world.start('resync', 'home', '--wait');
    await daemon.until(says('lease held by another process', 'home'));
    waiting.kill('SIGINT');
    const { code, stderr } = await waiting.end;
    expect([code, stderr]).toEqual([1, expect.stringContaining('The daemon continues')]);
    const from = daemon.lines.length;
    await store.releaseLease('home', 'the test');
    await store.close();
    await daemon.until(completed('home', 'full'), from);
    expect(errors(daemon).filter((line) => !says('run halted', 'work')(line))).toEqual([]);
  });
});
