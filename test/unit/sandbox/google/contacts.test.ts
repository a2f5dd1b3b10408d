import type { people_v1 } from '@googleapis/people';
import { describe, expect } from 'vitest';
import { listAll, namesOf, refusalOf, type Sandbox, startSandbox, test } from './support.ts';

async function createAda({ api }: Sandbox) {
  const requestBody = {
    names: [{ givenName: 'Ada' }],
    emailAddresses: [{ value: 'ada@x.example', type: 'home' }],
    phoneNumbers: [{ value: '+1 212 555 0100' }],
  };
  const { data } = await api.people.createContact({ requestBody });
  return { ...data, resourceName: String(data.resourceName) };
}

function update(
  { api }: Sandbox,
  person: people_v1.Schema$Person & { resourceName: string },
  updatePersonFields: string,
) {
  return api.people.updateContact({ resourceName: person.resourceName, updatePersonFields, requestBody: person });
}

describe('a created contact', () => {
  test('has the computed values of recorded answers', async ({ api }) => {
    const { data } = await api.people.createContact({
      requestBody: {
        names: [{ givenName: 'John', middleName: 'Jay', familyName: 'Doe', honorificPrefix: 'Dr.' }],
        emailAddresses: [{ value: 'john@kde.example', type: 'work' }, { value: 'john@home.test' }],
        phoneNumbers: [
          { value: '(830) 285-9851', type: 'workFax' },
          { value: 'ask Jane', type: 'my own' },
        ],
        addresses: [{ streetAddress: '1 High St', city: 'London', postalCode: 'N1', country: 'UK' }],
        biographies: [{ value: 'A note' }],
        nicknames: [{ value: 'JD', type: 'DEFAULT' }],
        organizations: [{ name: 'KDE', current: false }],
        birthdays: [{ date: { year: 0, month: 3, day: 11 } }],
        userDefined: [{ key: 'empty', value: '' }],
        urls: [{}],
      },
    });
    const source = { type: 'CONTACT', id: data.metadata?.sources?.[0]?.id };
    const [first, later] = [{ primary: true, source }, { source }];
    const etag = expect.stringMatching(/^#.{11}=$/u);
    const displayName = 'Dr. John Jay Doe';
    const parts = { givenName: 'John', middleName: 'Jay', familyName: 'Doe', honorificPrefix: 'Dr.' };
    const display = { displayName, displayNameLastFirst: 'Doe, Dr. John Jay', unstructuredName: displayName };
    const address = { streetAddress: '1 High St', city: 'London', postalCode: 'N1', country: 'UK', countryCode: 'GB' };
    const fax = { value: '(830) 285-9851', canonicalForm: '+18302859851', type: 'workFax', formattedType: 'Work Fax' };
    const contactGroupMembership = {
      contactGroupId: 'myContacts',
      contactGroupResourceName: 'contactGroups/myContacts',
    };
    expect(data).toEqual({
      resourceName: `people/c${BigInt(`0x${source.id}`)}`,
      etag: expect.stringMatching(/^%/u),
      metadata: { objectType: 'PERSON', sources: [{ ...source, etag, updateTime: '2026-01-01T00:00:00.000Z' }] },
      names: [{ metadata: { ...first, sourcePrimary: true }, ...display, ...parts }],
      emailAddresses: [
        { metadata: first, value: 'john@kde.example', type: 'work', formattedType: 'Work' },
        { metadata: later, value: 'john@home.test' },
      ],
      phoneNumbers: [
        { metadata: first, ...fax },
        { metadata: later, value: 'ask Jane', type: 'my own', formattedType: 'my own' },
      ],
      addresses: [{ metadata: first, ...address, formattedValue: '1 High St\nLondon, N1\nUK' }],
      biographies: [{ metadata: first, value: 'A note', contentType: 'TEXT_PLAIN' }],
      nicknames: [{ metadata: first, value: 'JD' }],
      organizations: [{ metadata: first, name: 'KDE' }],
      birthdays: [{ metadata: first, date: { month: 3, day: 11 } }],
      userDefined: [{ metadata: first, key: 'empty' }],
      photos: [{ metadata: first, default: true, url: expect.any(String) }],
      memberships: [{ metadata: later, contactGroupMembership }],
    });
  });

  test.each([
    [{ unstructuredName: 'Ada' }, { givenName: 'Ada', displayName: 'Ada', displayNameLastFirst: 'Ada' }],
    [{ unstructuredName: 'Ada King Lovelace' }, { givenName: 'Ada', middleName: 'King', familyName: 'Lovelace' }],
    [
      { givenName: 'Ada', unstructuredName: 'Bob' },
      { givenName: 'Ada', displayName: 'Ada', unstructuredName: 'Ada' },
    ],
  ])('has the name %j completed', async (written, expected) => {
    await using sandbox = await startSandbox();
    const { data } = await sandbox.api.people.createContact({ requestBody: { names: [written] } });
    expect(data.names?.[0]).toMatchObject(expected);
  });
});

describe('an update', () => {
  test.each([
    ['newEtag', false],
    ['sameEtag', true],
  ] as const)('that changes no value has the etag of the variant %s', async (noChangeUpdates, same) => {
    await using sandbox = await startSandbox({ variants: { noChangeUpdates } });
    const ada = await createAda(sandbox);
    expect((await update(sandbox, ada, 'names,emailAddresses')).data.etag === ada.etag).toBe(same);
  });

  test('ignores the values of a profile, which are returned only while its source is read', async () => {
    await using sandbox = await startSandbox({ variants: { profileValues: 'linked' } });
    const ada = await createAda(sandbox);
    expect(ada.names?.map(({ metadata }) => metadata?.source?.type)).toEqual(['CONTACT', 'PROFILE']);
    await update(sandbox, ada, 'names,urls');
    const read = { resourceName: ada.resourceName, personFields: 'names,urls' };
    const { data: own } = await sandbox.api.people.get({ ...read, sources: ['READ_SOURCE_TYPE_CONTACT'] });
    expect(namesOf([own])).toEqual(['Ada']);
    expect(own).not.toHaveProperty('urls');
    const { data: profile } = await sandbox.api.people.get({ ...read, sources: ['READ_SOURCE_TYPE_PROFILE'] });
    expect(profile.names?.map(({ givenName }) => givenName)).toEqual(['Profile']);
  });
});

test('under firstReadStale, the first get or full listing after a write returns the state before, a delta does not', async () => {
  await using sandbox = await startSandbox({ variants: { readAfterWrite: 'firstReadStale' } });
  const { api, emulator } = sandbox;
  const resourceName = emulator.account.createPerson({ names: [{ givenName: 'Ada' }] });
  const read = async () => (await api.people.get({ resourceName, personFields: 'names' })).data;
  const { etag } = await read();
  await update(sandbox, { resourceName, etag: etag ?? '', names: [{ givenName: 'Ada 2' }] }, 'names');
  expect(namesOf([await read(), await read()])).toEqual(['Ada', 'Ada 2']);
  await api.people.deleteContact({ resourceName });
  const listed = await listAll(api);
  expect(namesOf(listed.people)).toEqual(['Ada 2']);
  const delta = await listAll(api, { syncToken: listed.syncToken });
  expect(delta.people[0]?.metadata?.deleted).toBe(true);
});

test('batchGet reports a missing contact in a separate response', async ({ sandbox, api }) => {
  const { resourceName } = await createAda(sandbox);
  const { data } = await api.people.getBatchGet({ resourceNames: [resourceName, 'people/c1'], personFields: 'names' });
  const missing = { code: 5, message: 'Requested entity was not found.' };
  expect(data.responses).toEqual([
    { httpStatusCode: 200, requestedResourceName: resourceName, status: {}, person: expect.anything() },
    { httpStatusCode: 404, requestedResourceName: 'people/c1', status: missing },
  ]);
});

describe('a batch', () => {
  const toCreate = (givenName: string) => ({ contactPerson: { names: [{ givenName }] } });

  test('of creates changes all at the same time, with equal source etags', async ({ api, account }) => {
    const contacts = [toCreate('Ada'), toCreate('Bob')];
    const { data } = await api.people.batchCreateContacts({ requestBody: { contacts, readMask: 'names,metadata' } });
    const etags = data.createdPeople?.map(({ person }) => person?.metadata?.sources?.[0]?.etag);
    expect([etags?.length, new Set(etags).size]).toEqual([2, 1]);
    expect((await api.people.batchCreateContacts({ requestBody: { contacts } })).data).toEqual({});
    expect(account.people()).toHaveLength(4);
  });

  test.each(['allOrNothing', 'perItem'] as const)('with a missing and a stale update is %s', async (batchAtomicity) => {
    await using sandbox = await startSandbox({ variants: { batchAtomicity } });
    const { api, emulator } = sandbox;
    const [ada, bob] = [await createAda(sandbox), await createAda(sandbox)];
    emulator.account.updatePerson(bob.resourceName, { names: [{ givenName: 'Web' }] });
    const sent = { ...ada, names: [{ givenName: 'Ada 2' }] };
    const contacts = {
      [ada.resourceName]: sent,
      [bob.resourceName]: { ...sent, etag: bob.etag ?? '' },
      'people/c1': sent,
    };
    const call = api.people.batchUpdateContacts({
      requestBody: { contacts, updateMask: 'names', readMask: 'names' },
    });
    const names = () => new Set(namesOf(emulator.account.people()));
    if (batchAtomicity === 'perItem') {
      const results = Object.values((await call).data.updateResult ?? {});
      expect(results.map(({ httpStatusCode }) => httpStatusCode)).toEqual([200, 400, 404]);
      expect(names()).toEqual(new Set(['Ada 2', 'Web']));
      return;
    }
    const contactErrors = { [bob.resourceName]: { code: 9 }, 'people/c1': { code: 5 } };
    expect(await refusalOf(call)).toMatchObject({ status: 400, error: { details: [{ contactErrors }] } });
    expect(names()).toEqual(new Set(['Ada', 'Web']));
  });
});
