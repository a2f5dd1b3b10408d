import { existsSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system in memory if there is one, so that no figure depends on the disk. */
const PARENT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** Creates an empty folder for files of a benchmark. It is deleted when it is disposed of. */
export const openFolder = () => mkdtempDisposable(join(PARENT, 'contact-sync-bench-'));
