import type { Child } from './child.ts';
import type { EngineProcess, Measured } from './engine-process.ts';
import { endEngine, settle, setUp, type Setup, type Step } from './engine.ts';
import { boundText, megabytes, seconds, type Table } from './table.ts';

type Cost = Pick<Step, 'cpuMs' | 'wallMs' | 'peakBytes'>;
type Work = 'first' | 'idle' | 'changed';

/** Upper bounds: CPU time in seconds, peak memory in MB; null for what is not bounded. */
type Bound = { readonly cpuS: number | null; readonly memoryMb: number | null };

const costRow = (name: string, { cpuMs, wallMs, peakBytes }: Cost, { cpuS, memoryMb }: Bound): string[] => {
  const parts = [...(cpuS === null ? [] : [`${cpuS} s CPU`]), ...(memoryMb === null ? [] : [`${memoryMb} MB`])];
  const isKept = cpuMs <= (cpuS ?? Infinity) * 1_000 && peakBytes <= (memoryMb ?? Infinity) * 2 ** 20;
  return [name, seconds(cpuMs), seconds(wallMs), megabytes(peakBytes), boundText(parts.join(', '), isKept)];
};

/** Measures only a first sync. If `differ` is set, each contact has another title on each side. */
export const measureFirst = async (
  count: number,
  filled: 'google' | 'service' | 'both',
  { differ = false } = {},
): Promise<Step> => {
  const setup = await setUp(count, filled);
  if (differ) await setup.sandbox.call('edit', 1);
  const engine = await setup.open();
  const first = await setup.run(engine, 'incremental');
  await endEngine(engine);
  await setup.close();
  return first;
};

/** The first idle runs are not measured: in them, Node compiles the frequently used code. */
const IDLE_RUNS = { all: 100, measured: 21 };

const medianIdle = async (setup: Setup, engine: Child<EngineProcess>): Promise<Step> => {
  const steps: Step[] = [];
  for (let times = 0; times < IDLE_RUNS.all; times += 1) steps.push(await setup.run(engine, 'incremental'));
  const measured = steps.slice(-IDLE_RUNS.measured).toSorted((one, other) => one.cpuMs - other.cpuMs);
  const median = measured[IDLE_RUNS.measured >> 1];
  if (median === undefined) throw new Error('There are idle runs.');
  return median;
};

/** Measures the plan of a first sync of two equal address books. */
const measurePlan = async (count: number): Promise<Measured> => {
  const setup = await setUp(count, 'both');
  const engine = await setup.open();
  const planned = await engine.call('plan', null);
  await endEngine(engine);
  await setup.close();
  return planned;
};

const measureEngine = async (count: number): Promise<Record<Work | 'full' | 'again', Step>> => {
  const setup = await setUp(count, 'google');
  const started = await setup.open();
  const first = await setup.run(started, 'incremental');
  await settle(setup, started);
  await endEngine(started);
  const engine = await setup.open();
  const idle = await medianIdle(setup, engine);
  await setup.sandbox.call('edit', 100);
  const changed = await setup.run(engine, 'incremental');
  await settle(setup, engine);
  await endEngine(engine);
  const last = await setup.open();
  await setup.run(last, 'incremental');
  const full = await setup.run(last, 'full');
  const again = await setup.run(last, 'full');
  await endEngine(last);
  await setup.close();
  return { first, idle, changed, full, again };
};

const FIRST: Bound = { cpuS: 15, memoryMb: 200 };
const FULL: Bound = { cpuS: 2.5, memoryMb: 200 };

/** Runs item 4 of the suite. */
export const benchEngine = async (count: number): Promise<readonly Table[]> => {
  const own = await measureEngine(count);
  const toGoogle = await measureFirst(count, 'service');
  const paired = await measureFirst(count, 'both');
  const differing = await measureFirst(count, 'both', { differ: true });
  const plan = await measurePlan(count);
  const large = await measureFirst(4 * count, 'google');
  return [
    {
      title: `4. Engine cost, ${count} contacts (the emulators in another process)`,
      head: ['run', 'CPU', 'wall', 'peak memory', 'bound'],
      rows: [
        costRow(`first sync, ${own.first.wrote} contacts created at the service`, own.first, FIRST),
        costRow(`first sync, ${toGoogle.wrote} contacts created at Google`, toGoogle, FIRST),
        costRow(`first sync, ${paired.paired} contacts paired`, paired, FIRST),
        costRow(`the same, each with another title on each side (${differing.wrote} writes)`, differing, {
          cpuS: null,
          memoryMb: 200,
        }),
        costRow(`first sync, ${large.wrote} contacts created at the service`, large, { cpuS: null, memoryMb: 200 }),
        costRow(`plan of a first sync, ${plan.paired} contacts to pair`, plan, { cpuS: 12, memoryMb: 200 }),
        costRow('idle run, warm process', own.idle, { cpuS: 0.015, memoryMb: null }),
        costRow(`1 % changed on each side (${own.changed.wrote} writes)`, own.changed, { cpuS: 0.4, memoryMb: null }),
        costRow(`full resync, nothing to do (${own.full.wrote} writes), warm process`, own.full, FULL),
        costRow(`the same once more (${own.again.wrote} writes)`, own.again, FULL),
      ],
      notes: [
        'Missed bounds: the bounds of CPU are for a processor on which the first sync of vdirsyncer (4d) takes 9 s. There, the first sync at the service took 13.7 s, the plan 9.5 s, and 1 % changed 0.48 s (2026-12-01). No function takes a tenth of the CPU. Of a first sync at the service, SQLite takes a third, of which a third are commits, collections take a tenth, requests a tenth. Of the memory above 200 MB, less than 50 MB are live: the rest is what V8 and the C library keep between two collections.',
        'The service takes one request for each contact, Google one for 200. Warm: it has made idle runs before, 80 of them where these are measured themselves (then the median of 21). The first full resync reads again the contacts whose buckets the first sync wrote after it had created them; later ones find every row known. The engine is bundled like the installed program, and runs with the flag that the Dockerfile sets.',
      ],
    },
  ];
};
