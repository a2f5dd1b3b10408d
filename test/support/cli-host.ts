import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { z } from 'zod';
import { createWaiting } from './waiting.ts';

type Environment = Readonly<Record<string, string>>;
type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** `isTerminal`: standard input counts as a terminal, so that the command asks questions. */
type StartOptions = { readonly isTerminal?: boolean };

/** A command under way in the host. */
export type HostedCommand = {
  /** Resolves with what `read` finds in all that was printed to stdout so far, once that is not null. */
  printed<T>(read: (stdout: string) => T | null): Promise<T>;
  /** Writes a line to the standard input of the command. */
  paste(line: string): void;
  /** Sends a signal to the process; a command that handles it ends. */
  kill(signal: NodeJS.Signals): void;
  readonly end: Promise<Ended>;
};

/**
 * A process that runs one command after the other, each with the given variables and directory. The output is
 * that of a real process, but only the first command waits for a process to start.
 * Not for `daemon`, which ends its process.
 */
export type CliHost = {
  start(args: readonly string[], env?: Environment, cwd?: string, options?: StartOptions): HostedCommand;
  run(args: readonly string[], env?: Environment, cwd?: string): Promise<Ended>;
  /** The same, with commands in texts as typed in a checkout, like `src/main.ts`. */
  runTyped(args: readonly string[], env?: Environment, cwd?: string): Promise<Ended>;
};

const answer = z.object({ code: z.number() });

/** Reads a stream from mark to mark. */
const followStream = (stream: NodeJS.ReadableStream | null) => {
  let text = '';
  const waiting = createWaiting();
  stream?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    waiting.notify();
  });
  const until = <T>(read: (text: string) => T | null): Promise<T> => waiting.until(() => read(text) ?? undefined);
  return {
    until,
    /** The text that was not read yet. */
    rest: () => text,
    /** Removes and returns the text before the mark. */
    takeUntil: async (mark: string): Promise<string> => {
      const length = await until((all) => (all.includes(mark) ? all.indexOf(mark) : null));
      const taken = text.slice(0, length);
      text = text.slice(length + mark.length);
      return taken;
    },
  };
};

type SharedHost = CliHost & { readonly isAlive: () => boolean };

const launchHost = (): SharedHost => {
  const child = fork(new URL('cli-host-main.ts', import.meta.url), {
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    execArgv: [],
  });
  const exited = once(child, 'exit');
  const stdout = followStream(child.stdout);
  const stderr = followStream(child.stderr);
  const died = exited.then(([code, signal]): never => {
    throw new Error(`The process of the commands ended with ${String(code ?? signal)}. ${stderr.rest()}`);
  });
  died.catch(() => undefined);

  const finish = async (mark: string): Promise<Ended> => {
    const [[message], printed, warned] = await Promise.race([
      Promise.all([once(child, 'message'), stdout.takeUntil(mark), stderr.takeUntil(mark)]),
      died,
    ]);
    return { code: answer.parse(message).code, stdout: printed, stderr: warned };
  };
  let isBusy = false;
  const begin = (
    args: readonly string[],
    { isTyped = false, isTerminal = false }: { isTyped?: boolean } & StartOptions,
    env: Environment = {},
    cwd: string = tmpdir(),
  ): HostedCommand => {
    if (isBusy) throw new Error(`The host runs another command; it cannot run ${args.join(' ')} now.`);
    isBusy = true;
    const mark = `<${randomUUID()}>`;
    const end = finish(mark).finally(() => (isBusy = false));
    child.send({ args, env, cwd, mark, isTyped, isTerminal });
    return {
      printed: (read) => Promise.race([stdout.until(read), died]),
      paste: (line) => void child.stdin?.write(`${line}\n`),
      kill: (signal) => void child.kill(signal),
      end,
    };
  };
  return {
    start: (args, env, cwd, options = {}) => begin(args, options, env, cwd),
    run: (args, env, cwd) => begin(args, {}, env, cwd).end,
    runTyped: (args, env, cwd) => begin(args, { isTyped: true }, env, cwd).end,
    isAlive: () => child.exitCode === null && child.signalCode === null && child.connected,
  };
};

let shared: SharedHost | null = null;

const running = (): SharedHost => {
  if (shared === null || !shared.isAlive()) shared = launchHost();
  return shared;
};

/** The host of this worker, started by its first command. Files run one after the other; the process ends with the worker. */
export const cliHost: CliHost = {
  start: (...of) => running().start(...of),
  run: (...of) => running().run(...of),
  runTyped: (...of) => running().runTyped(...of),
};
