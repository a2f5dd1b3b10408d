import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { vaultIn } from '../../support/store/vault.ts';
import { cliHost } from '../../support/cli-host.ts';
import { ended, runCli, startCli, useGround, type Ended, type Environment } from '../cli/run-cli.ts';
import { consentTo, startSignIn } from '../connect/sign-in.ts';
import { startEchoingProxy, type EchoingProxy } from './echoing-proxy.ts';

// Every command, with its error paths, at log level trace, with accounts that contain canaries:
// - no output contains a secret, and no file except the database and the stored tokens;
// - no log line contains personal data, and only the commands listed below print it, because that is their purpose.
// Most commands run one after the other in one process. Commands that could differ in a separate process run in one.

/** Commands that print contacts, groups or the signed-in account to stdout. Their stderr must not contain them. */
const PRINTS_PERSONAL_DATA = new Set(['conflicts', 'plan', 'status', 'runs', 'explain', 'undo', 'connect', 'doctor']);

const PERSONAL = {
  firstName: 'Zanarine',
  lastName: 'Kanarienvogel',
  company: 'Canary & Sons Zoo',
  title: 'Chief Canary',
  email: 'zanarine.secret@canary.example',
  phone: '+1 415 555 0177',
  street: '77 Canary Wharf',
  website: 'https://canary.example/zanarine',
  group: 'Canaries of mine',
} as const;
const PERSONAL_FORMS = [...Object.values(PERSONAL), '4155550177', '555 0177', '555-0177', 'zanarine'];

const WEBHOOK = 'canary-path-of-the-webhook';

const SECRET_FORMS = /ya29\.[\w-]{8,}|1\/\/[\w-]{8,}|4\/[\w-]{12,}|token_[0-9a-f]{16,}|code_[0-9a-f]{16,}/gu;

type Output = Ended & { readonly command: string };

const ground = useGround({ count: 12 });
let env: Environment;
let google: EchoingProxy;
let service: EchoingProxy;
const outputs: Output[] = [];

const keep = (command: string, output: Ended): Ended => {
  outputs.push({ command, ...output });
  return output;
};
const runWith = async (args: readonly string[], variables: Environment): Promise<Ended> =>
  keep(args[0] ?? '', await cliHost.run(args, variables, ground.directory));
const run = (args: readonly string[], changes: Environment = {}): Promise<Ended> => {
  return runWith(args, { ...env, ...changes });
};

const plant = (name: string): void => {
  const { firstName, lastName, company, title, email, phone, street, website, group } = PERSONAL;
  const { account } = ground.sandbox.google;
  const label = account.groups().find((one) => one.name === group)?.resourceName ?? account.createGroup(group);
  for (const suffix of ['', ` ${name}`]) {
    account.createPerson(
      {
        names: [{ givenName: firstName, familyName: lastName + suffix }],
        organizations: [{ name: company, title }],
        emailAddresses: [{ value: `${suffix.trim()}${email}` }],
        phoneNumbers: [{ value: phone }],
        addresses: [{ streetAddress: street }],
        urls: [{ value: website }],
      },
      { groups: ['contactGroups/myContacts', label] },
    );
  }
  ground.sandbox.service.account.createContact({
    first_name: firstName,
    last_name: lastName,
    title: `${title} at the service`,
    email_addresses: [{ address: email }],
  });
};

