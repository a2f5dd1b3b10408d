import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import { freePort } from '../../support/network.ts';
import { startPostgres, type OwnPostgres } from '../../support/postgres.ts';
import { nameOf, startBooks, type Books } from './books.ts';
import { startHost, type Host } from './host.ts';
import { createNetwork, type HostNetwork } from './network.ts';
import { gapsIn, lateIn, refusedIn, runsOf } from './runs.ts';
import { createFolder } from '../../support/folder.ts';

// Daemons on hosts of their own, one Redis, one PostgreSQL: hosts are cut off, stopped and killed, servers restarted and
// emptied, while people edit their contacts.

export type Chaos = {
  readonly hosts: number;
  readonly links: number;
  readonly seed: number;
  readonly intervalMs: number;
  /** Ends it before its end, with nothing left of it. */
  readonly signal: AbortSignal;
};

const PEOPLE = 12;
/** On each way, so that a run lasts long enough to be interrupted. */
const DELAY_MS = 15;
/** engine/lease.ts */
const LEASE_MS = 15_000;
const EDIT_EVERY_MS = 250;
const PATIENCE_MS = 600_000;
/** As `health` judges it. */
const MOST_INTERVALS = 3;

const say = (text: string): void => void process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);

/** Waits until nothing is missing any more; answers what still is when that takes too long. */
const untilNone = async (missing: () => readonly string[]): Promise<readonly string[]> => {
  const startedAtMs = performance.now();
  for (;;) {
    const left = missing();
    if (left.length === 0 || performance.now() - startedAtMs > PATIENCE_MS) return left;
    await sleep(500);
  }
};

/** A Redis that the hosts reach; the client is this machine's. */
const startRedis = async (address: string, stack: AsyncDisposableStack): Promise<{ url: string; client: Redis }> => {
  const port = await freePort();
  const settings = ['--port', String(port), '--bind', '127.0.0.1', address, '--protected-mode', 'no', '--save', ''];
  const server = spawn('redis-server', settings, { stdio: 'ignore' });
  const ended = once(server, 'exit');
  stack.defer(async () => {
    server.kill();
    await ended;
  });
  const client = new Redis(port, '127.0.0.1');
  client.on('error', () => undefined);
  stack.defer(() => client.disconnect());
  return { url: `redis://${address}:${port}`, client };
};

type Ground = {
  readonly network: HostNetwork;
  readonly postgres: OwnPostgres;
  readonly redis: Redis;
  readonly books: Books;
  /** Starts the daemon of a host. */
  start(index: number): Promise<Host>;
};

const startGround = async ({ hosts, links, seed, intervalMs }: Chaos, stack: AsyncDisposableStack): Promise<Ground> => {
  const network = stack.use(await createNetwork(hosts));
  const { address, range } = network;
  const postgres = await startPostgres({ open: { address, allow: `host all all ${range} trust` } });
  if (postgres === null) throw new Error("There is no PostgreSQL to start: install Debian's package postgresql.");
  stack.defer(() => postgres.close());
  const redis = await startRedis(address, stack);
  const syncInterval = `${intervalMs / 1_000}s`;
  const of = { links, seed, address, syncInterval, people: PEOPLE, delayMs: DELAY_MS };
  const books = stack.use(await startBooks(of));
  const { path: folder } = stack.use(await createFolder());
  const configPath = join(folder, 'contact-sync.json');
  const databaseUrl = postgres.url.replace('127.0.0.1', address);
  const credentialsKey = randomBytes(32).toString('base64');
  const shared = { databaseUrl, redisUrl: redis.url, credentialsKey, listen: 'off', logLevel: 'debug' };
  await writeFile(configPath, JSON.stringify({ ...shared, links: books.sections() }));
  const start = (index: number): Promise<Host> => startHost({ index, configPath, prefix: network.prefix(index) });
  return { network, postgres, books, redis: redis.client, start };
};

/** In the middle of a run of this host. */
const inARun = async (host: Host): Promise<void> => void (await host.next(({ msg }) => msg === 'run started'));

/** Links of which two completed runs overlap: both ends are taken under the lease, by the one clock of this machine. */
const overlapsIn = async ({ url }: OwnPostgres): Promise<readonly string[]> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ link: string }>(`
    select distinct one.link from runs as one join runs as other on other.link = one.link and other.id <> one.id
    where one.outcome = 'completed' and other.outcome = 'completed'
      and one.started_at_ms <= other.started_at_ms and other.started_at_ms < one.ended_at_ms`);
  await client.end();
  return rows.map(({ link }) => link);
};

