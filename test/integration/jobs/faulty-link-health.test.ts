import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { accountsOf, startDaemonWorld } from '../../support/jobs/daemon-world.ts';
import { completed, says } from '../../support/jobs/log-lines.ts';

test('health does not call a daemon healthy that does not serve a link because its file is invalid', async () => {
  await using world = await startDaemonWorld({ stays: { syncInterval: '1h' } });
  const daemon = world.startDaemon(1);
  await daemon.until(completed('stays', 'full'));
  const folder = join(dirname(world.dataDir), 'links');
  await mkdir(folder);
  const section = stringify(accountsOf(await world.addLink('comes', 3), { direction: 'sideways' }));
  await writeFile(join(folder, 'comes.yaml'), section);
  daemon.reload();
  await daemon.until(says('link settings invalid', 'comes'));
  const line = async (): Promise<string> => (await world.run('health')).stdout.trim();
  await expect
    .poll(line)
    .toMatch(
      /^the daemon works, but 1 of 2 links waits for you: comes is not served, because its settings are invalid; see /u,
    );
});

test.each(['sync', 'resync', 'plan'])(
  '%s of all links exits with 2 if the file of a link is invalid',
  async (command) => {
    await using world = await startDaemonWorld({ stays: { syncInterval: '1h' } });
    const folder = join(dirname(world.dataDir), 'links');
    await mkdir(folder);
    const section = stringify(accountsOf(await world.addLink('comes', 3), { direction: 'sideways' }));
    await writeFile(join(folder, 'comes.yaml'), section);
    expect(await world.run(command)).toMatchObject({ code: 2, stdout: expect.stringContaining('stays: ') });
    expect(await world.run(command, 'stays')).toMatchObject({ code: 0 });
  },
);
