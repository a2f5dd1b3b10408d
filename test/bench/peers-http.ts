import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startChild } from './child.ts';
import type { CopyProcess } from './copy-process.ts';
import type { DavProcess } from './dav-process.ts';
import { endEngine, settle, setUp, startBuilt } from './engine.ts';
import { openFolder } from './folder.ts';
import { isInstalled, measure, type PeerCost } from './peers.ts';
import { megabytes, seconds, type Table } from './table.ts';

const ROUNDS = 3;
/** A larger difference between rounds indicates other work on the machine. */
const STEADY = 0.25;

/** A cost, and the number of requests to the server. */
export type CountedCost = PeerCost & { readonly asked: number };
/** The costs of the three tasks. */
export type Round<Cost = PeerCost> = { readonly first: Cost; readonly idle: Cost; readonly changed: Cost };

const configOf = (home: string, root: string): string => {
  const storage = (name: string): string =>
    `[storage ${name}]\ntype = "carddav"\nurl = "${root}/${name}/"\nusername = "bench"\npassword = "bench"\n`;
  return `[general]
status_path = "${home}/status/"
[pair contacts]
a = "one"
b = "other"
collections = null
conflict_resolution = "a wins"
${storage('one')}${storage('other')}`;
};

/** Copies one address book of an in-memory server to another one. */
export const copyWithVdirsyncer = async (count: number): Promise<Round<CountedCost>> => {
  await using folder = await openFolder();
  const home = folder.path;
  const server = startChild<DavProcess>('dav-process.ts');
  await mkdir(join(home, 'status'));
  await writeFile(join(home, 'config'), configOf(home, await server.call('start', count)));
  const run = async (command: string): Promise<CountedCost> => {
    await server.call('look', null);
    const cost = await measure(home, ['vdirsyncer', '-c', 'config', command]);
    return { ...cost, asked: (await server.call('look', null)).asked };
  };
  await run('discover');
  const first = await run('sync');
  const { other } = await server.call('look', null);
  if (other !== count) throw new Error(`vdirsyncer copied ${other} of ${count} contacts`);
  const idle = await run('sync');
  await server.call('edit', 100);
  const changed = await run('sync');
  await server.stop();
  return { first, idle, changed };
};

const ours = async (count: number): Promise<Round> => {
  const setup = await setUp(count, 'google');
  const starter = await setup.open();
  const first = await setup.run(starter, 'incremental');
  await settle(setup, starter);
  await endEngine(starter);
  const engine = await setup.open();
  await setup.run(engine, 'incremental');
  const idle = await setup.run(engine, 'incremental');
  await setup.sandbox.call('edit', 100);
  const changed = await setup.run(engine, 'incremental');
  await endEngine(engine);
  await setup.close();
  return { first, idle, changed };
};

/** Measures the minimum cost of the first sync: only reading and creating through the providers. */
const least = async (count: number): Promise<PeerCost> => {
  const setup = await setUp(count, 'google');
  const process = await startBuilt<CopyProcess>('copy-process');
  const { copied, ...cost } = await process.call('copy', { ...setup.environment, DATA_DIR: setup.dataDir });
  if (copied !== count) throw new Error(`${copied} of ${count} contacts were copied`);
  await process.stop();
  await setup.close();
  return cost;
};

export const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0;

const spread = (values: readonly number[]): number => (Math.max(...values) - Math.min(...values)) / median(values);

/** Returns whether rounds differ by more than a quarter. */
export const isNoisy = (costs: readonly PeerCost[]): boolean => spread(costs.map(({ cpuMs }) => cpuMs)) > STEADY;

/** Returns the medians of CPU time and memory. */
export const costText = (costs: readonly PeerCost[]): string =>
  `${seconds(median(costs.map(({ cpuMs }) => cpuMs)))} CPU, ${megabytes(median(costs.map(({ peakBytes }) => peakBytes)))}`;

const row = (title: string, own: readonly PeerCost[], others: readonly PeerCost[], bound: string): string[] => {
  const [mineMs = 0, peersMs = 0] = [own, others].map((costs) => median(costs.map(({ cpuMs }) => cpuMs)));
  const doubt = isNoisy(own) || isNoisy(others) ? ', too noisy to judge' : '';
  return [title, costText(own), costText(others), `${(mineMs / Math.max(peersMs, 1)).toFixed(2)} x${doubt}`, bound];
};

/** Compares this program with vdirsyncer, alternately, for the same work over HTTP. */
export const benchPeersOverHttp = async (count: number): Promise<Table> => {
  const rounds: { readonly own: Round; readonly least: PeerCost; readonly peer: Round }[] = [];
  const isThere = await isInstalled('vdirsyncer');
  for (let round = 0; round < (isThere ? ROUNDS : 0); round += 1) {
    rounds.push({ own: await ours(count), least: await least(count), peer: await copyWithVdirsyncer(count) });
  }
  const rowOf = (title: string, work: keyof Round, bound: string): string[] =>
    row(
      title,
      rounds.map(({ own }) => own[work]),
      rounds.map(({ peer }) => peer[work]),
      bound,
    );
  return {
    title: `4c. The same work over HTTP, ${count} contacts, ${ROUNDS} rounds in turn, medians`,
    head: ['work', 'ours', 'vdirsyncer', 'ours against theirs', 'bound'],
    rows: isThere
      ? [
          rowOf('first sync, all contacts created on the other side', 'first', '1.30 x, 200 MB'),
          row(
            'our providers alone against their first sync',
            rounds.map((round) => round.least),
            rounds.map(({ peer }) => peer.first),
            '',
          ),
          rowOf('idle', 'idle', ''),
          rowOf('1 % changed', 'changed', ''),
        ]
      : [],
    notes: [
      'vdirsyncer copies the same people as vCards from one address book of an in-memory CardDAV server to another one, with a PUT each, and starts a process for each run; ours creates them at the service, keeps a journal, and stays. Our providers alone read each contact at Google and create it at the service, with nothing compared, planned, stored or kept in a journal: no first sync through them can cost less. A row says where rounds differ by more than a quarter.',
      ...(isThere ? [] : ['vdirsyncer is not installed, so nothing was measured.']),
    ],
  };
};
