import { expect, test } from 'vitest';
import { startDaemonWorld } from '../../support/jobs/daemon-world.ts';
import { says, type LogLine } from '../../support/jobs/log-lines.ts';

const NAMES = Array.from({ length: 12 }, (_, index) => `link${index}`);
// Without a token no request is sent, and no run starts.
const WITHOUT_TOKENS = { accessToken: null, refreshToken: null };

test('a daemon that stops logs no further heartbeats', async () => {
  await using world = await startDaemonWorld(Object.fromEntries(NAMES.map((name) => [name, WITHOUT_TOKENS])));
  const daemon = world.startDaemon();
  const heartbeats = (): readonly LogLine[] => daemon.lines.filter(says('link heartbeat'));
  // The link has not run, so its rate limits are unknown, and no gate is open.
  expect(await daemon.until(says('link heartbeat'))).toMatchObject({ budget: null });
  await daemon.stop();
  expect(heartbeats().length).toBeLessThan(NAMES.length);
});
