import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import Database from 'better-sqlite3';
import { containerArguments, endEngine, settle, setUp } from './engine.ts';
import { megabytes, seconds, type Table } from './table.ts';

const PARALLEL = 10;
/** The bounds apply from this number of links. */
const MANY = 10_000;

/**
 * The tables with rows of a synced link, the column with the link's name, and the columns that differ in a copy: ids of pairs
 * and of runs are unique across all links.
 */
const TABLES: readonly { readonly table: string; readonly link: string; readonly own: Record<string, string> }[] = [
  { table: 'links', link: 'name', own: {} },
  { table: 'cursors', link: 'link', own: {} },
  { table: 'group_pairs', link: 'link', own: {} },
  { table: 'pairs', link: 'link', own: { id: 'id + @pairs' } },
  { table: 'halves', link: 'link', own: { pair: 'pair + @pairs' } },
  { table: 'runs', link: 'link', own: { id: "id || ' ' || @name" } },
];

export const linkName = (index: number): string => `link${index}`;

/** Copies the stored rows of the first link to every other link. */
export const copyLink = (path: string, links: number): void => {
  const database = new Database(path);
  const pairs = Number(database.prepare('select max(id) from pairs').pluck().get());
  const copies = TABLES.map(({ table, link, own }) => {
    const columns = (database.pragma(`table_info(${table})`) as readonly { readonly name: string }[]).map(
      ({ name }) => name,
    );
    const values = columns.map((column) => (column === link ? '@name' : (own[column] ?? column)));
    return database.prepare(
      `insert into ${table} (${columns.join()}) select ${values.join()} from ${table} where ${link} = @first`,
    );
  });
  database.transaction(() => {
    for (let index = 1; index < links; index += 1) {
      const values = { name: linkName(index), first: linkName(0), pairs: pairs * index };
      for (const copy of copies) {
        const names = [...copy.source.matchAll(/@(\w+)/gu)].map(([, name = '']) => name as keyof typeof values);
        copy.run(Object.fromEntries(names.map((name) => [name, values[name]])));
      }
    }
  })();
  database.close();
};

const configOf = (links: number, environment: Record<string, string>): string =>
  JSON.stringify({
    listen: '127.0.0.1:0',
    links: Object.fromEntries(
      Array.from({ length: links }, (_, index) => [
        linkName(index),
        {
          service: { accessToken: environment['SERVICE_ACCESS_TOKEN'] },
          google: { refreshToken: environment['GOOGLE_REFRESH_TOKEN'] },
        },
      ]),
    ),
  });

/** Prepares a store with `links` synced links, and a configuration file for them. */
const prepareLinks = async (links: number, contacts: number) => {
  const setup = await setUp(contacts, 'both');
  // The tokens are in the file, separately for each link.
  const variables = Object.entries(setup.environment).filter(([name]) => !/_(?:ACCESS|REFRESH)_TOKEN$/u.test(name));
  const environment = Object.fromEntries(variables);
  const config = join(setup.dataDir, 'links.yaml');
  const write = (count: number): Promise<void> => writeFile(config, configOf(count, setup.environment));
  await write(1);
  const first = await setup.open({ config, environment });
  await setup.run(first, 'incremental');
  await settle(setup, first);
  await endEngine(first);
  copyLink(join(setup.dataDir, 'contact-sync.db'), links);
  await write(links);
  return { setup, config, environment };
};

const tryOut = async (links: number, contacts: number): Promise<string[]> => {
  const { setup, config, environment } = await prepareLinks(links, contacts);
  const engine = await setup.open({ config, environment });
  await engine.call('runAll', PARALLEL);
  const warm = await engine.call('runAll', PARALLEL);
  await endEngine(engine);
  await setup.close();
  return [
    String(links),
    String(contacts),
    (links / (warm.wallMs / 1_000)).toFixed(0),
    `${(warm.cpuMs / links).toFixed(1)} ms`,
    megabytes(warm.peakBytes),
    links < MANY ? '' : '250 runs a second, 600 MB',
  ];
};

