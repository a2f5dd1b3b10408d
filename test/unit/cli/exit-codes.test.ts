import { DirectoryError } from '../../../src/util/files.ts';
import { expect, test } from 'vitest';
import { EXIT, exitCodeOf, worstExitCode, UsageError } from '../../../src/cli/command/exit-codes.ts';
import { runCli } from '../../../src/cli/program.ts';
import { ConfigError } from '../../../src/util/config-error.ts';
import {
  CursorExpiredError,
  DisabledError,
  FullError,
  InvalidError,
  LimitedError,
  RevokedError,
  UnauthenticatedError,
  UnavailableError,
  UnreadableError,
} from '../../../src/providers/errors.ts';
import { StoreError } from '../../../src/store/store.ts';
import { HaltError, LeaseError } from '../../../src/engine/errors.ts';
import { RestoreError } from '../../../src/engine/restore-deletions.ts';
import { createTestTerminal } from './terminal.ts';

const remote = { status: null, route: 'GET /', applied: 'no' } as const;

test.each([
  ['nothing', null, 0],
  ['an unforeseen error', new TypeError('x'), 1],
  ['a thrown value that is not an error', 'x', 1],
  ['an unusable store', new StoreError('x'), 1],
  ['a full account', new FullError('x', remote), 1],
  ['a refused value', new InvalidError('x', remote), 1],
  ['an expired cursor', new CursorExpiredError('x', remote), 1],
  ['a wrong command line', new UsageError('x'), 2],
  ['a wrong configuration', new ConfigError([]), 2],
  ['a restore without a halt', new RestoreError('default'), 2],
  ['a guard', new HaltError({ reason: 'side-emptied', side: 'left', message: 'x' }), 3],
  ['a path that cannot be a directory', new DirectoryError('/proc/x', 'ENOENT'), 2],
  ['a revoked grant', new RevokedError('x', remote), 4],
  ['a refused token', new UnauthenticatedError('x', remote), 4],
  ['a disabled account', new DisabledError('x', remote), 4],
  ['an unavailable remote', new UnavailableError('x', remote), 5],
  ['an exceeded limit', new LimitedError('x', remote), 5],
  ['an unreadable answer', new UnreadableError('x', remote), 5],
  ['a busy link', new LeaseError('default', 'busy'), 6],
])('%s', (_what, error, code) => {
  expect(exitCodeOf(error)).toBe(code);
});

test('the help lists every exit code', async () => {
  const printed: string[] = [];
  await runCli(['--help'], { ...createTestTerminal(), print: (text) => void printed.push(text) });
  const listed = [...printed.join('\n').matchAll(/^ {2}(\d) {2}(.+)$/gmu)].map(([, code]) => Number(code));
  expect(listed).toEqual(Object.values(EXIT));
});

test('of several codes the first of 3, 4, 5, 6, 2, 1 is used', () => {
  expect(worstExitCode([])).toBe(0);
  expect(worstExitCode([0, 0])).toBe(0);
  expect(worstExitCode([0, 1, 2])).toBe(2);
  expect(worstExitCode([1, 6, 2])).toBe(6);
  expect(worstExitCode([6, 5])).toBe(5);
  expect(worstExitCode([5, 4, 0])).toBe(4);
  expect(worstExitCode([4, 3, 6])).toBe(3);
});
