import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cliHost } from '../../support/cli-host.ts';

const execute = promisify(execFile);
let directory: string;
let commands: readonly string[];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'contact-sync-completion-'));
  const { stdout: help } = await cliHost.run(['--help']);
  const list = help.slice(help.indexOf('\nStart:'), help.indexOf('\nExit codes:'));
  commands = [...list.matchAll(/^ {2}(\w+)/gmu)].map(([, name = '']) => name);
  expect(commands).toEqual(expect.arrayContaining(['init', 'sync', 'completion']));
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, stdout, stderr } = await cliHost.run(['completion', shell]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    await writeFile(join(directory, shell), stdout);
  }
  await writeFile(join(directory, 'mine.yaml'), '');
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const isThere = (command: string): Promise<boolean> =>
  execute(command, ['--version']).then(
    () => true,
    () => false,
  );

/** Returns the completions of bash after the words of a command line. */
const offered = async (...words: readonly string[]): Promise<readonly string[]> => {
  const script = [
    'source <(cat bash)',
    'COMP_WORDS=(contact-sync "$@"); COMP_CWORD=$#; _contact_sync',
    'printf "%s\\n" "${COMPREPLY[@]}"',
  ];
  const { stdout } = await execute('bash', ['-c', script.join('\n'), 'bash', ...words], { cwd: directory });
  return stdout.split('\n').filter((line) => line !== '');
};

const [hasZsh, hasFish] = await Promise.all(['zsh', 'fish'].map(isThere));

describe('bash', () => {
  test('has the completion of the command after it has read the script', async () => {
    const { stdout } = await execute('bash', ['-c', 'source <(cat bash); complete -p contact-sync'], {
      cwd: directory,
    });
    expect(stdout).toBe('complete -o bashdefault -o default -F _contact_sync contact-sync\n');
  });

  test('offers the commands, and after a command its options and the common options', async () => {
    expect(await offered('')).toEqual(expect.arrayContaining([...commands, '--config', '-h']));
    expect(await offered('s')).toEqual(['sandbox', 'status', 'sync', 'store']);
    expect(await offered('sync', '--d')).toEqual(['--dry-run', '--data-dir']);
    expect(await offered('--config', 'mine.yaml', 'plan', '--f')).toEqual(['--full']);
    expect(await offered('sync', '--f')).toEqual(['--full']);
  });

  test('offers the choices of an option or argument, and files for other values', async () => {
    expect(await offered('sandbox', '--left', '')).toEqual(['google', 'service']);
    expect(await offered('completion', '')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']));
    expect(await offered('sync', '--config', '')).toEqual([]);
  });
});

test.skipIf(!hasZsh)('zsh reads its script', async () => {
  const script = 'autoload -U compinit; compinit -D -u; source ./zsh; print $_comps[contact-sync]';
  expect((await execute('zsh', ['-fc', script], { cwd: directory })).stdout).toBe('_contact_sync\n');
});

test.skipIf(!hasFish)('fish reads its script, and offers the commands', async () => {
  const script = 'source ./fish; complete -C "contact-sync s"';
  const { stdout } = await execute('fish', ['--no-config', '-c', script], { cwd: directory });
  expect(stdout.split('\n').map((line) => line.split('\t')[0])).toEqual(
    expect.arrayContaining(['sync', 'status', 'sandbox']),
  );
});
