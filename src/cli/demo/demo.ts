import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../app/app.ts';
import { loadConfig, type Config } from '../../app/config/config.ts';
import { bySide, type Side, type Sides } from '../../core/contact/side.ts';
import { PROVIDER_NAMES, USUAL_PROVIDERS, type ProviderName } from '../../providers/names.ts';
import { settingsOf, startEmulator, type EmulatedProvider } from '../../sandbox/emulators.ts';
import { generatePeople } from '../../sandbox/people/generate.ts';
import { splitBook } from '../../sandbox/people/overlap.ts';
import type { Person } from '../../sandbox/people/person.ts';
import type { ExitCode } from '../command/exit-codes.ts';
import { examples, providerOption, type Define } from '../command/options.ts';
import { createCommandEvents, listenForInterrupt } from '../command/with-app.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Book } from './book.ts';
import { googleBook } from './google-book.ts';
import { radicaleBook } from './radicale-book.ts';
import { startRadicale } from './radicale.ts';
import { createDemoClock, playScenes, type DemoClock } from './scenes.ts';
import { serviceBook } from './service-book.ts';

const PEOPLE = 300;
const SEED = 7;
/** The rate limit of the servers and of the program: so high that the demo never waits. */
const REQUESTS_PER_MINUTE = 6000;

/** One side of the demo: the settings that open the account, and the owner's view of it. */
type DemoSide = { readonly settings: Readonly<Record<string, string>>; readonly book: Book };

type Start = {
  /** Owns the servers. */
  readonly stack: AsyncDisposableStack;
  readonly clock: DemoClock;
  readonly people: readonly Person[];
  readonly accountEmail: string;
};

const startEmulated = async (provider: EmulatedProvider, start: Start): Promise<DemoSide> => {
  const { stack, clock, people, accountEmail } = start;
  const behaviour = {
    clock,
    serviceRateLimit: { requests: REQUESTS_PER_MINUTE, windowMs: 60_000 },
    googleQuotas: { readsPerMinute: REQUESTS_PER_MINUTE, writesPerMinute: REQUESTS_PER_MINUTE },
  };
  const emulator = await startEmulator(provider, { behaviour, people, accountEmail });
  stack.use(emulator.server);
  const book = emulator.provider === 'google' ? googleBook(emulator.server) : serviceBook(emulator.server);
  return { settings: settingsOf(emulator), book };
};

/** Starts an account of each provider that the demo supports: an emulator, or a server of another project. */
const STARTERS = {
  service: (start) => startEmulated('service', start),
  google: (start) => startEmulated('google', start),
  carddav: async ({ stack, clock, people }) => {
    const { folder, settings } = stack.use(await startRadicale());
    return { settings, book: radicaleBook(folder, clock, people) };
  },
} satisfies Partial<Record<ProviderName, (start: Start) => Promise<DemoSide>>>;

type DemoProvider = keyof typeof STARTERS;

/** The names of two accounts of one provider. */
const ACCOUNT_NAMES: Sides<string> = { left: 'private', right: 'work' };

const prepareConfig = async (
  providers: Sides<DemoProvider>,
  sides: Sides<DemoSide>,
  dataDir: string,
): Promise<Config> => {
  const limit = `${REQUESTS_PER_MINUTE}/minute`;
  const configPath = join(dataDir, 'contact-sync.yaml');
  const areAlike = providers.left === providers.right;
  const link = bySide((side) => {
    const name = areAlike ? { name: ACCOUNT_NAMES[side] } : {};
    return { provider: providers[side], ...name, ...sides[side].settings };
  });
  // JSON is YAML.
  await writeFile(configPath, JSON.stringify({ links: { default: link } }), { mode: 0o600 });
  const env = {
    SERVICE_RATE_LIMIT: limit,
    GOOGLE_READ_LIMIT: limit,
    GOOGLE_WRITE_LIMIT: limit,
    CARDDAV_RATE_LIMIT: limit,
    // Each run reads a side in full if its feed does not report deletions.
    SWEEP_INTERVAL: '1s',
    // The demo prints the result of each run itself.
    LOG_LEVEL: 'error',
    DATA_DIR: dataDir,
  };
  return loadConfig({ env, configPath, cwd: dataDir });
};

type DemoOptions = Partial<Sides<DemoProvider>>;

/**
 * `demo`: syncs two address books, edits both, syncs again, and compares them. Leaves nothing behind.
 *
 * @throws {UsageError} if a server that a side needs is not installed.
 */
const demo = async (terminal: Terminal, options: DemoOptions): Promise<ExitCode> => {
  const providers: Sides<DemoProvider> = { ...USUAL_PROVIDERS, ...options };
  using interrupt = listenForInterrupt();
  await using stack = new AsyncDisposableStack();
  const clock = createDemoClock();
  const people = splitBook(generatePeople({ count: PEOPLE, seed: SEED }), SEED);
  const start = (side: Side): Promise<DemoSide> =>
    STARTERS[providers[side]]({
      stack,
      clock,
      people: people[side],
      accountEmail: `${ACCOUNT_NAMES[side]}@account.example`,
    });
  const sides = { left: await start('left'), right: await start('right') };
  const dataDir = await mkdtemp(join(tmpdir(), 'contact-sync-demo-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const config = await prepareConfig(providers, sides, dataDir);
  const app = stack.use(createApp(config, createCommandEvents(config, terminal, { json: false }), { clock }));
  const [link] = config.links;
  if (link === undefined) throw new Error('The configuration of the demo has no link.');
  const books = bySide((side) => sides[side].book);
  return await playScenes({ terminal, books, clock, app, link, signal: interrupt.signal });
};

/** Defines `demo`. */
export const defineDemo: Define = (command, call) => {
  const names = PROVIDER_NAMES.filter((name) => name in STARTERS);
  command
    .addOption(providerOption('left', names, USUAL_PROVIDERS.left))
    .addOption(providerOption('right', names, USUAL_PROVIDERS.right))
    .addHelpText('after', examples('demo', 'demo --right carddav'))
    .action(async (options: DemoOptions) => {
      call.code = await demo(call.terminal, options);
    });
};
