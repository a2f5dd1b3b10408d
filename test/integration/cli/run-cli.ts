import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll } from 'vitest';
import { z } from 'zod';
import { MAIN, processEnv } from '../../support/program.ts';
import { FAST_LIMITS, FAST_SANDBOX } from '../../support/linked-sandbox.ts';
import { cliHost } from '../../support/cli-host.ts';
import { openStore } from '../../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../../src/sandbox/sandbox.ts';
import { createFolder } from '../../support/folder.ts';

export type Environment = Readonly<Record<string, string>>;
export type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** Starts the real command line in a separate process that has only the given variables. */
export const startCli = (args: readonly string[], env: Environment, cwd: string = tmpdir()): ChildProcess =>
  spawn(process.execPath, [MAIN, ...args], { cwd, env: processEnv(env) });

export const ended = async (child: ChildProcess): Promise<Ended> => {
  const [stdout, stderr] = [child.stdout, child.stderr].map((stream) => (stream ? text(stream) : ''));
  await once(child, 'close');
  return { code: child.exitCode, stdout: (await stdout) ?? '', stderr: (await stderr) ?? '' };
};

export const runProcess = (args: readonly string[], env: Environment = {}, cwd?: string): Promise<Ended> =>
  ended(startCli(args, env, cwd));

export const runCli = (args: readonly string[], env: Environment = {}, cwd?: string): Promise<Ended> =>
  cliHost.runTyped(args, env, cwd);

/** The document of a command that failed. */
export const Failed = z.looseObject({ error: z.string() });

/** A schema of a JSON document. */
type Shape<T> = { readonly parse: (json: unknown) => T };

export type Ground = {
  readonly sandbox: Sandbox;
  /** A separate directory, which is also the working directory of the commands. */
  readonly directory: string;
  readonly env: Environment;
  run(...args: readonly string[]): Promise<Ended>;
  /** The JSON document that a command prints, with the exit code. */
  read<T>(shape: Shape<T>, ...args: readonly string[]): Promise<T & Pick<Ended, 'code'>>;
  [Symbol.asyncDispose](): Promise<void>;
};

export const startGround = async (options: SandboxOptions = {}): Promise<Ground> => {
  await using stack = new AsyncDisposableStack();
  const sandbox = stack.use(await startSandbox({ count: 30, ...FAST_SANDBOX, ...options }));
  const { path: directory } = stack.use(await createFolder());
  const env = { ...sandbox.environment(), ...FAST_LIMITS, DATA_DIR: join(directory, 'data'), LISTEN: 'off' };
  const run: Ground['run'] = (...args) => runCli(args, env, directory);
  const owned = stack.move();
  return {
    sandbox,
    directory,
    env,
    run,
    read: async (shape, ...args) => {
      const { code, stdout } = await run(...args, '--json');
      return { ...shape.parse(JSON.parse(stdout)), code };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
};

/** The ground of a file: started before its tests, removed after them. */
export const useGround = (options: SandboxOptions = {}): Ground => {
  let ground: Ground | null = null;
  const started = (): Ground => {
    if (ground === null) throw new Error('The ground is not started before the first hook.');
    return ground;
  };
  beforeAll(async () => {
    ground = await startGround(options);
    return () => started()[Symbol.asyncDispose]();
  });
  return {
    get sandbox() {
      return started().sandbox;
    },
    get directory() {
      return started().directory;
    },
    get env() {
      return started().env;
    },
    run: (...args) => started().run(...args),
    read: (...of) => started().read(...of),
    [Symbol.asyncDispose]: () => started()[Symbol.asyncDispose](),
  };
};

export const secretsOf = (env: Environment): readonly string[] =>
  Object.entries(env).flatMap(([name, value]) => (/TOKEN$|SECRET$/u.test(name) ? [value] : []));

/** Opens the database of these variables for one use. */
export const withStore = async <T>(env: Environment, use: (store: Store) => Promise<T>): Promise<T> => {
  const store = openStore(join(env['DATA_DIR'] ?? '', 'contact-sync.db'));
  try {
    return await use(store);
  } finally {
    await store.close();
  }
};
