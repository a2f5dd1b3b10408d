import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { createApp } from '../../../src/app/app.ts';
import { loadConfig, type Config } from '../../../src/app/config/config.ts';
import { createEvents } from '../../../src/app/events.ts';
import { startDaemon } from '../../../src/daemon/daemon.ts';
import { createLogger } from '../../../src/util/logger.ts';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../../src/sandbox/sandbox.ts';
import { cliHost, type CliHost } from '../cli-host.ts';
import { MAIN, processEnv } from '../program.ts';
import { createMovableClock, type MovableClock } from '../clocks.ts';
import { createFolder } from '../folder.ts';
import { FAST_SANDBOX } from '../linked-sandbox.ts';
import { collectLog, type DaemonLog } from './log-lines.ts';

/** A daemon in a process of its own. */
type DaemonProcess = DaemonLog & {
  kill(signal: NodeJS.Signals): void;
  /** The exit code; null where a signal ended it. */
  readonly exited: Promise<number | null>;
};

/** A daemon in the test's process: all of it but the signals. */
type LocalDaemon = DaemonLog & {
  readonly clock: MovableClock;
  /** The links that it has opened a way to the network for. */
  reached(): readonly string[];
  reload(): void;
  /** Ends it; once, however often it is called. */
  stop(): Promise<void>;
};

/** The people on each side of a sandbox. */
type People = Required<Pick<SandboxOptions, 'google' | 'service'>>;

type Settings = Readonly<Record<string, unknown>>;

