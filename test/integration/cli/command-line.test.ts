import packageJson from '../../../package.json' with { type: 'json' };
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PlansDocument, RunsDocument, StatusDocument } from '../../../config/documents.ts';
import { useGround } from './run-cli.ts';
import { cliHost } from '../../support/cli-host.ts';

// Some tests run several commands, and one of them reads both sides.
const ground = useGround();

describe('the command line', () => {
  test('-h and -V are the short forms', async () => {
    expect(await cliHost.run(['-V'])).toMatchObject({ code: 0, stdout: `${packageJson.version}\n` });
    for (const args of [['-h'], ['sync', '-h']]) {
      expect(await cliHost.run(args)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('Usage: contact-sync'),
      });
    }
  });

  test('--config and --data-dir are accepted before and after the command', async () => {
    const file = join(ground.directory, 'named.yaml');
    await writeFile(file, 'links: { named: {} }\n');
    const linksOf = async (...args: readonly string[]) => {
      const { stdout } = await cliHost.run([...args, '--json'], ground.env, ground.directory);
      return StatusDocument.parse(JSON.parse(stdout)).links.map(({ link }) => link);
    };
    const dataDir = join(ground.directory, 'elsewhere');
    expect(await linksOf('--config', file, '--data-dir', dataDir, 'status')).toEqual(['named']);
    expect(existsSync(join(dataDir, 'contact-sync.db'))).toBe(true);
    expect(await linksOf('status', '--config', file)).toEqual(['named']);
    const { stdout } = await cliHost.run(['--config', file, 'doctor', '--json'], ground.env, ground.directory);
    expect(stdout).toContain(`1 link: named, from ${file}`);
  });

  test('a printed next step repeats --config, so that it works as printed', async () => {
    const file = join(ground.directory, 'next.yaml');
    await writeFile(file, 'links: { next: {} }\n');
    const { stdout } = await cliHost.run(['runs', '--config', file], ground.env, ground.directory);
    expect(stdout).toContain(`contact-sync --config ${file} sync next`);
  });

  test('sync --dry-run is the same as plan', async () => {
    const { code, stdout } = await cliHost.run(['sync', '--dry-run', '--json'], ground.env, ground.directory);
    expect(code).toBe(0);
    expect(PlansDocument.parse(JSON.parse(stdout)).links).toMatchObject([{ link: 'default', kind: 'full' }]);
    const sent = [...ground.sandbox.google.requests, ...ground.sandbox.service.requests];
    expect(sent.filter(({ method, path }) => method !== 'GET' && !path.endsWith('/token'))).toEqual([]);
  });

  test('sync --full is the same as resync: it reads both sides in full again', async () => {
    const kindOf = async (...args: readonly string[]) => {
      const { stdout, stderr } = await cliHost.run([...args, '--json'], ground.env, ground.directory);
      return [
        stderr.includes('in this process'),
        ...RunsDocument.parse(JSON.parse(stdout)).runs.map(({ kind }) => kind),
      ];
    };
    expect(await kindOf('sync')).toEqual([false, 'full']);
    expect(await kindOf('sync')).toEqual([false, 'incremental']);
    expect(await kindOf('sync', '--full')).toEqual([false, 'full']);
    const planned = await cliHost.run(['sync', '--full', '--dry-run', '--json'], ground.env, ground.directory);
    expect(PlansDocument.parse(JSON.parse(planned.stdout)).links).toMatchObject([{ kind: 'full' }]);
  });

  test('help is not wrapped for a pipe', async () => {
    const { stdout } = await cliHost.run(['--help']);
    expect(stdout).toMatch(/^ {2}demo .* leaves nothing behind\.$/mu);
  });
});

describe('new state', () => {
  const here = async (name: string) => {
    const { DATA_DIR: _, ...env } = ground.env;
    const cwd = join(ground.directory, name);
    await mkdir(cwd);
    return (...args: readonly string[]) => cliHost.run(args, env, cwd);
  };

  test('in the current folder is reported, once', async () => {
    const run = await here('fresh');
    const { stderr } = await run('status');
    expect(stderr).toContain(`New state is stored in ${join(ground.directory, 'fresh/data')}`);
    expect((await run('status')).stderr).toBe('');
  });

  test('in a database is not reported as stored in the current folder', async () => {
    const { DATA_DIR: _, ...env } = ground.env;
    const cwd = join(ground.directory, 'hosted');
    await mkdir(cwd);
    // No server listens at that port.
    const hosted = { DATABASE_URL: 'postgres://127.0.0.1:1/contact_sync', CREDENTIALS_KEY: 'k'.repeat(16) };
    const { stderr } = await cliHost.run(['status'], { ...env, ...hosted }, cwd);
    expect(stderr).toContain('does not answer');
    expect(stderr).not.toContain('New state');
  });

  test('in a directory that an option names is not reported', async () => {
    const run = await here('said');
    expect((await run('status', '--data-dir', 'mine')).stderr).toBe('');
    expect(existsSync(join(ground.directory, 'said/mine/contact-sync.db'))).toBe(true);
  });
});

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

const [hasZsh, hasFish] = await Promise.all(
  ['zsh', 'fish'].map(async (shell) => process.env['CI'] === 'true' || (await isThere(shell))),
);

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
