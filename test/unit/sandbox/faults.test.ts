import { describe, expect, test } from 'vitest';
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
