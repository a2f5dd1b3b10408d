import { expect, test } from 'vitest';
import { startDaemonWorld, type DaemonWorld } from '../../support/jobs/daemon-world.ts';
import { says, type LogLine } from '../../support/jobs/log-lines.ts';

// Without a token no request is sent to these hosts.

const WARNING = 'unencrypted remote address';
const OPEN = {
  baseUrl: 'http://service.invalid',
  rootUrl: 'http://10.0.0.7:80',
  accessToken: null,
  refreshToken: null,
};
const FOUND = {
  level: 'warn',
  addresses: [
    { side: 'google', where: 'GOOGLE_ROOT_URL', host: '10.0.0.7' },
    { side: 'service', where: 'SERVICE_BASE_URL', host: 'service.invalid' },
  ],
  remedy: 'Set GOOGLE_ROOT_URL and SERVICE_BASE_URL to an address that begins with https://.',
};

const worldOf = async (links: Parameters<DaemonWorld['configure']>[0]): Promise<DaemonWorld> => {
  return startDaemonWorld(links);
};

const warned = (lines: readonly LogLine[]): unknown[] => lines.filter(says(WARNING)).map(({ link }) => link);

test('the daemon warns of unencrypted addresses at its start, once for each link', async () => {
  await using world = await worldOf({ open: OPEN, closed: {} });
  const daemon = world.startDaemon();
  expect(await daemon.until(says(WARNING, 'open'))).toMatchObject(FOUND);
  await daemon.until(says('run completed', 'closed'));
  expect(warned(daemon.lines)).toEqual(['open']);
});

test('the daemon warns of a link that a reload adds or changes, and of no other link', async () => {
  await using world = await worldOf({ open: OPEN, closed: {} });
  const daemon = world.startDaemon();
  await daemon.until(says('daemon started'));
  await world.configure({ open: OPEN, closed: { ...OPEN, rootUrl: undefined } });
  daemon.reload();
  await daemon.until(says(WARNING, 'closed'));
  expect(warned(daemon.lines)).toEqual(['open', 'closed']);
});

test('sync warns of the unencrypted addresses of the links that it runs', async () => {
  await using world = await worldOf({ open: OPEN, closed: {} });
  const linesOf = async (...args: readonly string[]): Promise<readonly LogLine[]> => {
    const { stderr } = await world.run('sync', ...args, '--json');
    return stderr.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as LogLine] : []));
  };
  const lines = await linesOf();
  expect(lines.find(says(WARNING))).toMatchObject({ link: 'open', ...FOUND });
  expect(warned(lines)).toEqual(['open']);
  expect(warned(await linesOf('closed'))).toEqual([]);
});

test('the daemon warns of a webhook without encryption, and names only its host', async () => {
  await using world = await worldOf({ closed: {} });
  await world.configure({ closed: {} }, { notifyUrl: 'http://hooks.invalid/T0SECRET' });
  const daemon = world.startDaemon();
  const warning = await daemon.until(says('unencrypted notification URL'));
  expect(warning).toMatchObject({ level: 'warn', host: 'hooks.invalid' });
  await daemon.until(says('run completed', 'closed'));
  expect(JSON.stringify(daemon.lines)).not.toContain('T0SECRET');
});
