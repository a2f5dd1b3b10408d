import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { UsageError } from '../command/exit-codes.ts';

/** A running Radicale with one account and one address book. */
type Radicale = AsyncDisposable & {
  /** The settings of a link's side that open the address book. */
  readonly settings: Readonly<Record<'url' | 'username' | 'password', string>>;
  /** The folder of its cards. */
  readonly folder: string;
};

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('The system gave no port.');
  return address.port;
};

const configuration = (port: number, directory: string): string => `[server]
hosts = 127.0.0.1:${port}
[auth]
type = htpasswd
htpasswd_filename = ${join(directory, 'users')}
htpasswd_encryption = plain
delay = 0
[storage]
filesystem_folder = ${join(directory, 'data')}
[logging]
level = critical
`;

const ATTEMPTS = 600;
const BETWEEN_ATTEMPTS_MS = 50;

/** Returns whether a server answers within 30 s. */
const answers = async (url: string, hasEnded: () => boolean): Promise<boolean> => {
  for (let attempt = 0; attempt < ATTEMPTS && !hasEnded(); attempt += 1) {
    const isUp = await fetch(url, { redirect: 'manual' }).then(
      () => true,
      () => false,
    );
    if (isUp) return true;
    await setTimeout(BETWEEN_ATTEMPTS_MS);
  }
  return false;
};

const NOT_INSTALLED =
  'The demo with CardDAV needs Radicale, a CardDAV server, and the command radicale was not found. Install it: apt-get ' +
  'install radicale, or pipx install radicale.';

/** Whether this machine has Radicale. */
const hasRadicale = (): boolean => spawnSync('radicale', ['--version'], { stdio: 'ignore' }).status === 0;

/**
 * Starts Radicale on 127.0.0.1 with an empty address book in a temporary folder; disposing it stops it and removes the folder.
 *
 * @throws {UsageError} if it is not installed or does not start.
 */
export const startRadicale = async (): Promise<Radicale> => {
  if (!hasRadicale()) throw new UsageError(NOT_INSTALLED);
  await using stack = new AsyncDisposableStack();
  const user = { username: 'demo', password: randomUUID() };
  const directory = await mkdtemp(join(tmpdir(), 'contact-sync-radicale-'));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  const folder = join(directory, 'data', 'collection-root', user.username, 'contacts');
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, '.Radicale.props'),
    JSON.stringify({ tag: 'VADDRESSBOOK', 'D:displayname': 'Contacts' }),
  );
  await writeFile(join(directory, 'users'), `${user.username}:${user.password}\n`);
  const port = await freePort();
  await writeFile(join(directory, 'config'), configuration(port, directory));
  const server = spawn('radicale', ['--config', join(directory, 'config')], { stdio: 'ignore' });
  const end = once(server, 'exit');
  stack.defer(async () => {
    server.kill();
    await end;
  });
  const url = `http://127.0.0.1:${port}/`;
  if (!(await answers(url, () => server.exitCode !== null))) throw new UsageError('Radicale did not start.');
  const running = stack.move();
  return { settings: { url, ...user }, folder, [Symbol.asyncDispose]: () => running.disposeAsync() };
};
