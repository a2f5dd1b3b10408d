import Database from 'better-sqlite3';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { cliHost } from '../../support/cli-host.ts';
import { useGround, withStore, type Environment } from '../cli/run-cli.ts';
import { connectByPaste, consentTo, startSignIn } from './sign-in.ts';
import { patchLink } from '../../support/store/rows.ts';
import { vaultIn } from '../../support/store/vault.ts';

const ground = useGround();
let env: Environment;
let round = 0;

beforeEach(() => {
  const { GOOGLE_REFRESH_TOKEN: _, SERVICE_ACCESS_TOKEN: __, ...rest } = ground.env;
  round += 1;
  env = { ...rest, DATA_DIR: join(ground.directory, `data-${round}`) };
});

const start = (...args: readonly string[]) => startSignIn(args, env, ground.directory);
const run = (...args: readonly string[]) => cliHost.run(args, env, ground.directory);
const connect = (...args: readonly string[]) => connectByPaste(args, env, ground.directory);
const storedNames = () => vaultIn(env['DATA_DIR'] ?? '').names();

test('both sides are connected by pasting, with PKCE and no further scopes, and a sync then needs no other token', async () => {
  const signIn = await start('google');
  expect(Object.fromEntries(new URL(signIn.address).searchParams)).toMatchObject({
    scope: 'https://www.googleapis.com/auth/contacts',
    access_type: 'offline',
    prompt: 'consent',
    code_challenge_method: 'S256',
    redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/$/u),
  });
  signIn.paste((await consentTo(signIn.address)).href);
  const google = await signIn.end;
  expect(google).toMatchObject({ code: 0, stderr: '' });
  expect(google.stdout).toMatch(/Signed in at Google as \S+@\S+ \(people\/\d+\)\./u);
  expect(google.stdout).toContain('Granted at Google: https://www.googleapis.com/auth/contacts');
  expect(google.stdout).toContain('Next: contact-sync connect service default');

  const service = await connect('service', 'default');
  expect(service).toMatchObject({ code: 0, stderr: '' });
  expect(service.stdout).toContain(`Signed in at the service as ${ground.sandbox.service.account.user.email} (user_`);
  expect(service.stdout).toContain('Next: contact-sync plan default');
  expect((await stat(join(env['DATA_DIR'] ?? '', 'contact-sync.db'))).mode & 0o777).toBe(0o600);

  const sync = await run('sync', '--json');
  expect(JSON.parse(sync.stdout)).toMatchObject({ runs: [{ outcome: 'completed' }] });
});

test('a pasted text that is no answer, or the answer of another sign-in, is reported, and the right one still accepted', async () => {
  const { address, paste, end } = await start('service');
  expect(new URL(address).searchParams.get('scope')).toBe('user:login contacts:manage buckets:manage');
  const answer = await consentTo(address);
  const earlier = new URL(answer);
  earlier.searchParams.set('state', 'an earlier one');
  for (const text of [answer.searchParams.get('code') ?? '', earlier.href, answer.href]) paste(text);
  const { code, stderr } = await end;
  expect(code).toBe(0);
  expect(stderr).toMatch(/not the whole address[^]*belongs to an earlier sign-in/u);
});

test('contacts unticked at Google: exit code 4, nothing stored', async () => {
  const { address, paste, end } = await start('google');
  const url = new URL(address);
  url.searchParams.set('granted', 'openid');
  paste((await consentTo(url.href)).href);
  expect(await end).toMatchObject({ code: 4, stderr: expect.stringContaining('contacts was not granted') });
  expect(await storedNames()).toEqual([]);
});

describe('another account', () => {
  const madeWithAnother = () =>
    withStore(env, (store) => patchLink(store, 'default', { accounts: { left: 'people/1', right: null } }));

  test('the sign-in of another account is reported and not stored', async () => {
    await madeWithAnother();
    const stderr = expect.stringMatching(/is not the account at Google .* was made with \(people\/1\)/u);
    expect(await connect('google')).toMatchObject({ code: 3, stderr });
    expect(await storedNames()).toEqual([]);
  });

  test('--replace-account stores the other account, and the link starts a first sync', async () => {
    await madeWithAnother();
    const stdout = expect.stringContaining('has another account now');
    expect(await connect('google', '--replace-account')).toMatchObject({ code: 0, stdout });
    const left = expect.stringMatching(/^people\/\d{2,}$/u);
    expect(await withStore(env, (store) => store.links())).toMatchObject([{ accounts: { left } }]);
  });

  test('the link is unchanged where the token of the other account cannot be stored', async () => {
    await madeWithAnother();
    const client = new Database(join(env['DATA_DIR'] ?? '', 'contact-sync.db'));
    client.exec("create trigger no before insert on credentials begin select raise(abort, 'refused by a test'); end");
    client.close();
    const stderr = expect.stringContaining('refused by a test');
    expect(await connect('google', '--replace-account')).toMatchObject({ code: 1, stderr });
    expect(await withStore(env, (store) => store.links())).toMatchObject([{ accounts: { left: 'people/1' } }]);
  });
});

test('a paused link becomes active again', async () => {
  await withStore(env, (store) => patchLink(store, 'default', { state: 'paused', reason: 'The token was revoked.' }));
  expect((await connect('service')).stdout).toContain('The link default was paused; it is active again.');
  // A daemon that finds the reason logs that the link resumes.
  const resuming = { state: 'resuming', reason: expect.stringContaining('the next run resumes it') };
  expect(await withStore(env, (store) => store.links())).toMatchObject([resuming]);
});

test('tokens are encrypted where CREDENTIALS_KEY is set; another key is reported in one message', async () => {
  env = { ...env, CREDENTIALS_KEY: 'a passphrase of some length' };
  expect((await connect('google')).stdout).toContain(', encrypted.');
  expect((await connect('service')).code).toBe(0);
  const stored = await readFile(join(env['DATA_DIR'] ?? '', 'contact-sync.db'), 'latin1');
  expect(stored).not.toMatch(/1\/\/0|token_/u);
  expect((await run('plan')).code).toBe(0);

  env = { ...env, CREDENTIALS_KEY: 'quite another passphrase' };
  const stderr = expect.stringMatching(/google token .* was encrypted with another key \([0-9a-f]{8}\)/u);
  expect(await run('plan')).toMatchObject({ code: 2, stderr });
  for (const side of ['google', 'service']) expect((await connect(side)).code).toBe(0);
  expect((await run('plan')).code).toBe(0);
});

test('a port that is taken is exit code 2', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const refused = await run('connect', 'google', '--no-browser', '--port', String(port));
  server.close();
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(`Port ${port} is in use`) });
});

test('an application that is not configured is exit code 2, with every variable', async () => {
  const { SERVICE_AUTH_URL: _, SERVICE_CLIENT_ID: __, SERVICE_CLIENT_SECRET: ___, ...rest } = env;
  const { code, stderr } = await cliHost.run(['connect', 'service'], rest, ground.directory);
  expect(code).toBe(2);
  for (const name of ['SERVICE_AUTH_URL', 'SERVICE_CLIENT_ID', 'SERVICE_CLIENT_SECRET']) expect(stderr).toContain(name);
});

test('Ctrl-C ends the command without storing a token', async () => {
  const command = cliHost.start(['connect', 'google', '--no-browser'], env, ground.directory);
  await command.printed((stdout) => (stdout.includes('paste it here') ? stdout : null));
  command.kill('SIGINT');
  const stderr = expect.stringContaining('Interrupted. Nothing was stored.');
  expect(await command.end).toMatchObject({ code: 1, stderr });
});
