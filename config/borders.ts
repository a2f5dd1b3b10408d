import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The imports that each folder of `src` may have, which `oxlint.config.ts` reads. A place may import a folder that is listed before
 * its own, never one after it: `util`, `core`, `net`, `store` and `providers`, `engine`, `app`, `daemon`, `cli`.
 *
 * A place is a folder (`engine/`), the files directly in a folder (`providers/*.ts`) or one file (`main.ts`). It may always import
 * its own folder. A later, narrower place replaces an earlier one. A place within a folder lists the folder's files (`cli/*.ts`):
 * the folder itself (`../**`) would allow all of `src`.
 */
export type Border = {
  readonly place: string;
  readonly imports: readonly string[];
  /** Imported for types only. */
  readonly types?: readonly string[];
  readonly packages: readonly string[];
  /** A pure place has no `node:` module, clock, timer, randomness or network. */
  readonly pure?: true;
};

/** Each provider is a folder. It requires no entry here, unless it uses a package of its own. */
const folders = readdirSync(join(import.meta.dirname, '../src/providers'), { withFileTypes: true });
/** The names of the providers. Elsewhere a side is `left` or `right`, and a capability states the difference. */
export const PROVIDER_NAMES: readonly string[] = folders.flatMap((each) => (each.isDirectory() ? [each.name] : []));
const CLIENTS_OF: Readonly<Record<string, readonly string[]>> = {
  carddav: ['saxes'],
  google: ['@googleapis/people', 'google-auth-library'],
};
const PROVIDER_PACKAGES = ['undici', 'p-retry', 'zod'];

const REMOTE_PORT = ['providers/remote.ts', 'providers/errors.ts'];
const STORE_PORT = 'store/store.ts';

const ENGINE = ['core/', ...REMOTE_PORT, STORE_PORT, 'util/'];
/** The folders under the daemon; of the providers and the store only the ports. */
const UNDER_DAEMON = [...ENGINE, 'engine/', 'app/config/', 'app/events.ts'];
/** The parts of `app` that work on a link without {@link App}, or before it is open. */
const APP_PARTS = ['app/browser-sign-in.ts', 'app/heartbeat.ts', 'app/store-sign-in.ts'];
const LINKS = [...UNDER_DAEMON, 'app/*.ts', 'providers/registry.ts'];
const CLI = [...UNDER_DAEMON, ...APP_PARTS, 'app/app.ts', 'app/backup.ts', 'daemon/'];
/** The parts that all commands share. */
const CLI_PARTS = ['cli/command/', 'cli/terminal/'];

