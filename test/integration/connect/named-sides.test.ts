import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import { cliHost } from '../../support/cli-host.ts';
import { useGround, type Environment } from '../cli/run-cli.ts';
import { consentTo, startSignIn } from './sign-in.ts';
import { vaultIn } from '../../support/store/vault.ts';

const ground = useGround();
let other: Sandbox;
let env: Environment;
let round = 0;

beforeAll(async () => {
  other = await startSandbox({ count: 10 });
});
afterAll(() => other[Symbol.asyncDispose]());

const googleOf = (sandbox: Sandbox, name: string) => {
  const { GOOGLE_CLIENT_ID, GOOGLE_CLIENT_SECRET, GOOGLE_ROOT_URL, GOOGLE_AUTH_URL, GOOGLE_TOKEN_URL } =
    sandbox.environment();
  return {
    provider: 'google',
    name,
    clientId: GOOGLE_CLIENT_ID,
    clientSecret: GOOGLE_CLIENT_SECRET,
    rootUrl: GOOGLE_ROOT_URL,
    authUrl: GOOGLE_AUTH_URL,
    tokenUrl: GOOGLE_TOKEN_URL,
  };
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
const connect = async (...args: readonly string[]) => {
  const { address, paste, end } = await startSignIn(args, env, ground.directory);
  paste((await consentTo(address)).href);
  return end;
};
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
  const { checks } = JSON.parse(stdout) as { checks: { name: string; ok: boolean }[] };
  expect(checks.filter(({ ok }) => !ok)).toEqual([]);
  expect(checks.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['private', 'private-credentials', 'work', 'work-credentials']),
  );
  expect(code).toBe(0);
});

test('a missing setting is reported with its side', async () => {
  const { code, stderr } = await run('plan');
  expect(code).toBe(2);
  for (const [side, name] of Object.entries({ left: 'private', right: 'work' })) {
    expect(stderr).toContain(`links.home.${side}.refreshToken: is not set for the link home.`);
    expect(stderr).toContain(`links.home.${side}.refreshTokenFile, or run: contact-sync connect ${name} home`);
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

test.each(['google', 'service', 'left'])(
  '%s does not select exactly one side: exit code 2 with the names',
  async (word) => {
    const { code, stderr } = await run('connect', word);
    expect(code).toBe(2);
    expect(stderr).toContain(`has no side named ${word}. Its sides are: private, work.`);
  },
);
