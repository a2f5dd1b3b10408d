import { spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { MAIN, processEnv } from '../../support/program.ts';
import { ended, useGround, type Environment } from './run-cli.ts';

// Files of root: a volume that the user of a container must not write. Only root can create such files.

const USER = 12_345;
const GROUP = 54_321;

describe.skipIf(process.getuid?.() !== 0)('files of another user', () => {
  const ground = useGround({ count: 5 });
  beforeAll(async () => {
    chmodSync(ground.directory, 0o755);
  });

  const run = (args: readonly string[], changes: Environment) => {
    const { SERVICE_ACCESS_TOKEN: _, ...rest } = ground.env;
    const env = processEnv({ ...rest, ...changes });
    const child = spawn(process.execPath, [MAIN, ...args], { cwd: ground.directory, env, uid: USER, gid: GROUP });
    child.stdin.end('a-key\n');
    return ended(child);
  };
  const directoryOf = (name: string, owner = 0): string => {
    const path = join(ground.directory, name);
    mkdirSync(path, { mode: 0o700 });
    chownSync(path, owner, owner);
    return path;
  };

  test.each([[['doctor']], [['status']], [['health']], [['daemon']], [['connect', 'service', '--api-key', '-']]])(
    'for a volume of root %j prints the command that changes its owner',
    async (args) => {
      const path = directoryOf(`volume-${args[0]}`);
      const { code, stdout, stderr } = await run(args, { DATA_DIR: path });
      expect(code).toBe(1);
      expect(stdout + stderr).toContain(`as root: chown -R ${USER}:${GROUP} ${path}`);
    },
  );

  test.each(['status', 'daemon'])(
    'for a volume that cannot be created %s prints the command that creates it',
    async (name) => {
      const path = join(directoryOf(`closed-${name}`), 'data');
      const { code, stderr } = await run([name], { DATA_DIR: path });
      expect(code).toBe(1);
      expect(stderr).toContain(`as root: install -d -m 700 -o ${USER} -g ${GROUP} ${path}`);
      expect(stderr).not.toContain('"stack"');
    },
  );

  test('for stored tokens, the name of the queue and a secret file the command that changes the owner is printed', async () => {
    const path = directoryOf('files', USER);
    const [tokens, queue, secret] = ['credentials.json', 'queue-id', 'secret'].map((name) => join(path, name));
    for (const file of [tokens, queue, secret]) writeFileSync(String(file), '{}', { mode: 0o600 });
    const give = (file: string | undefined) => `as root: chown -R ${USER}:${GROUP} ${file}`;
    const sync = await run(['sync'], { DATA_DIR: path });
    expect(sync.stderr).toContain(give(tokens));
    const resync = await run(['resync', '--wait'], { DATA_DIR: path, REDIS_URL: 'redis://127.0.0.1:1' });
    expect(resync.stderr).toContain(give(queue));
    const doctor = await run(['doctor'], { DATA_DIR: path });
    expect(doctor.stdout).toContain(`${tokens} cannot be read and written. Give it`);
    const status = await run(['status'], { DATA_DIR: path, SERVICE_ACCESS_TOKEN_FILE: String(secret) });
    expect(status.code).toBe(2);
    expect(status.stderr).toContain(give(secret));
  });
});
