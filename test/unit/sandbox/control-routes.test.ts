import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
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

test.each(['google', 'service'] as const)('the control routes of %s are open to this machine only', async (name) => {
  const { url } = sandbox[name];
  const { host, port } = new URL(url);
  for (const headers of [{}, { host: `localhost:${port}` }, { origin: `http://${host}` }]) {
    expect(await statusOf(url, headers)).toBe(200);
  }
  const strangers = [{ host: 'rebound.example' }, { host: '127.0.0.1.example' }];
  const pages = ['https://page.example', 'http://127.0.0.1:1', 'null'].map((origin) => ({ origin }));
  for (const headers of [...strangers, ...pages]) expect(await statusOf(url, headers)).toBe(403);
});
