import type { RunKind } from '../../src/core/state/rows.ts';
import { join } from 'node:path';
import { bundle } from '../../config/build-program.ts';
import { startChild, type Child, type Handlers } from './child.ts';
import type { EngineProcess, Measured } from './engine-process.ts';
import { openFolder } from './folder.ts';
import type { Asked, SandboxProcess } from './sandbox-process.ts';

/** A time longer than any overlap of the feeds. */
const PAUSE_MS = 11 * 60_000;
/** The flags in the Dockerfile and in `src/main.ts`. */
const CONTAINER_FLAGS = ['--max-semi-space-size=5', '--heap-growing-percent=50'];
/** The environment that the Dockerfile sets for the C library. */
export const CONTAINER_ENVIRONMENT = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072' };
const WIDE_LIMITS = {
  SERVICE_RATE_LIMIT: '600000/minute',
  GOOGLE_READ_LIMIT: '600000/minute',
  GOOGLE_WRITE_LIMIT: '600000/minute',
};

const BUILT = join(import.meta.dirname, '../../node_modules/.cache/contact-sync-bench');
const built = new Map<string, Promise<unknown>>();

/**
 * Bundles a file, by default of this folder, like the installed program: otherwise Node would use memory for compiling the
 * sources. The ending `.mjs` marks it as a module: without a package.json, Node would have to parse the file to detect that.
 */
const build = async (name: string, path = join(import.meta.dirname, `${name}.ts`)): Promise<string> => {
  const building = built.get(name) ?? bundle({ [name]: path }, join(BUILT, name), 'mjs');
  built.set(name, building);
  await building;
  return join(BUILT, name, `${name}.mjs`);
};

/** Returns the arguments with which the container starts the command line, up to the command. */
export const containerArguments = async (): Promise<readonly string[]> => [
  ...CONTAINER_FLAGS,
  await build('main', join(import.meta.dirname, '../../src/main.ts')),
];

/** Starts such a file like the container does. */
export const startBuilt = async <Served extends Handlers>(name: string): Promise<Child<Served>> =>
  startChild<Served>(await build(name), CONTAINER_FLAGS, CONTAINER_ENVIRONMENT);

export type Step = Measured & Asked;

/** Environment variables, and the path of a configuration file. */
type Settings = { readonly environment: Record<string, string>; readonly config: string | null };

/** The engine and two emulators, in separate processes. */
export type Setup = {
  readonly sandbox: Child<SandboxProcess>;
  readonly dataDir: string;
  readonly environment: Record<string, string>;
  /** Opens the engine's process. Each one measures its own peak memory. */
  open(settings?: Settings): Promise<Child<EngineProcess>>;
  run(engine: Child<EngineProcess>, kind: RunKind): Promise<Step>;
  /** Advances the time, so that no contact counts as recently written. */
  pause(engine: Child<EngineProcess>): Promise<void>;
  close(): Promise<void>;
};

export const setUp = async (count: number, filled: 'google' | 'service' | 'both'): Promise<Setup> => {
  const sandbox = startChild<SandboxProcess>('sandbox-process.ts');
  const environment = { ...(await sandbox.call('start', { count, filled })), ...WIDE_LIMITS };
  const folder = await openFolder();
  const dataDir = folder.path;
  let aheadMs = 0;
  return {
    sandbox,
    dataDir,
    environment,
    open: async (settings = { environment, config: null }) => {
      const engine = await startBuilt<EngineProcess>('engine-process');
      await engine.call('advance', aheadMs);
      await engine.call('open', { ...settings, dataDir });
      return engine;
    },
    run: async (engine, kind) => {
      const measured = await engine.call('run', kind);
      return { ...measured, ...(await sandbox.call('asked', null)) };
    },
    pause: async (engine) => {
      aheadMs += PAUSE_MS;
      await sandbox.call('advance', PAUSE_MS);
      await engine.call('advance', PAUSE_MS);
    },
    close: async () => {
      await sandbox.stop();
      await folder[Symbol.asyncDispose]();
    },
  };
};

export const endEngine = async (engine: Child<EngineProcess>): Promise<void> => {
  await engine.call('close', null);
  await engine.stop();
};

/**
 * Runs until the writes of the first runs are no longer recent. Without a rate limit, the first runs write more contacts in a
 * second than fit on a page of the service, and every run reads the last second again. Therefore one contact is changed on each
 * side afterwards.
 */
export const settle = async (setup: Setup, engine: Child<EngineProcess>): Promise<void> => {
  await setup.pause(engine);
  await setup.sandbox.call('edit', Number.MAX_SAFE_INTEGER);
  for (let times = 0; times < 2; times += 1) {
    await setup.pause(engine);
    await setup.run(engine, 'incremental');
  }
  await setup.pause(engine);
};
