import Database from 'better-sqlite3';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { checkHealth, unhealthyBecause } from '../../../src/daemon/server/health.ts';
import { writeHeartbeat } from '../../../src/app/heartbeat.ts';
import { openStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { readSides } from '../../support/compare-sides.ts';
import { sampled } from '../../support/extent.ts';
import { beatOf } from '../../support/heartbeat.ts';
import { cliHost } from '../../support/cli-host.ts';
import { runProcess, startGround, type Environment, type Ground } from './run-cli.ts';
import { ChecksDocument } from '../../support/documents.ts';

// A separate small disk, which the tests fill and make read-only. The tests are skipped without the right to mount.

const mount = (...args: readonly string[]): boolean => spawnSync('mount', args, { stdio: 'ignore' }).status === 0;
const unmount = (path: string): boolean => spawnSync('umount', [path], { stdio: 'ignore' }).status === 0;

const canMount = await (async (): Promise<boolean> => {
  const probe = await mkdtemp(join(tmpdir(), 'contact-sync-disk-'));
  const can = process.platform === 'linux' && mount('-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', probe) && unmount(probe);
  await rm(probe, { recursive: true, force: true });
  return can;
})();

describe.skipIf(!canMount)('the disk under DATA_DIR', () => {
  let ground: Ground;
  let disk: string;
  let env: Environment;
  let path: string;

  const run = (...args: readonly string[]) => cliHost.run(args, env, ground.directory);
  const doctor = async () => {
    const { code, stdout } = await run('doctor', '--json');
    const { checks } = ChecksDocument.parse(JSON.parse(stdout));
    return { code, store: checks.find(({ name }) => name === 'store') };
  };
  const expectReported = async (cause: RegExp, remedy: RegExp): Promise<void> => {
    const [{ code, store }] = await Promise.all([doctor(), expectSyncReports(cause, remedy)]);
    const fault = { ok: false, detail: expect.stringMatching(cause), remedy: expect.stringMatching(remedy) };
    expect([code, store]).toMatchObject([1, fault]);
    expect(store?.detail).toContain(path);
  };
  const expectSyncReports = async (cause: RegExp, remedy: RegExp): Promise<void> => {
    // In a separate process: a lease that cannot be released is free after its process has ended.
    const { code, stdout, stderr } = await runProcess(['sync', '--json'], env, ground.directory);
    const printed = `${stdout}${stderr}`;
    expect(code).toBe(1);
    for (const text of [path, cause, remedy]) expect(printed).toMatch(text);
    expect(printed).not.toContain('suppressed');
  };
  const fill = (freeBytes: number): void => {
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(join(disk, 'filler'), Buffer.alloc(Math.max(0, bavail * bsize - freeBytes)));
  };

  beforeAll(async () => {
    disk = await mkdtemp(join(tmpdir(), 'contact-sync-disk-'));
  });
  beforeEach(async () => {
    ground = await startGround({ count: 30 });
    expect(mount('-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', disk)).toBe(true);
    const dataDir = join(disk, 'data');
    mkdirSync(dataDir, { mode: 0o700 });
    path = join(dataDir, 'contact-sync.db');
    env = { ...ground.env, DATA_DIR: dataDir };
    return async () => {
      unmount(disk);
      await ground[Symbol.asyncDispose]();
    };
  });
  afterAll(() => rm(disk, { recursive: true, force: true }));

  const FULL = [/the disk is full \((?:SQLITE_FULL|SQLITE_IOERR_SHMSIZE|ENOSPC)\)/u, /Free some space/u] as const;

  const expectContinues = async (): Promise<void> => {
    rmSync(join(disk, 'filler'));
    expect(await run('sync')).toMatchObject({ code: 0 });
    const { google, service } = readSides(ground.sandbox);
    expect(google).toEqual(service);
    expect(google).toHaveLength(30);
  };

  test('full: sync and doctor report the same fault, and no data is lost', async () => {
    expect((await run('status')).code).toBe(0);
    fill(0);
    await expectReported(...FULL);
    await expectContinues();
  });

  test('full: a daemon with a recent heartbeat is unhealthy at once, with that reason', async () => {
    expect((await run('sync')).code).toBe(0);
    const [dataDir, nowMs] = [env['DATA_DIR'] ?? '', Date.now()];
    const links = [{ name: 'default', syncIntervalMs: 300_000, sinceMs: nowMs }];
    await writeHeartbeat(dataDir, beatOf({ beatAtMs: nowMs, links }));
    // The daemon has its database open.
    const store = openStore(path);
    const subject = { dataDir, links, store, nowMs, isDaemon: true };
    const judge = () => checkHealth(subject).catch(unhealthyBecause);
    expect(await judge()).toEqual({ ok: true, line: 'healthy: 1 link' });
    fill(0);
    const line = `unhealthy: DATA_DIR ${dataDir} cannot be used: the disk is full (ENOSPC). Free some space there.`;
    expect(await judge()).toEqual({ ok: false, line });
    rmSync(join(disk, 'filler'));
    expect(await judge()).toMatchObject({ ok: true });
    await store.close();
    expect(readdirSync(dataDir).filter((file) => file.startsWith('health-'))).toEqual([]);
  });

  test.each(sampled([40, 100, 160], 3))('filled in a run, %i KB left: no contact is lost or duplicated', async (kb) => {
    expect((await run('status')).code).toBe(0);
    fill(kb * 1024);
    await expectSyncReports(...FULL);
    await expectContinues();
  });

  test('read-only: sync and doctor report the same fault', async () => {
    expect((await run('sync')).code).toBe(0);
    expect(mount('-o', 'remount,ro', disk)).toBe(true);
    await expectReported(/it cannot be written \((?:SQLITE_READONLY|SQLITE_CANTOPEN|EROFS)/u, /writable/u);
    expect(mount('-o', 'remount,rw', disk)).toBe(true);
    expect((await run('sync')).code).toBe(0);
  });

  test('with a database locked by another program: sync and doctor report the same fault', async () => {
    expect((await run('sync')).code).toBe(0);
    const shell = new Database(path);
    shell.exec('begin immediate');
    await expectReported(/another program keeps it locked \(SQLITE_BUSY\)/u, /End that program/u);
    shell.exec('rollback');
    shell.close();
    expect((await run('sync')).code).toBe(0);
  });
});
