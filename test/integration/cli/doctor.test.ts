import Database from 'better-sqlite3';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { runCli, useGround, withStore, type Environment } from './run-cli.ts';
import { sampled } from '../../support/extent.ts';
import { startReceiver } from '../../support/network.ts';
import { startTestRedis } from '../../support/redis.ts';
import { patchLink } from '../../support/store/rows.ts';
import type { Store } from '../../../src/store/store.ts';
import { systemClock } from '../../../src/util/clock.ts';
import { ChecksDocument } from '../../support/documents.ts';

const ground = useGround();
let env: Environment;
let round = 0;
beforeEach(() => {
  round += 1;
  env = { ...ground.env, DATA_DIR: join(ground.directory, `doctor-${round}`) };
});

const doctor = async (changes: Environment = {}, ...args: readonly string[]) => {
  const { code, stdout } = await runCli(['doctor', '--json', ...args], { ...env, ...changes }, ground.directory);
  const { checks } = ChecksDocument.parse(JSON.parse(stdout));
  const check = (name: string) => checks.find((one) => one.name === name);
  return { code, checks, check };
};

test('without faults: exit code 0, the accounts, and at most two requests a side', async () => {
  const { google, service } = ground.sandbox;
  const before = { google: google.requests.length, service: service.requests.length };
  const { code, checks, check } = await doctor();
  expect(checks.filter(({ level }) => level !== 'ok')).toEqual([]);
  expect(code).toBe(0);
  expect(check('service-credentials')?.detail).toContain(service.account.user.email);
  expect(check('google-credentials')?.detail).toMatch(/people\/\d+/u);
  expect(service.requests.length - before.service).toBe(1);
  // The request for the access token and the request of the check.
  expect(google.requests.length - before.google).toBeLessThanOrEqual(2);
});

test('no list of links is announced if the file of the only link is invalid', async () => {
  const place = join(ground.directory, `config-${round}`);
  await mkdir(join(place, 'links'), { recursive: true });
  await writeFile(join(place, 'links', 'work.yaml'), 'direction: sideways');
  const file = join(place, 'contact-sync.yaml');
  await writeFile(file, 'logLevel: info');
  const { code, check } = await doctor({ CONTACT_SYNC_CONFIG: file });
  expect([code, check('configuration')?.detail]).toEqual([2, `0 links, from ${file}`]);
});

test('with a link name, the invalid file of another link is no fault, and that of the named link is a check', async () => {
  const place = join(ground.directory, `config-${round}`);
  await mkdir(join(place, 'links'), { recursive: true });
  await writeFile(join(place, 'links', 'work.yaml'), '');
  await writeFile(join(place, 'links', 'bad.yaml'), 'direction: sideways');
  const { GOOGLE_REFRESH_TOKEN: googleToken, SERVICE_ACCESS_TOKEN: serviceToken, ...rest } = env;
  await writeFile(
    join(place, 'links', 'work.yaml'),
    JSON.stringify({ google: { refreshToken: googleToken }, service: { accessToken: serviceToken } }),
    { mode: 0o600 },
  );
  const file = join(place, 'contact-sync.yaml');
  await writeFile(file, 'logLevel: info');
  env = { ...rest, CONTACT_SYNC_CONFIG: file };
  const named = await doctor({}, 'work');
  expect([named.code, named.checks.filter(({ level }) => level === 'error')]).toEqual([0, []]);
  const faulty = await doctor({}, 'bad');
  expect([faulty.code, faulty.checks.map(({ level }) => level)]).toEqual([2, ['error']]);
});

test('the text output has a line for each check, with its remedy', async () => {
  const { GOOGLE_REFRESH_TOKEN: _, ...rest } = env;
  const { code, stdout } = await runCli(['doctor'], rest, ground.directory);
  expect(code).toBe(4);
  expect(stdout).toMatch(/^ok +configuration +1 link: default$/mu);
  expect(stdout).toMatch(/^FAIL +default google-credentials +no token\. Sign in: .* connect google default$/mu);
});

test('every problem of the configuration is a check: exit code 2', async () => {
  const { code, checks } = await doctor({ SYNC_INTERVAL: 'often', SERVICE_BASE_URL: 'nowhere' });
  expect(code).toBe(2);
  const problem = { name: 'configuration', ok: false, remedy: expect.any(String) };
  expect(checks).toMatchObject([problem, problem]);
});

test.each<[string, number, string, () => Environment, detail: string, remedy: string]>([
  [
    'the side that does not respond',
    5,
    'service',
    () => ({ SERVICE_BASE_URL: 'http://127.0.0.1:9' }),
    'did not answer GET /v2/me (ECONNREFUSED)',
    'Check the network and SERVICE_BASE_URL.',
  ],
  [
    'the https address of a server without TLS',
    1,
    'service',
    () => ({ SERVICE_BASE_URL: ground.sandbox.service.url.replace('http:', 'https:') }),
    'in plain HTTP, not HTTPS',
    'Write http:// in SERVICE_BASE_URL.',
  ],
  [
    'a credential that the side refuses',
    4,
    'service-credentials',
    () => ({ SERVICE_ACCESS_TOKEN: 'token_of_nobody' }),
    'the access token is wrong or expired',
    'The credential is set in SERVICE_ACCESS_TOKEN. Replace it there.',
  ],
])('%s is reported with exit code %i and a remedy, and the other side is still checked', async (...of) => {
  const [, exitCode, name, changes, ...texts] = of;
  const { code, check } = await doctor(changes());
  const [detail, remedy] = texts.map((text): unknown => expect.stringContaining(text));
  expect([code, check(name)]).toMatchObject([exitCode, { ok: false, detail, remedy }]);
  expect(check('google-credentials')?.ok).toBe(true);
});

