import { describe, expect } from 'vitest';
import { listPage, refusalOf, type Sandbox, startSandbox, test } from './support.ts';

const create = ({ api }: Sandbox) => api.people.createContact({ requestBody: { names: [{ givenName: 'Ada' }] } });
const createFault = { method: 'POST', path: /createContact/ };
const contacts = ({ emulator }: Sandbox) => emulator.account.people().length;

describe('a planned fault', () => {
  test('affects as many matching requests as planned, after those to skip', async ({ sandbox, api, emulator }) => {
    emulator.addFault({ path: 'connections', skip: 1, count: 2, effect: { kind: 'status', status: 503 } });
    const statuses: unknown[] = [];
    for (let index = 0; index < 4; index += 1) {
      await create(sandbox);
      statuses.push(
        await listPage(api).then(
          ({ status }) => status,
          ({ status }) => status,
        ),
      );
    }
    expect(statuses).toEqual([200, 503, 503, 200]);
  });

  test('returns a status before or after the request is applied', async ({ sandbox, emulator }) => {
    emulator.addFault({ ...createFault, effect: { kind: 'status', status: 500 } });
    emulator.addFault({ ...createFault, effect: { kind: 'status', status: 503, when: 'after' } });
    expect(await refusalOf(create(sandbox))).toMatchObject({ status: 500, error: { status: 'INTERNAL' } });
    expect(contacts(sandbox)).toBe(0);
    expect(await refusalOf(create(sandbox))).toMatchObject({ status: 503, error: { status: 'UNAVAILABLE' } });
    expect(contacts(sandbox)).toBe(1);
  });

  test('returns only its own headers and body', async ({ emulator }) => {
    const effect = {
      kind: 'status',
      status: 429,
      when: 'after',
      body: { a: 1 },
      headers: { 'retry-after': '7' },
    } as const;
    emulator.addFault({ path: 'connections', effect });
    const response = await fetch(`${emulator.url}v1/people/me/connections`);
    expect([response.status, await response.json()]).toEqual([429, { a: 1 }]);
    expect(response.headers.get('retry-after')).toBe('7');
    expect(response.headers.get('server')).toBeNull();
  });

  test.each([
    ['before', 0],
    ['after', 1],
  ] as const)('resets the connection %s the request is applied', async (when, done) => {
    await using sandbox = await startSandbox();
    await sandbox.api.contactGroups.list();
    sandbox.emulator.addFault({ ...createFault, effect: { kind: 'reset', when } });
    expect((await refusalOf(create(sandbox))).status).toBeUndefined();
    expect(contacts(sandbox)).toBe(done);
    expect(sandbox.emulator.requests.at(-1)).toMatchObject({ mutates: true, status: 'reset' });
    await create(sandbox);
    expect(contacts(sandbox)).toBe(done + 1);
  });

  test('cuts the body of the response to a request that was applied', async ({ sandbox, emulator }) => {
    emulator.addFault({ ...createFault, effect: { kind: 'truncate' } });
    await refusalOf(create(sandbox));
    expect(contacts(sandbox)).toBe(1);
  });

  test('returns an HTML page', async ({ api, emulator }) => {
    emulator.addFault({ path: 'contactGroups', effect: { kind: 'html' } });
    const error = await api.contactGroups.list().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: 502, response: { data: expect.stringContaining('<!DOCTYPE html>') } });
  });

  test('can be cancelled', async ({ api, emulator }) => {
    emulator.addFault({ count: 9, effect: { kind: 'html' } });
    emulator.clearFaults();
    expect((await listPage(api)).status).toBe(200);
  });
});

describe('the request log', () => {
  test('has method, path, query, body and status of every request', async ({ sandbox, api, emulator }) => {
    await create(sandbox);
    await listPage(api);
    expect(emulator.requests).toMatchObject(
      [
        { method: 'POST', path: '/token', mutates: false, status: 200 },
        { method: 'POST', path: '/v1/people:createContact', body: { names: [{}] }, mutates: true, status: 200 },
        { method: 'GET', path: '/v1/people/me/connections', query: /personFields=/, status: 200 },
      ].map((entry) => ({ ...entry, ...('query' in entry && { query: expect.stringMatching(entry.query) }) })),
    );
  });

  test('counts changes that overlap', async ({ sandbox, api, emulator }) => {
    await create(sandbox);
    await create(sandbox);
    await Promise.all([listPage(api), create(sandbox)]);
    expect(emulator.overlappingMutations).toBe(0);
    emulator.addFault({ ...createFault, delayMs: 50 });
    await Promise.all([create(sandbox), create(sandbox)]);
    expect(emulator.overlappingMutations).toBe(1);
  });
});

describe('the control routes', () => {
  async function control({ emulator }: Sandbox, method: string, path: string, body?: object) {
    const response = await fetch(`${emulator.url}__control/${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  }

  test('plan and cancel faults', async ({ sandbox, api }) => {
    const fault = { path: 'connections', count: 5, effect: { kind: 'status', status: 418 } };
    expect((await control(sandbox, 'POST', 'faults', fault)).status).toBe(200);
    expect(await refusalOf(listPage(api))).toMatchObject({ status: 418 });
    await control(sandbox, 'DELETE', 'faults');
    expect((await listPage(api)).status).toBe(200);
    expect((await control(sandbox, 'POST', 'faults', { effect: { kind: 'fire' } })).status).toBe(400);
  });

  test('choose variants', async ({ sandbox, api, emulator }) => {
    emulator.setVariants({ quotaBody: 'quotaFailure' });
    const { body } = await control(sandbox, 'POST', 'variants', { missingContact: 'internalError' });
    expect(body).toMatchObject({ missingContact: 'internalError', quotaBody: 'quotaFailure' });
    const read = api.people.get({ resourceName: 'people/c1', personFields: 'names' });
    expect(await refusalOf(read)).toMatchObject({ status: 500 });
    expect((await control(sandbox, 'POST', 'variants', { missingContact: 'maybe' })).status).toBe(400);
  });

  test('return the log of requests', async ({ sandbox }) => {
    await create(sandbox);
    const { body } = await control(sandbox, 'GET', 'requests');
    expect(body).toMatchObject({ overlappingMutations: 0, requests: [{ path: '/token' }, { mutates: true }] });
  });
});

test('an unknown path is an HTML 404, and a body that is not JSON a 400', async ({ sandbox, api, emulator }) => {
  expect((await fetch(`${emulator.url}v1/neighbours`)).status).toBe(404);
  await api.contactGroups.list();
  const { token } = await sandbox.auth.getAccessToken();
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${emulator.url}v1/contactGroups`, { method: 'POST', headers, body: '{' });
  expect(answer.status).toBe(400);
});

test('closing ends open requests and frees the port, also the second time', async () => {
  const sandbox = await startSandbox();
  sandbox.emulator.addFault({ path: 'contactGroups', delayMs: 60_000 });
  await listPage(sandbox.api);
  const open = refusalOf(sandbox.api.contactGroups.list());
  await expect.poll(() => sandbox.emulator.requests.at(-1)?.path).toBe('/v1/contactGroups');
  await sandbox.emulator.close();
  await sandbox.emulator.close();
  expect((await open).status).toBeUndefined();
});
