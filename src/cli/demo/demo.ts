import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../app/app.ts';
import { loadConfig, type Config } from '../../app/config/config.ts';
import { bySide, type Side, type Sides } from '../../core/contact/side.ts';
import { USUAL_PROVIDERS, type ProviderName } from '../../providers/names.ts';
import { settingsOf, startEmulator } from '../../sandbox/emulators.ts';
import { generatePeople } from '../../sandbox/people/generate.ts';
import { splitBook } from '../../sandbox/people/overlap.ts';
import type { Person } from '../../sandbox/people/person.ts';
import { createCommandEvents, listenForInterrupt } from '../command/with-app.ts';
import type { ExitCode } from '../command/exit-codes.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Book } from './book.ts';
import { createDemoClock, type DemoClock, playScenes } from './scenes.ts';
import { googleBook } from './google-book.ts';
import { radicaleBook } from './radicale-book.ts';
import { startRadicale } from './radicale.ts';
import { serviceBook } from './service-book.ts';

const PEOPLE = 300;
const SEED = 7;
/** The same at both ends, and wide: the demo is not to wait for its pace. */
const REQUESTS_PER_MINUTE = 6000;

/** One side of the demo: its provider, the settings that open the account, and the owner's view of it. */
type DemoSide = {
  readonly provider: ProviderName;
  readonly settings: Readonly<Record<string, string>>;
  readonly book: Book;
};

type Start = { readonly clock: DemoClock; readonly people: readonly Person[]; readonly accountEmail: string };

const startSide = async (
  stack: AsyncDisposableStack,
  provider: ProviderName,
  { clock, people, accountEmail }: Start,
): Promise<DemoSide> => {
  if (provider === 'carddav') {
    const { folder, settings } = stack.use(await startRadicale());
    return { provider, settings, book: radicaleBook(folder, clock, people) };
  }
  const behaviour = {
    clock,
    serviceRateLimit: { requests: REQUESTS_PER_MINUTE, windowMs: 60_000 },
    googleQuotas: { readsPerMinute: REQUESTS_PER_MINUTE, writesPerMinute: REQUESTS_PER_MINUTE },
  };
  const emulator = await startEmulator(provider, { behaviour, people, accountEmail });
  stack.use(emulator.server);
  const book = emulator.provider === 'google' ? googleBook(emulator.server) : serviceBook(emulator.server);
  return { provider, settings: settingsOf(emulator), book };
};

/** The names of two accounts of one provider. */
const ACCOUNT_NAMES: Sides<string> = { left: 'private', right: 'work' };

const prepareConfig = async (sides: Sides<DemoSide>, dataDir: string): Promise<Config> => {
  const limit = `${REQUESTS_PER_MINUTE}/minute`;
  const configPath = join(dataDir, 'contact-sync.yaml');
  const areAlike = sides.left.provider === sides.right.provider;
  const link = bySide((side) => {
    const { provider, settings } = sides[side];
    return { provider, ...(areAlike && { name: ACCOUNT_NAMES[side] }), ...settings };
  });
  // JSON is YAML.
  await writeFile(configPath, JSON.stringify({ links: { default: link } }), { mode: 0o600 });
  const env = {
    SERVICE_RATE_LIMIT: limit,
    GOOGLE_READ_LIMIT: limit,
    GOOGLE_WRITE_LIMIT: limit,
    CARDDAV_RATE_LIMIT: limit,
    // Each run lists a side whole that names no deletions.
    SWEEP_INTERVAL: '1s',
    // The demo itself says what a run did.
    LOG_LEVEL: 'error',
    DATA_DIR: dataDir,
  };
  return loadConfig({ env, configPath, cwd: dataDir });
};

export type DemoOptions = { readonly left?: ProviderName; readonly right?: ProviderName };

/**
 * `demo`: two address books, two syncs with edits between them, a check. Leaves nothing behind.
 *
 * @throws {UsageError} if a server that a side needs is not installed.
 */
export const demo = async (terminal: Terminal, options: DemoOptions = {}): Promise<ExitCode> => {
  const { left, right } = { ...USUAL_PROVIDERS, ...options };
  using interrupt = listenForInterrupt();
  await using stack = new AsyncDisposableStack();
  const clock = createDemoClock();
  const people = splitBook(generatePeople({ count: PEOPLE, seed: SEED }), SEED);
  const start = (side: Side, provider: ProviderName): Promise<DemoSide> =>
    startSide(stack, provider, {
      clock,
      people: people[side],
      accountEmail: `${ACCOUNT_NAMES[side]}@account.example`,
    });
  const sides = { left: await start('left', left), right: await start('right', right) };
  const dataDir = await mkdtemp(join(tmpdir(), 'contact-sync-demo-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const config = await prepareConfig(sides, dataDir);
  const app = stack.use(createApp(config, createCommandEvents(config, terminal, { json: false }), { clock }));
  const [link] = config.links;
  if (link === undefined) throw new Error('The configuration of the demo has no link.');
  const books = bySide((side) => sides[side].book);
  return await playScenes({ terminal, books, clock, app, link, signal: interrupt.signal });
};
