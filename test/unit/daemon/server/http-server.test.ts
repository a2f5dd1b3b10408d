import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { request, type Server } from 'node:http';
import { connect } from 'node:net';
import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { ConfigError } from '../../../../src/util/config-error.ts';
import { openHttpServer } from '../../../../src/daemon/server/http-server.ts';

const LOOPBACK = { host: '127.0.0.1', port: 0 };
const groups = [
  new Hono().get('/one', (context) => context.text('first')),
  new Hono()
    .get('/two', (context) => context.text('second'))
    .get('/breaks', () => {
      throw new Error('the store cannot be read');
    }),
];

const openTestServer = async (address = LOOPBACK) => {
  const failed: unknown[] = [];
  const server = await openHttpServer({
    address,
    onError: (path, error) => failed.push([path, error]),
    onLimited: () => undefined,
  });
  server.serve(groups);
  const port = Number(server.address.split(':').at(-1));
  return { server, failed, port, url: `http://127.0.0.1:${port}` };
};

/** Returns the status of a request with the given Host header. `fetch` overrides Host. */
const statusFor = async (url: string, host: string): Promise<number | undefined> => {
  const asked = request(url, { headers: { host }, agent: false }).end();
  const [answer] = (await once(asked, 'response')) as [{ statusCode?: number; resume(): void }];
  answer.resume();
  return answer.statusCode;
};

test('the server serves the routes of each group, with responses that must not be cached', async () => {
  const { server, url } = await openTestServer();
  await using _ = server;
  const answer = await fetch(`${url}/one`);
  expect(await answer.text()).toBe('first');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(await (await fetch(`${url}/two`)).text()).toBe('second');
  expect((await fetch(`${url}/three`)).status).toBe(404);
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

test('an address that other machines can reach accepts any Host header', async () => {
  const { server, url } = await openTestServer({ host: '0.0.0.0', port: 0 });
  await using _ = server;
  expect(await statusFor(`${url}/one`, 'metrics.example')).toBe(200);
});

test('an error of a route is logged and not sent to the client', async () => {
  const { server, failed, url } = await openTestServer();
  await using _ = server;
  const answer = await fetch(`${url}/breaks`);
  expect(answer.status).toBe(500);
  expect(await answer.text()).not.toContain('store');
  expect(failed).toEqual([['/breaks', new Error('the store cannot be read')]]);
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

test.each([
  ['a port in use', (port: number) => ({ host: '127.0.0.1', port }), /^ {2}- LISTEN: 127\.0\.0\.1:\d+ is in use\. /mu],
  // 192.0.2.0/24 is for documentation (RFC 5737).
  [
    'an address of another machine',
    () => ({ host: '192.0.2.1', port: 0 }),
    /LISTEN: 192\.0\.2\.1:0 is not an address/u,
  ],
])('%s is a configuration error', async (_, addressOf, message) => {
  const { server, port, url } = await openTestServer();
  await using __ = server;
  const second = openHttpServer({ address: addressOf(port), onError: () => undefined, onLimited: () => undefined });
  await expect(second).rejects.toThrow(ConfigError);
  await expect(second).rejects.toThrow(message);
  expect((await fetch(`${url}/one`)).status).toBe(200);
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
