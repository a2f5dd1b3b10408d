import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { request, type Server } from 'node:http';
import { connect } from 'node:net';
import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { ConfigError } from '../../../../src/util/config-error.ts';
import { openHttpServer } from '../../../../src/daemon/server/http-server.ts';

const groups = [
  new Hono().get('/one', (context) => context.text('first')),
  new Hono()
    .get('/two', (context) => context.text('second'))
    .get('/breaks', () => {
      throw new Error('the store cannot be read');
    }),
];

const openTestServer = async () => {
  const failed: unknown[] = [];
  const server = await openHttpServer({
    address: { host: '127.0.0.1', port: 0 },
    onError: (path, error) => failed.push([path, error]),
    onLimited: () => undefined,
  });
  server.serve(groups);
  const port = Number(server.address.split(':').at(-1));
  return { server, failed, port, url: `http://127.0.0.1:${port}` };
};

const statusFor = async (url: string, host: string): Promise<number | undefined> => {
  const asked = request(url, { headers: { host }, agent: false }).end();
  const [answer] = (await once(asked, 'response')) as [{ statusCode?: number; resume(): void }];
  answer.resume();
  return answer.statusCode;
};

test('the server serves the routes of each group uncached, and logs an error of a route without sending it', async () => {
  const { server, failed, url } = await openTestServer();
  await using _ = server;
  const answer = await fetch(`${url}/one`);
  expect(await answer.text()).toBe('first');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(await (await fetch(`${url}/two`)).text()).toBe('second');
  expect((await fetch(`${url}/three`)).status).toBe(404);
  const broken = await fetch(`${url}/breaks`);
  expect([broken.status, await broken.text()]).toEqual([500, expect.not.stringContaining('store')]);
  expect(failed).toEqual([['/breaks', new Error('the store cannot be read')]]);
});

test.each([
  ['127.0.0.1:8377', 200],
  ['localhost', 200],
  ['LOCALHOST:1', 200],
  ['[::1]:8377', 200],
  ['rebound.example', 403],
  ['127.0.0.1.example', 403],
  ['localhost.example:8377', 403],
  ['192.168.1.20:8377', 403],
])('a loopback address with the Host header %s returns %i', async (host, status) => {
  const { server, url } = await openTestServer();
  await using _ = server;
  expect(await statusFor(`${url}/one`, host)).toBe(status);
});

test('an error while accepting a connection is logged, and the next connection is served', async () => {
  const { server, failed, url } = await openTestServer();
  await using _ = server;
  const servers: Server[] = [];
  const recordServer = (message: unknown): void => void servers.push((message as { server: Server }).server);
  subscribe('http.server.request.start', recordServer);
  await (await fetch(`${url}/one`)).text();
  unsubscribe('http.server.request.start', recordServer);
  const trouble = new Error('accept ENOBUFS');
  servers[0]?.emit('error', trouble);
  expect(failed).toEqual([['', trouble]]);
  expect((await fetch(`${url}/one`)).status).toBe(200);
});

test('an address of another machine is a configuration error', async () => {
  // 192.0.2.0/24 is for documentation (RFC 5737).
  const address = { host: '192.0.2.1', port: 0 };
  const opened = openHttpServer({ address, onError: () => undefined, onLimited: () => undefined });
  await expect(opened).rejects.toThrow(ConfigError);
  await expect(opened).rejects.toThrow(/LISTEN: 192\.0\.2\.1:0 is not an address/u);
});

test('the server closes at once, even with idle connections and incomplete requests', async () => {
  const { server, port, url } = await openTestServer();
  await (await fetch(`${url}/one`)).text();
  const slow = connect(port, '127.0.0.1');
  await once(slow, 'connect');
  slow.write('GET /one HTTP/1.1\r\nHost: loc');
  slow.on('error', () => undefined);
  const cut = new Promise((resolve) => slow.once('close', resolve));
  await server[Symbol.asyncDispose]();
  await cut;
  await expect(fetch(`${url}/one`)).rejects.toThrow('fetch failed');
});
