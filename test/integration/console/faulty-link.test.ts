import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { startDaemonWorld } from '../../support/jobs/daemon-world.ts';
import { says } from '../../support/jobs/log-lines.ts';
import { shownAt, signIn, startPage } from './page-client.ts';

const FAULT =
  /comes is not served, because its settings are invalid: .*links\/comes.yaml: direction .* is not known\./u;

test('the page of all links shows a link that is not served because its file is invalid', async () => {
  await using world = await startDaemonWorld({ work: { syncInterval: '7d' } }, { listen: '127.0.0.1:0' });
  const { daemon, address } = await startPage(world);
  const folder = join(dirname(world.dataDir), 'links');
  await mkdir(folder);
  await writeFile(join(folder, 'comes.yaml'), 'direction: sideways\n');
  daemon.kill('SIGHUP');
  await daemon.until(says('link settings invalid', 'comes'));
  const visitor = await signIn(world, address);
  const ofOneLink = await signIn(world, address, 'work');
  expect(await shownAt(visitor, '/')).toMatch(FAULT);
  // A session of one link learns nothing about others.
  expect((await ofOneLink.get('/')).headers['location']).toBe('/links/work');
  await rm(join(folder, 'comes.yaml'));
  daemon.kill('SIGHUP');
  await expect.poll(async () => (await visitor.get('/')).headers['location']).toBe('/links/work');
});
