import { spawn } from 'node:child_process';
import { containerArguments, endEngine, settle, setUp } from './engine.ts';
import { megabytes, type Table } from './table.ts';

const TIMES = 5;
const CONTACTS = 500;
/**
 * When the process ends, writes its cost to file descriptor 3: CPU time in microseconds, peak memory in KB. Linux includes in
 * `maxRSS` the memory of the process before it started this program, as a copy of its parent. VmHWM starts from zero.
 */
const REPORT = `data:text/javascript,${encodeURIComponent(`
  import { existsSync, readFileSync, writeSync } from 'node:fs';
  const status = existsSync('/proc/self/status') ? '/proc/self/status' : null;
  process.on('exit', () => {
    const own = status === null ? null : /VmHWM:\\s+(\\d+)/u.exec(readFileSync(status, 'utf8'));
    const { user, system } = process.cpuUsage();
    writeSync(3, (user + system) + ' ' + (own?.[1] ?? process.resourceUsage().maxRSS));
  });
`)}`;

type Start = { readonly wallMs: number; readonly cpuMs: number; readonly peakBytes: number };

const start = (args: readonly string[], env: NodeJS.ProcessEnv): Promise<Start> =>
  new Promise((resolve, reject) => {
    const startedAtMs = performance.now();
    const child = spawn(process.execPath, ['--import', REPORT, ...args], {
      env,
      stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
    });
    let cost = '';
    child.stdio[3]?.on('data', (chunk: Buffer) => (cost += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) => {
      const [cpuUs = 0, peakKb = 0] = cost.split(' ').map(Number);
      if (code === 0)
        resolve({ wallMs: performance.now() - startedAtMs, cpuMs: cpuUs / 1_000, peakBytes: peakKb * 1_024 });
      else reject(new Error(`${args.slice(-1).join()} ended with ${code}`));
    });
  });

const median = (values: readonly number[]): number => values.toSorted((one, other) => one - other)[TIMES >> 1] ?? 0;

const COMMANDS = [
  { command: '--help', bound: '' },
  { command: 'status', bound: '0.15 s' },
  { command: 'sync', bound: '0.35 s CPU' },
];

/** Runs item 6 of the suite. */
export const benchStart = async (): Promise<Table> => {
  const setup = await setUp(CONTACTS, 'google');
  const engine = await setup.open();
  await setup.run(engine, 'incremental');
  await settle(setup, engine);
  await endEngine(engine);
  const program = await containerArguments();
  const env = { ...process.env, ...setup.environment, DATA_DIR: setup.dataDir };
  const rows: string[][] = [];
  for (const { command, bound } of COMMANDS) {
    // A first start, so that Node has its compile cache.
    await start([...program, command], env);
    const starts: Start[] = [];
    for (let time = 0; time < TIMES; time += 1) starts.push(await start([...program, command], env));
    const [wallMs, cpuMs] = [median(starts.map((one) => one.wallMs)), median(starts.map((one) => one.cpuMs))];
    const peakBytes = median(starts.map((one) => one.peakBytes));
    rows.push([command, `${wallMs.toFixed(0)} ms`, `${cpuMs.toFixed(0)} ms`, megabytes(peakBytes), bound]);
  }
  await setup.close();
  return {
    title: `6. Whole commands on ${CONTACTS} synced contacts, start included (median of ${TIMES})`,
    head: ['command', 'time', 'CPU', 'peak memory', 'bound'],
    rows,
    notes: [
      'Not met: `status` and `sync`. `--help` shows what Node and the command line take of them.',
      'The installed program as the container starts it, with what Node compiled of it at hand. A `sync` that finds nothing to do.',
    ],
  };
};
