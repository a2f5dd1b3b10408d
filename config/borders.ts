import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Who may import whom: the one table of the folder borders under `src`, read by `oxlint.config.ts`.
 *
 * A place is a folder (`sync/`), the files directly in a folder (`providers/*.ts`) or one file (`events.ts`). What it does
 * not list it may not import; what lies in its own folder it always may. A later, narrower place replaces an earlier one.
 * A place within a folder lists that folder's files (`cli/*.ts`): the folder itself (`../**`) would open all of `src`.
 */
export type Border = {
  readonly place: string;
  readonly imports: readonly string[];
  /** Imported for types only. */
  readonly types?: readonly string[];
  readonly packages: readonly string[];
  /** Pure places see no `node:` module, clock, timer, randomness or network. */
  readonly pure?: true;
};

/** Each provider is a folder: it needs no line of its own here, unless a client of its own comes with it. */
const folders = readdirSync(join(import.meta.dirname, '../src/providers'), { withFileTypes: true });
/** The names that stand in few places: elsewhere a side is `left` or `right`, and a capability says what differs. */
export const PROVIDER_NAMES: readonly string[] = folders.flatMap((each) => (each.isDirectory() ? [each.name] : []));
const CLIENTS_OF: Readonly<Record<string, readonly string[]>> = {
  carddav: ['saxes'],
  google: ['@googleapis/people', 'google-auth-library'],
};

const REMOTE_PORT = ['providers/remote.ts', 'providers/errors.ts'];
const STORE_PORT = 'store/store.ts';
/** The values of the core that the store keeps. */
const STORED_TYPES = ['reconcile/decision.ts', 'reconcile/groups.ts', 'reconcile/verdict.ts'];
/** What the store keeps for notices alone. */
const TOLD = 'store/told.ts';
const CONFIG = [
  'config/config.ts',
  'config/config-error.ts',
  'config/home.ts',
  'config/hosted-links.ts',
  'config/open-address.ts',
  'config/secret.ts',
  'config/sides.ts',
  'config/store-alone.ts',
  'config/unencrypted.ts',
];
/** What a provider's own settings are made of. */
const SETTINGS = ['config/config-error.ts', 'config/secret.ts', 'config/values.ts'];
const APP = 'app/app.ts';
/** What is done with a DATA_DIR that no {@link APP} has opened. */
const COPIES = ['app/backup.ts', 'app/backup-error.ts', 'app/copy-store.ts'];
/** The links that a database keeps, and what becomes of one that is removed. */
const HOSTED = ['app/hosted-links.ts', 'app/forget-link.ts'];
/** A sign-in at a side: its consent in a browser, and what is stored of it. */
const SIGN_INS = ['app/browser-sign-in.ts', 'app/store-sign-in.ts'];
/** What is known of a notice that was not taken. */
const NOT_DELIVERED = 'notify/not-delivered.ts';
const TOOLS = [
  'clock.ts',
  'events.ts',
  'logger.ts',
  'loopback.ts',
  'make-directory.ts',
  'ownership.ts',
  'package-root.ts',
  'printable.ts',
  'redis-trouble.ts',
  'regular-file.ts',
];
const CLI = [
  'config/effective.ts',
  'config/key-lines.ts',
  'config/nearest.ts',
  'config/set-up.ts',
  'contact/',
  'providers/names.ts',
  'reconcile/',
  'view/',
  'history/',
  'sync/',
  'jobs/',
  'listen/',
  'console/',
  ...REMOTE_PORT,
  STORE_PORT,
  APP,
  ...COPIES,
  ...HOSTED,
  ...SIGN_INS,
  NOT_DELIVERED,
  ...CONFIG,
  ...TOOLS,
];
/** Commands that deal with one side's provider. */
const SIDE_COMMANDS = ['cli/*.ts', ...CLI, 'config/accounts.ts', 'providers/*.ts'];
const CLI_PACKAGES = ['@inquirer/prompts', 'commander', 'log-update', 'string-width', 'wrap-ansi', 'zod'];
const PROVIDER = ['contact/', 'clock.ts', 'http/', ...SETTINGS];
const PROVIDER_PACKAGES = ['undici', 'p-retry', 'zod'];

