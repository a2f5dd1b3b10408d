import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCliHost, type HostedCommand } from '../../support/cli-host.ts';
import { consentTo } from '../connect/sign-in.ts';
import { secretsOf, startGround, type Environment, type Ground } from './run-cli.ts';

// Each command checks both sides and plans a first sync.
const host = startCliHost();
let ground: Ground;
beforeAll(async () => {
  ground = await startGround({ count: 6 });
});
afterAll(async () => {
  await host[Symbol.asyncDispose]();
  await ground[Symbol.asyncDispose]();
});

/** A new folder to start in, which holds state and configuration. */
const newFolder = async (name: string): Promise<string> => {
  const folder = join(ground.directory, name);
  await mkdir(folder);
  return folder;
};
/** The sandbox's variables, without a place for the state. */
const variables = (): Environment => {
  const { DATA_DIR: _, ...env } = ground.env;
  return env;
};
const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

/** Answers a question once it has been asked. */
const answer = async (command: HostedCommand, question: RegExp, line: string): Promise<void> => {
  await command.printed((stdout) => question.exec(stdout));
  command.paste(line);
};

/** Consents at the sign-in that a command waits for, the first of them or the second. */
const consent = async (command: HostedCommand, number: number): Promise<void> => {
  const address = await command.printed(
    (stdout) => stdout.match(/^http:\/\/127\.0\.0\.1.*(?=\n)/gmu)?.[number] ?? null,
  );
  command.paste((await consentTo(address)).href);
};

test('--yes takes everything from the variables, and the file then needs none of them', async () => {
  const folder = await newFolder('yes');
  const { code, stdout, stderr } = await host.run(['init', '--yes'], variables(), folder);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const file = join(folder, 'config/contact-sync.yaml');
  expect(await modeOf(file)).toBe(0o600);
  expect(stdout).toContain(`Written, readable by you alone: ${file}`);
  expect(stdout).toMatch(/^ok +data-directory .*\/yes\/data/mu);
  expect(stdout).toMatch(/^ok +default google +answered/mu);
  expect(stdout).toMatch(/^default: full, \d+ actions/mu);
  for (const secret of secretsOf(ground.env)) expect(stdout + stderr).not.toContain(secret);

  expect(await host.run(['plan'], {}, folder)).toMatchObject({ code: 0, stderr: '' });
  const sent = [...ground.sandbox.google.requests, ...ground.sandbox.service.requests];
  expect(sent.filter(({ method, path }) => method !== 'GET' && !path.endsWith('/token'))).toEqual([]);

  const before = await readFile(file, 'utf8');
  const again = await host.run(['init', '--yes'], variables(), folder);
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining(`${file} exists`) });
  expect(await readFile(file, 'utf8')).toBe(before);
});

test('asks a person, signs in at both sides, checks, and shows the plan', async () => {
  const folder = await newFolder('asked');
  const {
    GOOGLE_REFRESH_TOKEN: __,
    SERVICE_ACCESS_TOKEN: ___,
    GOOGLE_CLIENT_SECRET: secret = '',
    ...env
  } = variables();
  const command = host.start(['init', '--no-browser'], env, folder);
  await answer(command, /left side .*:$/mu, '');
  await answer(command, /right side .*:$/mu, 'servce');
  await answer(command, /That is not one of google, service\.\n.*right side .*:$/mu, '');
  await answer(command, /Where do secrets go.*:$/mu, 'env');
  await answer(command, /GOOGLE_CLIENT_ID: .*\[\S+\]:$/mu, '');
  await answer(command, /GOOGLE_CLIENT_SECRET: .* \(it is not shown\):$/mu, secret);
  await answer(command, /SERVICE_BASE_URL: .*:$/mu, '');
  await answer(command, /SERVICE_AUTH_URL: .*:$/mu, '');
  await answer(command, /SERVICE_CLIENT_ID: .*:$/mu, '');
  await answer(command, /SERVICE_CLIENT_SECRET: .*Enter keeps.*:$/mu, '');
  await answer(command, /Time between two runs .*\[5m\]:$/mu, '10m');
  await consent(command, 0);
  await consent(command, 1);
  const { code, stdout, stderr } = await command.end;
  expect(stdout).toMatch(
    /Signed in at Google as .*\n[^]*Signed in at the service as [^]*^default: full, \d+ actions/mu,
  );
  expect({ code, secret: stdout.includes(secret) || stderr.includes(secret) }).toEqual({ code: 0, secret: false });

  const [file, envFile] = [join(folder, 'config/contact-sync.yaml'), join(folder, 'config/.env')];
  expect([await modeOf(file), await modeOf(envFile)]).toEqual([0o600, 0o600]);
  expect(await readFile(file, 'utf8')).toMatch(/^syncInterval: 10m$/mu);
  expect(await readFile(file, 'utf8')).not.toContain(secret);
  expect(parseEnv(await readFile(envFile, 'utf8'))).toMatchObject({ GOOGLE_CLIENT_SECRET: secret });
  expect(await host.run(['plan'], {}, folder)).toMatchObject({ code: 0 });
});

test('a configuration is replaced only where a person says so', async () => {
  const folder = await newFolder('kept');
  await host.run(['init', '--yes'], variables(), folder);
  const file = join(folder, 'config/contact-sync.yaml');
  const before = await readFile(file, 'utf8');
  const command = host.start(['init'], variables(), folder);
  await answer(command, /exists\. Replace it \(y or n\) \[n\]:$/mu, '');
  expect(await command.end).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing was changed.') });
  expect(await readFile(file, 'utf8')).toBe(before);
});

test('without the variables --yes lists what is missing, and writes nothing', async () => {
  const folder = await newFolder('missing');
  const { code, stderr } = await host.run(['init', '--yes'], {}, folder);
  expect(code).toBe(2);
  for (const name of ['SERVICE_BASE_URL', 'GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET']) expect(stderr).toContain(name);
  expect(await readdir(join(folder, 'config'))).toEqual([]);
  expect(existsSync(join(folder, 'data'))).toBe(false);
});

test('an empty --data-dir, as an unset variable of a script leaves, names no place, and nothing is written', async () => {
  const folder = await newFolder('nowhere');
  const { code, stderr } = await host.run(['init', '--yes', '--data-dir', ''], variables(), folder);
  expect([code, stderr]).toEqual([2, expect.stringContaining('--data-dir is empty.')]);
  expect(await readdir(folder)).toEqual([]);
});

test('secrets that variables give stay out of every file', async () => {
  const folder = await newFolder('none');
  expect(await host.run(['init', '--yes', '--secrets', 'none'], variables(), folder)).toMatchObject({ code: 0 });
  const text = await readFile(join(folder, 'config/contact-sync.yaml'), 'utf8');
  for (const secret of secretsOf(ground.env)) expect(text).not.toContain(secret);
  expect(existsSync(join(folder, 'config/.env'))).toBe(false);
});

test('what doctor finds is the exit code, and the plan waits', async () => {
  const folder = await newFolder('refused');
  const env = { ...variables(), SERVICE_ACCESS_TOKEN: 'wrong' };
  const { code, stdout } = await host.run(['init', '--yes'], env, folder);
  expect(code).toBe(4);
  expect(stdout).toMatch(/^FAIL +default service-credentials/mu);
  expect(stdout).toContain('When that is settled: contact-sync doctor, then contact-sync plan');
});
