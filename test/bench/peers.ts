import { spawn } from 'node:child_process';
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { openFolder } from './folder.ts';

/** The cost of one run of another program. */
export type PeerCost = { readonly cpuMs: number; readonly wallMs: number; readonly peakBytes: number };
export type Peer = {
  readonly name: string;
  readonly first: PeerCost;
  readonly idle: PeerCost;
  readonly changed: PeerCost;
};

type Program = {
  readonly name: string;
  /** Fills one side with `count` items, and writes the configuration of the program. */
  readonly prepare: (home: string, count: number) => Promise<void>;
  /** The commands of the first run (some programs need more than one) and of every later one. */
  readonly first: readonly (readonly string[])[];
  readonly again: readonly string[];
  /** Changes an item on one side. */
  readonly change: (home: string, index: number) => Promise<void>;
};

export const isInstalled = async (command: string): Promise<boolean> => {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const found = await Promise.allSettled(folders.map((folder) => access(join(folder, command))));
  return found.some(({ status }) => status === 'fulfilled');
};

const peakOf = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmHWM:\s+(\d+) kB/u.exec(status)?.[1] ?? 0) * 1_024;
};

const POLL_MS = 10;

/** Measures the cost of a command: CPU seconds as reported by bash's `time`, peak memory as reported by the kernel. */
export const measure = (home: string, command: readonly string[]): Promise<PeerCost> =>
  new Promise((resolve, reject) => {
    const startedAtMs = performance.now();
    const child = spawn('bash', ['-c', 'TIMEFORMAT="%U %S" ; time "$@" >/dev/null 2>"$HOME/log"', 'bash', ...command], {
      cwd: home,
      env: { PATH: process.env['PATH'], HOME: home, UNISON: join(home, '.unison'), LC_ALL: 'C.UTF-8' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let times = '';
    let peakBytes = 0;
    const poll = setInterval(() => {
      void (async () => {
        const children = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').catch(() => '');
        const peaks = await Promise.all(
          children
            .split(' ')
            .filter(Boolean)
            .map((pid) => peakOf(Number(pid))),
        );
        peakBytes = Math.max(peakBytes, ...peaks);
      })();
    }, POLL_MS);
    child.stderr.on('data', (chunk: Buffer) => (times += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) => {
      clearInterval(poll);
      const [user = 0, system = 0] = times.trim().split(/\s+/u).slice(-2).map(Number);
      const cost = { cpuMs: (user + system) * 1_000, wallMs: performance.now() - startedAtMs, peakBytes };
      if (code === 0) return resolve(cost);
      const fail = (log: string): void => reject(new Error(`${command.join(' ')} ended with ${code}: ${log}`));
      void readFile(join(home, 'log'), 'utf8').then((log) => fail(log.slice(-500)), fail);
    });
  });

const card = (index: number, title: string): string =>
  [
    'BEGIN:VCARD',
    'VERSION:3.0',
    `UID:contact-${index}`,
    `FN:Person ${index}`,
    `N:${index};Person;;;`,
    `EMAIL:person.${index}@example.org`,
    `TEL:+1555${String(index).padStart(7, '0')}`,
    `ORG:Company ${index % 100}`,
    `TITLE:${title}`,
    'END:VCARD',
    '',
  ].join('\r\n');

const each = async (count: number, write: (index: number) => Promise<void>): Promise<void> => {
  for (let from = 0; from < count; from += 500) {
    await Promise.all(Array.from({ length: Math.min(500, count - from) }, (_, index) => write(from + index)));
  }
};

const cardsIn = (folder: string) => ({
  fill: async (home: string, count: number): Promise<void> => {
    await mkdir(join(home, folder), { recursive: true });
    await each(count, (index) => writeFile(join(home, folder, `contact-${index}.vcf`), card(index, 'Engineer')));
  },
  change: (home: string, index: number): Promise<void> =>
    writeFile(join(home, folder, `contact-${index}.vcf`), card(index, 'Director')),
});

const vdirsyncerConfig = (home: string): string => `[general]
status_path = "${home}/status/"
[pair contacts]
a = "one"
b = "other"
collections = null
conflict_resolution = "a wins"
[storage one]
type = "filesystem"
path = "${home}/one/"
fileext = ".vcf"
[storage other]
type = "filesystem"
path = "${home}/other/"
fileext = ".vcf"
`;

const mbsyncConfig = (home: string): string => `FSync no

MaildirStore one
Path ${home}/one/
Inbox ${home}/one/INBOX

MaildirStore other
Path ${home}/other/
Inbox ${home}/other/INBOX

Channel mail
Far :one:
Near :other:
Patterns INBOX
Create Both
Sync All
SyncState *
`;

const mailPath = (home: string, index: number, flags: string): string =>
  join(home, 'one/INBOX/cur', `1700000000.${index}.host:2,${flags}`);

const cards = cardsIn('one');

const PROGRAMS: readonly Program[] = [
  {
    name: 'vdirsyncer',
    prepare: async (home, count) => {
      await cards.fill(home, count);
      await mkdir(join(home, 'other'));
      await writeFile(join(home, 'config'), vdirsyncerConfig(home));
    },
    first: [
      ['vdirsyncer', '-c', 'config', 'discover'],
      ['vdirsyncer', '-c', 'config', 'sync'],
    ],
    again: ['vdirsyncer', '-c', 'config', 'sync'],
    change: cards.change,
  },
  {
    name: 'mbsync',
    prepare: async (home, count) => {
      const folders = ['one', 'other'].flatMap((side) => ['cur', 'new', 'tmp'].map((part) => `${side}/INBOX/${part}`));
      for (const folder of folders) await mkdir(join(home, folder), { recursive: true });
      const text = (index: number) => `From: p${index}@example.org\nSubject: ${index}\n\n${card(index, 'Engineer')}`;
      await each(count, (index) => writeFile(mailPath(home, index, 'S'), text(index)));
      await writeFile(join(home, 'config'), mbsyncConfig(home));
    },
    first: [['mbsync', '-c', 'config', '-a']],
    again: ['mbsync', '-c', 'config', '-a'],
    // A mail cannot be changed. The nearest equivalent is a new one.
    change: (home, index) => writeFile(mailPath(home, 1_000_000 + index, ''), `Subject: new ${index}\n\nnew\n`),
  },
  {
    name: 'unison',
    prepare: async (home, count) => {
      await cards.fill(home, count);
      await mkdir(join(home, 'other'));
    },
    first: [['unison', 'one', 'other', '-batch', '-silent']],
    again: ['unison', 'one', 'other', '-batch', '-silent'],
    change: cards.change,
  },
];

const add = (one: PeerCost, other: PeerCost): PeerCost => ({
  cpuMs: one.cpuMs + other.cpuMs,
  wallMs: one.wallMs + other.wallMs,
  peakBytes: Math.max(one.peakBytes, other.peakBytes),
});

const tryOut = async (program: Program, count: number): Promise<Peer> => {
  await using folder = await openFolder();
  const home = folder.path;
  await program.prepare(home, count);
  let first = { cpuMs: 0, wallMs: 0, peakBytes: 0 };
  for (const command of program.first) first = add(first, await measure(home, command));
  const idle = await measure(home, program.again);
  await each(count / 100, (index) => program.change(home, index * 100));
  const changed = await measure(home, program.again);
  return { name: program.name, first, idle, changed };
};

/** Measures other programs with the same work between two local folders. Programs in `missing` are not installed. */
export const benchPeers = async (count: number): Promise<{ peers: readonly Peer[]; missing: readonly string[] }> => {
  const peers: Peer[] = [];
  const missing: string[] = [];
  for (const program of PROGRAMS) {
    if (await isInstalled(program.name)) peers.push(await tryOut(program, count));
    else missing.push(program.name);
  }
  return { peers, missing };
};
