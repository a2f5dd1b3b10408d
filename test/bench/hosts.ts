import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestRedis } from '../support/redis.ts';
import type { OwnPostgres } from '../support/postgres.ts';
import type { Child } from './child.ts';
import type { DaemonLoad, DaemonProcess } from './daemon-process.ts';
import type { EngineProcess } from './engine-process.ts';
import { endEngine, setUp, settle, startBuilt, type Setup } from './engine.ts';
import { ask, countBytes, createDatabase, multiplyLink, startDurablePostgres } from './hosts-store.ts';
import { copyLink, linkName } from './links.ts';
import { megabytes, percent, seconds, type Table } from './table.ts';

export type OneHostOptions = {
  /** The number of links that one daemon serves. */
  readonly links: number;
  readonly minutes: number;
  readonly intervalMs: number;
};

const CONTACTS = 500;
/** The number of links that the workers share. */
const RUN_LINKS = 60;
const ROUNDS = 8;
const WORKERS = [1, 2, 4];
const PARALLEL = 10;
const FILE = 'contact-sync.db';
/** Any key of 32 bytes. */
const KEY = Buffer.alloc(32, 1).toString('base64');

const namesOf = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => linkName(index));

type Tokens = { readonly access: readonly string[]; readonly refresh: readonly string[] };

/** Returns sections of the configuration. `tokens` has one token for each link, or one for all. */
const linksOf = (names: readonly string[], { access, refresh }: Tokens) =>
  Object.fromEntries(
    names.map((name, index) => [
      name,
      {
        service: { accessToken: access[index % access.length] },
        google: { refreshToken: refresh[index % refresh.length] },
      },
    ]),
  );

/** Returns the variables without the tokens, which are separate for each link. */
const variablesOf = ({ environment }: Setup): Record<string, string> => ({
  ...Object.fromEntries(Object.entries(environment).filter(([name]) => !/_(?:ACCESS|REFRESH)_TOKEN$/u.test(name))),
  CREDENTIALS_KEY: KEY,
});

const oneTokenOf = ({ environment }: Setup): Tokens => ({
  access: [environment['SERVICE_ACCESS_TOKEN'] ?? ''],
  refresh: [environment['GOOGLE_REFRESH_TOKEN'] ?? ''],
});

/** Creates a sandbox with one synced link, in `contact-sync.db` of the set-up's directory. */
const syncOne = async (): Promise<Setup> => {
  const setup = await setUp(CONTACTS, 'both');
  const config = join(setup.dataDir, 'one.json');
  await writeFile(config, JSON.stringify({ links: linksOf([linkName(0)], oneTokenOf(setup)) }));
  const engine = await setup.open({ config, environment: variablesOf(setup) });
  await setup.run(engine, 'incremental');
  await settle(setup, engine);
  await endEngine(engine);
  return setup;
};

/** Syncs the link of the set-up with an empty database on PostgreSQL, where its contacts are paired again. */
const syncToPostgres = async (setup: Setup, postgres: OwnPostgres): Promise<string> => {
  const url = await createDatabase(postgres);
  const config = join(setup.dataDir, 'one.json');
  const engine = await setup.open({ config, environment: { ...variablesOf(setup), DATABASE_URL: url } });
  await setup.run(engine, 'incremental');
  await settle(setup, engine);
  await endEngine(engine);
  return url;
};

type Counts = { readonly commits: number; readonly rows: number; readonly walBytes: number };

/** Returns the server's counters for this database since its creation. */
const countsOf = async (url: string): Promise<Counts> => {
  // A connection reports its counters after it has been idle for a second.
  await sleep(1_500);
  const [row] = await ask(
    url,
    `select xact_commit as commits, tup_inserted + tup_updated + tup_deleted as rows,
      (select wal_bytes from pg_stat_wal) as wal from pg_stat_database where datname = current_database()`,
  );
  return { commits: Number(row?.['commits']), rows: Number(row?.['rows']), walBytes: Number(row?.['wal']) };
};

