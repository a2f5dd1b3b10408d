import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An empty folder, which is removed with its files when it is disposed of. */
export const createFolder = () => mkdtempDisposable(join(tmpdir(), 'contact-sync-test-'));
