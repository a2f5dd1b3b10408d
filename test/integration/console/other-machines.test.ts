import { expect, test } from 'vitest';
import { startDaemonWorld } from '../../support/jobs/daemon-world.ts';
import { says } from '../../support/jobs/log-lines.ts';
import { ask, formTo, startPage } from './page-client.ts';

const SLOW = { syncInterval: '7d' };
const OTHER_NAME = { host: 'server.example:8377' };
const TOKEN = 'a-token-that-nobody-guesses';

const listenOpenly = async (settings: object) => {
  const world = await startDaemonWorld({ work: SLOW }, { listen: '0.0.0.0:0', ...settings });
  const { daemon, address } = await startPage(world);
  const warning = await daemon.until(says('HTTP server open to other machines'));
  return { world, remedy: String(warning['remedy']), address: address.replace('0.0.0.0', '127.0.0.1') };
};

test('without CONSOLE_TOKEN only a request to a loopback name gets the page, and only a link of `console` signs in', async () => {
  const { world, address, remedy } = await listenOpenly({});
  await using _ = world;
  for (const path of ['/', '/sign-in', '/links/work']) {
    expect((await ask(address, path, { headers: OTHER_NAME })).status).toBe(403);
  }
  expect((await ask(address, '/')).headers['location']).toBe('/sign-in');
  expect((await formTo(address, '/sign-in', { token: TOKEN })).status).toBe(403);
  const link = new URL((await world.run('console')).stdout.trim());
  expect(link.host).toBe(address);
  const pass = link.searchParams.get('pass') ?? '';
  expect((await formTo(address, '/sign-in', { pass })).status).toBe(303);
  expect((await ask(address, '/healthz', { headers: OTHER_NAME })).status).toBe(200);
  expect(remedy).toMatch(/^The metrics show names of links/u);
});

test('CONSOLE_TOKEN is required if it is set, guesses are limited, and missing TLS is logged as a warning', async () => {
  const { world, address, remedy } = await listenOpenly({ consoleToken: TOKEN });
  await using _ = world;
  expect(remedy).toMatch(/TLS/u);
  expect((await ask(address, '/')).headers['location']).toBe('/sign-in');
  expect((await ask(address, '/sign-in')).text).toContain('CONSOLE_TOKEN');
  const entered = await formTo(address, '/sign-in', { token: TOKEN }, { 'x-forwarded-proto': 'https' });
  expect(String(entered.headers['set-cookie'])).toMatch(/; HttpOnly; Secure; SameSite=Strict$/u);
  const statuses: number[] = [];
  for (let guess = 0; guess < 15; guess += 1) {
    statuses.push((await formTo(address, '/sign-in', { token: `${TOKEN}${guess}` })).status);
  }
  expect(statuses.filter((status) => status === 403).length).toBeLessThanOrEqual(10);
  expect(statuses.at(-1)).toBe(429);
});