beforeAll(async () => {
  google = await startEchoingProxy(ground.sandbox.google.url);
  service = await startEchoingProxy(ground.sandbox.service.url);
  const passOn = (value: string | undefined): string => {
    const path = new URL(value ?? '').pathname.replace(/^\/$/u, '');
    return google.url + path;
  };
  env = {
    ...ground.env,
    SERVICE_BASE_URL: service.url,
    SERVICE_AUTH_URL: service.url,
    GOOGLE_ROOT_URL: google.url,
    GOOGLE_TOKEN_URL: passOn(ground.env['GOOGLE_TOKEN_URL']),
    LOG_LEVEL: 'trace',
    CREDENTIALS_KEY: 'canary-passphrase-of-the-vault',
    // No server listens at this port.
    NOTIFY_URL: `http://127.0.0.1:9/${WEBHOOK}`,
  };
  plant('first');
});
afterAll(async () => {
  await google[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

test('successful commands return 0 and are recorded', async () => {
  for (const command of ['plan', 'plan --json', 'sync --json', 'conflicts --json', 'status', 'runs --json']) {
    expect((await run(command.split(' '))).code).toBe(0);
  }
  const last: unknown = JSON.parse(outputs.find(({ command }) => command === 'sync')?.stdout ?? '');
  const [undoable = ''] = JSON.stringify(last).match(/(?<="run":")[\w-]+/u) ?? [];
  const [person] = ground.sandbox.google.account.people();
  for (const args of [
    ['undo', undoable, '--dry-run', '--json'],
    ['explain', person?.resourceName ?? ''],
  ]) {
    expect((await run(args)).code).toBe(0);
  }
  expect(keep('sync', await runCli(['sync', '--json'], env, ground.directory)).code).toBe(0);
  plant('second');
  for (const args of [['sync'], ['resync', '--json'], ['status'], ['doctor'], ['doctor', '--json']]) {
    expect((await run(args)).code).toBe(0);
  }
});

test('sign-ins by paste return their exit codes and are recorded', async () => {
  const { GOOGLE_REFRESH_TOKEN: _, SERVICE_ACCESS_TOKEN: __, ...rest } = env;
  for (const side of ['google', 'service']) {
    const { address, paste, end } = await startSignIn([side], rest, ground.directory);
    const denied = (await consentTo(address, { google: 'deny', service: 'no' })).href;
    paste(denied.replace('state=', 'state=x'));
    paste(denied);
    expect(keep('connect', await end).code).toBe(1);
    const again = await startSignIn([side], rest, ground.directory);
    again.paste((await consentTo(again.address)).href);
    expect(keep('connect', await again.end).code).toBe(0);
  }
});

test('refusals that repeat the whole request are handled and recorded', async () => {
  for (const status of [401, 403]) {
    for (const side of [google, service]) {
      side.decide(() => status);
      expect((await run(['sync', '--json'])).code).toBe(4);
      expect((await run(['doctor', '--json'])).code).toBe(4);
      side.decide(() => 'pass');
    }
  }
  // Errors without a credential problem are logged completely.
  for (const side of [google, service]) {
    side.decide(({ method }) => (method === 'GET' ? 400 : 'pass'));
    const { code, stderr } = await run(['sync', '--json']);
    expect({ code, isLogged: stderr.includes('"msg":"run failed"') }).toEqual({ code: 1, isLogged: true });
    side.decide(() => 'pass');
  }
  plant('third');
  service.decide(({ method }) => (method === 'GET' ? 'pass' : 422));
  google.decide(({ method, path }) => (method === 'GET' || path.includes('token') ? 'pass' : 400));
  await run(['sync', '--json']);
  google.decide(() => 'pass');
  service.decide(() => 'pass');
  expect((await run(['status', '--json'])).code).toBe(0);
});

test('failures and truncated responses are handled and recorded', async () => {
  expect((await run(['doctor', '--notify'])).stdout).toContain('did not answer');
  for (const action of [500, 'truncate'] as const) {
    for (const side of [google, service]) {
      side.decide(() => action);
      expect((await run(['doctor', '--json'])).code).not.toBe(0);
      let left = 2;
      side.decide(() => ((left -= 1) >= 0 ? action : 'pass'));
      await run(['sync', '--json']);
      side.decide(() => 'pass');
    }
  }
});

test('invalid configurations return 2 and are recorded', async () => {
  const file = join(ground.directory, 'broken.yaml');
  const secret = env['GOOGLE_CLIENT_SECRET'] ?? '';
  for (const content of [
    `google: { clientSecret: ${secret}, refreshToken: [${env['GOOGLE_REFRESH_TOKEN']}\n`,
    `google:\n  clientSecret: ["${secret}"]\n  secret: ${secret}\n`,
  ]) {
    await writeFile(file, content);
    for (const command of ['sync', 'doctor', 'daemon']) {
      const { GOOGLE_CLIENT_SECRET: _, ...rest } = env;
      expect((await runWith([command, '--config', file], rest)).code).toBe(2);
    }
  }
  await writeFile(file, '');
  expect((await run(['status'], { REDIS_URL: `no-url://:${secret}@host` })).code).toBe(2);
  expect((await run(['plan'], { CREDENTIALS_KEY: secret.slice(0, 8) })).code).toBe(2);
  expect((await run(['plan'], { NOTIFY_URL: `https://:${secret}@host/${WEBHOOK}` })).code).toBe(2);
});

test('a daemon with a refused credential pauses its link and is recorded', async () => {
  plant('fourth');
  const child = startCli(['daemon'], { ...env, SYNC_INTERVAL: '1s', SWEEP_INTERVAL: '2s' }, ground.directory);
  const end = ended(child);
  const untilPrinted = async (message: string): Promise<void> => {
    if (child.stdout === null) return;
    for await (const line of createInterface({ input: child.stdout.pipe(new PassThrough()) })) {
      if (line.includes(message)) return;
    }
  };
  await untilPrinted('run completed');
  expect((await run(['health'])).code).toBe(0);
  service.decide(() => 403);
  await untilPrinted('link paused');
  service.decide(() => 'pass');
  child.kill('SIGTERM');
  expect(keep('daemon', await end).code).toBe(0);
});

test('sandbox and demo return 0 and are recorded', async () => {
  expect((await run(['demo'])).code).toBe(0);
  const child = startCli(['sandbox'], env, ground.directory);
  const end = ended(child);
  child.stdout?.once('data', () => child.kill('SIGINT'));
  // The sandbox prints the tokens of its own emulators, so that the user can use them.
  const { stdout, stderr, code } = await end;
  expect(code).toBe(0);
  keep('sandbox', { code, stdout: stdout.replaceAll(/^export \w+_(?:TOKEN|SECRET)=.*$/gmu, ''), stderr });
});

const filesBelow = async (directory: string): Promise<string[]> => {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
};

const secretsIn = (text: string): string[] => {
  const planted = Object.entries(env).filter(([name]) => /TOKEN$|SECRET$|_KEY$/u.test(name));
  const known = [...planted.map(([, value]) => value), WEBHOOK];
  const forms = known.flatMap((secret) => [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]);
  return [...forms.filter((secret) => text.includes(secret)), ...(text.match(SECRET_FORMS) ?? [])];
};
const personalIn = (text: string): string[] =>
  PERSONAL_FORMS.filter((form) => text.toLowerCase().includes(form.toLowerCase()));

test('no output contains a secret', () => {
  expect(outputs.length).toBeGreaterThan(30);
  const leaks = outputs.flatMap(({ command, stdout, stderr }) =>
    secretsIn(`${stdout}\n${stderr}`).map((secret) => `${command}: ${secret}`),
  );
  expect(leaks).toEqual([]);
});

test('no log line contains personal data, nor the output of a command that does not print personal data by purpose', () => {
  const leaks = outputs.flatMap(({ command, stdout, stderr }) => {
    const text = PRINTS_PERSONAL_DATA.has(command) ? stderr : `${stdout}\n${stderr}`;
    return personalIn(text).map(
      (form) =>
        `${command}: ${form}: ${text.slice(text.toLowerCase().indexOf(form.toLowerCase()) - 200).slice(0, 400)}`,
    );
  });
  expect(leaks).toEqual([]);
  // The search works: it finds the personal data in the output of conflicts.
  expect(outputs.some(({ command, stdout }) => command === 'conflicts' && personalIn(stdout).length > 0)).toBe(true);
});

test('no file except the database and the stored tokens contains a secret or personal data', async () => {
  const files = (await filesBelow(ground.directory)).filter(
    (path) => !/contact-sync\.db(?:-wal|-shm)?$|credentials\.json$|broken\.yaml$/u.test(path),
  );
  for (const path of files) {
    const content = await readFile(path, 'utf8');
    expect({ path, found: [...secretsIn(content), ...personalIn(content)] }).toEqual({ path, found: [] });
  }
  // The stored tokens are encrypted. Encrypted data can match any pattern, so the search is for the tokens themselves.
  const dataDir = env['DATA_DIR'] ?? '';
  const vault = vaultIn(dataDir, env['CREDENTIALS_KEY'] ?? '');
  const stored = await readFile(join(dataDir, 'contact-sync.db'), 'latin1');
  for (const side of ['google', 'service'] as const) {
    const { token = '' } = (await vault.read('default', side)) ?? {};
    expect(token).toMatch(/^.{12,}$/u);
    expect(stored).not.toContain(token);
  }
});
