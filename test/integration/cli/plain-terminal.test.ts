import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { MAIN, processEnv } from '../../support/program.ts';
import { useGround } from './run-cli.ts';

// Each command is a separate process.
const execute = promisify(execFile);

/** The `script` of util-linux runs a command in a terminal. On other systems it has other options. */
const hasScript = await execute('script', ['--version']).then(
  ({ stdout }) => stdout.includes('util-linux'),
  () => false,
);

const ground = useGround({ count: 6 });

/** Returns the output of `plan` in a terminal. */
const onTerminal = async (env: Readonly<Record<string, string>>): Promise<string> => {
  const command = `'${process.execPath}' '${MAIN}' plan`;
  const { stdout } = await execute('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd: ground.directory,
    env: processEnv({ ...ground.env, ...env }),
  });
  return stdout;
};

const CURSOR = /\u001B\[[0-9;?]*[A-KSTfhlnsu]/u;
const BLOCKS = /[\u2580-\u259F]/u;

test.skipIf(!hasScript)('a terminal shows bars', async () => {
  const text = await onTerminal({ TERM: 'xterm-256color' });
  expect(text).toMatch(CURSOR);
  expect(text).toMatch(BLOCKS);
});

test.skipIf(!hasScript).each([
  ['NO_COLOR', { TERM: 'xterm-256color', NO_COLOR: '1' }],
  ['TERM=dumb', { TERM: 'dumb' }],
])('with %s a terminal gets no cursor movement, no block characters and no colours', async (_, env) => {
  const text = await onTerminal(env);
  expect(text).toContain('default: full,');
  expect(text).not.toMatch(BLOCKS);
  expect(text).not.toContain('\u001B');
});
