import { describe, expect, test } from 'vitest';
import { listPage, refusalOf, startSandbox, type Sandbox } from './support.ts';

const ada = { names: [{ givenName: 'Ada', familyName: 'King' }], emailAddresses: [{ value: 'ada@x.example' }] };

const personFields = 'names,emailAddresses,metadata';

async function withAda(): Promise<Sandbox & { readonly name: string }> {
  const sandbox = await startSandbox();
  return { ...sandbox, name: sandbox.emulator.account.createPerson(ada) };
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

  test('is parsed before anything is written, and does not affect refusals', async () => {
    await using sandbox = await startSandbox();
    const wrong = sandbox.api.people.createContact({ requestBody: ada, fields: 'person' });
    expect(await refusalOf(wrong)).toMatchObject({ status: 400 });
    expect(sandbox.emulator.account.people()).toEqual([]);
    const missing = sandbox.api.people.get({ resourceName: 'people/c1', personFields, fields: 'names' });
    expect((await refusalOf(missing)).error).toMatchObject({ code: 404, status: 'NOT_FOUND' });
  });
});