/** All that goes wrong, one after the other; hosts that are started again are added. */
const misfortunes = async (restMs: number, ground: Ground, hosts: Host[], stack: AsyncDisposableStack) => {
  const { network, postgres, redis } = ground;
  const [cut, stopped, killed = hosts[0]] = hosts;
  if (cut === undefined || stopped === undefined || killed === undefined) throw new Error('Two hosts at least.');
  await inARun(cut);
  say(`host ${cut.index} is cut off for two lease times`);
  await network.cut(cut.index);
  await sleep(2 * LEASE_MS);
  await network.mend(cut.index);
  await sleep(restMs);
  await inARun(stopped);
  say(`host ${stopped.index} is stopped for two lease times`);
  await stopped.signal('SIGSTOP');
  await sleep(2 * LEASE_MS);
  await stopped.signal('SIGCONT');
  await sleep(restMs);
  await inARun(killed);
  say(`host ${killed.index} is killed, and started again`);
  await killed.signal('SIGKILL');
  await killed.ended;
  await sleep(restMs);
  hosts.push(stack.use(await ground.start(killed.index)));
  say('PostgreSQL is restarted');
  await postgres.stop();
  await sleep(3_000);
  await postgres.start();
  await sleep(restMs);
  say('Redis is emptied');
  await redis.flushall();
  await sleep(restMs);
};

/** The links that have not completed so many runs that began since then. */
const linksBehind = (hosts: readonly Host[], { links }: Chaos, count: number, sinceMs: number): readonly string[] => {
  const runs = runsOf(hosts).filter(({ isCompleted, beginMs }) => isCompleted && beginMs > sinceMs);
  const counts = Map.groupBy(runs, ({ link }) => link);
  const names = Array.from({ length: links }, (_, index) => nameOf(index));
  return names.filter((name) => (counts.get(name)?.length ?? 0) < count).map((name) => `${name} was not run`);
};

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

const playOn = async (chaos: Chaos, stack: AsyncDisposableStack): Promise<readonly string[]> => {
  const ground = await startGround(chaos, stack);
  const { books } = ground;
  const hosts: Host[] = [];
  for (let index = 0; index < chaos.hosts; index += 1) hosts.push(stack.use(await ground.start(index)));
  say(`${chaos.hosts} hosts, ${chaos.links} links, an interval of ${seconds(chaos.intervalMs)}: first syncs`);
  const unsynced = await untilNone(() => linksBehind(hosts, chaos, 1, 0));
  if (unsynced.length > 0) return unsynced;
  const startedAtMs = Date.now();
  const editing = setInterval(() => books.edit({ deletes: true }), EDIT_EVERY_MS);
  stack.defer(() => clearInterval(editing));
  await sleep(chaos.intervalMs);
  await misfortunes(chaos.intervalMs, ground, hosts, stack);
  clearInterval(editing);
  const endedAtMs = Date.now();
  say(`${books.edits()} edits; the links settle`);
  // Two more runs of each after the last edit, and whatever more it takes to be equal.
  const behind = await untilNone(() => linksBehind(hosts, chaos, 2, endedAtMs));
  const faults = await untilNone(() => books.faults());
  const runs = runsOf(hosts);
  const gaps = gapsIn(runs, startedAtMs, endedAtMs);
  const longestMs = gaps.at(-1) ?? 0;
  const late = lateIn(books.requests, runs, (from) => Number(from.split('.').at(-1)) - 10);
  say(`${runs.length} runs, ${hosts.map((host) => `${runsOf([host]).length} on host ${host.index}`).join(', ')}`);
  say(
    `longest time from run to run: ${seconds(gaps[gaps.length >> 1] ?? 0)} in the middle, ${seconds(longestMs)} at most`,
  );
  say(`${refusedIn(hosts)} runs of hosts that had lost their link, all refused; ${late} requests of theirs came late`);
  const overlaps = await overlapsIn(ground.postgres);
  say(`${overlaps.length} links run twice at once`);
  return [
    ...behind,
    ...faults,
    ...overlaps.map((overlap) => `twice at once: ${overlap}`),
    ...(longestMs > MOST_INTERVALS * chaos.intervalMs ? [`a link waited ${seconds(longestMs)} for its run`] : []),
    ...(refusedIn(hosts) === 0 ? ['no host was refused anything: nothing was tried'] : []),
  ];
};

/**
 * Plays it, prints what was seen, and answers what is wrong.
 *
 * @throws {Error} where this machine cannot have such hosts, or the signal's reason.
 */
export const playHosts = async (chaos: Chaos): Promise<readonly string[]> => {
  await using stack = new AsyncDisposableStack();
  const ended = once(chaos.signal, 'abort').then(() => chaos.signal.throwIfAborted());
  return (await Promise.race([playOn(chaos, stack), ended])) ?? [];
};
