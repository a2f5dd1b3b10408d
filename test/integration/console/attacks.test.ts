import { beforeAll, expect, test } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { extentOf } from '../../support/extent.ts';
import { startDaemonWorld, type DaemonWorld } from '../../support/jobs/daemon-world.ts';
import { completed, errors } from '../../support/jobs/log-lines.ts';
import { ask, formTo, lastRunOn, newPass, signIn, startPage, tokenIn, type Visitor } from './page-client.ts';

const SLOW = { syncInterval: '7d', sweepInterval: '7d' };
const HOSTILE_NAME = '<img src=x onerror=alert(1)>';
const HOSTILE_LABEL = '</script><script>alert(2)</script>';

let world: DaemonWorld;
let sandbox: Sandbox;
let daemon: Awaited<ReturnType<typeof startPage>>['daemon'];
let visitor: Visitor;

beforeAll(async () => {
  world = await startDaemonWorld();
  sandbox = await world.addLink('work');
  const { google } = sandbox;
  const [person] = google.account.people();
  const label = google.account.createGroup(HOSTILE_LABEL);
  google.account.updatePerson(person?.resourceName ?? '', {
    names: [{ givenName: HOSTILE_NAME, familyName: '"><b>' }],
    organizations: [{ name: "'><script>alert(3)</script>" }],
  });
  google.account.setGroups(person?.resourceName ?? '', [label]);
  await world.configure({ work: SLOW }, { listen: '127.0.0.1:0' });
  const started = await startPage(world);
  ({ daemon } = started);
  await daemon.until(completed('work', 'full'));
  visitor = await signIn(world, started.address);
  return () => world[Symbol.asyncDispose]();
});

const runs = async (): Promise<number> => (await world.run('runs', 'work', '--json')).stdout.split('"run":').length;

test.each(['rebound.example', 'rebound.example:80', '10.0.0.1'])('another Host %j is refused', async (name) => {
  const { address, cookie } = visitor;
  const answer = await ask(address, '/links/work', { headers: { host: name, cookie } });
  expect(answer).toMatchObject({ status: 403, text: expect.not.stringContaining('work') });
});

/** The forms of the page. Those of the first part would start a run or change the schedule. */
const FORMS: readonly (readonly [action: string, fields: Readonly<Record<string, string>>, isTried: boolean])[] = [
  ...['sync', 'pause', 'resume', 'plan/accept'].map(
    (step) => [`/links/work/${step}`, { kind: 'full' }, false] as const,
  ),
  ['/links/work/verdicts', { left: 'people/c1', right: 'contact_1', says: 'together' }, true],
  ['/links/work/contact/retry', { id: 'people/c1' }, true],
  ['/links/work/conflicts', { ids: '1,2', take: 'left' }, true],
  ['/links/work/sign-in', { side: 'left' }, true],
  ['/links/work/runs/any/preview', { write: '1' }, true],
  ['/links/work/runs/any/undo', { write: '1' }, true],
];

test.each(FORMS)('the form of %s requires the token of its session and the origin of its page', async (...of) => {
  const [action, fields, isTried] = of;
  const before = await runs();
  const own = await signIn(world, visitor.address);
  const token = tokenIn((await own.get('/links/work')).text);
  for (const other of ['', 'x', tokenIn((await visitor.get('/links/work')).text), `${token}x`]) {
    expect([other, (await own.post(action, { ...fields, token: other })).status]).toEqual([other, 403]);
  }
  for (const origin of ['https://elsewhere.example', 'null', 'http://127.0.0.1:1', 'http://localhost', '']) {
    // No browser lets a page of another origin send the second header with this value.
    for (const headers of [{ origin }, { origin, 'sec-fetch-site': 'same-origin' }]) {
      const answer = await own.post(action, { ...fields, token }, headers);
      expect([origin, answer.status]).toEqual([origin, 403]);
    }
  }
  if (isTried) expect((await own.post(action, { ...fields, token })).status).toBe(303);
  expect((await world.run('status', '--json')).stdout).toContain('"pausedByHandAt":null');
  expect(await runs()).toBe(before);
});

test('a sign-in from another origin is refused', async () => {
  const origin = 'https://elsewhere.example';
  expect((await formTo(visitor.address, '/sign-in', { pass: await newPass(world) }, { origin })).status).toBe(403);
});

