import { existsSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DirectoryError, makeDirectory } from '../../../src/util/files.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'contact-sync-directory-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('a directory is created for its owner only, with its missing parents, and an existing directory remains', () => {
  const path = join(directory, 'a', 'b');
  makeDirectory(path);
  makeDirectory(path);
  for (const made of [path, join(directory, 'a')]) expect(statSync(made).mode & 0o777).toBe(0o700);
});

test('a file, a path below a file and a dangling symbolic link are refused', () => {
  writeFileSync(join(directory, 'file'), '');
  symlinkSync(join(directory, 'nowhere', 'x'), join(directory, 'link'));
  for (const path of ['file', 'file/x', 'link', 'link/x']) {
    expect(() => makeDirectory(join(directory, path))).toThrow(DirectoryError);
  }
});

test.runIf(existsSync('/proc/self'))('a path below /proc is refused', () => {
  expect(() => makeDirectory('/proc/contact-sync/data')).toThrow('No directory can be made at /proc/contact-sync/data');
});
