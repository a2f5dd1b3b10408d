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

describe.each(['google', 'service'] as const)('the control routes of %s', (name) => {
  test('are open to programs of this machine', async () => {
    const { url } = sandbox[name];
    const { host, port } = new URL(url);
    expect(await statusOf(url, {})).toBe(200);
    expect(await statusOf(url, { host: `localhost:${port}` })).toBe(200);
    expect(await statusOf(url, { origin: `http://${host}` })).toBe(200);
  });

  test.each([
    ['a name that was changed to resolve to this host', { host: 'rebound.example' }],
    ['a host whose name only starts like this one', { host: '127.0.0.1.example' }],
    ['a page of another origin', { origin: 'https://page.example' }],
    ['a page of another port', { origin: 'http://127.0.0.1:1' }],
    ['a page without an origin of its own', { origin: 'null' }],
  ])('are closed to %s', async (_client, headers) => {
    expect(await statusOf(sandbox[name].url, headers)).toBe(403);
  });
});
