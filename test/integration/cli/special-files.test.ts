import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { ended, type Environment, useGround } from './run-cli.ts';
import { cliHost } from '../../support/cli-host.ts';
import { MAIN, processEnv } from '../../support/program.ts';

// SQLite never ends to read a named pipe or /dev/zero. Each test ends if the file is refused.

const ground = useGround();

const put = (kind: 'pipe' | 'zero', path: string): void => {
  rmSync(path, { recursive: true, force: true });
  if (kind === 'zero') symlinkSync('/dev/zero', path);
  else expect(spawnSync('mkfifo', [path]).status).toBe(0);
};

describe.each(['pipe', 'zero'] as const)('a %s in place of a database is refused', (kind) => {
  const at = (name: string): string => join(ground.directory, name);

  test.each<[what: string, code: number, args: readonly string[], env: Environment]>([
    ['a backup', 1, ['restore', 'special'], { DATA_DIR: `target-${kind}` }],
    ['the database', 1, ['status'], { DATA_DIR: `state-${kind}` }],
    ['the database of a backup', 1, ['backup', 'copy.db'], { DATA_DIR: `state-${kind}` }],
  ])('as %s', async (_, code, args, env) => {
    mkdirSync(at(`state-${kind}`), { recursive: true, mode: 0o700 });
    for (const name of ['special', `state-${kind}/contact-sync.db`]) put(kind, at(name));
    const result = await cliHost.run(args, { ...ground.env, ...env }, ground.directory);
    const printed = expect.stringContaining('not a regular file');
    expect([result.code, `${result.stdout}${result.stderr}`]).toEqual([code, printed]);
  });
});

// Files of root: a volume that the user of a container must not write. Only root can create such files.

const USER = 12_345;
const GROUP = 54_321;

describe.skipIf(process.getuid?.() !== 0)('files of another user', () => {
  const foreign = useGround({ count: 5 });
  beforeAll(async () => {
    chmodSync(foreign.directory, 0o755);
  });

  const run = (args: readonly string[], changes: Environment) => {
    const { SERVICE_ACCESS_TOKEN: _, ...rest } = foreign.env;
    const env = processEnv({ ...rest, ...changes });
    const child = spawn(process.execPath, [MAIN, ...args], { cwd: foreign.directory, env, uid: USER, gid: GROUP });
    child.stdin.end();
    return ended(child);
  };
  const give = (file: string | undefined): string => `as root: chown -R ${USER}:${GROUP} ${file}`;
  const directoryOf = (name: string, owner = 0): string => {
    const path = join(foreign.directory, name);
    mkdirSync(path, { mode: 0o700 });
    chownSync(path, owner, owner);
    return path;
  };

  test.each([[['doctor']], [['daemon']], [['connect', 'google']]])(
    'for a volume of root %j names its owner and the command that changes it',
    async (args) => {
      const path = directoryOf(`volume-${args[0]}`);
      const { code, stdout, stderr } = await run(args, { DATA_DIR: path });
      expect([code, stdout + stderr]).toEqual([1, expect.stringContaining(give(path))]);
    },
  );

  test('for a volume that cannot be created the daemon prints the command that creates it', async () => {
    const path = join(directoryOf('closed'), 'data');
    const { code, stderr } = await run(['daemon'], { DATA_DIR: path });
    expect(code).toBe(1);
    expect(stderr).toContain(`as root: install -d -m 700 -o ${USER} -g ${GROUP} ${path}`);
    expect(stderr).not.toContain('"stack"');
  });

  test('for the database, the name of the queue and a secret file the command that changes the owner is printed', async () => {
    const path = directoryOf('files', USER);
    const [queue, secret] = ['queue-id', 'secret'].map((name) => join(path, name));
    const closed = directoryOf('closed-database', USER);
    const database = join(closed, 'contact-sync.db');
    for (const file of [database, queue, secret]) writeFileSync(String(file), '{}', { mode: 0o600 });
    const resync = await run(['resync', '--wait'], { DATA_DIR: path, REDIS_URL: 'redis://127.0.0.1:1' });
    expect(resync.stderr).toContain(give(queue));
    const doctor = await run(['doctor'], { DATA_DIR: closed });
    expect(doctor.stdout).toContain(`${database} cannot be read and written. It belongs to the user 0.`);
    const status = await run(['status'], { DATA_DIR: path, SERVICE_ACCESS_TOKEN_FILE: String(secret) });
    expect(status.code).toBe(2);
    expect(status.stderr).toContain(give(secret));
  });
});
