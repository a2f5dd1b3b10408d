import { expect, test } from 'vitest';
import { listPage, type Refusal, refusalOf, type Sandbox, startSandbox } from './support.ts';

const minuteMs = 60_000;
const ada = { names: [{ givenName: 'Ada' }] };

/** Sends a request like a program without the official client. */
async function send({ emulator, auth }: Sandbox, path: string): Promise<Response> {
  const { token } = await auth.getAccessToken();
  return fetch(`${emulator.url}v1/${path}`, { headers: { authorization: `Bearer ${token}` } });
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
  expect(limitOf(refusal)).toBe('CriticalWritesPerMinutePerProjectPerUser');
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

test('a query parameter that neither the method nor every method has is refused and uses no quota', async () => {
  await using sandbox = await startSandbox({ quotas: { readsPerMinute: 1, writesPerMinute: 1 } });
  const path = 'people/me/connections?personFields=names';
  const error = { code: 400, message: expect.stringContaining('Unknown name "updatePersonFields"') };
  expect(await (await send(sandbox, `${path}&updatePersonFields=names`)).json()).toMatchObject({ error });
  expect((await send(sandbox, `${path}&alt=json&$.xgafv=2&key=k`)).status).toBe(200);
});

test('changes that overlap are counted, and reads are not', async () => {
  await using sandbox = await startSandbox();
  const create = () => sandbox.api.people.createContact({ requestBody: ada });
  await Promise.all([listPage(sandbox.api), create()]);
  expect(sandbox.emulator.overlappingMutations).toBe(0);
  await Promise.all([create(), create()]);
  expect(sandbox.emulator.overlappingMutations).toBe(1);
});