test.each(['GET', 'POST'] as const)('without a session %s shows nothing and changes nothing', async (method) => {
  const { address } = visitor;
  const form = { 'content-type': 'application/x-www-form-urlencoded', origin: `http://${address}` };
  for (const cookie of ['', `${visitor.cookie}x`, 'contact_sync_1=1']) {
    const headers = { ...(method === 'POST' && form), cookie };
    const answer = await ask(address, '/links/work', { method, headers });
    expect([answer.status, answer.text.includes('Contacts')]).toEqual([method === 'GET' ? 303 : 403, false]);
    expect((await ask(address, '/links/work/live', { headers: { cookie } })).headers['location']).toMatch(
      /^\/sign-in\?/u,
    );
  }
});

test('a session ends when it is signed out', async () => {
  const other = await signIn(world, visitor.address);
  const token = tokenIn((await other.get('/links/work')).text);
  expect((await other.press('/links/work', '/sign-out')).headers['location']).toBe('/sign-in');
  expect((await other.get('/links/work')).status).toBe(303);
  expect((await other.post('/links/work/sync', { token })).status).toBe(403);
});

test('the names of contacts and labels are shown as text on every page', async () => {
  const runPage = await lastRunOn(visitor, '/links/work');
  const contact = String((await visitor.get('/links/work/contacts?find=img')).headers['location']);
  expect((await visitor.get(contact)).text).toContain('&lt;img src=x onerror=alert(1)&gt;');
  expect((await visitor.get(runPage)).text).toContain('&lt;/script&gt;&lt;script&gt;alert(2)&lt;/script&gt;');
  const injection = encodeURIComponent('"><script>alert(4)</script>');
  const pages = ['', '/plan', '/conflicts', '/runs', '/contacts', `/contacts?find=${injection}`];
  const others = ['/', runPage, `${runPage}?find=${injection}`, `/sign-in?pass=${injection}`, contact];
  for (const path of [...pages.map((page) => `/links/work${page}`), ...others]) {
    const { text } = await visitor.get(path);
    expect([path, /<img|<script>|<b>|alert\(4\)<\/script>|style=/u.exec(text)]).toEqual([path, null]);
  }
});

test('every page forbids caching, framing, and scripts or styles of other origins', async () => {
  for (const path of ['/', '/sign-in', '/links/work', '/links/none', '/style.css']) {
    const { headers } = await visitor.get(path);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy':
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
    });
  }
});

test.each([{}, { 'transfer-encoding': 'chunked' }])(
  'a form larger than any of the page is refused: %j',
  async (headers) => {
    const { address } = visitor;
    expect((await formTo(address, '/sign-in', { pass: 'x'.repeat(300_000) }, headers)).status).toBe(413);
    expect((await formTo(address, '/sign-in', { pass: await newPass(world) }, headers)).status).toBe(303);
  },
);

/** `npm test` sends a part of them. */
const FLOOD = extentOf({ all: 10_000, sample: 5_000 });

test('thousands of requests do not harm the daemon', async () => {
  const { address, cookie } = visitor;
  const statuses: number[] = [];
  const kinds = [
    () => ask(address, '/links/work'),
    () => formTo(address, '/sign-in', { pass: 'guess' }),
    () => formTo(address, '/sign-in', { token: 'guess' }),
    () => ask(address, '/links/work/contacts?find=a', { headers: { cookie } }),
    () => ask(address, '/nowhere'),
  ];
  for (let sent = 0; sent < FLOOD; sent += 50) {
    const batch = Array.from({ length: 50 / kinds.length }, () => kinds.map((send) => send())).flat();
    for (const { status } of await Promise.all(batch)) statuses.push(status);
  }
  expect(new Set(statuses)).toEqual(new Set([200, 303, 403, 404]));
  expect((await ask(address, '/readyz')).status).toBe(200);
  const { text } = await ask(address, '/metrics');
  const bytes = Number(/^process_resident_memory_bytes (\S+)$/mu.exec(text)?.[1]);
  expect(bytes).toBeLessThan(400 * 2 ** 20);
  expect(errors(daemon)).toEqual([]);
  daemon.kill('SIGTERM');
  expect(await daemon.exited).toBe(0);
});
