import { describe, expect, test } from 'vitest';
import { refusalOf, send, startSandbox } from './support.ts';

const ada = { names: [{ givenName: 'Ada' }] };

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

  test('is reported with the others', async () => {
    await using sandbox = await startSandbox();
    const refusal = await refusalOf(sandbox.api.contactGroups.list({ one: 1, two: 2 } as object));
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

test('the parameters that every method accepts are accepted', async () => {
  await using sandbox = await startSandbox();
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

test('the deprecated mask parameter names the fields of a person', async () => {
  await using sandbox = await startSandbox();
  const resourceName = sandbox.emulator.account.createPerson({ ...ada, emailAddresses: [{ value: 'ada@x.example' }] });
  const { body } = await send(sandbox, `${resourceName}?requestMask.includeField=person.names,person.email_addresses`);
  expect(body).toMatchObject({ names: [{ givenName: 'Ada' }], emailAddresses: [{ value: 'ada@x.example' }] });
  const refused = await send(sandbox, `${resourceName}?requestMask.includeField=person.salary`);
  expect(refused).toMatchObject({ status: 400 });
});

describe('a read sent as a POST', () => {
  const override = { 'x-http-method-override': 'GET' };

  test('has its query in its body', async () => {
    await using sandbox = await startSandbox();
    const names = Array.from({ length: 200 }, () => sandbox.emulator.account.createPerson(ada));
    const body = new URLSearchParams([
      ['personFields', 'names'],
      ...names.map((name): [string, string] => ['resourceNames', name]),
    ]);
    const answer = await send(sandbox, 'people:batchGet', { method: 'POST', headers: override, body });
    expect(answer).toMatchObject({ status: 200, body: { responses: { length: 200 } } });
    expect(sandbox.emulator.requests.at(-1)).toMatchObject({
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

  test('may specify another method too, and only a POST may', async () => {
    await using sandbox = await startSandbox();
    const resourceName = sandbox.emulator.account.createPerson(ada);
    const path = `${resourceName}:deleteContact`;
    const headers = { 'x-http-method-override': 'DELETE' };
    expect(await send(sandbox, `${resourceName}?personFields=names`, { headers })).toMatchObject({ status: 200 });
    expect(await send(sandbox, path, { method: 'POST', headers })).toEqual({ status: 200, body: {} });
    expect(sandbox.emulator.account.people()).toEqual([]);
  });
});
