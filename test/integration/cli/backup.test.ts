import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { collectLog, says } from '../../support/jobs/log-lines.ts';
import { cliHost } from '../../support/cli-host.ts';
import { ended, startCli, useGround } from './run-cli.ts';
import { PlansDocument } from '../../support/documents.ts';

const ground = useGround();

const run = (dataDir: string, ...args: readonly string[]) =>
  cliHost.run(args, { ...ground.env, DATA_DIR: join(ground.directory, dataDir) }, ground.directory);

const planOf = async (dataDir: string) => {
  const { code, stdout } = await run(dataDir, 'plan', '--json');
  expect(code).toBe(0);
  return PlansDocument.parse(JSON.parse(stdout)).links;
};

const startDaemon = () => {
  const env = { ...ground.env, SYNC_INTERVAL: '1s', LOG_LEVEL: 'debug' };
  const child = startCli(['daemon'], env, ground.directory);
  const end = ended(child);
  const { stream, ...log } = collectLog();
  child.stdout?.pipe(stream);
  return {
    untilLogged: (message: string) => log.until(says(message), log.lines.length),
    stop: () => (child.kill('SIGTERM'), end),
  };
};

test('a backup made while the daemon writes is restored, and its plan equals the plan of the original', async () => {
  const { google, service } = ground.sandbox;
  // An edit after the copy counts as an edit for the restored state: a deleted contact is created again (R6), and a
  // change on the other side is a conflict (R4).
  const [deleted, changed, ...others] = google.account.people();
  const people = others.map(({ resourceName }) => resourceName ?? '');
  const daemon = startDaemon();
  await daemon.untilLogged('run completed');
  let edits = 0;
  const editing = setInterval(() => {
    const organizations = [{ name: 'Works', title: `Title ${edits}` }];
    google.account.updatePerson(people[edits % people.length] ?? '', { organizations });
    edits += 1;
  }, 5);
  await daemon.untilLogged('plan computed');
  const { code, stdout } = await run('data', 'backup', 'copy.db');
  expect([code, stdout]).toEqual([0, expect.stringContaining(`Copied to ${join(ground.directory, 'copy.db')}.`)]);
  clearInterval(editing);
  expect(edits).toBeGreaterThan(0);
  await daemon.untilLogged('run started');
  await daemon.untilLogged('run completed');
  await daemon.stop();

  expect((await run('restored', 'restore', 'copy.db')).code).toBe(0);
  expect(await planOf('data')).toMatchObject([{ kind: 'incremental', actions: [], halted: null }]);
  // The restored state finds the writes of the original since the copy already applied.
  expect(await planOf('restored')).toEqual(await planOf('data'));

  google.account.deletePerson(deleted?.resourceName ?? '');
  const name = changed?.names?.[0];
  const same = service.account.contacts().filter(({ first_name, last_name }) => {
    return (first_name ?? '') === (name?.givenName ?? '') && (last_name ?? '') === (name?.familyName ?? '');
  });
  expect(same).toHaveLength(1);
  service.account.updateContact(same[0]?.id ?? '', { title: 'Since the backup' });
  const plans = await planOf('data');
  expect(plans[0]?.actions.length).toBeGreaterThanOrEqual(2);
  expect(await planOf('restored')).toEqual(plans);
});

test('a backup in a directory is restored from the directory', async () => {
  await mkdir(join(ground.directory, 'monday'));
  const { code, stdout } = await run('data', 'backup', 'monday');
  const file = join(ground.directory, 'monday', 'contact-sync.db');
  expect([code, stdout]).toEqual([0, expect.stringContaining(`Copied to ${file}.`)]);
  expect((await run('from-directory', 'restore', 'monday')).code).toBe(0);
});

test('an empty path is refused: an unset variable in a script names no place for a backup', async () => {
  for (const command of ['backup', 'restore']) {
    const { code, stdout, stderr } = await run('data', command, '');
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('PATH is empty.')]);
  }
});
