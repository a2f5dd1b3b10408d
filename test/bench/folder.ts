import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** In memory where there is such a file system, so that nobody's figures are those of the disk. */
const PARENT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** A new, empty folder for files of a benchmark, deleted when disposed. */
export const openFolder = async (): Promise<{ readonly path: string } & AsyncDisposable> => {
  const path = await mkdtemp(join(PARENT, 'contact-sync-bench-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
};
