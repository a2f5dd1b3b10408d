import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import { accountsOf } from '../../support/jobs/daemon-world.ts';
import { cliHost } from '../../support/cli-host.ts';
import { useGround, type Environment } from '../cli/run-cli.ts';
import { connectByPaste } from './sign-in.ts';
import { vaultIn } from '../../support/store/vault.ts';
import { ChecksDocument } from '../../support/documents.ts';

const ground = useGround();
let other: Sandbox;
let env: Environment;
let round = 0;

beforeAll(async () => {
  other = await startSandbox({ count: 10 });
});
afterAll(() => other[Symbol.asyncDispose]());

const googleOf = (sandbox: Sandbox, name: string) => {
  const { google } = accountsOf(sandbox, { refreshToken: null });
  return { provider: 'google', name, ...google };
};

const linkUp = async (left: Sandbox, right: Sandbox): Promise<void> => {
  round += 1;
  const path = join(ground.directory, `named-${round}.yaml`);
  const home = { left: googleOf(left, 'private'), right: googleOf(right, 'work') };
  await writeFile(path, JSON.stringify({ links: { home } }));
  env = { DATA_DIR: join(ground.directory, `named-${round}`), CONTACT_SYNC_CONFIG: path };
};
beforeEach(() => linkUp(ground.sandbox, other));

const run = (...args: readonly string[]) => cliHost.run(args, env, ground.directory);
const connect = (...args: readonly string[]) => connectByPaste(args, env, ground.directory);
const storedSides = async () => (await vaultIn(env['DATA_DIR'] ?? '').names()).map(({ side }) => side);

test('two accounts of one provider are signed in by the names of their sides, and doctor checks each', async () => {
  const first = await connect('private');
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout).toMatch(/Signed in at Google \(private\) as \S+@\S+/u);
  expect(first.stdout).toContain('Next: contact-sync connect work home');
  const second = await connect('work');
  expect(second).toMatchObject({ code: 0, stderr: '' });
  expect(second.stdout).toContain('Next: contact-sync plan home');
  expect(await storedSides()).toEqual(['private', 'work']);

  const { code, stdout } = await run('doctor', '--json');
  const { checks } = ChecksDocument.parse(JSON.parse(stdout));
  expect([code, checks.filter(({ ok }) => !ok)]).toEqual([0, []]);
  const names = ['private', 'private-credentials', 'work', 'work-credentials'];
  expect(checks.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
});

test('a missing setting is reported with its side', async () => {
  const { code, stderr } = await run('plan');
  expect(code).toBe(2);
  for (const [side, name] of Object.entries({ left: 'private', right: 'work' })) {
    expect(stderr).toContain(`links.home.${side}.refreshToken: is not set for the link home.`);
    expect(stderr).toContain(
      `Run contact-sync connect ${name} home, or set it or links.home.${side}.refreshTokenFile.`,
    );
  }
});

test('the account of one side is refused on the other side', async () => {
  await linkUp(ground.sandbox, ground.sandbox);
  expect((await connect('work')).code).toBe(0);
  const { code, stderr } = await connect('private');
  expect(code).toBe(3);
  expect(stderr).toContain('is the account at Google (work) of the link home already. Nothing was stored.');
  expect(await storedSides()).toEqual(['work']);
});

test.each(['google', 'left'])('%s does not select exactly one side: exit code 2 with the names', async (word) => {
  const { code, stderr } = await run('connect', word);
  const names = expect.stringContaining(`has no side named ${word}. Its sides are: private, work.`);
  expect([code, stderr]).toEqual([2, names]);
});
