import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import Database from 'better-sqlite3';
import { stringify } from 'yaml';
import { z } from 'zod';
import { createApp, type App } from '../../../src/app/app.ts';
import { withHostedLinks } from '../../../src/daemon/links/link-changes.ts';
import { readConfig } from '../../../src/app/config/config.ts';
import type { LinkConfig } from '../../../src/app/config/link-config.ts';
import { createEvents } from '../../../src/engine/events.ts';
import { createLogger } from '../../../src/util/logger.ts';
import { startSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import type { StoredLink } from '../../../src/store/hosted-links.ts';
import type { RunResult } from '../../../src/engine/run.ts';
import { accountsOf } from '../jobs/daemon-world.ts';
import type { TestPostgres } from '../postgres.ts';
import { passOn, startProxy } from '../network.ts';
import { createMovableClock, type MovableClock } from '../clocks.ts';

// The databases of 2026-11 (see the comment at the top of each .sql file), and emulators that hold what the runs left there.

const DIRECTORY = join(import.meta.dirname, '2026-11');
const MINUTE_MS = 60_000;
const FAST = { requests: 60_000, windowMs: 60_000 };
const QUOTAS = { readsPerMinute: 60_000, writesPerMinute: 60_000 };

export const ENGINES = ['sqlite', 'postgres'] as const;
export type Engine = (typeof ENGINES)[number];

const LINKS = ['home', 'work'] as const;
type LinkName = (typeof LINKS)[number];

/** The CREDENTIALS_KEY of both databases. */
export const KEY = 'a passphrase of the first year';

/** The tokens in the credentials of home. */
export const TOKENS = {
  sqlite: { google: '1//-opTRMbQTx_OBVwjkUWRRYI5tax915ze', service: 'token_69463f05c2082f3273da066204969143' },
  postgres: { google: '1//r3fEXGLQmuw5hvpkn8Ko_Qhy0_lGEHHe', service: 'token_9f5809976abddaa8ab297883e09a0ad5' },
} as const satisfies Record<Engine, unknown>;

/** The settings of home apart from its accounts. */
export const HOME = { conflictPolicy: 'newest,title=ask', sweepInterval: '1h' };

const requestSchema = z.object({
  link: z.enum(LINKS),
  side: z.enum(['google', 'service']),
  /** Epoch milliseconds on the emulator's clock. */
  atMs: z.number(),
  method: z.string(),
  path: z.string(),
  body: z.unknown(),
  status: z.number(),
});
type RecordedRequest = z.output<typeof requestSchema>;

const readRequests = (engine: Engine): readonly RecordedRequest[] =>
  readFileSync(join(DIRECTORY, `${engine}-requests.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => requestSchema.parse(JSON.parse(line)));

const tokenSchema = z.object({ access_token: z.string() });

/** An access token that is valid now on the emulator's clock. */
const accessTokenOf = async ({ google }: Sandbox): Promise<string> => {
  const { clientId, clientSecret, tokenUrl } = google;
  const grant = { grant_type: 'refresh_token', refresh_token: google.issueRefreshToken() };
  const body = new URLSearchParams({ ...grant, client_id: clientId, client_secret: clientSecret });
  return tokenSchema.parse(await (await fetch(tokenUrl, { method: 'POST', body })).json()).access_token;
};

/** @throws {Error} where the emulator answers with another status than the recorded one. */
const repeat = async (sandbox: Sandbox, { side, method, path, body, status }: RecordedRequest): Promise<void> => {
  const token = side === 'google' ? await accessTokenOf(sandbox) : sandbox.service.issueToken();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const sent = body === null ? {} : { body: JSON.stringify(body) };
  const answer = await fetch(new URL(path, sandbox[side].url), { method, headers, ...sent });
  const text = await answer.text();
  if (answer.status !== status) throw new Error(`${method} ${path}: ${answer.status} in place of ${status}: ${text}`);
};

/** A proxy to Google that lists as few people a page as the one of the runs did: page tokens belong to the size of a page. */
const startSmallPages = async ({ google }: Sandbox) =>
  startProxy(async (request, response) => {
    request.url = request.url?.replace(/pageSize=\d+/u, 'pageSize=5');
    const answer = await passOn(google.url, request, await buffer(request));
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });

type Remotes = Readonly<Record<LinkName, Sandbox>> & { readonly clock: MovableClock };

/** Starts the emulators of both links and repeats the recorded requests; the clock continues ten minutes after the last. */
const startRemotes = async (engine: Engine, stack: AsyncDisposableStack): Promise<Remotes> => {
  const requests = readRequests(engine);
  let recordedMs: number | null = 0;
  const clock = createMovableClock();
  const remoteClock = { now: () => recordedMs ?? clock.now() };
  const start = async (): Promise<Sandbox> => {
    const options = { google: [], service: [], serviceRateLimit: FAST, googleQuotas: QUOTAS, clock: remoteClock };
    return stack.use(await startSandbox(options));
  };
  const sandboxes = { home: await start(), work: await start() };
  for (const request of requests) {
    recordedMs = request.atMs;
    await repeat(sandboxes[request.link], request);
  }
  clock.advance((requests.at(-1)?.atMs ?? 0) + 10 * MINUTE_MS - clock.now());
  recordedMs = null;
  return { ...sandboxes, clock };
};

/** The program on a database of 2026-11, with emulators that hold exactly the contacts that its runs left. */
export type StoredWorld = Remotes & {
  readonly app: App;
  /** The links in the database, as they were before they got the addresses of these emulators; empty on SQLite. */
  readonly storedLinks: readonly StoredLink[];
  link(name: LinkName): LinkConfig;
  sync(name: LinkName): Promise<RunResult>;
  [Symbol.asyncDispose](): Promise<void>;
};

type StoredWorldOptions = {
  readonly engine: Engine;
  /** The server for the database on PostgreSQL. */
  readonly postgres: TestPostgres | null;
  /** credentials.json on SQLite: written with {@link KEY}, or without a key. */
  readonly tokens?: 'sealed' | 'open';
  /** In addition to the addresses of the emulators and CREDENTIALS_KEY, in the configuration file. */
  readonly settings?: Readonly<Record<string, unknown>>;
};

/** Copies the files of SQLite into a directory. */
const writeFiles = (dataDir: string, tokens: 'sealed' | 'open'): void => {
  const database = new Database(join(dataDir, 'contact-sync.db'));
  database.exec(readFileSync(join(DIRECTORY, 'sqlite.sql'), 'utf8'));
  database.close();
  cpSync(join(DIRECTORY, `credentials-${tokens}.json`), join(dataDir, 'credentials.json'));
};

const loadPostgres = async (postgres: TestPostgres | null): Promise<string> => {
  if (postgres === null) throw new Error('PostgreSQL is not available.');
  const databaseUrl = await postgres.createDatabase();
  await postgres.query(databaseUrl, readFileSync(join(DIRECTORY, 'postgres.sql'), 'utf8'));
  return databaseUrl;
};

/** Opens the program on a copy of the stored database. Tokens of home are left to the store. */
export const openStoredWorld = async (options: StoredWorldOptions): Promise<StoredWorld> => {
  const { engine, postgres, tokens = 'sealed', settings = {} } = options;
  await using stack = new AsyncDisposableStack();
  const remotes = await startRemotes(engine, stack);
  const dataDir = mkdtempSync(join(tmpdir(), 'contact-sync-stored-'));
  stack.defer(() => rmSync(dataDir, { recursive: true, force: true }));
  const pages = stack.use(await startSmallPages(remotes.work));
  const sections = {
    home: accountsOf(remotes.home, { ...HOME, accessToken: null, refreshToken: null }),
    work: accountsOf(remotes.work, { rootUrl: `${pages.url}/` }),
  };
  const isHosted = engine === 'postgres';
  const hosted = isHosted ? { databaseUrl: await loadPostgres(postgres), hostedLinkHosts: '127.0.0.1' } : {};
  if (!isHosted) writeFiles(dataDir, tokens);
  const key = tokens === 'sealed' ? { credentialsKey: KEY } : {};
  const links = isHosted ? {} : sections;
  const configPath = join(dataDir, 'contact-sync.yaml');
  writeFileSync(configPath, stringify({ dataDir, listen: 'off', ...key, ...hosted, links, ...settings }));
  const logger = createLogger({ level: 'silent', format: 'json', destination: process.stderr });
  const events = createEvents(logger, { personalData: false });
  const read = readConfig({ configPath, env: {} });
  const app = stack.use(createApp(read.config, events, { clock: remotes.clock, random: () => 0.5 }));
  const storedLinks = (await app.hostedLinks?.all()) ?? [];
  // The emulators have other addresses and tokens than those of the runs.
  for (const name of LINKS)
    await app.hostedLinks?.change(name, (stored) => Promise.resolve({ ...stored, ...sections[name] }));
  const config = await withHostedLinks(read);
  const link = (name: LinkName): LinkConfig => {
    const found = config.links.find((each) => each.name === name);
    if (found === undefined) throw new Error(`The link ${name} is not configured.`);
    return found;
  };
  const owned = stack.move();
  return {
    ...remotes,
    app,
    storedLinks,
    link,
    sync: (name) => {
      remotes.clock.advance(2 * MINUTE_MS);
      const { signal } = new AbortController();
      return app.run(link(name), { kind: 'incremental', acceptDeletes: false, signal });
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
};
