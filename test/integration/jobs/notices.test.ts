import { expect, test } from 'vitest';
import { startDaemonWorld, type DaemonWorld } from '../../support/jobs/daemon-world.ts';
import { completed, says, type LogLine } from '../../support/jobs/log-lines.ts';
import { startReceiver } from '../../support/network.ts';

// Daemons with both emulators, and a receiver that is a real HTTP server.

const CHECK_MS = 30_000;
const HALTED = 'run halted';
/** The next deletion halts a link with these settings. */
const STRICT = { syncInterval: '10s', deleteLimit: '0' };
/** No deletion halts a link with these settings. */
const FREE = { syncInterval: '10s', deleteLimit: '100%' };

const deleteOne = (world: DaemonWorld, name: string): string => {
  const { account } = world.sandbox(name).google;
  const person = account.people()[0];
  account.deletePerson(person?.resourceName ?? '');
  return person?.names?.[0]?.familyName ?? '';
};

type Daemon = ReturnType<DaemonWorld['startDaemon']>;

/** Advances the clock to the next check after another run of the link, when the daemon sleeps until that check. */
const advanceToCheck = async (daemon: Daemon, means: (line: LogLine) => boolean, afterMs = CHECK_MS): Promise<void> => {
  await daemon.until(means, daemon.lines.length);
  daemon.clock.advance(afterMs);
};

test('a halt and its end are reported once, after further halts, a restart and an outage of the receiver', async () => {
  await using receiver = await startReceiver();
  const settings = { notifyUrl: `${receiver.url}/services/T0SECRET` };
  await using world = await startDaemonWorld({ work: STRICT, home: STRICT }, settings);
  const daemon = world.startDaemon();
  for (const name of ['work', 'home']) await daemon.until(completed(name, 'full'));
  const familyName = deleteOne(world, 'work');
  await advanceToCheck(daemon, says(HALTED, 'work'));
  await daemon.until(says('notification sent', 'work'));
  expect(receiver.received[0]?.body).toContain('more than the 0 that DELETE_LIMIT allows');
  expect(receiver.received[0]?.body).not.toContain(familyName);

  // The notification of the other link shows that this link was checked again.
  await daemon.until(says(HALTED, 'work'), daemon.lines.length);
  receiver.answer(() => undefined);
  deleteOne(world, 'home');
  await advanceToCheck(daemon, says(HALTED, 'home'));
  await receiver.until(2);
  // The receiver does not respond, and runs continue.
  for (const name of ['work', 'home']) await daemon.until(says(HALTED, name), daemon.lines.length);
  daemon.clock.advance(CHECK_MS);
  await daemon.until(says('notification failed'));
  receiver.answer((response) => response.writeHead(204).end());
  await advanceToCheck(daemon, says(HALTED, 'work'), 10 * CHECK_MS);
  await daemon.until(says('notification sent', 'home'));
  await daemon.stop();

  const next = world.startDaemon();
  await next.until(says(HALTED, 'work'));
  await world.configure({ work: STRICT, home: FREE }, settings);
  next.reload();
  await advanceToCheck(next, completed('home'));
  await next.until(says('notification sent', 'home'));
  await world.configure({ work: FREE, home: FREE }, settings);
  next.reload();
  await advanceToCheck(next, completed('work'));
  await next.until(says('notification sent', 'work'));
  await next.stop();

  const notifications = receiver.received.map(({ body }) => {
    const { event, link } = JSON.parse(body) as { event: string; link: string };
    return `${link} ${event}`;
  });
  expect(notifications).toEqual([
    'work link.halted',
    'home link.halted',
    'home link.halted',
    'home link.recovered',
    'work link.recovered',
  ]);
  // The address is a secret, so the log contains only the host.
  expect(JSON.stringify([...daemon.lines, ...next.lines])).not.toContain('T0SECRET');
});
