import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cliHost } from '../../support/cli-host.ts';
import { useGround } from './run-cli.ts';

// Reading a named pipe or /dev/zero never ends. Each test ends if the file is refused.

const ground = useGround();

/** Creates a file that can be read without end. */
const put = (kind: 'pipe' | 'zero', path: string): void => {
  rmSync(path, { recursive: true, force: true });
  if (kind === 'zero') symlinkSync('/dev/zero', path);
  else expect(spawnSync('mkfifo', [path]).status).toBe(0);
};

describe.each(['pipe', 'zero'] as const)('a %s in place of a file', (kind) => {
  const at = (name: string): string => join(ground.directory, name);
  const run = (env: Readonly<Record<string, string>>, ...args: readonly string[]) =>
    cliHost.run(args, { ...ground.env, ...env }, ground.directory);

  test.each([
    ['the configuration file', ['status', '--config', 'special'], 'is not a regular file'],
    ['an address book', ['sandbox', '--google', 'special.vcf'], 'not a regular file'],
    ['the address of a store', ['store', 'copy', '--from-file', 'special', '--to', 'sqlite:x'], 'NOT_A_REGULAR_FILE'],
  ])('is refused as %s', async (_, args, message) => {
    for (const name of ['special', 'special.vcf']) put(kind, at(name));
    const { code, stdout, stderr } = await run({}, ...args);
    expect([code, `${stdout}${stderr}`]).toEqual([2, expect.stringContaining(message)]);
  });

  test('is refused as a secret file and as the .env file', async () => {
    put(kind, at('special'));
    expect(await run({ REDIS_URL_FILE: 'special' }, 'status')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('not a regular file'),
    });
    mkdirSync(at('folder'), { recursive: true });
    writeFileSync(at('folder/contact-sync.yaml'), '');
    put(kind, at('folder/.env'));
    expect(await run({}, 'status', '--config', 'folder/contact-sync.yaml')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('not a regular file'),
    });
  });

  test.each(['manifest.json', 'contact-sync.db'])('is refused as %s of a backup', async (name) => {
    const [data, backup, target] = [`data-${kind}`, at(`backup-${kind}-${name}`), at(`target-${kind}-${name}`)];
    const env = { DATA_DIR: at(data) };
    expect(await run(env, 'sync')).toMatchObject({ code: 0 });
    expect(await run(env, 'backup', backup)).toMatchObject({ code: 0 });
    put(kind, join(backup, name));
    const { code } = await run({ DATA_DIR: target }, 'restore', backup);
    expect(code).not.toBe(0);
  });

  test('is refused as the database and as the stored tokens', async () => {
    const dataDir = at(`state-${kind}`);
    mkdirSync(dataDir, { mode: 0o700 });
    put(kind, join(dataDir, 'contact-sync.db'));
    expect(await run({ DATA_DIR: dataDir }, 'status')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('contact-sync.db is not a regular file'),
    });
    expect((await run({ DATA_DIR: dataDir }, 'backup', at(`none-${kind}`))).code).toBe(2);
    rmSync(join(dataDir, 'contact-sync.db'));
    put(kind, join(dataDir, 'credentials.json'));
    expect(await run({ DATA_DIR: dataDir, GOOGLE_REFRESH_TOKEN: '' }, 'sync')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('NOT_A_REGULAR_FILE'),
    });
  });
});