/** Links between sandboxes, one configuration and one store for them, and daemons and commands that work on it. */
export type DaemonWorld = {
  readonly sandboxes: ReadonlyMap<string, Sandbox>;
  /** @throws {Error} if there is no such link. */
  sandbox(name: string): Sandbox;
  readonly dataDir: string;
  /** Adds a link with a sandbox of its own, of so many people or of those; takes effect with `configure`. */
  addLink(name: string, people?: number | People): Promise<Sandbox>;
  /**
   * Writes the configuration: these settings of each link besides its accounts, and of the process; links not named are
   * left out.
   */
  configure(links: Readonly<Record<string, Settings>>, shared?: Settings): Promise<void>;
  /** A daemon here, whose intervals are `times` shorter than configured; 40 by default. */
  startDaemon(times?: number): LocalDaemon;
  /** A daemon in a process of its own, with at most so many file descriptors. */
  startProcess(descriptors?: number): DaemonProcess;
  /** Starts a command, or runs it to its end, with this world's configuration; one at a time. */
  start(...args: readonly string[]): ReturnType<CliHost['start']>;
  run(...args: readonly string[]): ReturnType<CliHost['run']>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** A link's section. `rateLimit` is the service's. A token that is set to null is left to `connect`. */
export const accountsOf = (sandbox: Pick<Sandbox, 'environment'>, settings: Settings) => {
  const env = sandbox.environment();
  const {
    accessToken = env['SERVICE_ACCESS_TOKEN'],
    refreshToken = env['GOOGLE_REFRESH_TOKEN'],
    baseUrl = env['SERVICE_BASE_URL'],
    rootUrl = env['GOOGLE_ROOT_URL'],
    rateLimit = '60000/minute',
    ...rest
  } = settings;
  return {
    ...rest,
    service: {
      baseUrl,
      authUrl: env['SERVICE_AUTH_URL'],
      clientId: env['SERVICE_CLIENT_ID'],
      clientSecret: env['SERVICE_CLIENT_SECRET'],
      ...(accessToken !== null && { accessToken }),
      rateLimit,
    },
    google: {
      clientId: env['GOOGLE_CLIENT_ID'],
      clientSecret: env['GOOGLE_CLIENT_SECRET'],
      rootUrl,
      authUrl: env['GOOGLE_AUTH_URL'],
      tokenUrl: env['GOOGLE_TOKEN_URL'],
      ...(refreshToken !== null && { refreshToken }),
      readLimit: '60000/minute',
      writeLimit: '60000/minute',
    },
  };
};

const quicken = (config: Config, times: number): Config => {
  const links = config.links.map((link) => ({
    ...link,
    syncIntervalMs: link.syncIntervalMs / times,
    sweepIntervalMs: link.sweepIntervalMs / times,
  }));
  return { ...config, links };
};

const startLocal = (configPath: string, times: number): LocalDaemon => {
  const load = (): Config => quicken(loadConfig({ config: configPath, env: {} }), times);
  const config = load();
  const { stream, ...log } = collectLog();
  const logger = createLogger({ level: config.logLevel, format: 'json', destination: stream });
  const events = createEvents(logger, { personalData: false });
  const clock = createMovableClock();
  const app = createApp(config, events, { clock });
  const daemon = startDaemon({ app, events, clock, random: () => 0.5, loadConfig: load });
  const end = async (): Promise<void> => {
    await daemon.stop();
    await app[Symbol.asyncDispose]();
  };
  let ending: Promise<void> | null = null;
  return {
    ...log,
    clock,
    reached: () => [...new Set(app.traffic().map(({ link }) => link))],
    reload: () => daemon.reload(),
    stop: () => (ending ??= end()),
  };
};

const startProcess = (configPath: string, descriptors: number | undefined): DaemonProcess => {
  const limit = descriptors === undefined ? '' : `ulimit -n ${descriptors}; `;
  const command = [process.execPath, MAIN, 'daemon', '--config', configPath];
  const child = spawn('sh', ['-c', `${limit}exec "$@"`, 'sh', ...command], {
    env: processEnv(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { stream, ...log } = collectLog();
  child.stdout.pipe(stream);
  const exited = once(child, 'close').then(([code]) => code as number | null);
  return { ...log, kill: (signal) => void child.kill(signal), exited };
};

/**
 * Starts the sandboxes of these links and writes the configuration; without links, neither. Limits are wide, so that no test
 * waits for its pace. Commands run in the host.
 */
export const startDaemonWorld = async (
  links: Readonly<Record<string, Settings & { readonly people?: number | People }>> = {},
  { redisUrl = null, ...shared }: Settings & { readonly redisUrl?: string | null | undefined } = {},
): Promise<DaemonWorld> => {
  const grounds = new AsyncDisposableStack();
  const { path: directory } = grounds.use(await createFolder());
  const configPath = join(directory, 'contact-sync.yaml');
  const dataDir = join(directory, 'data');
  const sandboxes = new Map<string, Sandbox>();
  const daemons = new AsyncDisposableStack();
  const sandboxOf = (name: string): Sandbox => {
    const sandbox = sandboxes.get(name);
    if (sandbox === undefined) throw new Error(`There is no sandbox for ${name}.`);
    return sandbox;
  };
  const start: DaemonWorld['start'] = (...args) => cliHost.start([...args, '--config', configPath], {}, directory);

  const world: DaemonWorld = {
    sandboxes,
    sandbox: sandboxOf,
    dataDir,
    addLink: async (name, people = 12) => {
      const seed = sandboxes.size + 1;
      const given = typeof people === 'number' ? { count: people, seed } : people;
      const sandbox = grounds.use(await startSandbox({ ...given, ...FAST_SANDBOX }));
      sandboxes.set(name, sandbox);
      return sandbox;
    },
    configure: async (sections, more = {}) => {
      const written = Object.entries(sections).map(([name, settings]) => [name, accountsOf(sandboxOf(name), settings)]);
      const common = { dataDir, listen: 'off', logLevel: 'debug', ...(redisUrl === null ? {} : { redisUrl }), ...more };
      await writeFile(configPath, stringify({ ...common, links: Object.fromEntries(written) }));
    },
    startDaemon: (times = 40) => {
      const daemon = startLocal(configPath, times);
      daemons.defer(() => daemon.stop());
      return daemon;
    },
    startProcess: (descriptors) => {
      const daemon = startProcess(configPath, descriptors);
      daemons.defer(async () => {
        daemon.kill('SIGKILL');
        await daemon.exited;
      });
      return daemon;
    },
    start,
    run: (...args) => start(...args).end,
    [Symbol.asyncDispose]: async () => {
      // Users of the sandboxes and the store are closed before them.
      await daemons.disposeAsync();
      await grounds.disposeAsync();
    },
  };
  const sections: Record<string, Settings> = {};
  for (const [name, { people, ...settings }] of Object.entries(links)) {
    await world.addLink(name, people);
    sections[name] = settings;
  }
  if (Object.keys(sections).length > 0) await world.configure(sections, shared);
  return world;
};
