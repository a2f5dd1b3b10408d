import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { startFakeServer } from '../../support/carddav/fake-server.ts';
import { cliHost, type HostedCommand } from '../../support/cli-host.ts';
import { consentTo } from '../connect/sign-in.ts';
import { secretsOf, useGround, type Environment } from './run-cli.ts';

// Each `init` checks both sides and plans a first sync.
const ground = useGround({ count: 6 });

const newFolder = async (name: string): Promise<string> => {
  const folder = join(ground.directory, name);
  await mkdir(folder);
  return folder;
};
const variables = (): Environment => {
  const { DATA_DIR: _, ...env } = ground.env;
  return env;
};
const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

const [DOWN, CONTROL_C] = ['\u001B[B', '\u0003'];

const ask = (args: readonly string[], env: Environment, folder: string) => {
  const command = cliHost.start(['init', ...args], env, folder, { isTerminal: true });
  const ended = command.end.then(({ stdout, stderr }): never => {
    throw new Error(`The command ended without asking: ${stdout.slice(-500)} ${stderr}`);
  });
  ended.catch(() => undefined);
  let answered = 0;
  const answerAll = async (answers: readonly (readonly [question: string, keys?: string])[]): Promise<void> => {
    for (const [question, keys = ''] of answers) {
      const asked = command.printed((stdout) => {
        const at = stripVTControlCharacters(stdout).indexOf(question, answered);
        if (at < 0) return null;
        answered = at + question.length;
        return true;
      });
      await Promise.race([asked, ended]);
      command.paste(keys);
    }
  };
  return { ...command, answerAll };
};

const consent = async (command: HostedCommand, number: number): Promise<void> => {
  const address = await command.printed(
    (stdout) => stdout.match(/^http:\/\/127\.0\.0\.1.*(?=\n)/gmu)?.[number] ?? null,
  );
  command.paste((await consentTo(address)).href);
};

test('--yes reads every setting from the variables, and the written file needs none of them', async () => {
  const folder = await newFolder('yes');
  const { code, stdout, stderr } = await cliHost.run(['init', '--yes'], variables(), folder);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const file = join(folder, 'config/contact-sync.yaml');
  expect(await modeOf(file)).toBe(0o600);
  expect(stdout).toContain(`Written, readable by you only: ${file}`);
  expect(stdout).toMatch(/^ok +default google +answered[^]*^default: full, \d+ contacts to write/mu);
  for (const secret of secretsOf(ground.env)) expect(stdout + stderr).not.toContain(secret);

  const review = { code: 3, stderr: expect.stringContaining('sync --accept-first') };
  expect(await cliHost.run(['plan'], {}, folder)).toMatchObject(review);
  const sent = [...ground.sandbox.google.requests, ...ground.sandbox.service.requests];
  expect(sent.filter(({ method, path }) => method !== 'GET' && !path.endsWith('/token'))).toEqual([]);

  const before = await readFile(file, 'utf8');
  const again = await cliHost.run(['init', '--yes'], variables(), folder);
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining(`${file} exists`) });
  expect(await readFile(file, 'utf8')).toBe(before);
});

test('--link writes a file for a further link, with what the configuration file does not set', async () => {
  const folder = await newFolder('further');
  const file = join(folder, 'config/links/ada.yaml');
  const run = (...args: string[]) => cliHost.run(['init', '--yes', ...args], variables(), folder);
  const refusal = (text: string) => ({ code: 2, stderr: expect.stringContaining(text) });
  expect(await run('--link', 'ada')).toMatchObject(refusal('Begin without --link'));
  await mkdir(join(folder, 'config'));
  const clientId = ground.env['GOOGLE_CLIENT_ID'] ?? '';
  await writeFile(join(folder, 'config/contact-sync.yaml'), `google: { clientId: ${clientId} }\nlinks: {}\n`);
  expect(await run('--link', 'a/b')).toMatchObject(refusal('is not a name'));
  const { code, stdout, stderr } = await run('--link', 'ada');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^ada: full, \d+ contacts to write[^]*Next: contact-sync sync ada --accept-first/mu);
  expect(await modeOf(file)).toBe(0o600);
  const text = await readFile(file, 'utf8');
  expect(text).toMatch(/^left: \{ provider: google \}\nright: \{ provider: service \}$/mu);
  expect(text).not.toMatch(/^google:[^]*clientId|dataDir|listen/mu);
  expect(await run('--link', 'ada')).toMatchObject(refusal(`${file} exists`));
  // The file alone is enough.
  expect(await cliHost.run(['plan', 'ada'], {}, folder)).toMatchObject({ code: 3 });
});

test('--link ends the link of a configuration file without links only if a file was written, and reports that', async () => {
  const folder = await newFolder('implied');
  const file = join(folder, 'config/contact-sync.yaml');
  await mkdir(join(folder, 'config'));
  await writeFile(file, 'syncInterval: 5m\n');
  const env = { ...variables(), SERVICE_BASE_URL: 'nonsense' };
  const refused = await cliHost.run(['init', '--yes', '--link', 'ada'], env, folder);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('SERVICE_BASE_URL') });
  expect(await readdir(join(folder, 'config'))).toEqual(['contact-sync.yaml']);
  const written = await cliHost.run(['init', '--yes', '--link', 'ada'], variables(), folder);
  expect(written.stderr).toContain('The link default is no longer used');
});

const unsigned = (): Environment => {
  const { GOOGLE_REFRESH_TOKEN: _, SERVICE_ACCESS_TOKEN: __, ...env } = variables();
  return env;
};