export const BORDERS: readonly Border[] = [
  { place: 'contact/', imports: [], packages: ['libphonenumber-js'], pure: true },
  { place: 'contact/numbering-plans.ts', imports: [], packages: ['libphonenumber-js'] },
  { place: 'contact/stored.ts', imports: ['contact/'], packages: ['zod'], pure: true },
  { place: 'reconcile/', imports: ['contact/'], packages: [], pure: true },
  { place: 'http/', imports: ['clock.ts'], packages: ['undici', 'p-retry', 'zod'] },
  { place: 'http/redis-ring.ts', imports: ['clock.ts', 'redis-trouble.ts', 'http/'], packages: ['ioredis'] },
  { place: 'providers/*.ts', imports: ['contact/', 'clock.ts', 'http/'], packages: PROVIDER_PACKAGES },
  {
    place: 'providers/registry.ts',
    imports: [
      'providers/names.ts',
      'providers/provider.ts',
      ...PROVIDER_NAMES.map((name) => `providers/${name}/provider.ts`),
    ],
    packages: [],
  },
  ...PROVIDER_NAMES.map((name) => ({
    place: `providers/${name}/`,
    imports: ['providers/*.ts', ...PROVIDER],
    packages: [...PROVIDER_PACKAGES, ...(CLIENTS_OF[name] ?? [])],
  })),
  // The port, the tables, and what is done to their rows.
  {
    place: 'store/',
    imports: ['contact/', 'reconcile/operation.ts', 'clock.ts', 'make-directory.ts', 'ownership.ts', 'regular-file.ts'],
    // Not the folder: the imports of a place cannot open a file of a folder in its types.
    types: STORED_TYPES,
    packages: ['zod'],
  },
  // The one implementation, on a database of either dialect.
  {
    place: 'store/sql/',
    imports: ['contact/', 'store/*.ts'],
    types: ['reconcile/'],
    packages: ['drizzle-orm', 'zod'],
  },
  {
    place: 'store/sqlite/',
    imports: ['contact/', 'store/*.ts', 'store/sql/', 'make-directory.ts', 'ownership.ts', 'package-root.ts'],
    packages: ['drizzle-orm', 'better-sqlite3'],
  },
  {
    place: 'store/postgres/',
    imports: ['contact/', 'store/*.ts', 'store/sql/', 'store/sqlite/database.ts', 'clock.ts', 'package-root.ts'],
    packages: ['drizzle-orm', 'pg'],
  },
  {
    place: 'sync/',
    imports: ['contact/', 'reconcile/', ...REMOTE_PORT, STORE_PORT, 'clock.ts', 'events.ts'],
    packages: [],
  },
  {
    place: 'sync/apply/',
    imports: ['contact/', 'reconcile/', 'sync/state/'],
    types: ['providers/remote.ts', STORE_PORT],
    packages: [],
    pure: true,
  },
  {
    place: 'sync/state/',
    imports: ['contact/', 'reconcile/'],
    types: ['providers/remote.ts', STORE_PORT],
    packages: [],
    pure: true,
  },
  { place: 'view/', imports: ['contact/', 'reconcile/'], types: [STORE_PORT], packages: [], pure: true },
  { place: 'notify/', imports: ['http/', STORE_PORT, TOLD, 'clock.ts', 'events.ts'], packages: [] },
  { place: 'notify/news.ts', imports: [], types: [STORE_PORT, TOLD], packages: [], pure: true },
  {
    place: 'history/',
    imports: ['contact/', 'reconcile/', 'sync/', 'view/', STORE_PORT],
    packages: [],
  },
  {
    place: 'jobs/',
    imports: ['contact/', 'sync/', 'history/', ...REMOTE_PORT, STORE_PORT, ...CONFIG, ...TOOLS],
    types: [APP],
    packages: ['bullmq', 'ioredis', 'zod'],
  },
  // The daemon's page.
  {
    place: 'console/',
    imports: [
      'contact/',
      'reconcile/conflict-policy.ts',
      'view/',
      'history/',
      'sync/',
      'jobs/',
      ...HOSTED,
      ...SIGN_INS,
      ...CONFIG,
      'clock.ts',
      'loopback.ts',
      'read-body.ts',
      'regular-file.ts',
    ],
    types: [APP, STORE_PORT],
    packages: ['hono', 'zod'],
  },
  // The daemon, asked over HTTP.
  {
    place: 'listen/',
    imports: [
      'contact/',
      'jobs/',
      STORE_PORT,
      ...HOSTED,
      ...CONFIG,
      'clock.ts',
      'events.ts',
      'loopback.ts',
      'read-body.ts',
    ],
    types: [APP, 'console/', 'config/values.ts'],
    packages: ['hono', '@hono/node-server', 'prom-client', 'zod'],
  },
  { place: 'cli/', imports: CLI, packages: CLI_PACKAGES },
  { place: 'cli/connect/', imports: [...SIDE_COMMANDS, 'store/vault.ts'], packages: [...CLI_PACKAGES, 'open'] },
  { place: 'cli/forget/', imports: [...SIDE_COMMANDS, 'store/vault.ts'], packages: CLI_PACKAGES },
  {
    place: 'cli/doctor/',
    imports: SIDE_COMMANDS,
    types: ['store/vault.ts'],
    packages: CLI_PACKAGES,
  },
  {
    place: 'cli/init/',
    imports: [...SIDE_COMMANDS, 'cli/connect/', 'cli/doctor/', 'config/link-sections.ts', 'config/sources.ts'],
    packages: CLI_PACKAGES,
  },
  { place: 'cli/sandbox/', imports: ['cli/*.ts', ...CLI, 'sandbox/'], packages: CLI_PACKAGES },
  { place: 'cli/demo/', imports: ['cli/*.ts', 'cli/progress/', ...CLI, 'sandbox/'], packages: CLI_PACKAGES },
  {
    place: 'sandbox/',
    imports: ['regular-file.ts'],
    packages: ['hono', '@hono/node-server', 'csv-parse', 'libphonenumber-js', 'zod'],
  },
  { place: 'clock.ts', imports: [], packages: [] },
  {
    place: 'config/',
    imports: [
      'contact/',
      'reconcile/conflict-policy.ts',
      'providers/names.ts',
      'providers/provider.ts',
      'providers/registry.ts',
      'loopback.ts',
      'ownership.ts',
      'package-root.ts',
      'regular-file.ts',
    ],
    packages: ['yaml', 'zod'],
  },
  // What providers import of this room may not lead back to them.
  { place: 'config/config-error.ts', imports: [], packages: [] },
  { place: 'config/secret.ts', imports: [], packages: [] },
  { place: 'config/values.ts', imports: ['config/secret.ts', 'loopback.ts'], packages: ['zod'] },
  { place: 'loopback.ts', imports: [], packages: [] },
  { place: 'make-directory.ts', imports: [], packages: [] },
  { place: 'ownership.ts', imports: [], packages: [] },
  { place: 'package-root.ts', imports: [], packages: [] },
  { place: 'compile-cache.ts', imports: ['package-root.ts'], packages: [] },
  { place: 'printable.ts', imports: [], packages: [] },
  { place: 'read-body.ts', imports: [], packages: [] },
  { place: 'regular-file.ts', imports: [], packages: [] },
  { place: 'redis-trouble.ts', imports: [], packages: [] },
  { place: 'logger.ts', imports: ['printable.ts'], packages: ['pino', 'pino-pretty'] },
  { place: 'events.ts', imports: ['contact/', 'logger.ts'], packages: [] },
  {
    place: 'app/',
    imports: [
      'contact/',
      'reconcile/',
      'view/',
      'history/',
      'http/',
      'providers/*.ts',
      'store/',
      'sync/',
      'jobs/',
      'notify/',
      'config/accounts.ts',
      ...CONFIG,
      ...TOOLS,
    ],
    packages: ['zod'],
  },
  { place: 'require-node.js', imports: [], packages: [] },
  { place: 'main.ts', imports: ['require-node.js', 'compile-cache.ts', 'cli/'], packages: [] },
];

/** Where providers may be named: in their own folders, in the emulators, and where people write and read their names. */
export const NAMES_PROVIDERS: readonly string[] = ['providers/', 'sandbox/', 'cli/', 'config/'];
