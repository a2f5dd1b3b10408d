import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collectLog, type LogLine } from '../../support/jobs/log-lines.ts';
import { ENTRY } from '../child.ts';

/** A daemon on a host of its own. */
export type Host = {
  readonly index: number;
  readonly lines: readonly LogLine[];
  /** Resolves with the next line that is meant. */
  next(means: (line: LogLine) => boolean): Promise<LogLine>;
  /** Sends the daemon a signal. */
  signal(name: NodeJS.Signals): Promise<void>;
  readonly ended: Promise<unknown>;
  [Symbol.asyncDispose](): Promise<void>;
};

export type HostOptions = {
  readonly index: number;
  /** The prefix of the command. */
  readonly prefix: readonly string[];
  readonly configPath: string;
};

/** The process that runs below `ip netns exec` and `unshare`. */
const childOf = async (pid: number): Promise<number> => {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return Number(children.trim().split(' ')[0] ?? 0);
};

export const startHost = async ({ index, prefix, configPath }: HostOptions): Promise<Host> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'contact-sync-host-'));
  const [program = '', ...before] = prefix;
  const command = [...before, process.execPath, ENTRY, 'daemon', '--config', configPath];
  const child = spawn(program, command, {
    cwd: dataDir,
    env: { PATH: process.env['PATH'], DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { stream, ...log } = collectLog();
  child.stdout.pipe(stream);
  const ended = once(child, 'close');
  const signal = async (name: NodeJS.Signals): Promise<void> => {
    const pid = await childOf(child.pid ?? 0).catch(() => 0);
    if (pid > 0) process.kill(pid, name);
  };
  return {
    index,
    lines: log.lines,
    next: (means) => log.until(means, log.lines.length),
    signal,
    ended,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        await signal('SIGCONT');
        await signal('SIGTERM');
      }
      await ended;
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};
