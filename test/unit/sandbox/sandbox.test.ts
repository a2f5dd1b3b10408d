import { createServer } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { EMPTY_PERSON, type Person } from '../../../src/sandbox/people/person.ts';
import { contactCount } from '../../../src/sandbox/emulators.ts';
import { type Sandbox, startSandbox, startSandboxPair } from '../../../src/sandbox/sandbox.ts';

const ANNA: Person = { ...EMPTY_PERSON, givenName: 'Anna', groups: ['Clients'] };

const variable = (sandbox: Sandbox, name: string): string => sandbox.environment()[name] ?? `${name} is missing`;

const readGoogle = async (sandbox: Sandbox): Promise<unknown> => {
  const body = new URLSearchParams({
    grant_type: 'refresh_token',
    client_id: variable(sandbox, 'GOOGLE_CLIENT_ID'),
    client_secret: variable(sandbox, 'GOOGLE_CLIENT_SECRET'),
    refresh_token: variable(sandbox, 'GOOGLE_REFRESH_TOKEN'),
  });
  const granted = await fetch(variable(sandbox, 'GOOGLE_TOKEN_URL'), { method: 'POST', body });
  const { access_token: token } = (await granted.json()) as { access_token: string };
  const url = `${variable(sandbox, 'GOOGLE_ROOT_URL')}v1/people/me/connections?personFields=names&pageSize=1000`;
  return (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).json();
};

const readService = async (sandbox: Sandbox): Promise<unknown> => {
  const headers = {
    authorization: `Bearer ${variable(sandbox, 'SERVICE_ACCESS_TOKEN')}`,
    'content-type': 'application/json',
  };
  return (await fetch(`${variable(sandbox, 'SERVICE_BASE_URL')}/v2/contacts`, { headers })).json();
};

describe('startSandbox', () => {
  it('serves sample data that overlaps in part, to the credentials of its environment', async () => {
    await using sandbox = await startSandbox();
    const google = sandbox.google.account.people().length;
    const service = sandbox.service.account.contacts().length;
    expect(await readGoogle(sandbox)).toMatchObject({ totalItems: google });
    expect(await readService(sandbox)).toMatchObject({ meta: { total: service } });
    expect(google).toBeLessThan(60);
    expect(service).toBeLessThan(60);
    expect(google + service).toBeGreaterThan(80);
  });

  it('fills both sides with the requested number of sample people, the same for the same seed', async () => {
    await using first = await startSandbox({ count: 20, seed: 4 });
    await using second = await startSandbox({ count: 20, seed: 4 });
    await using other = await startSandbox({ count: 20, seed: 5 });
    const names = ({ service }: Sandbox) => service.account.contacts().map((contact) => contact.last_name);
    expect(names(first)).toEqual(names(second));
    expect(names(first)).not.toEqual(names(other));
    expect(names(first).length).toBeLessThanOrEqual(20);
  });

  it('loads the given people, and leaves the other side empty', async () => {
    await using sandbox = await startSandbox({ google: [ANNA] });
    expect(sandbox.google.account.people()).toMatchObject([{ names: [{ givenName: 'Anna' }] }]);
    expect(sandbox.google.account.groups()).toMatchObject([{ name: 'Clients' }]);
    expect(sandbox.service.account.contacts()).toEqual([]);
  });

  it('passes limits, variants and the clock to the emulators', async () => {
    const clock = { now: () => Date.UTC(2030, 0, 1) };
    await using sandbox = await startSandbox({
      service: [ANNA, { ...ANNA, familyName: 'Example' }],
      clock,
      serviceRateLimit: { requests: 1, windowMs: 1000 },
      googleQuotas: { readsPerMinute: 0, writesPerMinute: 0 },
      variants: { service: { createRequires: 'last-name' }, google: { quotaBody: 'quotaFailure' } },
    });
    expect(sandbox.service.account.contacts()).toMatchObject([{ last_name: 'Example' }]);
    expect(sandbox.service.account.contacts()[0]?.createdAtMs).toBeGreaterThanOrEqual(clock.now());
    await readService(sandbox);
    await readService(sandbox);
    expect(sandbox.service.overLimit).toBe(1);
    expect(await readGoogle(sandbox)).toMatchObject({ error: { code: 429 } });
  });

  it('sets every variable that contact-sync needs, none of them empty', async () => {
    await using sandbox = await startSandbox({ count: 1 });
    expect(Object.keys(sandbox.environment()).toSorted()).toEqual([
      'GOOGLE_AUTH_URL',
      'GOOGLE_CLIENT_ID',
      'GOOGLE_CLIENT_SECRET',
      'GOOGLE_REFRESH_TOKEN',
      'GOOGLE_ROOT_URL',
      'GOOGLE_TOKEN_URL',
      'SERVICE_ACCESS_TOKEN',
      'SERVICE_AUTH_URL',
      'SERVICE_BASE_URL',
      'SERVICE_CLIENT_ID',
      'SERVICE_CLIENT_SECRET',
    ]);
    expect(Object.values(sandbox.environment()).every(Boolean)).toBe(true);
  });

  it('does not respond after closing, and can be closed twice', async () => {
    const sandbox = await startSandbox({ count: 1 });
    await sandbox.close();
    await sandbox.close();
    await expect(readService(sandbox)).rejects.toThrow('fetch failed');
    await expect(fetch(sandbox.google.url)).rejects.toThrow('fetch failed');
  });

  it('frees the first port if the second is in use', async () => {
    const occupied = createServer().listen(0, '127.0.0.1');
    await once(occupied, 'listening');
    const free = createServer().listen(0, '127.0.0.1');
    await once(free, 'listening');
    const [servicePort, googlePort] = [occupied, free].map((server) => {
      const address = server.address();
      return typeof address === 'object' ? (address?.port ?? 0) : 0;
    });
    free.close();
    await once(free, 'close');
    await expect(startSandbox({ servicePort: servicePort ?? 0, googlePort: googlePort ?? 0 })).rejects.toThrow(
      'EADDRINUSE',
    );
    await expect(fetch(`http://127.0.0.1:${googlePort}`)).rejects.toThrow('fetch failed');
    occupied.close();
  });
});

describe('startSandboxPair', () => {
  it.each(['google', 'service'] as const)(
    'starts two accounts of %s, each with a separate name, token and people',
    async (provider) => {
      await using pair = await startSandboxPair({ left: { provider }, right: { provider }, count: 30, seed: 2 });
      const { left, right } = pair.links().default;
      expect([left, right]).toMatchObject([
        { provider, name: 'private' },
        { provider, name: 'work' },
      ]);
      const token = provider === 'google' ? 'refreshToken' : 'accessToken';
      expect(left[token]).not.toBe(right[token]);
      expect([pair.left.provider, pair.right.provider]).toEqual([provider, provider]);
      expect(contactCount(pair.left)).toBeGreaterThan(15);
      expect(contactCount(pair.right)).toBeGreaterThan(15);
      expect(pair.left.server.url).not.toBe(pair.right.server.url);
    },
  );

  it('needs no names if the providers differ, in either order', async () => {
    await using pair = await startSandboxPair({
      left: { provider: 'service', people: [ANNA] },
      right: { provider: 'google' },
    });
    const { left, right } = pair.links().default;
    expect([left.name, right.name]).toEqual([undefined, undefined]);
    expect([contactCount(pair.left), contactCount(pair.right)]).toEqual([1, 0]);
  });
});
