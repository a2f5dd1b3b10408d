import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ count: 2 });
});
afterAll(() => sandbox.close());

/** Sends Host and Origin like a browser, since `fetch` sets both itself. */
const statusOf = (url: string, headers: Record<string, string>): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const sent = request(new URL('/__control/faults', url), { method: 'DELETE', headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    sent.once('error', reject).end();
  });

const control = async (url: string, method: string, path: string, body?: object) => {
  const init = { method, ...(body && { body: JSON.stringify(body) }) };
  const response = await fetch(new URL(`/__control/${path}`, url), init);
  return { status: response.status, body: await response.json() };
};

describe.each(['google', 'service'] as const)('the control routes of %s', (name) => {
  test('are open to programs of this machine only', async () => {
    const { url } = sandbox[name];
    const { host, port } = new URL(url);
    for (const headers of [{}, { host: `localhost:${port}` }, { origin: `http://${host}` }]) {
      expect(await statusOf(url, headers)).toBe(200);
    }
    const strangers = [{ host: 'rebound.example' }, { host: '127.0.0.1.example' }];
    const pages = ['https://page.example', 'http://127.0.0.1:1', 'null'].map((origin) => ({ origin }));
    for (const headers of [...strangers, ...pages]) expect(await statusOf(url, headers)).toBe(403);
  });

  test('add and remove faults, list the requests with their faults, and change variants', async () => {
    const { url } = sandbox[name];
    const fault = { path: 'odd', times: 9, action: { kind: 'status', status: 418 } };
    expect((await control(url, 'POST', 'faults', fault)).status).toBe(200);
    expect((await fetch(new URL('/v2/odd?a=b', url))).status).toBe(418);
    await control(url, 'DELETE', 'faults');
    expect((await fetch(new URL('/v2/odd', url))).status).not.toBe(418);
    const { body } = await control(url, 'GET', 'requests');
    const logged = { method: 'GET', path: '/v2/odd', query: 'a=b', status: 418, fault: 'status' };
    expect(body).toMatchObject({ requests: expect.arrayContaining([expect.objectContaining(logged)]) });
    const [variant, value] = name === 'google' ? ['quotaBody', 'quotaFailure'] : ['errorBody', 'empty'];
    expect((await control(url, 'POST', 'variants', { [variant]: value })).body).toMatchObject({ [variant]: value });
    expect((await control(url, 'POST', 'variants', { [variant]: 'blue' })).status).toBe(400);
    expect((await control(url, 'POST', 'faults', { action: { kind: 'flood' } })).status).toBe(400);
  });
});

test("the service's control routes issue and revoke tokens, and set the rate limit and computed values", async () => {
  const { url, account } = sandbox.service;
  const { token } = (await control(url, 'POST', 'tokens', {})).body as { token: string };
  const read = () => fetch(`${url}/v2/me`, { headers: { authorization: `Bearer ${token}` } });
  await control(url, 'POST', 'rate-limit', { requests: 2, windowMs: 1000 });
  expect((await read()).headers.get('x-rate-limit-limit')).toBe('2/second');
  await control(url, 'DELETE', 'tokens', { token });
  expect((await read()).status).toBe(403);
  const { id } = account.createContact({});
  await control(url, 'POST', `contacts/${id}`, { relationship_status: 'strong' });
  expect(account.contact(id)?.relationshipStatus).toBe('strong');
});
