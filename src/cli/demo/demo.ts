import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../app/app.ts';
import { loadConfig, type Config } from '../../config/config.ts';
import type { EmulatedProvider, Emulator } from '../../sandbox/emulators.ts';
import { startSandboxPair, type SandboxPair } from '../../sandbox/sandbox.ts';
import { createCommandEvents } from '../command-events.ts';
import type { ExitCode } from '../exit-codes.ts';
import { listenForInterrupt } from '../interrupt.ts';
import type { Terminal } from '../terminal.ts';
import type { Book } from './book.ts';
import { createDemoClock } from './clock.ts';
import { googleBook } from './google-book.ts';
import { playScenes } from './scenes.ts';
import { serviceBook } from './service-book.ts';

const PEOPLE = 300;
const SEED = 7;
/** The same at both ends, and wide: the demo is not to wait for its pace. */
const REQUESTS_PER_MINUTE = 6000;

const bookOf = ({ provider, server }: Emulator): Book =>
  provider === 'google' ? googleBook(server) : serviceBook(server);

const prepareConfig = async (sandbox: SandboxPair, dataDir: string): Promise<Config> => {
  const limit = `${REQUESTS_PER_MINUTE}/minute`;
  const configPath = join(dataDir, 'contact-sync.yaml');
  // JSON is YAML.
  await writeFile(configPath, JSON.stringify({ links: sandbox.links() }), { mode: 0o600 });
  const env = {
    SERVICE_RATE_LIMIT: limit,
    GOOGLE_READ_LIMIT: limit,
    GOOGLE_WRITE_LIMIT: limit,
    // Each run lists a side whole that names no deletions.
    SWEEP_INTERVAL: '1s',
    // The demo itself says what a run did.
    LOG_LEVEL: 'error',
    DATA_DIR: dataDir,
  };
  return loadConfig({ env, configPath, cwd: dataDir });
};

export type DemoOptions = { readonly left?: EmulatedProvider; readonly right?: EmulatedProvider };

/** `demo`: two address books, two syncs with edits between them, a check. Leaves nothing behind. */
export const demo = async (terminal: Terminal, options: DemoOptions = {}): Promise<ExitCode> => {
  const { left = 'google', right = 'service' } = options;
  using interrupt = listenForInterrupt();
  await using stack = new AsyncDisposableStack();
  const clock = createDemoClock();
  const sandbox = stack.use(
    await startSandboxPair({
      left: { provider: left },
      right: { provider: right },
      count: PEOPLE,
      seed: SEED,
      clock,
      serviceRateLimit: { requests: REQUESTS_PER_MINUTE, windowMs: 60_000 },
      googleQuotas: { readsPerMinute: REQUESTS_PER_MINUTE, writesPerMinute: REQUESTS_PER_MINUTE },
    }),
  );
  const dataDir = await mkdtemp(join(tmpdir(), 'contact-sync-demo-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const config = await prepareConfig(sandbox, dataDir);
  const app = stack.use(createApp(config, createCommandEvents(config, terminal, { json: false }), { clock }));
  const [link] = config.links;
  if (link === undefined) throw new Error('The sandbox describes no link.');
  const books = { left: bookOf(sandbox.left), right: bookOf(sandbox.right) };
  return await playScenes({ terminal, books, clock, app, link, signal: interrupt.signal });
};
