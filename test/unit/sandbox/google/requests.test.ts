import { describe, expect } from 'vitest';
import { listPage, minuteMs, type Refusal, refusalOf, type Sandbox, startSandbox, test } from './support.ts';

const ada = { names: [{ givenName: 'Ada' }] };

/** Sends a request like a program without the official client. */
async function send({ emulator, auth }: Sandbox, path: string, method = 'GET', body?: string): Promise<Response> {
  const { token } = await auth.getAccessToken();
  const headers = { authorization: `Bearer ${token}` };
  return fetch(`${emulator.url}v1/${path}`, { method, headers, ...(body !== undefined && { body }) });
}

function limitOf({ error }: Refusal): unknown {
  return (error?.details?.[0]?.['metadata'] as { quota_limit?: string } | undefined)?.quota_limit;
}

test('a used write quota is a 429 with its name, until the minute has passed', async () => {
  await using sandbox = await startSandbox({ quotas: { readsPerMinute: 100, writesPerMinute: 2 } });
  const create = () => sandbox.api.people.createContact({ requestBody: ada });
  await create();
  sandbox.clock.nowMs += 1000;
  await create();
  const refusal = await refusalOf(create());
  expect(refusal).toMatchObject({ status: 429, error: { status: 'RESOURCE_EXHAUSTED' } });
  expect(refusal.message).toBe(
    `Quota exceeded for quota metric 'Critical write requests' and limit 'Critical write requests per minute per user' ` +
      `of service 'people.googleapis.com' for consumer 'project_number:123'.`,
  );
  expect(refusal.error?.details).toEqual([
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: 'RATE_LIMIT_EXCEEDED',
      domain: 'googleapis.com',
      metadata: {
        consumer: 'projects/123',
        quota_limit: 'CriticalWritesPerMinutePerProjectPerUser',
        service: 'people.googleapis.com',
        quota_metric: 'people.googleapis.com/critical_write_requests',
      },
    },
  ]);
  sandbox.clock.nowMs += minuteMs - 1000;
  await create();
  expect(await refusalOf(create())).toMatchObject({ status: 429 });
});

test('a write that returns contacts uses the read quota too; other writes and reads of groups do not', async () => {
  await using sandbox = await startSandbox({ quotas: { readsPerMinute: 0, writesPerMinute: 100 } });
  const { api, emulator } = sandbox;
  const contacts = [{ contactPerson: ada }];
  await api.people.batchCreateContacts({ requestBody: { contacts } });
  await api.people.deleteContact({ resourceName: String(emulator.account.people()[0]?.resourceName) });
  await api.contactGroups.list();
  const read = 'CriticalReadsPerMinutePerProjectPerUser';
  expect(limitOf(await refusalOf(api.people.createContact({ requestBody: ada })))).toBe(read);
  const masked = api.people.batchCreateContacts({ requestBody: { contacts, readMask: 'names' } });
  expect(limitOf(await refusalOf(masked))).toBe(read);
  emulator.setQuotas({ readsPerMinute: 1, writesPerMinute: 0 });
  await listPage(api);
  expect(limitOf(await refusalOf(listPage(api)))).toBe(read);
});

test('under the variants, a 429 has a QuotaFailure and a Retry-After', async () => {
  const quotas = { readsPerMinute: 0, writesPerMinute: 0 };
  await using sandbox = await startSandbox({ quotas, variants: { quotaBody: 'quotaFailure', retryAfter: 'present' } });
  const response = await send(sandbox, 'people/me?personFields=names');
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '60']);
  expect(await response.json()).toMatchObject({
    error: { message: 'Resource has been exhausted (e.g. check quota).' },
  });
});

describe('a query parameter that neither the method nor every method has is refused and uses no quota', () => {
  test.each([
    ['GET', 'people/me/connections?personFields=names&updatePersonFields=names', 'updatePersonFields'],
    ['GET', 'people:batchGet?personFields=names&resourceNames=people/me&pageSize=1', 'pageSize'],
    ['POST', 'people:createContact?colour=blue', 'colour'],
    ['DELETE', 'people/c1:deleteContact?personFields=names', 'personFields'],
    ['GET', 'contactGroups?personFields=names', 'personFields'],
  ])('%s %s', async (method, path, name) => {
    await using sandbox = await startSandbox({ quotas: { readsPerMinute: 1, writesPerMinute: 1 } });
    const message =
      `Invalid JSON payload received. Unknown name "${name}": Cannot bind query parameter. ` +
      `Field '${name}' could not be found in request message.`;
    const fieldViolations = [{ description: message }];
    const details = [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations }];
    const error = { code: 400, message, status: 'INVALID_ARGUMENT', details };
    expect(await (await send(sandbox, path, method)).json()).toEqual({ error });
    expect((await send(sandbox, 'people/me?personFields=names&alt=json&$.xgafv=2&key=k')).status).toBe(200);
  });
});

test('an unknown path is an HTML 404, and a body that is not JSON is a 400', async ({ sandbox }) => {
  expect((await send(sandbox, 'neighbours')).status).toBe(404);
  expect((await send(sandbox, 'contactGroups', 'POST', '{')).status).toBe(400);
});

test('changes that overlap are counted, and reads are not', async ({ api, emulator }) => {
  const create = () => api.people.createContact({ requestBody: ada });
  await create();
  await Promise.all([listPage(api), create()]);
  expect(emulator.overlappingMutations).toBe(0);
  await Promise.all([create(), create()]);
  expect(emulator.overlappingMutations).toBe(1);
});