test('init introduces itself, asks for settings, signs in at both sides, checks them and shows the plan', async () => {
  const folder = await newFolder('asked');
  const { GOOGLE_CLIENT_SECRET: secret = '', ...env } = unsigned();
  const command = ask(['--no-browser'], env, folder);
  const file = join(folder, 'config/contact-sync.yaml');
  await command.answerAll([
    ['Provider of the left side'],
    ['Provider of the right side'],
    ['Google: id of the OAuth client'],
    ['Google: secret of the OAuth client', secret],
    ['Service: address of the API'],
    ['Service: address of the sign-in pages'],
    ['Service: id of the registered application'],
    ['Service: secret of the registered application'],
    ['Time between two syncs', '10m'],
    ['Wait for your approval'],
  ]);
  await consent(command, 0);
  await consent(command, 1);
  const { code, stdout, stderr } = await command.end;
  expect({ code, isHalted: stderr.includes('halt') }).toEqual({ code: 0, isHalted: false });
  expect(stdout).toMatch(
    /Signed in at Google as .*\n[^]*Signed in at the service as [^]*^default: full, \d+ contacts/mu,
  );
  expect(stdout).toContain(`Then it writes ${file} (readable by you only)`);
  expect(stdout).toMatch(/Next: .*contact-sync.* sync --accept-first\nThen: .*contact-sync.* daemon\n$/u);
  expect(stdout).not.toContain(secret);

  expect(await modeOf(file)).toBe(0o600);
  const text = await readFile(file, 'utf8');
  for (const line of ['syncInterval: 10m', 'firstSync: review', `clientSecret: ${secret}`])
    expect(text).toContain(line);
  expect(await cliHost.run(['plan'], {}, folder)).toMatchObject({ code: 3 });
});

test('an interrupted init writes nothing', async () => {
  const folder = await newFolder('interrupted');
  const command = ask(['--config', join(folder, 'trial.yaml')], variables(), folder);
  await command.answerAll([['Provider of the left side', CONTROL_C]]);
  const { code, stderr } = await command.end;
  expect([code, stderr]).toEqual([1, expect.stringContaining('Nothing was written.')]);
  expect(await readdir(folder)).toEqual([]);
});

test('for a CardDAV side init names the addresses of known servers, and asks for the password and the address book', async () => {
  const folder = await newFolder('carddav');
  const header = `Basic ${Buffer.from('ada:abcd efgh').toString('base64')}`;
  await using server = await startFakeServer({
    books: ['Private', 'Work'].map((name) => ({ name, path: `/ada/${name.toLowerCase()}/` })),
    intercept: ({ headers }) => (headers.authorization === header ? null : { status: 401 }),
  });
  const command = ask([], variables(), folder);
  await command.answerAll([
    ['Provider of the left side'],
    ['Provider of the right side', DOWN + DOWN],
    ['Google: id of the OAuth client'],
    ['Google: secret of the OAuth client'],
    ['CardDAV: address of the CardDAV server', server.url],
    ['CardDAV: user name', 'ada'],
    ['CardDAV: name, path or URL of the address book', 'Work'],
    ['Time between two syncs'],
    ['Wait for your approval', 'n'],
    ['password (not shown)', 'abcd efgh'],
  ]);
  const { code, stdout, stderr } = await command.end;
  expect({ code, stderr: stderr.replaceAll(/^.*http:\/\/.*\n/gmu, '') }).toMatchObject({ code: 0 });
  expect(stdout).toContain('https://contacts.icloud.com/ for iCloud');
  expect(stdout).toContain(`Signed in at the CardDAV server as ada (${server.url}ada/work/).`);
  expect(stdout).toMatch(/^ok +default carddav-rights +the address book "Work" can be read and written/mu);
  expect(stdout).not.toContain('abcd efgh');
  const text = await readFile(join(folder, 'config/contact-sync.yaml'), 'utf8');
  expect(text).toMatch(/^firstSync: run$[^]*addressbook: Work/mu);
  expect(text).not.toContain('abcd efgh');
});

test('with an existing configuration init asks nothing, and continues with the sign-in', async () => {
  const folder = await newFolder('kept');
  await cliHost.run(['init', '--yes'], variables(), folder);
  const file = join(folder, 'config/contact-sync.yaml');
  const before = await readFile(file, 'utf8');
  await writeFile(file, before.replace(/ *# Token[^\n]*\n *refreshToken:.*\n/u, ''));
  const command = ask(['--no-browser'], {}, folder);
  await consent(command, 0);
  const { code, stdout } = await command.end;
  expect(code).toBe(0);
  expect(stdout).toMatch(/exists and is used as it is[^]*Signed in at Google as [^]*^default: full/mu);
});

test.each<[what: string, args: readonly string[], hasVariables: boolean, messages: readonly string[]]>([
  ['without a terminal', [], true, ['use --yes']],
  ['without the variables', ['--yes'], false, ['SERVICE_BASE_URL', 'GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET']],
])('%s init writes nothing and reports that', async (what, args, hasVariables, messages) => {
  const folder = await newFolder(what.replaceAll(' ', '-'));
  const { code, stderr } = await cliHost.run(['init', ...args], hasVariables ? variables() : {}, folder);
  expect(code).toBe(2);
  for (const message of messages) expect(stderr).toContain(message);
  const written = await readdir(folder, { recursive: true });
  expect(written.filter((path) => path !== 'config')).toEqual([]);
});

test('a fault found by doctor sets the exit code, and no plan is shown', async () => {
  const folder = await newFolder('refused');
  const env = { ...variables(), SERVICE_ACCESS_TOKEN: 'wrong' };
  const { code, stdout } = await cliHost.run(['init', '--yes'], env, folder);
  expect(code).toBe(4);
  expect(stdout).toMatch(/^FAIL +default service-credentials/mu);
  expect(stdout).toContain('To change an answer, edit the file. To continue: contact-sync init\n');
});
