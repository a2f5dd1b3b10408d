import { afterAll, expect, test } from 'vitest';
import { startCliHost } from '../../support/cli-host.ts';
import { startDaemonWorld } from '../../support/jobs/daemon-world.ts';
import { says, type LogLine } from '../../support/jobs/log-lines.ts';

const host = startCliHost();
afterAll(() => host[Symbol.asyncDispose]());

const NAMES = Array.from({ length: 12 }, (_, index) => `link${index}`);
// Without a token no request is made, and no run begins.
const WITHOUT_TOKENS = { accessToken: null, refreshToken: null };

test('a daemon that stops tells of no further link', async () => {
  await using world = await startDaemonWorld(null, host);
  for (const name of NAMES) await world.addLink(name);
  await world.configure(Object.fromEntries(NAMES.map((name) => [name, WITHOUT_TOKENS])));
  const daemon = world.startDaemon();
  const told = (): readonly LogLine[] => daemon.lines.filter(says('link heartbeat'));
  // It has not run, so nothing is said of its rate limits, and no gate was opened to be told of.
  expect(await daemon.until(says('link heartbeat'))).toMatchObject({ budget: null });
  await daemon.stop();
  expect(told().length).toBeLessThan(NAMES.length);
});
