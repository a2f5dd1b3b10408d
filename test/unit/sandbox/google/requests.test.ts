import { describe, expect } from 'vitest';
import { listPage, minuteMs, type Refusal, refusalOf, type Sandbox, send, startSandbox, test } from './support.ts';

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
    fields: '*',
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

test('the deprecated mask parameter names the fields of a person', async ({ sandbox, account }) => {
  const resourceName = account.createPerson({ ...ada, emailAddresses: [{ value: 'ada@x.example' }] });
  const { body } = await send(sandbox, `${resourceName}?requestMask.includeField=person.names,person.email_addresses`);
  expect(body).toMatchObject({ names: [{ givenName: 'Ada' }], emailAddresses: [{ value: 'ada@x.example' }] });
  const refused = await send(sandbox, `${resourceName}?requestMask.includeField=person.salary`);
  expect(refused).toMatchObject({ status: 400 });
});

describe('a read sent as a POST', () => {
  const override = { 'x-http-method-override': 'GET' };

  test('has its query in its body', async ({ sandbox, emulator, account }) => {
    const names = Array.from({ length: 200 }, () => account.createPerson(ada));
    const body = new URLSearchParams([
      ['personFields', 'names'],
      ...names.map((name): [string, string] => ['resourceNames', name]),
    ]);
    const answer = await send(sandbox, 'people:batchGet', { method: 'POST', headers: override, body });
    expect(answer).toMatchObject({ status: 200, body: { responses: { length: 200 } } });
    expect(emulator.requests.at(-1)).toMatchObject({
      method: 'GET',
      query: `?${body.toString()}`,
      mutates: false,
    });
  });

  test('is checked, limited and affected by faults like the GET that it replaces', async () => {
    await using sandbox = await startSandbox({ quotas: { readsPerMinute: 1, writesPerMinute: 0 } });
    const read = (body: Record<string, string>) =>
      send(sandbox, 'people/me/connections', { method: 'POST', headers: override, body: new URLSearchParams(body) });
    sandbox.emulator.addFault({ method: 'GET', path: 'personFields=names', effect: { kind: 'status', status: 503 } });
    expect(await read({ personFields: 'names' })).toMatchObject({ status: 503 });
    expect(await read({ colour: 'blue' })).toMatchObject({ status: 400 });
    expect(await read({ personFields: 'names' })).toMatchObject({ status: 200 });
    expect(await read({ personFields: 'names' })).toMatchObject({ status: 429 });
  });

  test('may specify another method too, and only a POST may', async ({ sandbox, account }) => {
    const resourceName = account.createPerson(ada);
    const path = `${resourceName}:deleteContact`;
    const headers = { 'x-http-method-override': 'DELETE' };
    expect(await send(sandbox, `${resourceName}?personFields=names`, { headers })).toMatchObject({ status: 200 });
    expect(await send(sandbox, path, { method: 'POST', headers })).toEqual({ status: 200, body: {} });
    expect(account.people()).toEqual([]);
  });
});

const PERSON = { names: [{ givenName: 'Ada', familyName: 'King' }], emailAddresses: [{ value: 'ada@x.example' }] };

const personFields = 'names,emailAddresses,metadata';

async function withAda(): Promise<Sandbox & { readonly name: string }> {
  const sandbox = await startSandbox();
  return { ...sandbox, name: sandbox.emulator.account.createPerson(PERSON) };
}

describe('the fields parameter', () => {
  test.each([
    ['resourceName', ['resourceName']],
    ['names,etag', ['etag', 'names']],
    ['*', ['resourceName', 'etag', 'metadata', 'names', 'emailAddresses']],
    ['', ['resourceName', 'etag', 'metadata', 'names', 'emailAddresses']],
  ])('%j selects fields of the response', async (fields, keys) => {
    await using sandbox = await withAda();
    const { data } = await sandbox.api.people.get({ resourceName: sandbox.name, personFields, fields });
    expect(Object.keys(data)).toEqual(keys);
  });

  test.each([
    'names/givenName,emailAddresses/value',
    'names(givenName),emailAddresses(value)',
    'names.givenName,emailAddresses.value',
    'names/givenName,names/givenName,emailAddresses(value)',
    ' names ( givenName ) , emailAddresses / value ',
  ])('%j selects nested fields, in every item of a list', async (fields) => {
    await using sandbox = await withAda();
    const { data } = await sandbox.api.people.get({ resourceName: sandbox.name, personFields, fields });
    expect(data).toEqual({ names: [{ givenName: 'Ada' }], emailAddresses: [{ value: 'ada@x.example' }] });
  });

  test('selects from pages, maps, and messages within messages', async () => {
    await using sandbox = await withAda();
    const resourceName = sandbox.name;
    const listed = await listPage(sandbox.api, { personFields, fields: 'connections(names(givenName,familyName))' });
    expect(listed.data).toEqual({ connections: [{ names: [{ givenName: 'Ada', familyName: 'King' }] }] });
    const { data: person } = await sandbox.api.people.get({ resourceName, personFields });
    const { data } = await sandbox.api.people.batchUpdateContacts({
      requestBody: { contacts: { [resourceName]: person }, updateMask: 'names', readMask: 'names,metadata' },
      fields: 'updateResult/*/person(resourceName,metadata/sources/type)',
    });
    expect(data).toEqual({
      updateResult: { [resourceName]: { person: { resourceName, metadata: { sources: [{ type: 'CONTACT' }] } } } },
    });
    const whole = await listPage(sandbox.api, {
      personFields: 'names',
      fields: 'totalItems,connections/names,connections',
    });
    expect(Object.keys(whole.data)).toEqual(['connections', 'totalItems']);
    expect(whole.data.connections?.[0]?.resourceName).toBe(resourceName);
  });

  test.each([
    ['names', 'names'],
    ['connections/first', 'connections.first'],
    ['connections(names(givenName,first)),nextPageToken', 'connections.names.first'],
    ['connections/resourceName/x', 'connections.resourceName.x'],
  ])('%j of a listing is refused, because %s does not exist', async (fields, path) => {
    await using sandbox = await withAda();
    expect(await refusalOf(listPage(sandbox.api, { fields }))).toEqual({
      status: 400,
      message: 'Request contains an invalid argument.',
      error: {
        code: 400,
        message: 'Request contains an invalid argument.',
        status: 'INVALID_ARGUMENT',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.BadRequest',
            fieldViolations: [
              {
                field: fields,
                description: `Error expanding 'fields' parameter. Cannot find matching fields for path '${path}'.`,
              },
            ],
          },
        ],
      },
    });
  });

  test.each([
    'connections(',
    'connections()',
    'connections)',
    ',',
    'connections//names',
    '(names)',
    'connections names',
  ])('%j is refused as no selection', async (fields) => {
    await using sandbox = await withAda();
    expect(await refusalOf(listPage(sandbox.api, { fields }))).toMatchObject({ status: 400 });
  });

  test('is parsed before anything is written, and does not affect refusals', async ({ api, account }) => {
    const wrong = api.people.createContact({ requestBody: PERSON, fields: 'person' });
    expect(await refusalOf(wrong)).toMatchObject({ status: 400 });
    expect(account.people()).toEqual([]);
    const missing = api.people.get({ resourceName: 'people/c1', personFields, fields: 'names' });
    expect((await refusalOf(missing)).error).toMatchObject({ code: 404, status: 'NOT_FOUND' });
  });
});
