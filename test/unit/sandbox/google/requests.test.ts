import { describe, expect } from 'vitest';
import { listPage, minuteMs, type Refusal, refusalOf, send, startSandbox, test } from './support.ts';

const ada = { names: [{ givenName: 'Ada' }] };

function limitOf(refusal: Refusal): unknown {
  const metadata = refusal.error?.details?.[0]?.['metadata'];
  return typeof metadata === 'object' && metadata !== null && 'quota_limit' in metadata && metadata.quota_limit;
}

test('a used-up write quota is a 429 that names it, until the minute has passed', async () => {
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

test('an update uses the read quota too', async () => {
  await using sandbox = await startSandbox({ quotas: { readsPerMinute: 2, writesPerMinute: 100 } });
  const { data } = await sandbox.api.people.createContact({ requestBody: ada });
  const update = () =>
    sandbox.api.people.updateContact({
      resourceName: String(data.resourceName),
      updatePersonFields: 'emailAddresses',
      requestBody: data,
    });
  await update();
  expect(limitOf(await refusalOf(update()))).toBe('CriticalReadsPerMinutePerProjectPerUser');
  expect(await refusalOf(listPage(sandbox.api))).toMatchObject({ status: 429 });
});

test('a batch without a read mask, a deletion and group reads use no reads', async () => {
  await using sandbox = await startSandbox({ quotas: { readsPerMinute: 0, writesPerMinute: 100 } });
  const contacts = [{ contactPerson: ada }];
  await sandbox.api.people.batchCreateContacts({ requestBody: { contacts } });
  const [person] = sandbox.emulator.account.people();
  await sandbox.api.people.deleteContact({ resourceName: String(person?.resourceName) });
  await sandbox.api.contactGroups.list();
  const masked = sandbox.api.people.batchCreateContacts({ requestBody: { contacts, readMask: 'names' } });
  expect(await refusalOf(masked)).toMatchObject({ status: 429 });
});

test('the 429 has another form, and a Retry-After, in those variants', async () => {
  const quotas = { readsPerMinute: 0, writesPerMinute: 0 };
  await using sandbox = await startSandbox({ quotas, variants: { quotaBody: 'quotaFailure', retryAfter: 'present' } });
  const refusal = await refusalOf(listPage(sandbox.api));
  expect(refusal).toMatchObject({ status: 429, message: 'Resource has been exhausted (e.g. check quota).' });
  const { token } = await sandbox.auth.getAccessToken();
  const url = `${sandbox.emulator.url}v1/people/me?personFields=names`;
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  expect(response.headers.get('retry-after')).toBe('60');
});

test('the quotas can be changed while it runs', async () => {
  await using sandbox = await startSandbox({ quotas: { readsPerMinute: 0, writesPerMinute: 0 } });
  expect(await refusalOf(listPage(sandbox.api))).toMatchObject({ status: 429 });
  sandbox.emulator.setQuotas({ readsPerMinute: 1, writesPerMinute: 1 });
  await listPage(sandbox.api);
  expect(await refusalOf(listPage(sandbox.api))).toMatchObject({ status: 429 });
});

describe('a query parameter that the method does not accept', () => {
  test.each([
    ['GET', 'people/me/connections?personFields=names&updatePersonFields=names', 'updatePersonFields'],
    ['GET', 'people:batchGet?personFields=names&resourceNames=people/me&pageSize=1', 'pageSize'],
    ['GET', 'people/me?personFields=names&readMask=names', 'readMask'],
    ['POST', 'people:createContact?colour=blue', 'colour'],
    ['DELETE', 'people/c1:deleteContact?personFields=names', 'personFields'],
    ['GET', 'contactGroups?personFields=names', 'personFields'],
  ])('is refused: %s %s', async (method, path, name) => {
    await using sandbox = await startSandbox();
    const message =
      `Invalid JSON payload received. Unknown name "${name}": Cannot bind query parameter. ` +
      `Field '${name}' could not be found in request message.`;
    const details = [
      { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [{ description: message }] },
    ];
    const error = { code: 400, message, status: 'INVALID_ARGUMENT', details };
    expect(await send(sandbox, path, { method })).toEqual({ status: 400, body: { error } });
    expect(sandbox.emulator.account.people()).toEqual([]);
  });

  test('is reported with the others', async ({ api }) => {
    const refusal = await refusalOf(api.contactGroups.list({ one: 1, two: 2 } as object));
    expect(refusal.message.split('\n')).toHaveLength(2);
    const [details] = refusal.error?.details ?? [];
    expect(details?.['fieldViolations']).toHaveLength(2);
  });

  test('uses no quota', async () => {
    await using sandbox = await startSandbox({ quotas: { readsPerMinute: 1, writesPerMinute: 1 } });
    expect(await send(sandbox, 'people/me?personFields=names&a=b')).toMatchObject({ status: 400 });
    expect(await send(sandbox, 'people/me?personFields=names')).toMatchObject({ status: 200 });
  });
});

test('the parameters that every method accepts are accepted', async ({ sandbox }) => {
  const query = new URLSearchParams({
    '$.xgafv': '2',
    alt: 'json',
    key: 'a-key',
    callback: 'f',
    prettyPrint: 'false',
    quotaUser: 'u',
    uploadType: 'media',
    upload_protocol: 'raw',
  });
  expect(await send(sandbox, `contactGroups?${query.toString()}`)).toMatchObject({ status: 200 });
});

test.each(['access_token', 'oauth_token'])('the token may be in the query as %s', async (name) => {
  await using sandbox = await startSandbox();
  const { token } = await sandbox.auth.getAccessToken();
  const status = async (text: unknown) =>
    (await fetch(`${sandbox.emulator.url}v1/contactGroups?${name}=${String(text)}`)).status;
  expect([await status(token), await status('nonsense')]).toEqual([200, 401]);
});
