import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { createGates } from '../../../src/net/gates.ts';
import { createFakeClock } from './fake-clock.ts';

test('gates close within a second if Redis does not answer', async () => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => sockets.push(socket.resume())).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const store = { budget: () => Promise.resolve(null), saveBudget: () => Promise.resolve() };
  const clock = createFakeClock();
  const gates = createGates({ clock, random: () => 0.5, store, redisUrl: `redis://127.0.0.1:${port}` });
  const connected = once(silent, 'connection');
  const opening = gates.open('a', { requests: 60, windowMs: 60_000 }, () => undefined);
  await connected;
  let hasAnswered = false;
  const opened = opening.then(() => (hasAnswered = true));
  const closed = gates.close();
  await clock.advance(1_000);
  await closed;
  expect(hasAnswered).toBe(false);
  await opened;
  for (const socket of sockets) socket.destroy();
  silent.close();
});