/** Measures idle runs of many links in one process. */
export const benchLinks = async (links: number): Promise<Table> => ({
  title: '5. Many links: idle runs, 10 at a time, in a warm process',
  head: ['links', 'contacts each', 'runs per second', 'CPU per run', 'peak memory', 'bound'],
  rows: [
    await tryOut(1, 500),
    await tryOut(links / 100, 500),
    await tryOut(links / 100, 5_000),
    await tryOut(links, 5),
  ],
  notes: [
    'All links point at one account on each side, so that the emulators stay small; each has pairs, contacts and cursors of its own. What an idle run costs does not depend on the contacts.',
  ],
});

/** The time after its first run in which a daemon is observed. */
const WATCHED_MS = 30_000;

type Watched = {
  readonly firstRunMs: number;
  readonly runs: number;
  readonly busiestSecond: number;
  readonly residentBytes: number;
};

/** Returns the current resident memory of the process. */
const residentBytes = async (pid: number | undefined): Promise<number> => {
  const status = pid === undefined ? '' : await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmRSS:\s+(\d+)/u.exec(status)?.[1] ?? 0) * 1_024;
};

/** Starts the daemon, and records the ends of its runs. */
const watchDaemon = async (config: string, env: Record<string, string>): Promise<Watched> => {
  const program = await containerArguments();
  const startedAtMs = performance.now();
  const child = spawn(process.execPath, [...program, 'daemon', '--config', config], {
    env: { PATH: process.env['PATH'], ...env, LOG_LEVEL: 'debug' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const endedAtMs: number[] = [];
  const over = Promise.withResolvers<void>();
  for await (const line of createInterface(child.stdout)) {
    if (!line.includes('"run completed"')) continue;
    if (endedAtMs.length === 0) setTimeout(over.resolve, WATCHED_MS);
    endedAtMs.push(performance.now() - startedAtMs);
    if (performance.now() - startedAtMs - (endedAtMs[0] ?? 0) > WATCHED_MS) break;
  }
  await over.promise;
  const resident = await residentBytes(child.pid);
  const exit = once(child, 'close');
  child.kill('SIGKILL');
  await exit;
  const bySecond = Map.groupBy(endedAtMs, (atMs) => Math.floor(atMs / 1_000));
  const busiestSecond = Math.max(...[...bySecond.values()].map((ends) => ends.length));
  return { firstRunMs: endedAtMs[0] ?? 0, runs: endedAtMs.length, busiestSecond, residentBytes: resident };
};

/** Measures the daemon with one link and with many: the time until its first run, and the distribution of its runs. */
export const benchDaemon = async (links: number): Promise<Table> => {
  const rows: string[][] = [];
  const resident: number[] = [];
  for (const count of [1, links]) {
    const { setup, config, environment } = await prepareLinks(count, 5);
    // With the long interval, one link would not run a second time while it is observed.
    const interval = count === 1 ? '5s' : '5m';
    const watched = await watchDaemon(config, { ...environment, DATA_DIR: setup.dataDir, SYNC_INTERVAL: interval });
    await setup.close();
    resident.push(watched.residentBytes);
    const further = (watched.residentBytes - (resident[0] ?? 0)) / (count - 1 || 1) / 1_024;
    rows.push([
      String(count),
      seconds(watched.firstRunMs),
      String(watched.runs),
      String(watched.busiestSecond),
      megabytes(watched.residentBytes),
      count === 1 ? '' : `${further.toFixed(0)} KB`,
      count === 1 ? '120 MB' : '5 s to the first run, 600 MB, 50 KB a link',
    ]);
  }
  return {
    title: '5b. The daemon of many links',
    head: [
      'links',
      'to the first run',
      `runs in ${WATCHED_MS / 1_000} s`,
      'busiest second',
      'memory',
      'a further link',
      'bound',
    ],
    rows,
    notes: [
      'From the start of the process, its configuration of all links read; an interval of 5 minutes for many links.',
    ],
  };
};
