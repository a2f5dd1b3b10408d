import { createServer } from 'node:net';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { peopleAt } from '../../../src/sandbox/emulators.ts';
import { EMPTY_PERSON, type Person } from '../../../src/sandbox/people/person.ts';
import { startSandbox, startSandboxPair } from '../../../src/sandbox/sandbox.ts';

const ANNA: Person = { ...EMPTY_PERSON, givenName: 'Anna', groups: ['Clients'] };

it('a sandbox has sample data that overlaps in part, and credentials in every variable', async () => {
  await using sandbox = await startSandbox();
  const [google, service] = [sandbox.google.account.people(), sandbox.service.account.contacts()];
  expect(Math.max(google.length, service.length)).toBeLessThan(60);
  expect(google.length + service.length).toBeGreaterThan(80);
  const names = ['AUTH_URL', 'CLIENT_ID', 'CLIENT_SECRET'];
  expect(Object.entries(sandbox.environment()).map(([name, value]) => (value ? name : ''))).toEqual(
    expect.arrayContaining([
      ...['ACCESS_TOKEN', 'BASE_URL', ...names].map((name) => `SERVICE_${name}`),
      ...['REFRESH_TOKEN', 'ROOT_URL', 'TOKEN_URL', ...names].map((name) => `GOOGLE_${name}`),
    ]),
  );
});

it('a sandbox with people on one side is empty on the other, and skips what the service refuses', async () => {
  const service = [ANNA, { ...ANNA, familyName: 'Example' }];
  await using sandbox = await startSandbox({ service, variants: { service: { createRequires: 'last-name' } } });
  expect(sandbox.service.account.contacts()).toMatchObject([{ last_name: 'Example', bucketIds: ['bucket_1'] }]);
  expect(sandbox.google.account.people()).toEqual([]);
});

it('a sandbox whose second port is in use frees the first, and rejects', async () => {
  const occupied = createServer().listen(0, '127.0.0.1');
  const free = createServer().listen(0, '127.0.0.1');
  await Promise.all([once(occupied, 'listening'), once(free, 'listening')]);
  const [servicePort = 0, googlePort = 0] = [occupied, free].map((server) => {
    const address = server.address();
    return typeof address === 'object' ? (address?.port ?? 0) : 0;
  });
  free.close();
  await once(free, 'close');
  await expect(startSandbox({ servicePort, googlePort })).rejects.toThrow('EADDRINUSE');
  await expect(fetch(`http://127.0.0.1:${googlePort}`)).rejects.toThrow('fetch failed');
  occupied.close();
});

it('a closed sandbox does not answer, and can be closed again', async () => {
  const sandbox = await startSandbox({ count: 1 });
  await sandbox.close();
  await sandbox.close();
  await expect(fetch(sandbox.google.url)).rejects.toThrow('fetch failed');
  await expect(fetch(sandbox.service.url)).rejects.toThrow('fetch failed');
});

it.each(['google', 'service'] as const)('two accounts of %s have names, tokens and people', async (provider) => {
  await using pair = await startSandboxPair({ left: { provider }, right: { provider }, count: 30, seed: 2 });
  const { left, right } = pair.links().default;
  expect([left.name, right.name]).toEqual(['private', 'work']);
  const token = provider === 'google' ? 'refreshToken' : 'accessToken';
  expect(left[token]).not.toBe(right[token]);
  expect(Math.min(peopleAt(pair.left).length, peopleAt(pair.right).length)).toBeGreaterThan(15);
});
