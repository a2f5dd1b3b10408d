import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../network.ts';
import { awaitAnswer, type CarddavServer } from './server.ts';

/** Whether this machine has Xandikos. */
export const hasXandikos = (): boolean => spawnSync('xandikos', ['--version'], { stdio: 'ignore' }).status === 0;

const IDENTITY = ['-c', 'user.name=owner', '-c', 'user.email=owner@example.org', '-c', 'commit.gpgsign=false'];

/** Starts a server, which keeps each address book in a repository of git. It checks no credentials. */
export const startXandikos = async (): Promise<CarddavServer> => {
  const folder = mkdtempSync(join(tmpdir(), 'xandikos-'));
  const port = await freePort();
  const options = ['--directory', folder, '--listen-address', '127.0.0.1', '--port', String(port), '--defaults'];
  const server = spawn('xandikos', options, { stdio: 'ignore' });
  const isGone = new Promise((resolve) => server.once('exit', resolve));
  const origin = `http://127.0.0.1:${port}`;
  await awaitAnswer(origin);
  let books = 0;
  return {
    openBook: () => {
      books += 1;
      const book = join(folder, 'user', 'contacts', `book${books}`);
      mkdirSync(book, { recursive: true });
      const git = (...words: readonly string[]): void => {
        const { status, stderr } = spawnSync('git', ['-C', book, ...IDENTITY, ...words], { encoding: 'utf8' });
        if (status !== 0) throw new Error(`git ${words.join(' ')}: ${stderr}`);
      };
      const commit = (): void => {
        git('add', '--all');
        git('commit', '--quiet', '--message', 'edit');
      };
      writeFileSync(join(book, '.xandikos'), '[DEFAULT]\ntype = addressbook\n');
      git('init', '--quiet');
      commit();
      const password = `password ${books}`;
      const header = `Basic ${Buffer.from(`user:${password}`).toString('base64')}`;
      let isRevoked = false;
      const names = (): readonly string[] => readdirSync(book).filter((name) => name.endsWith('.vcf'));
      return {
        url: `${origin}/user/contacts/book${books}/`,
        username: 'user',
        password,
        cards: () => new Map(names().map((name) => [name, readFileSync(join(book, name), 'utf8')])),
        read: (name) => (names().includes(name) ? readFileSync(join(book, name), 'utf8') : null),
        write: (name, text) => {
          writeFileSync(join(book, name), text);
          commit();
        },
        remove: (name) => {
          unlinkSync(join(book, name));
          commit();
        },
        revoke: () => {
          isRevoked = true;
        },
        accepts: (authorization) => !isRevoked && authorization === header,
      };
    },
    [Symbol.asyncDispose]: async () => {
      server.kill();
      await isGone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
