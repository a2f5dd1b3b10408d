import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { confirm } from '../../../src/cli/confirm.ts';
import { createTestTerminal } from './terminal.ts';

test.each([
  ['y\n', true],
  [' Yes\n', true],
  ['n\n', false],
  ['\n', false],
  ['maybe yes\n', false],
  ['', false],
])('the answer %j is a yes: %s', async (answer, isYes) => {
  const input = new PassThrough();
  input.end(answer);
  const terminal = createTestTerminal();
  expect(await confirm(terminal, input, 'Delete 3 contacts?')).toBe(isYes);
  expect(terminal.printed).toEqual(['Delete 3 contacts? (y or n) [n]: ']);
});