test('R9: a run in progress keeps its lease, and a free lease stays free', async () => {
  const hold = (store: Store) => store.acquireLease('default', 'a run', systemClock.now(), systemClock.now() + 15_000);
  const token = await withStore(env, hold);
  expect((await doctor()).code).toBe(0);
  expect(await withStore(env, hold)).toBe(token);
  await withStore(env, (store) => store.releaseLease('default', 'a run'));
  expect((await doctor()).code).toBe(0);
  expect(await withStore(env, (store) => store.leaseOwner('default'))).toBeNull();
});

test('a link that was created with another account: exit code 4', async () => {
  await withStore(env, (store) => patchLink(store, 'default', { accounts: { left: null, right: 'user_99' } }));
  const { code, check } = await doctor();
  expect(code).toBe(4);
  expect(check('service-credentials')?.detail).toContain('is not the account that the link was made with (user_99)');
});

test('a database with a damaged page: sync and doctor name the fault and the remedy', async () => {
  expect((await runCli(['sync'], env, ground.directory)).code).toBe(0);
  const path = join(env['DATA_DIR'] ?? '', 'contact-sync.db');
  const database = new Database(path);
  const page = Number(database.prepare("select rootpage from sqlite_master where name = 'halves'").pluck().get());
  database.close();
  await writeFile(path, (await readFile(path)).fill(255, (page - 1) * 4096, page * 4096));
  const { code, check } = await doctor();
  const remedy = expect.stringMatching(/^Restore a backup, or move it away/u);
  expect([code, check('store')]).toMatchObject([1, { ok: false, detail: `The database ${path} is damaged.`, remedy }]);
  const { stdout } = await runCli(['sync', '--json'], env, ground.directory);
  expect(stdout).toContain(`The database ${path} cannot be used: it is damaged (SQLITE_CORRUPT). Restore a backup`);
});

test('files and directories open to other users are reported with the command that fixes them', async () => {
  await doctor();
  const directory = env['DATA_DIR'] ?? '';
  await chmod(join(directory, 'contact-sync.db'), 0o644);
  await chmod(directory, 0o755);
  const { code, checks } = await doctor();
  expect(code).toBe(1);
  const found = checks.filter(({ name }) => name === 'data-directory');
  expect(found.map(({ level }) => level)).toEqual(['error', 'warning']);
  expect(found[0]?.remedy).toMatch(/^chmod 600 .*contact-sync\.db$/u);
});

const startRedis = async (...settings: readonly string[]) =>
  (await startTestRedis({ settings })) ?? expect.fail('There is no redis-server.');

test('Redis that evicts keys is a fault: exit code 1', async () => {
  await using redis = await startRedis();
  const { code, check } = await doctor({ REDIS_URL: redis.url });
  expect(check('redis')?.detail).toMatch(/^version \d+\.\d+\.\d+, maxmemory-policy noeviction$/u);
  expect(code).toBe(0);
  await redis.client.config('SET', 'maxmemory-policy', 'allkeys-lru');
  const evicting = await doctor({ REDIS_URL: redis.url });
  const remedy = expect.stringContaining('noeviction');
  expect([evicting.code, evicting.check('redis')]).toMatchObject([1, { ok: false, remedy }]);
});

const passwords = [
  ['no password', '127.0.0.1', 'refuses the user or password in REDIS_URL (NOAUTH)'],
  ['a wrong password', ':wrong@127.0.0.1', 'refuses the user or password in REDIS_URL (WRONGPASS)'],
] as const;
test.each(sampled(passwords, 2))(
  'Redis that is used with %s is a fault in doctor and plan',
  async (_what, host, detail) => {
    await using redis = await startRedis('--requirepass', 'right');
    const changes = { REDIS_URL: redis.url.replace('127.0.0.1', host) };
    const { code, checks, check } = await doctor(changes);
    expect(code).toBe(5);
    expect(check('redis')).toMatchObject({ ok: false, detail, remedy: expect.stringContaining('REDIS_URL') });
    expect(checks.filter(({ level }) => level === 'error')).toHaveLength(1);
    expect(check('service')).toMatchObject({ level: 'warning', remedy: 'See redis above.' });
    const stderr = expect.stringContaining(`was not sent: Redis, which shares the rate limit, ${detail}`);
    expect(await runCli(['plan'], { ...env, ...changes }, ground.directory)).toMatchObject({ code: 5, stderr });
  },
);

test('--notify sends a test notification, and prints whether the receiver accepted it, without its address', async () => {
  await using receiver = await startReceiver();
  const NOTIFY_URL = `${receiver.url}/services/T0SECRET?token=T1SECRET`;
  const send = () => doctor({ NOTIFY_URL }, '--notify');
  const sent = await send();
  const host = new URL(receiver.url).host;
  expect(sent.check('notices')).toMatchObject({ level: 'ok', detail: `${host} accepted a test (204)` });
  expect(receiver.received[0]?.path).toBe('/services/T0SECRET?token=T1SECRET');
  expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({ event: 'test', text: expect.any(String) });
  await using other = await startReceiver();
  receiver.answer((response) => response.writeHead(302, { location: other.url }).end());
  const refused = await send();
  expect(refused.code).toBe(5);
  expect(refused.check('notices')?.detail).toBe(`${host} answered 302 with a redirect, which is not followed`);
  expect([receiver.received.length, other.received.length]).toEqual([2, 0]);
  expect(JSON.stringify([sent.checks, refused.checks])).not.toMatch(/T\dSECRET/u);
  expect((await doctor({}, '--notify')).code).toBe(2);
});
