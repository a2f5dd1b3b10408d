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
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../network.ts';
import { awaitAnswer, type CarddavServer } from './server.ts';

/** Whether this machine has Radicale. */
export const hasRadicale = (): boolean => spawnSync('radicale', ['--version'], { stdio: 'ignore' }).status === 0;

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
export const startRadicale = async (): Promise<CarddavServer> => {
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
        cards: () => new Map(names().map((name) => [name, readFileSync(join(book, name), 'utf8')])),
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
