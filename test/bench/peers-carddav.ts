import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startChild } from './child.ts';
import type { DavProcess } from './dav-process.ts';
import { endEngine, startBuilt } from './engine.ts';
import type { EngineProcess } from './engine-process.ts';
import { openFolder } from './folder.ts';
import { isInstalled } from './peers.ts';
import { copyWithVdirsyncer, costText, isNoisy, median, type CountedCost, type Round } from './peers-http.ts';
import type { Table } from './table.ts';

const ROUNDS = 3;
const WORKS = { first: 'first sync', idle: 'idle', changed: '1 % changed' } as const;

/** Returns the configuration of a link between the two address books of the server. */
const linkOf = (root: string): string => {
  const side = (name: string) => ({
    provider: 'carddav',
    name,
    url: `${root}/${name}/`,
    username: 'bench',
    password: `bench ${name}`,
    rateLimit: '600000/minute',
  });
  return JSON.stringify({ firstSync: 'run', links: { default: { left: side('one'), right: side('other') } } });
};

const copyWithOurs = async (count: number): Promise<Round<CountedCost>> => {
  await using folder = await openFolder();
  const server = startChild<DavProcess>('dav-process.ts');
  const config = join(folder.path, 'contact-sync.yaml');
  await writeFile(config, linkOf(await server.call('start', count)));
  const engine = await startBuilt<EngineProcess>('engine-process');
  await engine.call('open', { environment: {}, dataDir: folder.path, config });
  const run = async (): Promise<CountedCost> => {
    await server.call('look', null);
    const cost = await engine.call('run', 'incremental');
    return { ...cost, asked: (await server.call('look', null)).asked };
  };
  const first = await run();
  const { other } = await server.call('look', null);
  if (other !== count) throw new Error(`${other} of ${count} contacts were copied`);
  // The feed of the other address book returns the creates once.
  await run();
  const idle = await run();
  await server.call('edit', 100);
  const changed = await run();
  await endEngine(engine);
  await server.stop();
  return { first, idle, changed };
};

/** Compares this program with vdirsyncer, alternately, for the same work between two CardDAV address books. */
export const benchPeersOverCarddav = async (count: number): Promise<Table> => {
  const isThere = await isInstalled('vdirsyncer');
  const rounds: { readonly own: Round<CountedCost>; readonly peer: Round<CountedCost> }[] = [];
  for (let round = 0; round < (isThere ? ROUNDS : 0); round += 1) {
    rounds.push({ own: await copyWithOurs(count), peer: await copyWithVdirsyncer(count) });
  }
  const rowOf = (work: keyof Round): string[] => {
    const [own, peer] = [rounds.map((each) => each.own[work]), rounds.map((each) => each.peer[work])];
    const ratio = median(own.map(({ cpuMs }) => cpuMs)) / Math.max(median(peer.map(({ cpuMs }) => cpuMs)), 1);
    const requests = (costs: typeof own): string => `${median(costs.map(({ asked }) => asked))} requests`;
    return [
      WORKS[work],
      `${costText(own)}, ${requests(own)}`,
      `${costText(peer)}, ${requests(peer)}`,
      `${ratio.toFixed(2)} x${isNoisy(own) || isNoisy(peer) ? ', too noisy to judge' : ''}`,
    ];
  };
  return {
    title: `4d. Two CardDAV address books, ${count} contacts, ${ROUNDS} rounds in turn, medians`,
    head: ['work', 'ours', 'vdirsyncer', 'CPU of ours against theirs'],
    rows: isThere ? (Object.keys(WORKS) as (keyof Round)[]).map(rowOf) : [],
    notes: [
      'Both programs copy the cards of one address book of an in-memory CardDAV server to another one, then run without a change, then with one title in a hundred changed. vdirsyncer starts a process for each run. Ours keeps a journal and stays.',
      ...(isThere ? [] : ['vdirsyncer is not installed, so nothing was measured.']),
    ],
  };
};
