/**
 * Who may import whom: the one table of the folder borders under `src`, read by `oxlint.config.ts`.
 *
 * A place is a folder (`sync/`), the files directly in a folder (`remotes/*.ts`) or one file (`app.ts`). What it does
 * not list it may not import; what lies in its own folder it always may. A later, narrower place replaces an earlier one.
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

const REMOTE_PORT = ['providers/remote.ts', 'providers/errors.ts'];
const STORE_PORT = 'store/store.ts';
const CONFIG = ['config.ts', 'config/secret.ts'];
const CLI = ['contact/', 'reconcile/', 'sync/', 'jobs/', ...REMOTE_PORT, STORE_PORT, 'app.ts', ...CONFIG];
const TOOLS = ['clock.ts', 'events.ts', 'logger.ts'];
const APP = ['contact/', 'reconcile/', 'http/', 'providers/', 'store/', 'sync/', 'jobs/', ...TOOLS, ...CONFIG];
const SIGN_IN = ['providers/google/authorization.ts', 'providers/service/api/', 'http/transport.ts'];
const CLI_PACKAGES = ['commander', 'cli-progress', 'cli-table3', 'zod'];

export const BORDERS: readonly Border[] = [
  { place: 'contact/', imports: [], packages: ['libphonenumber-js'], pure: true },
  { place: 'contact/stored.ts', imports: ['contact/'], packages: ['zod'], pure: true },
  { place: 'reconcile/', imports: ['contact/'], packages: ['picomatch'], pure: true },
  { place: 'http/', imports: ['clock.ts'], packages: ['undici', 'p-retry', 'zod'] },
  { place: 'http/redis-ring.ts', imports: ['clock.ts', 'http/'], packages: ['ioredis'] },
  { place: 'providers/*.ts', imports: ['contact/', 'clock.ts', 'http/'], packages: ['undici', 'p-retry', 'zod'] },
  {
    place: 'providers/google/',
    imports: ['contact/', 'clock.ts', 'http/', 'providers/*.ts'],
    packages: ['undici', 'p-retry', 'zod', '@googleapis/people', 'google-auth-library'],
  },
  {
    place: 'providers/service/',
    imports: ['contact/', 'clock.ts', 'http/', 'providers/*.ts'],
    packages: ['undici', 'p-retry', 'zod'],
  },
  {
    place: 'store/',
    imports: ['contact/', 'clock.ts'],
    types: ['reconcile/'],
    packages: ['drizzle-orm', 'better-sqlite3', 'zod'],
  },
  {
    place: 'sync/',
    imports: ['contact/', 'reconcile/', ...REMOTE_PORT, STORE_PORT, 'clock.ts', 'events.ts'],
    packages: ['zod'],
  },
  {
    place: 'jobs/',
    imports: ['contact/', 'sync/', ...REMOTE_PORT, STORE_PORT, ...CONFIG, ...TOOLS],
    types: ['app.ts'],
    packages: ['bullmq', 'ioredis', 'zod'],
  },
  { place: 'cli/', imports: [...CLI, ...TOOLS], packages: CLI_PACKAGES },
  {
    place: 'cli/connect.ts',
    imports: ['cli/', ...CLI, ...TOOLS, 'store/credentials.ts'],
    types: ['providers/account.ts'],
    packages: CLI_PACKAGES,
  },
  { place: 'cli/connect/', imports: ['cli/*.ts', ...CLI, ...TOOLS, ...SIGN_IN], packages: CLI_PACKAGES },
  {
    place: 'cli/doctor/',
    imports: ['cli/*.ts', ...CLI, ...TOOLS],
    types: ['store/credentials.ts'],
    packages: CLI_PACKAGES,
  },
  { place: 'cli/sandbox.ts', imports: ['cli/', ...CLI, ...TOOLS, 'sandbox/'], packages: CLI_PACKAGES },
  { place: 'cli/demo.ts', imports: ['cli/', ...CLI, ...TOOLS, 'sandbox/'], packages: CLI_PACKAGES },
  {
    place: 'sandbox/',
    imports: [],
    packages: ['hono', '@hono/node-server', 'ical.js', 'csv-parse', 'libphonenumber-js', 'zod'],
  },
  { place: 'clock.ts', imports: [], packages: [] },
  { place: 'config/', imports: [], packages: ['yaml', 'zod'] },
  { place: 'config.ts', imports: ['config/'], packages: ['zod'] },
  { place: 'logger.ts', imports: [], packages: ['pino', 'pino-pretty'] },
  { place: 'events.ts', imports: ['contact/', 'logger.ts'], packages: [] },
  { place: 'app/', imports: APP, packages: [] },
  { place: 'app.ts', imports: ['app/', ...APP], packages: ['zod'] },
  { place: 'main.ts', imports: ['cli/'], packages: [] },
];
