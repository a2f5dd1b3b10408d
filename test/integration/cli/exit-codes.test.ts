import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { openStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { readSides } from '../../support/compare-sides.ts';
import { Failed, runCli, useGround } from './run-cli.ts';
import { FailureDocument, PlansDocument, RunsDocument, StatusDocument } from '../../support/documents.ts';

const ground = useGround();

beforeAll(async () => {
  expect((await ground.run('sync')).code).toBe(0);
});

describe('exit code 2', () => {
  test.each([
    [[], 'Every day:'],
    [['sycn'], 'Did you mean sync?'],
    [['sync', '--jsn'], 'Did you mean --json?'],
    [['sync', 'one', 'two'], 'too many arguments'],
    [['conflicts', 'reslove', '7'], 'too many arguments'],
    [['plan', '--accept-deletes'], 'unknown option'],
    [['undo', 'last', '--write', 'many'], 'whole number'],
    [['sandbox', '--google', 'nowhere.vcf'], 'no such file'],
  ])('is returned for %j, and standard error has the reason or the help', async (args, message) => {
    const { code, stdout, stderr } = await runCli(args, {}, ground.directory);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });

  test.each([
    [['sync', '--bogus', '--json'], "unknown option '--bogus'"],
    [['undo', 'last', '--write', 'x', '--json'], "'x' is invalid"],
  ])('is returned for %j with a JSON document of the reason', async (args, reason) => {
    const { code, stdout } = await runCli(args, {}, ground.directory);
    expect([code, Failed.parse(JSON.parse(stdout)).error]).toEqual([2, expect.stringContaining(reason)]);
  });

  test('is returned without a configuration, and every problem is listed', async () => {
    const { code, stdout, stderr } = await runCli(['status', '--json'], {}, ground.directory);
    expect(code).toBe(2);
    FailureDocument('links').parse(JSON.parse(stdout));
    for (const name of ['SERVICE_BASE_URL', 'GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET']) expect(stderr).toContain(name);
  });

  test('is returned for an unknown link, with the names of the others', async () => {
    const { code, stdout, stderr } = await ground.run('sync', 'defalt', '--json');
    expect(code).toBe(2);
    FailureDocument('runs').parse(JSON.parse(stdout));
    expect(stderr).toContain('no link named defalt. The configuration has: default.');
  });
});

test('exit code 6: another process holds the lease of the link', async () => {
  const store = openStore(join(ground.env['DATA_DIR'] ?? '', 'contact-sync.db'));
  await store.acquireLease('default', 'another process', Date.now(), Date.now() + 60_000);
  const json = await ground.read(RunsDocument, 'sync');
  const text = await ground.run('sync');
  await store.releaseLease('default', 'another process');
  await store.close();
  const reason = expect.stringContaining('another process');
  expect(json).toMatchObject({ code: 6, runs: [{ outcome: 'failed', reason }] });
  expect([text.code, text.stderr]).toEqual([6, reason]);
});

test('[R6] [R8] exit code 3: too many deletions halt plan and sync, until they are restored or accepted', async () => {
  const { google, service } = ground.sandbox;
  const deletePeople = (): void => {
    for (const { resourceName } of google.account.people().slice(0, 15))
      google.account.deletePerson(resourceName ?? '');
  };
  const early = await ground.run('sync', '--restore-deletes');
  expect([early.code, early.stderr]).toEqual([2, expect.stringContaining('Nothing was restored')]);
  const whole = readSides(ground.sandbox);
  deletePeople();
  const halted = { reason: 'too-many-deletes' };
  expect(await ground.read(PlansDocument, 'plan')).toMatchObject({ code: 3, links: [{ halted }] });
  const halt = { outcome: 'halted', service: { deleted: 0 }, reason: expect.stringContaining('--accept-deletes') };
  expect(await ground.read(RunsDocument, 'sync')).toMatchObject({ code: 3, runs: [halt] });
  expect(service.account.contacts()).toHaveLength(whole.service.length);
  const { code, stdout, stderr } = await ground.run('sync');
  expect([code, stdout]).toEqual([3, expect.stringContaining('default: halted')]);
  for (const option of ['--restore-deletes', '--accept-deletes']) expect(stderr).toContain(`sync ${option}`);
  expect(await ground.read(StatusDocument, 'status')).toMatchObject({ links: [{ state: 'halted' }] });

  const nothing = { created: 0, updated: 0, deleted: 0 };
  const restored = await ground.read(RunsDocument, 'sync', '--restore-deletes');
  expect(restored.runs).toMatchObject([{ google: { created: 15 }, service: nothing }]);
  expect(readSides(ground.sandbox)).toEqual(whole);
  expect((await ground.read(RunsDocument, 'resync')).runs).toMatchObject([{ google: nothing, service: nothing }]);
  deletePeople();
  expect((await ground.run('sync')).code).toBe(3);
  const accepted = await ground.read(RunsDocument, 'sync', '--accept-deletes');
  expect(accepted).toMatchObject({ code: 0, runs: [{ outcome: 'completed', service: { deleted: 15 } }] });
});

test('exit code 5: a remote with a long Retry-After is not waited for, and gets no request', async () => {
  const { service } = ground.sandbox;
  const env = { ...ground.env, SERVICE_ACCESS_TOKEN: service.issueToken() };
  service.addFault({ times: 1000, action: { kind: 'status', status: 429, retryAfter: '86400' } });
  expect((await runCli(['sync'], env, ground.directory)).code).toBe(5);
  service.clearFaults();
  const sentBefore = service.requests.length;
  const [sync, plan] = [await runCli(['sync'], env, ground.directory), await runCli(['plan'], env, ground.directory)];
  expect([sync.code, plan.code]).toEqual([5, 5]);
  expect(sync.stdout + sync.stderr).toMatch(/was not sent: the rate limit allows no request for another 3\d{3} s/u);
  expect(service.requests.length).toBe(sentBefore);
  expect((await ground.run('sync')).code).toBe(0);
});

test('exit code 4: refused credentials pause the link, and a one-shot command still runs it', async () => {
  const { google, service } = ground.sandbox;
  const runWith = (args: readonly string[], env: Readonly<Record<string, string>>) =>
    runCli(args, { ...ground.env, ...env }, ground.directory);
  const lost = service.issueToken();
  service.revokeToken(lost);
  expect((await runWith(['sync', '--json'], { SERVICE_ACCESS_TOKEN: lost })).code).toBe(4);
  expect(await ground.read(StatusDocument, 'status')).toMatchObject({ links: [{ state: 'paused' }] });
  expect((await ground.run('sync')).code).toBe(0);

  const revoked = google.issueRefreshToken();
  google.revokeRefreshToken(revoked);
  const remedy = 'The credential is set in GOOGLE_REFRESH_TOKEN. Replace it there';
  for (const command of ['sync', 'plan', 'undo last', 'undo last --yes', 'undo last --dry-run']) {
    const { code, stdout, stderr } = await runWith(command.split(' '), { GOOGLE_REFRESH_TOKEN: revoked });
    expect([command, code, stdout + stderr]).toEqual([command, 4, expect.stringContaining(remedy)]);
    expect(stderr).not.toContain('connect');
  }
});

test('with several links a failure does not stop the others, and the worst exit code is returned', async () => {
  const { google, service } = ground.sandbox;
  const lost = service.issueToken();
  service.revokeToken(lost);
  const link = (accessToken: string): string[] => [
    `    service: { accessToken: '${accessToken}' }`,
    `    google: { refreshToken: '${google.issueRefreshToken()}' }`,
  ];
  const file = join(ground.directory, 'two.yaml');
  await writeFile(
    file,
    ['links:', '  broken:', ...link(lost), '  well:', ...link(service.issueToken()), ''].join('\n'),
  );
  const { SERVICE_ACCESS_TOKEN: _, GOOGLE_REFRESH_TOKEN: __, ...env } = ground.env;
  const variables = { ...env, DATA_DIR: join(ground.directory, 'two') };
  const { code, stdout } = await runCli(['sync', '--config', file, '--json'], variables, ground.directory);
  expect(code).toBe(4);
  const { runs } = RunsDocument.parse(JSON.parse(stdout));
  expect(runs.map(({ link: name, outcome }) => [name, outcome])).toEqual([
    ['broken', 'failed'],
    ['well', 'completed'],
  ]);
  const one = await runCli(['sync', 'well', '--config', file], variables, ground.directory);
  expect(one.code).toBe(0);
  expect(one.stdout).not.toContain('broken');
});