/** Returns the size of the tables, including indexes. */
const storedBytesOf = async (url: string): Promise<number> => {
  const [row] = await ask(
    url,
    `select sum(pg_total_relation_size(oid)) as bytes from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  return Number(row?.['bytes']);
};

type Speed = { readonly perSecond: number; readonly cpuMs: number };

/** Opens the workers, each with its share of the links, and runs all links. */
const runWorkers = async (
  setup: Setup,
  count: number,
  environment: Record<string, string>,
  look: (work: () => Promise<void>) => Promise<void> = (work) => work(),
): Promise<Speed> => {
  const names = namesOf(RUN_LINKS);
  const engines: Child<EngineProcess>[] = [];
  for (let worker = 0; worker < count; worker += 1) {
    const config = join(setup.dataDir, `worker${worker}.json`);
    const own = names.filter((_, index) => index % count === worker);
    await writeFile(config, JSON.stringify({ links: linksOf(own, oneTokenOf(setup)) }));
    engines.push(await setup.open({ config, environment }));
  }
  const runAll = () => Promise.all(engines.map((engine) => engine.call('runAll', PARALLEL)));
  // The first round opens each link's remotes. The second round confirms the writes of the first one.
  for (let round = 0; round < 2; round += 1) await runAll();
  let [wallMs, cpuMs] = [0, 0];
  await look(async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const done = await runAll();
      wallMs += Math.max(...done.map((one) => one.wallMs));
      cpuMs += done.reduce((sum, one) => sum + one.cpuMs, 0);
    }
  });
  for (const engine of engines) await endEngine(engine);
  const runs = RUN_LINKS * ROUNDS;
  return { perSecond: runs / (wallMs / 1_000), cpuMs: cpuMs / runs };
};

const speedRow = (engine: string, workers: number, { perSecond, cpuMs }: Speed): string[] => [
  engine,
  String(workers),
  perSecond.toFixed(0),
  `${cpuMs.toFixed(1)} ms`,
];

const benchSqlite = async (setup: Setup): Promise<readonly string[][]> => {
  copyLink(join(setup.dataDir, FILE), RUN_LINKS);
  const rows: string[][] = [];
  for (const workers of WORKERS) {
    rows.push([...speedRow('SQLite', workers, await runWorkers(setup, workers, variablesOf(setup))), '', '', '']);
  }
  return rows;
};

const benchPostgres = async (setup: Setup, postgres: OwnPostgres, url: string): Promise<readonly string[][]> => {
  await multiplyLink(url, namesOf(RUN_LINKS));
  const runs = RUN_LINKS * ROUNDS;
  const rows: string[][] = [];
  for (const workers of WORKERS) {
    let used: Counts = { commits: 0, rows: 0, walBytes: 0 };
    const environment = { ...variablesOf(setup), DATABASE_URL: url };
    const speed = await runWorkers(setup, workers, environment, async (work) => {
      const before = await countsOf(url);
      await work();
      const after = await countsOf(url);
      used = { commits: after.commits - before.commits, rows: 0, walBytes: after.walBytes - before.walBytes };
    });
    const statements = (used.commits / runs).toFixed(1);
    rows.push([
      ...speedRow('PostgreSQL', workers, speed),
      statements,
      `${(used.walBytes / runs / 1_024).toFixed(1)} KB`,
      '',
    ]);
  }
  await using counter = await countBytes(Number(new URL(postgres.url).port));
  const counted = Object.assign(new URL(url), { port: String(counter.port) });
  let bytes = 0;
  await runWorkers(setup, 1, { ...variablesOf(setup), DATABASE_URL: counted.href }, async (work) => {
    bytes = -counter.bytes();
    await work();
    bytes += counter.bytes();
  });
  for (const row of rows) row[6] = `${(bytes / runs / 1_024).toFixed(1)} KB`;
  return rows;
};

const runsTable = async (setup: Setup, postgres: OwnPostgres): Promise<Table> => {
  const url = await syncToPostgres(setup, postgres);
  const storedBytes = await storedBytesOf(url);
  const inPostgres = await benchPostgres(setup, postgres, url);
  const inSqlite = await benchSqlite(setup);
  return {
    title: `10. Hosts: idle runs of ${RUN_LINKS} links with ${CONTACTS} contacts, ${PARALLEL} at a time in each worker`,
    head: [
      'store',
      'workers',
      'runs per second',
      'CPU per run',
      'statements per run',
      'log written per run',
      'sent and received per run',
    ],
    rows: [...inSqlite, ...inPostgres],
    notes: [
      'A worker is a process; all of them, the emulators and PostgreSQL share the cores of this machine. CPU is that of the workers. Statements are commits as PostgreSQL counts them; without Redis the request budgets of a run are among them.',
      `One link of ${CONTACTS} contacts, just synced, takes ${megabytes(storedBytes)} in PostgreSQL, indexes and journal included.`,
    ],
  };
};

type Watched = {
  readonly load: DaemonLoad;
  readonly postgres: Counts;
  readonly storedBytes: number;
  readonly redisCommands: number;
};

const watchDaemon = async (setup: Setup, postgres: OwnPostgres, options: OneHostOptions): Promise<Watched> => {
  const { links, minutes, intervalMs } = options;
  const redis = await startTestRedis();
  if (redis === null) throw new Error('There is no redis-server to start.');
  await using _ = redis;
  const url = await syncToPostgres(setup, postgres);
  await multiplyLink(url, namesOf(links));
  const dataDir = join(setup.dataDir, 'daemon');
  await mkdir(dataDir);
  const config = join(dataDir, 'links.json');
  const tokens = await setup.sandbox.call('tokens', links);
  await writeFile(
    config,
    JSON.stringify({ syncInterval: `${intervalMs / 1_000}s`, links: linksOf(namesOf(links), tokens) }),
  );
  // Each link has a separate limit, with the service's documented number of requests.
  const usual = Object.entries(variablesOf(setup)).filter(([name]) => !name.endsWith('_LIMIT'));
  const environment = {
    ...Object.fromEntries(usual),
    DATABASE_URL: url,
    REDIS_URL: redis.url,
  };
  const daemon = await startBuilt<DaemonProcess>('daemon-process');
  const commands = async (): Promise<number> =>
    Number(/total_commands_processed:(\d+)/u.exec(await redis.client.info('stats'))?.[1] ?? 0);
  await daemon.call('start', { environment, dataDir, config });
  // In the first interval every link gets its first token and opens its remotes.
  await sleep(intervalMs);
  const storedBytes = await storedBytesOf(url);
  const [before, commandsBefore] = [await countsOf(url), await commands()];
  await sleep(minutes * 60_000);
  const [after, commandsAfter] = [await countsOf(url), await commands()];
  const load = await daemon.call('load', null);
  await daemon.call('stop', null);
  await daemon.stop();
  return {
    load,
    postgres: {
      commits: after.commits - before.commits,
      rows: after.rows - before.rows,
      walBytes: after.walBytes - before.walBytes,
    },
    storedBytes,
    redisCommands: commandsAfter - commandsBefore,
  };
};

const daemonTable = async (setup: Setup, postgres: OwnPostgres, options: OneHostOptions): Promise<Table> => {
  const { load, postgres: used, redisCommands, storedBytes } = await watchDaemon(setup, postgres, options);
  const { links, minutes, intervalMs } = options;
  const perSecond = (count: number): string => (count / (minutes * 60)).toFixed(1);
  const onTime = load.gapsMs.filter((gapMs) => gapMs <= 1.5 * intervalMs).length;
  const otherwise = Object.entries(load.otherwise).map(([ending, count]) => `${count} ${ending}`);
  return {
    title: `10b. One host: ${links} links of ${CONTACTS} contacts, every ${intervalMs / 1_000} s, for ${minutes} minutes after the first interval`,
    head: ['what', 'figure'],
    rows: [
      ['runs completed', String(load.runs)],
      ['jobs that ended otherwise', otherwise.join(', ') || 'none'],
      ['links that never waited longer than an interval and a half', percent(onTime / links)],
      ['longest time from run to run, in the middle', seconds(load.gapsMs[links >> 1] ?? 0)],
      ['longest time from run to run, of all links', seconds(load.gapsMs.at(-1) ?? 0)],
      ['CPU of the daemon per run', `${(load.cpuMs / load.runs).toFixed(1)} ms`],
      ['peak memory of the daemon', megabytes(load.peakBytes)],
      ['Redis commands a second', perSecond(redisCommands)],
      ['PostgreSQL commits a second', perSecond(used.commits)],
      ['PostgreSQL rows written a second', perSecond(used.rows)],
      ['PostgreSQL log written a second', `${perSecond(used.walBytes / 1_024)} KB`],
      ['PostgreSQL tables and indexes, of all links', megabytes(storedBytes)],
    ],
    notes: [
      'All links point at one account on each side, with tokens of their own; the emulators, PostgreSQL and Redis share the cores of this machine. The store holds every contact of every link. Redis counts the commands within scripts too.',
    ],
  };
};

/** Runs item 10 of the suite. */
export const benchHosts = async (): Promise<Table> => {
  const postgres = await startDurablePostgres();
  const setup = await syncOne();
  const runs = await runsTable(setup, postgres);
  await setup.close();
  await postgres.close();
  return runs;
};

/** Runs item 10b of the suite. */
export const benchOneHost = async (options: OneHostOptions): Promise<Table> => {
  const postgres = await startDurablePostgres();
  const setup = await syncOne();
  const daemon = await daemonTable(setup, postgres, options);
  await setup.close();
  await postgres.close();
  return daemon;
};
