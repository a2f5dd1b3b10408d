import { existsSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { accessRemedyFor, DirectoryError, makeDirectory } from '../../../src/util/files.ts';
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

const THIS_USER = { user: 1001, group: 1002 };

test.each([
  ['a path that does not exist is created', null, 'Create it as root: install -d -m 700 -o 1001 -g 1002 /data'],
  ['the owner gets the permission', { user: 1001, group: 0 }, 'Let its owner read and write it: chmod -R u+rwX /data'],
  [
    'the owner may be the user of a daemon, from which nothing is taken without a choice',
    { user: 998, group: 998 },
    'It belongs to the user 998. If contact-sync runs as that user, run this command as that user too. ' +
      'Otherwise change the owner as root: chown -R 1001:1002 /data',
  ],
])('the remedy for a path without permission: %s', (_, owner, remedy) => {
  expect(accessRemedyFor('/data', owner, THIS_USER)).toBe(remedy);
});
