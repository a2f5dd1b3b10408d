import { spawn, spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

/** An address book of a server, as a program on its machine sees it. */
export type BookFolder = {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  names(): readonly string[];
  read(name: string): string | null;
  write(name: string, text: string): void;
  remove(name: string): void;
  /** The account may not sign in any more. */
  revoke(): void;
};

/** A Radicale of its own, on a free port and with a folder of its own. */
export type Radicale = AsyncDisposable & { openBook(): BookFolder };

/** Whether this machine has Radicale. */
export const hasRadicale = (): boolean => spawnSync('radicale', ['--version'], { stdio: 'ignore' }).status === 0;

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
};

const TRIES = 1_200;

const awaitAnswer = async (url: string): Promise<void> => {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const status = await fetch(url, { redirect: 'manual' }).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status > 0) return;
    await setTimeout(50);
  }
  throw new Error('Radicale does not answer.');
};

const configuration = (port: number, folder: string): string => `
[server]
hosts = 127.0.0.1:${port}
[auth]
type = htpasswd
htpasswd_filename = ${join(folder, 'users')}
htpasswd_encryption = plain
delay = 0
[rights]
type = owner_only
[storage]
filesystem_folder = ${join(folder, 'data')}
[logging]
level = critical
`;

/** Starts a server. A book that it opens has an account of its own. */
export const startRadicale = async (): Promise<Radicale> => {
  const folder = mkdtempSync(join(tmpdir(), 'radicale-'));
  const users = join(folder, 'users');
  writeFileSync(users, '');
  const port = await freePort();
  writeFileSync(join(folder, 'config'), configuration(port, folder));
  const server = spawn('radicale', ['--config', join(folder, 'config')], { stdio: 'ignore' });
  const isGone = new Promise((resolve) => server.once('exit', resolve));
  const origin = `http://127.0.0.1:${port}/`;
  await awaitAnswer(origin);
  let books = 0;
  return {
    openBook: () => {
      books += 1;
      const username = `user${books}`;
      const password = `pass word ${books}`;
      writeFileSync(users, `${readFileSync(users, 'utf8')}${username}:${password}\n`);
      const book = join(folder, 'data', 'collection-root', username, 'contacts');
      mkdirSync(book, { recursive: true });
      writeFileSync(
        join(book, '.Radicale.props'),
        JSON.stringify({ tag: 'VADDRESSBOOK', 'D:displayname': 'Contacts' }),
      );
      const isCard = (name: string): boolean => name.endsWith('.vcf') && !name.startsWith('.');
      const names = (): readonly string[] => readdirSync(book).filter(isCard);
      return {
        url: origin,
        username,
        password,
        names,
        read: (name) => (names().includes(name) ? readFileSync(join(book, name), 'utf8') : null),
        write: (name, text) => {
          writeFileSync(join(folder, 'new'), text);
          renameSync(join(folder, 'new'), join(book, name));
        },
        remove: (name) => unlinkSync(join(book, name)),
        revoke: () => {
          const lines = readFileSync(users, 'utf8').split('\n');
          writeFileSync(users, lines.filter((line) => !line.startsWith(`${username}:`)).join('\n'));
        },
      };
    },
    [Symbol.asyncDispose]: async () => {
      server.kill();
      await isGone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
