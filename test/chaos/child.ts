import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const ROOT = join(import.meta.dirname, '../..');
const BUILT = join(ROOT, 'dist/main.js');

/** The built program where there is one, else its sources. */
export const ENTRY = existsSync(BUILT) ? BUILT : join(ROOT, 'src/main.ts');

export type ChildEnd = {
  /** Whether the kill found it alive; else it had ended by itself. */
  readonly killed: boolean;
  readonly code: number | null;
  /** The signal that ended it, ours or another's. */
  readonly signal: string | null;
  /** Its stdout and stderr. */
  readonly output: string;
};

const POLL_MS = 2;
/** A child that runs this long hangs. */
const PATIENCE_MS = 120_000;

/** A place to work at for each of the machine's cores and one more; who finds none waits. */
export type Workplaces = { take(): Promise<Disposable> };

export const createWorkplaces = (): Workplaces => {
  const taken = new Set<symbol>();
  return {
    take: async () => {
      const place = Symbol('place');
      while (taken.size > availableParallelism()) await sleep(50);
      taken.add(place);
      return { [Symbol.dispose]: () => void taken.delete(place) };
    },
  };
};

/**
 * Runs the program as a process of its own and kills it without warning (SIGKILL) once `isTime` says so.
 *
 * @throws {Error} where it neither ends nor is killed.
 */
export const runChild = async (
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  isTime: () => boolean,
): Promise<ChildEnd> => {
  const child = spawn(process.execPath, [ENTRY, ...args], {
    cwd: env['DATA_DIR'],
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => chunks.push(data.toString()));
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code));
  });
  const over = new AbortController();
  const watch = async (): Promise<boolean> => {
    const startedAtMs = performance.now();
    while (!over.signal.aborted) {
      if (isTime()) return child.kill('SIGKILL');
      if (performance.now() - startedAtMs > PATIENCE_MS) {
        child.kill('SIGKILL');
        throw new Error(`The child hangs: ${chunks.join('')}`);
      }
      await sleep(POLL_MS);
    }
    return false;
  };
  const watching = watch();
  const code = await ended;
  over.abort();
  await watching;
  const signal = child.signalCode;
  return { killed: signal === 'SIGKILL', code, signal, output: chunks.join('') };
};
