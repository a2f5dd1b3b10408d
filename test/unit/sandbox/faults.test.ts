import { describe, expect, test } from 'vitest';
import type { Fault } from '../../../src/sandbox/faults.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.ts';

type Provider = 'google' | 'service';

const accessToken = async ({ google, service }: Sandbox, provider: Provider): Promise<string> => {
  if (provider === 'service') return service.issueToken();
  const form = { grant_type: 'refresh_token', client_id: google.clientId, client_secret: google.clientSecret };
  const body = new URLSearchParams({ ...form, refresh_token: google.issueRefreshToken() });
  const answer = (await (await fetch(google.tokenUrl, { method: 'POST', body })).json()) as { access_token: string };
  return answer.access_token;
};

const REQUESTS = {
  google: {
    create: ['POST', 'v1/people:createContact', { names: [{ givenName: 'Ada' }] }],
    list: ['GET', 'v1/people/me/connections?personFields=names', undefined],
  },
  service: {
    create: ['POST', '/v2/contacts', { data: { first_name: 'Ada' } }],
    list: ['GET', '/v2/contacts?order=id', undefined],
  },
} as const;

/** Matches `create` and not `list`, at both remotes. */
const CREATE = { method: 'POST', path: 'ontacts?$' } as const;

const open = async (provider: Provider) => {
  const sandbox = await startSandbox({ google: [], service: [] });
  const emulator = sandbox[provider];
  const headers = {
    authorization: `Bearer ${await accessToken(sandbox, provider)}`,
    'content-type': 'application/json',
  };
  const send = (kind: 'create' | 'list'): Promise<Response> => {
    const [method, path, body] = REQUESTS[provider][kind];
    return fetch(`${emulator.url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  };
  const contacts = (): number =>
    provider === 'google' ? sandbox.google.account.people().length : sandbox.service.account.contacts().length;
  return { emulator, send, contacts, [Symbol.asyncDispose]: () => sandbox.close() };
};

describe.each(['google', 'service'] as const)('a fault of %s', (provider) => {
  test('that returns a status does not apply the request and has the error body of the remote', async () => {
    await using stage = await open(provider);
    stage.emulator.addFault({ ...CREATE, action: { kind: 'status', status: 503, retryAfter: '7' } });
    expect((await stage.send('list')).status).toBe(200);
    const refused = await stage.send('create');
    expect([refused.status, refused.headers.get('retry-after'), stage.contacts()]).toEqual([503, '7', 0]);
    expect(await refused.json()).toHaveProperty(provider === 'google' ? 'error.status' : 'errors.0');
    expect((await stage.send('create')).status).toBe(200);
  });

  test.each<[Fault['action'], number]>([
    [{ kind: 'reset-before' }, 0],
    [{ kind: 'reset-after' }, 1],
  ])('%j cuts the connection before or after the request is applied', async (action, applied) => {
    await using stage = await open(provider);
    stage.emulator.addFault({ ...CREATE, action });
    await expect(stage.send('create')).rejects.toThrow('fetch failed');
    expect(stage.contacts()).toBe(applied);
    expect(stage.emulator.requests.at(-1)).toMatchObject({ status: null, fault: action.kind });
  });

  test.each<[Fault['action'], number, number]>([
    [{ kind: 'html' }, 502, 0],
    [{ kind: 'truncate' }, 200, 1],
  ])('%j has the status %i and no JSON', async (action, status, applied) => {
    await using stage = await open(provider);
    stage.emulator.addFault({ ...CREATE, action });
    const response = await stage.send('create');
    await expect(response.json()).rejects.toThrow();
    expect([response.status, stage.contacts()]).toEqual([status, applied]);
  });

  test('that delays a request applies it afterwards, and does not keep the emulator open', async () => {
    await using stage = await open(provider);
    stage.emulator.addFault({ ...CREATE, action: { kind: 'delay', delayMs: 1 } });
    expect((await stage.send('create')).status).toBe(200);
    stage.emulator.addFault({ ...CREATE, action: { kind: 'delay', delayMs: 600_000 } });
    const cut = expect(stage.send('create')).rejects.toThrow('fetch failed');
    await expect.poll(() => stage.emulator.requests.at(-1)?.fault).toBe('delay');
    await stage.emulator.close();
    await cut;
  });
});

describe('the faults of an emulator', () => {
  test('are applied in order, each to so many matching requests after those that it skips, until cleared', async () => {
    await using stage = await open('service');
    stage.emulator.addFault({ path: /contacts/u, skip: 1, times: 2, action: { kind: 'status', status: 500 } });
    stage.emulator.addFault({ path: 'order=id', action: { kind: 'status', status: 503 } });
    const statuses: number[] = [];
    for (let count = 0; count < 4; count += 1) statuses.push((await stage.send('list')).status);
    expect(statuses).toEqual([503, 500, 500, 200]);
    stage.emulator.addFault({ times: 9, action: { kind: 'html' } });
    stage.emulator.clearFaults();
    expect((await stage.send('list')).status).toBe(200);
  });

  test('may have a body of their own', async () => {
    await using stage = await open('google');
    stage.emulator.addFault({ path: 'connections', action: { kind: 'status', status: 400, body: { a: 1 } } });
    expect(await (await stage.send('list')).json()).toEqual({ a: 1 });
  });
});

test("changes of Google's account that overlap are counted, and reads are not", async () => {
  await using stage = await open('google');
  await stage.send('create');
  await Promise.all([stage.send('list'), stage.send('create')]);
  expect(stage.emulator).toHaveProperty('overlappingMutations', 0);
  await Promise.all([stage.send('create'), stage.send('create')]);
  expect(stage.emulator).toHaveProperty('overlappingMutations', 1);
});
