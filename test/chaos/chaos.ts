import { parseArgs } from 'node:util';
import { createWorkplaces, ENTRY } from './child.ts';
import type { Chaos } from './hosts/play.ts';
import { playWorld, type WorldReport } from './world.ts';

/** Links side by side, so that the waiting for dead processes' leases overlaps. */
const SIDE_BY_SIDE = 25;
const KILLS_PER_WORLD = 8;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const printReport = (report: WorldReport): void => {
  const { seed, kills, runs, duplicates, lost, back, trouble } = report;
  const faults = duplicates.length + lost.length + back.length + trouble.length;
  print(`seed ${seed}: ${kills} kills, ${runs} runs, ${faults === 0 ? 'both sides right' : 'WRONG'}`);
  if (duplicates.length > 0) print(`  twice: ${duplicates.join(', ')}`);
  if (lost.length > 0) print(`  lost: ${lost.join(', ')}`);
  if (back.length > 0) print(`  came back: ${back.join(', ')}`);
  for (const line of trouble) print(`  ${line}`);
};

const playAll = async (kills: number, firstSeed: number): Promise<readonly WorldReport[]> => {
  const shares = Array.from({ length: Math.ceil(kills / KILLS_PER_WORLD) }, (_, index) => ({
    seed: firstSeed + index,
    kills: Math.min(KILLS_PER_WORLD, kills - index * KILLS_PER_WORLD),
  }));
  const reports: WorldReport[] = [];
  const workplaces = createWorkplaces();
  const work = async (): Promise<void> => {
    for (let share = shares.shift(); share !== undefined; share = shares.shift()) {
      const report = await playWorld(share.seed, share.kills, workplaces);
      reports.push(report);
      printReport(report);
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
  return reports;
};

/** `--hosts 3`: daemons on hosts of their own, instead of one link's process that is killed. */
const mainOfHosts = async (of: Omit<Chaos, 'signal'>): Promise<void> => {
  const { playHosts } = await import('./hosts/play.ts');
  const interrupted = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interrupted.abort(new Error(name)));
  const faults = await playHosts({ ...of, signal: interrupted.signal });
  for (const fault of faults) print(`WRONG: ${fault}`);
  print(faults.length === 0 ? 'All links are right.' : `${faults.length} faults`);
  process.exitCode = faults.length === 0 ? 0 : 1;
};

const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      kills: { type: 'string', default: '200' },
      seed: { type: 'string', default: '1' },
      hosts: { type: 'string' },
      links: { type: 'string', default: '200' },
      interval: { type: 'string', default: '60' },
    },
  });
  const { hosts, links, seed, interval } = values;
  if (hosts !== undefined) {
    const intervalMs = Number(interval) * 1_000;
    return mainOfHosts({ hosts: Number(hosts), links: Number(links), seed: Number(seed), intervalMs });
  }
  const startedAtMs = performance.now();
  print(`Killing ${ENTRY}`);
  const reports = await playAll(Number(values.kills), Number(values.seed));
  const sum = (count: (report: WorldReport) => number) => reports.reduce((total, report) => total + count(report), 0);
  const seconds = Math.round((performance.now() - startedAtMs) / 1_000);
  const kills = sum((report) => report.kills);
  const early = sum((report) => report.firstSyncKills);
  print(`${kills} kills (${early} in first syncs) of ${sum((report) => report.runs)} runs in ${seconds} s,`);
  print(`${sum((report) => report.edits)} edits, ${sum((report) => report.contacts)} contacts`);
  const wrong = {
    duplicates: sum((report) => report.duplicates.length),
    lost: sum((report) => report.lost.length),
    'came back': sum((report) => report.back.length),
    trouble: sum((report) => report.trouble.length),
  };
  print(
    Object.entries(wrong)
      .map(([name, count]) => `${count} ${name}`)
      .join(', '),
  );
  process.exitCode = Object.values(wrong).every((count) => count === 0) ? 0 : 1;
};

await main();
