import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { stringify } from 'yaml';
import { startSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';

export type LogLine = Readonly<Record<string, unknown>> & { readonly level: string; readonly msg: string };

/** A daemon in a process of its own. */
export type DaemonProcess = {
  readonly lines: readonly LogLine[];
  /** Resolves with the first line from `from` on that the test means, whether it came already or will. */
  until(means: (line: LogLine) => boolean, from?: number): Promise<LogLine>;
  kill(signal: NodeJS.Signals): void;
  /** The exit code; null where a signal ended it. */
  readonly exited: Promise<number | null>;
};

type Finished = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** Links between sandboxes, one configuration and one store for them, and processes of the program that work on it. */
export type DaemonWorld = {
  readonly sandboxes: ReadonlyMap<string, Sandbox>;
  readonly dataDir: string;
  /** Adds a link with a sandbox of its own; takes effect with `configure`. */
  addLink(name: string, people?: number): Promise<Sandbox>;
  /** Writes the configuration: these settings of each link besides its accounts; links not named are left out. */
  configure(links: Readonly<Record<string, Readonly<Record<string, unknown>>>>): Promise<void>;
  startDaemon(): DaemonProcess;
  run(...args: readonly string[]): Promise<Finished>;
  start(...args: readonly string[]): ChildProcess;
  [Symbol.asyncDispose](): Promise<void>;
};

const MAIN = join(import.meta.dirname, '../../../src/main.ts');
const FAST = { requests: 60_000, windowMs: 60_000 };
const QUOTAS = { readsPerMinute: 60_000, writesPerMinute: 60_000 };

const accountsOf = (sandbox: Sandbox, settings: Readonly<Record<string, unknown>>) => {
  const env = sandbox.environment();
  const {
    accessToken = env['SERVICE_ACCESS_TOKEN'],
    refreshToken = env['GOOGLE_REFRESH_TOKEN'],
    baseUrl,
    ...rest
  } = settings;
  return {
    ...rest,
    service: { baseUrl: baseUrl ?? env['SERVICE_BASE_URL'], accessToken, rateLimit: '60000/minute' },
    google: {
      clientId: env['GOOGLE_CLIENT_ID'],
      clientSecret: env['GOOGLE_CLIENT_SECRET'],
      rootUrl: env['GOOGLE_ROOT_URL'],
      tokenUrl: env['GOOGLE_TOKEN_URL'],
      refreshToken,
      readLimit: '60000/minute',
      writeLimit: '60000/minute',
    },
  };
};

const followLog = (child: ChildProcess): Omit<DaemonProcess, 'kill' | 'exited'> => {
  const lines: LogLine[] = [];
  const waiting = new Set<() => void>();
  if (child.stdout === null) throw new Error('The daemon has no stdout.');
  createInterface({ input: child.stdout }).on('line', (text) => {
    lines.push(JSON.parse(text) as LogLine);
    for (const look of waiting) look();
  });
  return {
    lines,
    until: (means, from = 0) => {
      return new Promise((resolve) => {
        const look = (): void => {
          const line = lines.slice(from).find(means);
          if (line === undefined) return;
          waiting.delete(look);
          resolve(line);
        };
        waiting.add(look);
        look();
      });
    },
  };
};

/** Starts with no link; limits are wide, so that no test waits for its pace. */
export const startDaemonWorld = async (redisUrl: string | null): Promise<DaemonWorld> => {
  await using starting = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'contact-sync-test-'));
  starting.defer(() => rm(directory, { recursive: true, force: true }));
  const configPath = join(directory, 'contact-sync.yaml');
  const dataDir = join(directory, 'data');
  const sandboxes = new Map<string, Sandbox>();
  const children = new Set<ChildProcess>();
  const stack = starting.move();

  const start = (...args: readonly string[]): ChildProcess => {
    const child = spawn(process.execPath, [MAIN, ...args, '--config', configPath], {
      env: { PATH: process.env['PATH'] },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.add(child);
    child.once('exit', () => children.delete(child));
    return child;
  };
  // The processes go before what they work on.
  stack.defer(async () => {
    const exits = [...children].map((child) => once(child, 'exit'));
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(exits);
  });

  return {
    sandboxes,
    dataDir,
    addLink: async (name, people = 12) => {
      const seed = sandboxes.size + 1;
      const options = { count: people, seed, serviceRateLimit: FAST, googleQuotas: QUOTAS };
      const sandbox = await startSandbox(options);
      stack.defer(() => sandbox.close());
      sandboxes.set(name, sandbox);
      return sandbox;
    },
    configure: async (links) => {
      const sections = Object.entries(links).map(([name, settings]) => {
        const sandbox = sandboxes.get(name);
        if (sandbox === undefined) throw new Error(`There is no sandbox for ${name}.`);
        return [name, accountsOf(sandbox, settings)];
      });
      const shared = { dataDir, logLevel: 'debug', ...(redisUrl === null ? {} : { redisUrl }) };
      await writeFile(configPath, stringify({ ...shared, links: Object.fromEntries(sections) }));
    },
    startDaemon: () => {
      const child = start('daemon');
      child.stderr?.pipe(process.stderr);
      const exited = once(child, 'exit').then(([code]) => code as number | null);
      return { ...followLog(child), kill: (signal) => void child.kill(signal), exited };
    },
    run: async (...args) => {
      const child = start(...args);
      const [stdout, stderr] = [child.stdout, child.stderr].map((stream) => stream?.toArray() ?? []);
      const [code] = (await once(child, 'exit')) as [number | null];
      const text = async (chunks: typeof stdout): Promise<string> => Buffer.concat((await chunks) ?? []).toString();
      return { code, stdout: await text(stdout), stderr: await text(stderr) };
    },
    start,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
};

/** A line that tells of a run of this link that came to its good end. */
export const completed =
  (link: string, kind?: 'full' | 'incremental') =>
  (line: LogLine): boolean =>
    line.msg === 'run completed' && line['link'] === link && (kind === undefined || line['kind'] === kind);

/** A line with this message about this link. */
export const says =
  (msg: string, link?: string) =>
  (line: LogLine): boolean =>
    line.msg === msg && (link === undefined || line['link'] === link);
