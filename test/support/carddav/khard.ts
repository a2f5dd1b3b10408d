import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BookFolder } from './server.ts';

const works = (program: string): boolean => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;

/** Whether this machine has the programs. */
export const hasKhard = (): boolean => works('khard') && works('vdirsyncer');

const call = (program: string, words: readonly string[], input = ''): string => {
  const { status, stdout, stderr } = spawnSync(program, words, { input, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${words.join(' ')}: ${stdout}${stderr}`);
  return stdout;
};

/** A user of khard, whose cards vdirsyncer exchanges with the server. */
export type Khard = {
  /** Exchanges the edits of both. */
  sync(): void;
  /** The details of a contact as khard shows them. */
  show(name: string): string;
  /** Edits a contact in the form in which khard shows it to an editor. */
  edit(name: string, change: (yaml: string) => string): void;
};

/** Sets khard and vdirsyncer up in a folder. */
export const openKhard = ({ url, username, password }: BookFolder, folder: string): Khard => {
  const [cards, exchange, khard] = ['cards', 'vdirsyncer', 'khard'].map((name) => join(folder, name));
  if (cards === undefined || exchange === undefined || khard === undefined) throw new Error('There are three places.');
  mkdirSync(cards);
  writeFileSync(
    exchange,
    `[general]
status_path = "${join(folder, 'status')}"
[pair book]
a = "local"
b = "remote"
collections = ["from b"]
[storage local]
type = "filesystem"
path = "${cards}"
fileext = ".vcf"
[storage remote]
type = "carddav"
url = "${url}"
username = "${username}"
password = "${password}"
`,
  );
  writeFileSync(khard, `[addressbooks]\n[[book]]\npath = ${join(cards, 'contacts')}\n[general]\ndebug = no\n`);
  call('vdirsyncer', ['-c', exchange, 'discover'], 'y\n');
  return {
    sync: () => void call('vdirsyncer', ['-c', exchange, 'sync']),
    show: (name) => call('khard', ['-c', khard, 'show', name]),
    edit: (name, change) => {
      const file = join(folder, 'edited.yaml');
      writeFileSync(file, change(call('khard', ['-c', khard, 'show', '--format', 'yaml', name])));
      call('khard', ['-c', khard, 'edit', '-i', file, name], 'y\n');
    },
  };
};
