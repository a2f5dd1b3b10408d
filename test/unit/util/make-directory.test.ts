import { existsSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DirectoryError, makeDirectory } from '../../../src/util/files.ts';
import { useDirectory } from './use-directory.ts';

const at = useDirectory();

test('a directory is created for its owner only, with its missing parents, and an existing directory remains', () => {
  const path = at('a', 'b');
  makeDirectory(path);
  makeDirectory(path);
  for (const made of [path, at('a')]) expect(statSync(made).mode & 0o777).toBe(0o700);
});

test('a file, a path below a file and a dangling symbolic link are refused', () => {
  writeFileSync(at('file'), '');
  symlinkSync(at('nowhere', 'x'), at('link'));
  for (const path of ['file', 'file/x', 'link', 'link/x']) {
    expect(() => makeDirectory(at(path))).toThrow(DirectoryError);
  }
});

test.runIf(existsSync('/proc/self'))('a path below /proc is refused', () => {
  expect(() => makeDirectory('/proc/contact-sync/data')).toThrow('No directory can be made at /proc/contact-sync/data');
});
