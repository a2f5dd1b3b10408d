import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startFakeServer, type FakeServer } from '../../support/carddav/fake-server.ts';
import { cliHost } from '../../support/cli-host.ts';
import { useGround, type Environment } from '../cli/run-cli.ts';
import { vaultIn } from '../../support/store/vault.ts';

const PASSWORD = 'abcd efgh ijkl';
const HEADER = `Basic ${Buffer.from(`ada:${PASSWORD}`).toString('base64')}`;

const ground = useGround();
let server: FakeServer;
let env: Environment;
let round = 0;

beforeAll(async () => {
  server = await startFakeServer({
    intercept: ({ headers }) => (headers.authorization === HEADER ? null : { status: 401 }),
  });
});
afterAll(() => server[Symbol.asyncDispose]());

beforeEach(async () => {
  round += 1;
  const config = join(ground.directory, `carddav-${round}.yaml`);
  const right = { provider: 'carddav', url: server.url, username: 'ada' };
  await writeFile(config, JSON.stringify({ links: { home: { left: { provider: 'google' }, right } } }));
  env = { ...ground.env, CONTACT_SYNC_CONFIG: config, DATA_DIR: join(ground.directory, `data-${round}`) };
});

const connect = async (password: string) => {
  const command = cliHost.start(['connect', 'carddav'], env, ground.directory);
  command.paste(password);
  return command.end;
};

test('connect asks for a password, checks it and stores it, and plan and doctor use it', async () => {
  const { code, stdout, stderr } = await connect(PASSWORD);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain(`${server.url}ada/contacts/`);
  expect(stdout).not.toContain(PASSWORD);
  expect(await vaultIn(env['DATA_DIR'] ?? '').read('home', 'carddav')).toMatchObject({ token: PASSWORD });
  expect((await cliHost.run(['plan'], env, ground.directory)).code).toBe(0);

  const healthy = await cliHost.run(['doctor'], env, ground.directory);
  expect(healthy.stdout).toMatch(
    /ok +home carddav-credentials +ada \(http:.*\/ada\/contacts\/\), password accepted, stored by connect/u,
  );
  expect(healthy.stdout).toMatch(/ok +home carddav-rights +the address book "Contacts" can be read and written/u);
  expect(healthy.stdout).toMatch(/ok +home carddav-versions +no vCard version stated; .* with sync tokens/u);
  const refused = await cliHost.run(['doctor'], { ...env, CARDDAV_PASSWORD: 'wrong' }, ground.directory);
  expect(refused.stdout).toContain('many servers require an app password');
});

test('a wrong password is not stored: exit code 4', async () => {
  const stderr = expect.stringContaining('many servers require an app password');
  expect(await connect('wrong')).toMatchObject({ code: 4, stderr });
  expect(await vaultIn(env['DATA_DIR'] ?? '').names()).toEqual([]);
});

test('doctor warns about a read-only address book, and shows the account without a user name', async () => {
  await using open = await startFakeServer({ privileges: ['read'] });
  const token = { ...env, CARDDAV_PASSWORD: 'token', CONTACT_SYNC_CONFIG: join(ground.directory, 'token.yaml') };
  const home = { left: { provider: 'google' }, right: { provider: 'carddav', url: open.url } };
  await writeFile(token.CONTACT_SYNC_CONFIG, JSON.stringify({ links: { home } }));
  const { code, stdout } = await cliHost.run(['doctor'], token, ground.directory);
  expect(code).toBe(0);
  expect(stdout).toMatch(/warn +home carddav-rights +the account may only read the address book "Contacts"/u);
  expect(stdout).toMatch(/ok +home carddav-credentials +http:\S+\/ada\/contacts\/, password accepted/u);
});

test('an empty password is neither sent nor stored', async () => {
  const before = server.requests.length;
  expect(await connect('')).toMatchObject({ code: 1, stderr: expect.stringContaining('No password was given') });
  expect(server.requests.length).toBe(before);
  expect(await vaultIn(env['DATA_DIR'] ?? '').names()).toEqual([]);
});
