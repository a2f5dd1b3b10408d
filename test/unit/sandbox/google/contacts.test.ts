import type { people_v1 } from '@googleapis/people';
import { describe, expect } from 'vitest';
import { listAll, minuteMs, namesOf, refusalOf, type Sandbox, startSandbox, test } from './support.ts';

const contact = expect.objectContaining({ source: expect.objectContaining({ type: 'CONTACT' }) });

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
        addresses: [{ streetAddress: '1 High St', city: 'London', postalCode: 'N1', country: 'UK', type: 'home' }],
        biographies: [{ value: 'A note' }],
        nicknames: [{ value: 'JD', type: 'DEFAULT' }],
        organizations: [{ name: 'KDE', title: 'Developer', current: false }],
        birthdays: [{ date: { year: 0, month: 3, day: 11 } }],
        userDefined: [{ key: 'empty', value: '' }],
        urls: [{}],
      },
    });
    const source = { type: 'CONTACT', id: data.metadata?.sources?.[0]?.id };
    expect(data).toEqual({
      resourceName: `people/c${BigInt(`0x${source.id}`)}`,
      etag: expect.stringMatching(/^%/u),
      metadata: {
        objectType: 'PERSON',
        sources: [{ ...source, etag: expect.stringMatching(/^#.{11}=$/u), updateTime: '2026-01-01T00:00:00.000Z' }],
      },
      names: [
        {
          metadata: { primary: true, source, sourcePrimary: true },
          displayName: 'Dr. John Jay Doe',
          displayNameLastFirst: 'Doe, Dr. John Jay',
          unstructuredName: 'Dr. John Jay Doe',
          givenName: 'John',
          middleName: 'Jay',
          familyName: 'Doe',
          honorificPrefix: 'Dr.',
        },
      ],
      emailAddresses: [
        { metadata: { primary: true, source }, value: 'john@kde.example', type: 'work', formattedType: 'Work' },
        { metadata: { source }, value: 'john@home.test' },
      ],
      phoneNumbers: [
        {
          metadata: contact,
          value: '(830) 285-9851',
          canonicalForm: '+18302859851',
          type: 'workFax',
          formattedType: 'Work Fax',
        },
        { metadata: contact, value: 'ask Jane', type: 'my own', formattedType: 'my own' },
      ],
      addresses: [expect.objectContaining({ formattedValue: '1 High St\nLondon, N1\nUK', countryCode: 'GB' })],
      biographies: [{ metadata: contact, value: 'A note', contentType: 'TEXT_PLAIN' }],
      nicknames: [{ metadata: contact, value: 'JD' }],
      organizations: [{ metadata: contact, name: 'KDE', title: 'Developer' }],
      birthdays: [{ metadata: contact, date: { month: 3, day: 11 } }],
      userDefined: [{ metadata: contact, key: 'empty' }],
      photos: [{ metadata: contact, default: true, url: expect.any(String) }],
      memberships: [
        {
          metadata: { source },
          contactGroupMembership: {
            contactGroupId: 'myContacts',
            contactGroupResourceName: 'contactGroups/myContacts',
          },
        },
      ],
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
  test('replaces or clears the masked fields, and its answer has the etag for the next one', async ({ sandbox }) => {
    const ada = await createAda(sandbox);
    const changed = { ...ada, emailAddresses: [{ value: 'new@x.example' }], names: [], phoneNumbers: [] };
    const { data } = await update(sandbox, changed, 'names,emailAddresses');
    expect(data).not.toHaveProperty('names');
    expect(data.emailAddresses).toEqual([{ metadata: contact, value: 'new@x.example' }]);
    expect(data.phoneNumbers).toHaveLength(1);
    const again = { ...ada, etag: data.etag ?? '', metadata: {}, names: [{ givenName: 'Ada 2' }] };
    expect(namesOf([(await update(sandbox, again, 'names')).data])).toEqual(['Ada 2']);
  });

  test('accepts the etag of a read with another mask, or the source etag alone', async ({ sandbox, api }) => {
    const { resourceName } = await createAda(sandbox);
    const { data: read } = await api.people.get({ resourceName, personFields: 'names' });
    const { data: whole } = await api.people.get({ resourceName, personFields: 'names,metadata' });
    expect(read.etag).not.toBe(whole.etag);
    const { data } = await update(sandbox, { resourceName, etag: read.etag ?? '' }, 'emailAddresses');
    await update(sandbox, { resourceName, metadata: data.metadata ?? {} }, 'phoneNumbers');
    expect(sandbox.emulator.account.person(resourceName)).not.toHaveProperty('phoneNumbers');
  });

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

describe('the first read after a write, under the variant firstReadStale', () => {
  test('returns the state before, in a get and in a full listing, but not in a delta', async () => {
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

  test('returns a write that is ten minutes old', async () => {
    await using sandbox = await startSandbox({ variants: { readAfterWrite: 'firstReadStale' } });
    const { resourceName } = await createAda(sandbox);
    sandbox.clock.nowMs += 10 * minuteMs;
    expect((await sandbox.api.people.get({ resourceName, personFields: 'names' })).status).toBe(200);
  });
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

test('people/me is the owner, with the number of the account as resource name', async () => {
  await using sandbox = await startSandbox({ accountEmail: 'ada@x.example' });
  const personFields = 'metadata,emailAddresses';
  const { data } = await sandbox.api.people.get({ resourceName: 'people/me', personFields });
  const id = /^people\/(?<id>1\d{20})$/u.exec(String(data.resourceName))?.groups?.['id'];
  expect(data.metadata?.sources?.map(({ type }) => type)).toEqual(['PROFILE', 'ACCOUNT']);
  expect(data.emailAddresses).toEqual([
    { metadata: { primary: true, verified: true, source: { type: 'ACCOUNT', id } }, value: 'ada@x.example' },
  ]);
});

describe('a batch', () => {
  const toCreate = (givenName: string) => ({ contactPerson: { names: [{ givenName }] } });
  const invalid = { contactPerson: { names: [{ givenName: 'A' }, { givenName: 'B' }] } };

  test('of creates changes all at the same time, with equal source etags', async ({ api, account }) => {
    const contacts = [toCreate('Ada'), toCreate('Bob')];
    const { data } = await api.people.batchCreateContacts({ requestBody: { contacts, readMask: 'names,metadata' } });
    const etags = data.createdPeople?.map(({ person }) => person?.metadata?.sources?.[0]?.etag);
    expect([etags?.length, new Set(etags).size]).toEqual([2, 1]);
    expect((await api.people.batchCreateContacts({ requestBody: { contacts } })).data).toEqual({});
    expect(account.people()).toHaveLength(4);
  });

  test.each(['allOrNothing', 'perItem'] as const)('with an invalid create is %s', async (batchAtomicity) => {
    await using sandbox = await startSandbox({ variants: { batchAtomicity } });
    const requestBody = { contacts: [toCreate('Ada'), invalid], readMask: 'names' };
    const call = sandbox.api.people.batchCreateContacts({ requestBody });
    if (batchAtomicity === 'perItem') {
      expect((await call).data.createdPeople?.map(({ httpStatusCode }) => httpStatusCode)).toEqual([200, 400]);
      expect(namesOf(sandbox.emulator.account.people())).toEqual(['Ada']);
      return;
    }
    const type = 'type.googleapis.com/google.people.v1.BatchCreateContactsErrorDetails';
    const contactErrors = { '1': { code: 3, message: expect.stringContaining('singleton') } };
    expect(await refusalOf(call)).toMatchObject({
      status: 400,
      error: { details: [{ '@type': type, contactErrors }] },
    });
    expect(sandbox.emulator.account.people()).toEqual([]);
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