export const BORDERS: readonly Border[] = [
  { place: 'util/', imports: [], packages: ['ioredis', 'pino', 'pino-pretty', 'zod'] },
  { place: 'util/require-node.js', imports: [], packages: [] },

  { place: 'core/', imports: [], packages: [], pure: true },
  { place: 'core/contact/', imports: [], packages: ['libphonenumber-js'], pure: true },
  { place: 'core/contact/load-libphonenumber.ts', imports: [], packages: ['libphonenumber-js'] },
  { place: 'core/contact/stored.ts', imports: ['core/contact/'], packages: ['zod'], pure: true },
  { place: 'core/reconcile/', imports: ['core/contact/'], packages: [], pure: true },

  { place: 'net/', imports: ['util/'], packages: ['undici', 'p-retry', 'zod'] },
  { place: 'net/redis-limiter.ts', imports: ['util/', 'net/'], packages: ['ioredis'] },

  // The store applies no rule of the core: it imports values of it, and of operations their columns.
  {
    place: 'store/',
    imports: ['core/contact/', 'core/reconcile/operation.ts', 'core/state/rows.ts', 'util/'],
    types: ['core/reconcile/decision.ts', 'core/reconcile/groups.ts', 'core/reconcile/verdict.ts'],
    packages: ['zod'],
  },
  {
    place: 'store/sql/',
    imports: ['core/contact/', 'core/state/rows.ts', 'store/*.ts'],
    types: ['core/reconcile/'],
    packages: ['drizzle-orm', 'zod'],
  },
  {
    place: 'store/sqlite/',
    imports: ['core/contact/', 'core/state/rows.ts', 'store/*.ts', 'store/sql/', 'util/'],
    packages: ['drizzle-orm', 'better-sqlite3'],
  },
  {
    place: 'store/postgres/',
    imports: ['core/contact/', 'core/state/rows.ts', 'store/*.ts', 'store/sql/', 'store/sqlite/database.ts', 'util/'],
    packages: ['drizzle-orm', 'pg'],
  },

  { place: 'providers/*.ts', imports: ['core/contact/', 'net/', 'util/'], packages: PROVIDER_PACKAGES },
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
    imports: ['providers/*.ts', 'core/contact/', 'net/', 'util/'],
    packages: [...PROVIDER_PACKAGES, ...(CLIENTS_OF[name] ?? [])],
  })),

  { place: 'engine/*.ts', imports: ['engine/execute/', ...ENGINE], packages: [] },
  { place: 'engine/execute/', imports: ['engine/*.ts', ...ENGINE], packages: [] },
  { place: 'engine/history/', imports: ['engine/*.ts', 'engine/execute/', ...ENGINE], packages: [] },

  {
    place: 'app/*.ts',
    imports: ['core/', 'net/', 'providers/*.ts', 'store/', 'engine/', 'app/config/', 'util/'],
    packages: ['zod'],
  },
  { place: 'app/events.ts', imports: ['core/contact/', 'util/'], packages: [] },
  {
    place: 'app/config/',
    imports: [
      'core/contact/',
      'core/reconcile/policy.ts',
      'providers/names.ts',
      'providers/provider.ts',
      'providers/registry.ts',
      'util/',
    ],
    packages: ['yaml', 'zod'],
  },

  {
    place: 'daemon/*.ts',
    imports: [...UNDER_DAEMON, 'app/heartbeat.ts', 'daemon/jobs/', 'daemon/links/', 'daemon/notify/'],
    types: ['app/app.ts'],
    packages: [],
  },
  {
    place: 'daemon/jobs/',
    imports: UNDER_DAEMON,
    types: ['app/app.ts', 'app/heartbeat.ts'],
    packages: ['bullmq', 'ioredis', 'zod'],
  },
  { place: 'daemon/links/', imports: [...LINKS, 'daemon/jobs/'], packages: [] },
  { place: 'daemon/notify/', imports: [...UNDER_DAEMON, 'net/'], packages: [] },
  {
    place: 'daemon/notify/next-notification.ts',
    imports: [],
    types: ['core/state/rows.ts'],
    packages: [],
    pure: true,
  },
  {
    place: 'daemon/console/',
    imports: [...UNDER_DAEMON, ...APP_PARTS, 'daemon/jobs/', 'daemon/links/', 'daemon/notify/'],
    types: ['app/app.ts', 'daemon/daemon.ts'],
    packages: ['hono', 'zod'],
  },
  {
    place: 'daemon/server/',
    imports: [...UNDER_DAEMON, 'app/heartbeat.ts', 'daemon/jobs/', 'daemon/links/'],
    types: ['app/app.ts', 'daemon/daemon.ts', 'daemon/console/'],
    packages: ['hono', '@hono/node-server', 'prom-client', 'zod'],
  },

  { place: 'cli/', imports: CLI, packages: ['commander'] },
  {
    place: 'cli/terminal/',
    imports: ['core/', 'engine/', 'util/', 'cli/command/'],
    packages: ['@inquirer/prompts', 'fast-string-width', 'fast-wrap-ansi', 'log-update', 'open'],
  },
  // These commands use the provider of one side.
  {
    place: 'cli/setup/',
    imports: [...CLI_PARTS, 'cli/sync/plan.ts', ...CLI, 'providers/*.ts'],
    types: ['store/vault.ts'],
    packages: ['commander'],
  },
  { place: 'cli/sandbox/', imports: [...CLI_PARTS, ...CLI, 'sandbox/'], packages: ['commander'] },
  { place: 'cli/demo/', imports: [...CLI_PARTS, 'cli/sync/summary.ts', ...CLI, 'sandbox/'], packages: ['commander'] },
  {
    place: 'sandbox/',
    imports: [],
    packages: ['hono', '@hono/node-server', 'csv-parse', 'libphonenumber-js', 'zod'],
  },
  { place: 'main.ts', imports: ['util/', 'cli/'], packages: [] },
];

/** Places that may name a provider: its own folder, the emulators, and where users write and read the names. */
export const NAMES_PROVIDERS: readonly string[] = ['providers/', 'sandbox/', 'cli/', 'app/config/'];
