import { createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { cliHost } from '../../support/cli-host.ts';
import { startReceiver, type Receiver } from '../../support/network.ts';
import type { Environment } from './run-cli.ts';

const SECRET = 'a-secret-of-sixteen-or-more';

let receiver: Receiver;
let directory: string;
beforeEach(async () => {
  receiver = await startReceiver();
  directory = await mkdtemp(join(tmpdir(), 'contact-sync-notify-'));
});
afterEach(async () => {
  await receiver[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

const notify = (changes: Environment = {}, args: readonly string[] = ['--test']) => {
  const env = {
    GOOGLE_CLIENT_ID: 'id',
    GOOGLE_CLIENT_SECRET: 'secret',
    SERVICE_BASE_URL: 'https://service.invalid',
    NOTIFY_URL: `${receiver.url}/services/T0SECRET?token=T1SECRET`,
    DATA_DIR: directory,
    ...changes,
  };
  return cliHost.run(['notify', ...args], env, directory);
};
const name = (): string => new URL(receiver.url).host;

test('a signed test notification is sent, and the response is printed: exit code 0', async () => {
  receiver.answer((response) => response.writeHead(200).end('ok'));
  expect(await notify({ NOTIFY_SECRET: SECRET })).toEqual({
    code: 0,
    stdout: `${name()} answered 200: ok\n`,
    stderr: '',
  });
  const [request] = receiver.received;
  expect(receiver.received).toHaveLength(1);
  expect(request?.path).toBe('/services/T0SECRET?token=T1SECRET');
  expect(JSON.parse(request?.body ?? '')).toMatchObject({ event: 'test', link: null, text: expect.any(String) });
  const signed = `${String(request?.headers['contact-sync-timestamp'])}.${request?.body}`;
  const expected = createHmac('sha256', SECRET).update(signed).digest('hex');
  expect(request?.headers['contact-sync-signature']).toBe(`v1=${expected}`);
});

test('with NOTIFY_FORMAT=slack the body contains only a text', async () => {
  await notify({ NOTIFY_FORMAT: 'slack' });
  expect(JSON.parse(receiver.received[0]?.body ?? '')).toEqual({ text: expect.any(String) });
});

test.each([
  [404, 'no_service', 1],
  [403, 'invalid_token', 1],
  [503, 'later', 5],
  [429, 'too many', 5],
])('a webhook that responds with %i (%s): exit code %i, after one attempt', async (status, words, code) => {
  receiver.answer((response) => response.writeHead(status).end(words));
  expect(await notify()).toEqual({ code, stdout: '', stderr: `${name()} answered ${status}: ${words}\n` });
  expect(receiver.received).toHaveLength(1);
});

test('a redirect is not followed: exit code 1', async () => {
  await using other = await startReceiver();
  receiver.answer((response) => response.writeHead(302, { location: other.url }).end());
  const { code, stderr } = await notify();
  expect([code, stderr]).toEqual([1, `${name()} answered 302 with a redirect, which is not followed\n`]);
  expect(other.received).toEqual([]);
});

test('an unreachable webhook: exit code 5, with only its host in the message', async () => {
  const { code, stderr } = await notify({ NOTIFY_URL: 'http://127.0.0.1:9/services/T0SECRET' });
  expect([code, stderr]).toEqual([5, '127.0.0.1:9 did not answer (ECONNREFUSED)\n']);
});

test('an address that the response repeats is not printed', async () => {
  receiver.answer((response, { path }) => response.writeHead(404).end(`Cannot POST ${path}`));
  const { stderr } = await notify();
  expect(stderr).toContain('Cannot POST');
  expect(stderr).not.toMatch(/T\dSECRET/u);
});

test('the test notification is also sent without --test, and without a webhook the exit code is 2', async () => {
  expect(await notify({}, [])).toMatchObject({ code: 0, stdout: expect.stringContaining('answered 204') });
  expect(receiver.received).toHaveLength(1);
  expect(await notify({ NOTIFY_URL: '' })).toMatchObject({ code: 2, stderr: expect.stringContaining('NOTIFY_URL') });
  expect(receiver.received).toHaveLength(1);
});
