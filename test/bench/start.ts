import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openFolder } from './folder.ts';
import { megabytes, type Table } from './table.ts';

const ROOT = join(import.meta.dirname, '../..');
const TIMES = 5;
/**
 * Writes the peak memory in KB to the fourth stream when the process ends. Linux counts into `maxRSS` what the process held
 * before it became this program, a copy of this one; VmHWM starts from zero.
 */
const REPORT = `data:text/javascript,${encodeURIComponent(`
  import { existsSync, readFileSync, writeSync } from 'node:fs';
  const status = existsSync('/proc/self/status') ? '/proc/self/status' : null;
  process.on('exit', () => {
    const own = status === null ? null : /VmHWM:\\s+(\\d+)/u.exec(readFileSync(status, 'utf8'));
    writeSync(3, own?.[1] ?? String(process.resourceUsage().maxRSS));
  });
`)}`;

type Start = { readonly wallMs: number; readonly peakBytes: number };

const start = (file: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Start> =>
  new Promise((resolve, reject) => {
    const startedAtMs = performance.now();
    const child = spawn(process.execPath, ['--import', REPORT, file, ...args], {
      env,
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    });
    let peak = '';
    child.stdio[3]?.on('data', (chunk: Buffer) => (peak += chunk.toString()));
    child.on('error', reject);
    child.on('close', () => resolve({ wallMs: performance.now() - startedAtMs, peakBytes: Number(peak) * 1_024 }));
  });

const median = (values: readonly number[]): number => values.toSorted((one, other) => one - other)[TIMES >> 1] ?? 0;

/** Item 6. */
export const benchStart = async (): Promise<Table> => {
  await using folder = await openFolder();
  const env = {
    ...process.env,
    DATA_DIR: folder.path,
    SERVICE_BASE_URL: 'http://127.0.0.1:9',
    GOOGLE_CLIENT_ID: 'bench',
    GOOGLE_CLIENT_SECRET: 'bench',
  };
  const rows: string[][] = [];
  const files = ['dist/main.js', 'src/main.ts'].filter((file) => existsSync(join(ROOT, file)));
  for (const file of files) {
    for (const args of [['--help'], ['status']]) {
      const starts: Start[] = [];
      for (let time = 0; time < TIMES; time += 1) starts.push(await start(join(ROOT, file), args, env));
      const wallMs = median(starts.map((one) => one.wallMs));
      const peakBytes = median(starts.map((one) => one.peakBytes));
      rows.push([`${file} ${args.join(' ')}`, `${wallMs.toFixed(0)} ms`, megabytes(peakBytes)]);
    }
  }
  return { title: '6. Start (median of 5)', head: ['command', 'time', 'peak memory'], rows };
};
