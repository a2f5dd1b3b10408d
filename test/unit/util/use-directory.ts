import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';

/** A separate directory for each test of a file. Returns a function that returns a path below it. */
export const useDirectory = (): ((...names: readonly string[]) => string) => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'contact-sync-test-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));
  return (...names) => join(directory, ...names);
};
