import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { startDaemonWorld } from '../../support/jobs/daemon-world.ts';
import { completed, says } from '../../support/jobs/log-lines.ts';
import { Failed } from '../cli/run-cli.ts';
import { shownAt, signIn, startPage } from './page-client.ts';

/** Starts a daemon with one link and its page, and makes the empty folder of further links. */
const startWithFolder = async () => {
  await using stack = new AsyncDisposableStack();
  const world = stack.use(await startDaemonWorld({ work: { syncInterval: '7d' } }, { listen: '127.0.0.1:0' }));
  const { daemon, address } = await startPage(world);
  await daemon.until(completed('work', 'full'));
  const folder = join(dirname(world.dataDir), 'links');
  await mkdir(folder);
  const owned = stack.move();
  return { world, daemon, address, folder, [Symbol.asyncDispose]: () => owned.disposeAsync() };
};

const WHY = 'comes is not served, because its settings are invalid';

test('a link that is not served because its file is invalid is on the page of all links, in the line of health, and makes commands about all links exit with 2', async () => {
  await using started = await startWithFolder();
  const { world, daemon, address, folder } = started;
  await writeFile(join(folder, 'comes.yaml'), 'direction: sideways\n');
  daemon.kill('SIGHUP');
  await daemon.until(says('link settings invalid', 'comes'));
  const visitor = await signIn(world, address);
  const ofOneLink = await signIn(world, address, 'work');
  expect(await shownAt(visitor, '/')).toMatch(
    new RegExp(String.raw`${WHY}: .*links\/comes.yaml: direction .* is not known\.`, 'u'),
  );
  // A session of one link learns nothing about others.
  expect((await ofOneLink.get('/')).headers['location']).toBe('/links/work');
  await expect
    .poll(async () => (await world.run('health')).stdout)
    .toMatch(new RegExp(`^the daemon works, but 1 of 2 links waits for you: ${WHY}; see `, 'u'));
  for (const command of ['sync', 'resync', 'plan']) {
    expect(await world.run(command)).toMatchObject({ code: 2, stdout: expect.stringContaining('work: ') });
    expect(await world.run(command, 'work')).toMatchObject({ code: 0 });
    const { error } = Failed.parse(JSON.parse((await world.run(command, '--json')).stdout));
    expect(error).toMatch(/^The link comes is not used\. .*links\/comes.yaml: direction /u);
  }
  await rm(join(folder, 'comes.yaml'));
  daemon.kill('SIGHUP');
  await expect.poll(async () => (await visitor.get('/')).headers['location']).toBe('/links/work');
});

test('`console LINK` prints no sign-in link for a link that the daemon has not loaded yet', async () => {
  await using started = await startWithFolder();
  const { world, daemon, address, folder } = started;
  const settings = { google: { clientId: 'id', clientSecret: 'secret' }, service: { baseUrl: 'http://127.0.0.1:9' } };
  await writeFile(join(folder, 'comes.yaml'), JSON.stringify(settings), { mode: 0o600 });
  expect(await world.run('console', 'comes')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('The daemon has not loaded the link comes yet.'),
  });
  daemon.kill('SIGHUP');
  await daemon.until(says('configuration reloaded'));
  const visitor = await signIn(world, address, 'comes');
  expect((await visitor.get('/')).headers['location']).toBe('/links/comes');
});
