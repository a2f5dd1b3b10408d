import { expect, test } from 'vitest';
import { startDaemonWorld, type DaemonWorld } from '../../support/jobs/daemon-world.ts';
import { completed, says, type LogLine } from '../../support/jobs/log-lines.ts';
import { startReceiver } from '../../support/network.ts';

const CHECK_MS = 30_000;
const HALTED = 'run halted';
const STRICT = { syncInterval: '10s', deleteLimit: '0' };
const FREE = { syncInterval: '10s', deleteLimit: '100%' };

type Daemon = ReturnType<DaemonWorld['startDaemon']>;

const advanceToCheck = async (daemon: Daemon, means: (line: LogLine) => boolean, afterMs = CHECK_MS): Promise<void> => {
  await daemon.until(means, daemon.lines.length);
  daemon.clock.advance(afterMs);
};

test('a halt and its end are reported once, although the receiver does not answer at first and the daemon restarts', async () => {
  await using receiver = await startReceiver();
  const settings = { notifyUrl: `${receiver.url}/services/T0SECRET` };
  await using world = await startDaemonWorld({ work: STRICT }, settings);
  const daemon = world.startDaemon();
  await daemon.until(completed('work', 'full'));
  const { account } = world.sandbox('work').google;
  const person = account.people().find(({ names }) => names?.[0]?.familyName);
  account.deletePerson(person?.resourceName ?? '');
  receiver.answer(() => undefined);
  await advanceToCheck(daemon, says(HALTED, 'work'));
  await receiver.until(1);
  await daemon.until(says(HALTED, 'work'), daemon.lines.length);
  daemon.clock.advance(CHECK_MS);
  await daemon.until(says('notification failed'));
  receiver.answer((response) => response.writeHead(204).end());
  await advanceToCheck(daemon, says(HALTED, 'work'), 10 * CHECK_MS);
  await daemon.until(says('notification sent', 'work'));
  await daemon.stop();

  const next = world.startDaemon();
  await advanceToCheck(next, says(HALTED, 'work'));
  await world.configure({ work: FREE }, settings);
  next.reload();
  await advanceToCheck(next, completed('work'));
  await next.until(says('notification sent', 'work'));
  await next.stop();

  const events = receiver.received.map(({ body }) => (JSON.parse(body) as { event: string }).event);
  expect(events).toEqual(['link.halted', 'link.halted', 'link.recovered']);
  expect(receiver.received[0]?.body).toContain('more than the 0 that DELETE_LIMIT allows');
  expect(receiver.received[0]?.body).not.toContain(person?.names?.[0]?.familyName);
  // The address is a secret, so the log contains only the host.
  expect(JSON.stringify([...daemon.lines, ...next.lines])).not.toContain('T0SECRET');
});
