import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createApp, type App } from '../../src/app/app.ts';
import { loadConfig, type LoadOptions } from '../../src/app/config/config.ts';
import type { LinkConfig } from '../../src/app/config/link-config.ts';
import type { LinkRunOptions } from '../../src/app/runs.ts';
import type { RunKind } from '../../src/core/state/rows.ts';
import type { RunResult, RunSummary } from '../../src/engine/run.ts';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/sandbox.ts';
import type { PlanResult } from '../../src/engine/plan-link.ts';
import { createMovableClock, type MovableClock } from './clocks.ts';
import { createFolder } from './folder.ts';
import { silentEvents } from './silent-events.ts';

type Variables = Readonly<Record<string, string>>;

/** A store other than the database of DATA_DIR. */
type Overrides = Pick<NonNullable<Parameters<typeof createApp>[2]>, 'store'>;

type SyncOptions = Partial<LinkRunOptions> & {
  /** The time that passes before the run. */
  readonly afterMs?: number;
  /** Settings of the link in this run. */
  readonly link?: Partial<LinkConfig>;
};

/** The program with one link, without a log. */
export type Program = AsyncDisposable & {
  readonly app: App;
  readonly link: LinkConfig;
  sync(options?: SyncOptions): Promise<RunResult>;
  /**
   * Syncs without a failure.
   *
   * @throws {Error} the error of the run.
   */
  synced(options?: SyncOptions): Promise<RunSummary>;
  plan(kind?: RunKind, link?: Partial<LinkConfig>): Promise<PlanResult>;
  /** Undoes the run with this id, or the last one that wrote. */
  undo(run?: string, options?: Partial<Parameters<App['undo']>[2]>): ReturnType<App['undo']>;
};

/** A link of the real program between the two emulators over HTTP, with a clock that the test moves. */
export type LinkedSandbox = Program & {
  readonly sandbox: Sandbox;
  readonly clock: MovableClock;
  readonly dataDir: string;
  /** Opens the program on the same database and accounts with other variables, and closes it after its use. */
  reopened<T>(variables: Variables, use: (program: Program) => Promise<T>): Promise<T>;
};

/** Limits of a sandbox and of the program that no test reaches. */
export const FAST_SANDBOX = {
  serviceRateLimit: { requests: 60_000, windowMs: 60_000 },
  googleQuotas: { readsPerMinute: 60_000, writesPerMinute: 60_000 },
};
export const FAST_LIMITS = {
  SERVICE_RATE_LIMIT: '60000/minute',
  GOOGLE_READ_LIMIT: '60000/minute',
  GOOGLE_WRITE_LIMIT: '60000/minute',
};

/** Opens the program with the only link of a configuration. */
export const openProgram = (options: LoadOptions, overrides: Overrides & { readonly clock: MovableClock }): Program => {
  const config = loadConfig(options);
  const app = createApp(config, silentEvents(), overrides);
  const [link] = config.links;
  if (link === undefined) throw new Error('The configuration has no link.');
  const { signal } = new AbortController();
  const sync: Program['sync'] = ({ afterMs = 0, link: settings = {}, ...more } = {}) => {
    overrides.clock.advance(afterMs);
    return app.run({ ...link, ...settings }, { kind: 'incremental', signal, ...more });
  };
  return {
    app,
    link,
    sync,
    synced: async (of) => {
      const { error, summary } = await sync(of);
      if (error !== null) throw new Error('The run failed.', { cause: error });
      return summary;
    },
    plan: (kind = 'incremental', settings = {}) => app.plan({ ...link, ...settings }, { kind, signal }),
    undo: async (id, more = {}) => {
      const [run] = await app.store.runs(link.name, id === undefined ? { latest: 'writing' } : { idPrefix: id });
      if (run === undefined) throw new Error('There is no run to undo.');
      return app.undo(link, run, { signal, ...more });
    },
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
};

/** Configures the link `home` between an emulator and an address book. The returned function opens the program with it. */
export const configureCarddav = async (
  { sandbox, dataDir, clock }: Pick<LinkedSandbox, 'sandbox' | 'dataDir' | 'clock'>,
  variables: Variables,
  left: 'google' | 'service' = 'google',
): Promise<(more?: Variables) => Program> => {
  const config = join(dataDir, 'contact-sync.yaml');
  const link = { left: { provider: left }, right: { provider: 'carddav' } };
  await writeFile(config, JSON.stringify({ links: { home: link } }));
  const limits = { ...FAST_LIMITS, CARDDAV_RATE_LIMIT: '60000/minute' };
  const env = { ...sandbox.environment(), ...limits, DATA_DIR: dataDir, ...variables };
  return (more = {}) => openProgram({ env: { ...env, ...more }, cwd: dataDir, config }, { clock });
};

/** Starts both emulators and the program, with high rate limits so that no test waits. `hurry`: see `createMovableClock`. */
export const startLinkedSandbox = async (
  options: Omit<SandboxOptions, 'clock'> = {},
  variables: Variables = {},
  { hurry = 1, ...overrides }: Overrides & { readonly hurry?: number } = {},
): Promise<LinkedSandbox> => {
  await using stack = new AsyncDisposableStack();
  const clock = createMovableClock(hurry);
  const sandbox = stack.use(await startSandbox({ ...FAST_SANDBOX, ...options, clock }));
  const { path: dataDir } = stack.use(await createFolder());
  const open = (more: Variables, parts: Overrides): Program => {
    const env = { ...sandbox.environment(), ...FAST_LIMITS, DATA_DIR: dataDir, ...more };
    return openProgram({ env, cwd: dataDir }, { ...parts, clock });
  };
  const program = stack.use(open(variables, overrides));
  const owned = stack.move();
  return {
    ...program,
    sandbox,
    clock,
    dataDir,
    reopened: async (more, use) => {
      await using again = open(more, {});
      return await use(again);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
};

/** The same after a first sync. */
export const startSyncedSandbox = async (...of: Parameters<typeof startLinkedSandbox>): Promise<LinkedSandbox> => {
  const linked = await startLinkedSandbox(...of);
  await linked.synced();
  return linked;
};
