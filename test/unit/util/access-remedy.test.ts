import { expect, test } from 'vitest';
import { accessRemedyFor } from '../../../src/util/files.ts';

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
