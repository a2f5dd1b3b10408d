import { describe, expect } from 'vitest';
import { refusalOf, startSandbox, test } from './support.ts';

const contact = expect.objectContaining({ source: expect.objectContaining({ type: 'CONTACT' }) });

describe('a created contact', () => {
  test('is named after its source id, in decimal, and has the computed values', async () => {
    await using sandbox = await startSandbox({ country: 'ES' });
    const { data } = await sandbox.api.people.createContact({
      requestBody: {
        resourceName: '',
        etag: '',
        metadata: {},
        names: [
          { givenName: 'John', middleName: 'Jay', familyName: 'Doe', honorificPrefix: 'Dr.', honorificSuffix: 'III' },
        ],
        emailAddresses: [{ value: 'john@kde.example', type: 'work' }, { value: 'john@home.test' }],
        phoneNumbers: [
          { value: '666 12 34 90', type: 'workFax' },
          { value: 'ask Jane', type: 'my own' },
        ],
        addresses: [{ streetAddress: '1 High St', city: 'London', postalCode: 'N1', country: 'UK', type: 'home' }],
        biographies: [{ value: 'A note' }],
        nicknames: [{ value: 'JD', type: 'DEFAULT' }],
        organizations: [{ name: 'KDE', title: 'Developer', current: false }],
        birthdays: [{ date: { year: 0, month: 3, day: 11 } }],
        clientData: [
          { key: 'a', value: '1' },
          { key: 'a', value: '1' },
        ],
        userDefined: [{ key: 'empty', value: '' }],
        urls: [{}],
        photos: [{ url: 'https://x.example/me.png' }],
      },
    });
    const source = data.metadata?.sources?.[0];
    expect(data.resourceName).toBe(`people/c${BigInt(`0x${source?.id}`)}`);
    expect(data.metadata).toEqual({
      objectType: 'PERSON',
      sources: [
        {
          type: 'CONTACT',
          id: source?.id,
          etag: expect.stringMatching(/^#.{11}=$/),
          updateTime: '2026-01-01T00:00:00.000Z',
        },
      ],
    });
    expect(data.names).toEqual([
      {
        metadata: { primary: true, source: { type: 'CONTACT', id: source?.id }, sourcePrimary: true },
        displayName: 'Dr. John Jay Doe III',
        displayNameLastFirst: 'Doe, Dr. John Jay, III',
        unstructuredName: 'Dr. John Jay Doe III',
        givenName: 'John',
        middleName: 'Jay',
        familyName: 'Doe',
        honorificPrefix: 'Dr.',
        honorificSuffix: 'III',
      },
    ]);
    expect(data.emailAddresses).toEqual([
      {
        metadata: expect.objectContaining({ primary: true }),
        value: 'john@kde.example',
        type: 'work',
        formattedType: 'Work',
      },
      { metadata: { source: { type: 'CONTACT', id: source?.id } }, value: 'john@home.test' },
    ]);
    expect(data.phoneNumbers).toEqual([
      {
        metadata: contact,
        value: '666 12 34 90',
        canonicalForm: '+34666123490',
        type: 'workFax',
        formattedType: 'Work Fax',
      },
      { metadata: contact, value: 'ask Jane', type: 'my own', formattedType: 'my own' },
    ]);
    expect(data.addresses?.[0]).toMatchObject({ formattedValue: '1 High St\nLondon, N1\nUK', countryCode: 'GB' });
    expect(data.biographies?.[0]).toMatchObject({ value: 'A note', contentType: 'TEXT_PLAIN' });
    expect(data.nicknames).toEqual([{ metadata: contact, value: 'JD' }]);
    expect(data.organizations).toEqual([{ metadata: contact, name: 'KDE', title: 'Developer' }]);
    expect(data.birthdays).toEqual([{ metadata: contact, date: { month: 3, day: 11 } }]);
    expect(data.clientData).toHaveLength(2);
    expect(data.userDefined).toEqual([{ metadata: contact, key: 'empty' }]);
    expect(data).not.toHaveProperty('urls');
    expect(data.photos).toEqual([{ metadata: contact, default: true, url: expect.any(String) }]);
    expect(data.memberships).toEqual([
      {
        metadata: { source: { type: 'CONTACT', id: source?.id } },
        contactGroupMembership: { contactGroupId: 'myContacts', contactGroupResourceName: 'contactGroups/myContacts' },
      },
    ]);
  });

  test.each([
    [{ unstructuredName: 'Ada' }, { givenName: 'Ada', displayName: 'Ada', displayNameLastFirst: 'Ada' }],
    [{ unstructuredName: 'Ada King Lovelace' }, { givenName: 'Ada', middleName: 'King', familyName: 'Lovelace' }],
    [{ familyName: 'Lovelace' }, { displayName: 'Lovelace', displayNameLastFirst: 'Lovelace' }],
    [
      { givenName: 'Ada', unstructuredName: 'Bob' },
      { givenName: 'Ada', displayName: 'Ada', unstructuredName: 'Ada' },
    ],
  ])('has the name %j completed', async (written, expected) => {
    await using sandbox = await startSandbox();
    const { data } = await sandbox.api.people.createContact({ requestBody: { names: [written] } });
    expect(data.names?.[0]).toMatchObject(expected);
  });

  test.each([
    [{ names: [{ givenName: 'A' }, { givenName: 'B' }] }, 'singleton field person.names'],
    [{ names: { givenName: 'A' } }, `Invalid value at 'person.names'`],
    [{ names: [{ salary: 'A' }] }, 'Unknown name "salary" at \'person.names.0\''],
    [
      { memberships: [{ contactGroupMembership: { contactGroupResourceName: 'contactGroups/none' } }] },
      'does not exist',
    ],
    [{ memberships: [{ contactGroupMembership: { contactGroupResourceName: 'contactGroups/family' } }] }, 'system'],
  ])('is refused as %j', async (requestBody, message) => {
    await using sandbox = await startSandbox();
    const refusal = await refusalOf(sandbox.api.people.createContact({ requestBody: requestBody as object }));
    expect(refusal).toMatchObject({ status: 400, error: { status: 'INVALID_ARGUMENT' } });
    expect(refusal.message).toContain(message);
    expect(sandbox.emulator.account.people()).toEqual([]);
  });

  test.each([
    ['asGiven', 1],
    ['addMyContacts', 2],
  ] as const)('with a user group only is in %s groups', async (createInUserGroup, count) => {
    await using sandbox = await startSandbox({ variants: { createInUserGroup } });
    const contactGroupResourceName = sandbox.emulator.account.createGroup('Clients');
    const requestBody = { memberships: [{ contactGroupMembership: { contactGroupResourceName } }] };
    const { data } = await sandbox.api.people.createContact({ requestBody });
    expect(data.memberships).toHaveLength(count);
  });
});

test('a name to file under is written, read and cleared by a separate path', async ({ api }) => {
  const requestBody = { names: [{ givenName: 'Ada' }], fileAses: [{ value: 'King, Ada' }] };
  const { data } = await api.people.createContact({ requestBody });
  expect(data.fileAses).toEqual([{ metadata: expect.objectContaining({ primary: true }), value: 'King, Ada' }]);
  const resourceName = String(data.resourceName);
  const { data: read } = await api.people.get({ resourceName, personFields: 'fileAses' });
  expect(Object.keys(read)).toEqual(['resourceName', 'etag', 'fileAses']);
  const cleared = { resourceName, updatePersonFields: 'fileAses', requestBody: { etag: read.etag ?? '' } };
  expect((await api.people.updateContact(cleared)).data).not.toHaveProperty('fileAses');
});

describe('profile values', () => {
  const requestBody = {
    names: [{ givenName: 'Ada', familyName: 'King' }],
    emailAddresses: [{ value: 'ada@x.example' }],
  };

  test('exist next to those of the contact only while the profile source is read', async ({ api, emulator }) => {
    emulator.setVariants({ profileValues: 'linked' });
    const { data } = await api.people.createContact({ requestBody });
    const types = data.names?.map(({ metadata }) => metadata?.source?.type);
    expect(types).toEqual(['CONTACT', 'PROFILE']);
    expect(data.names?.filter(({ metadata }) => metadata?.primary)).toHaveLength(1);
    expect(data.metadata?.sources?.map(({ type }) => type)).toEqual(['CONTACT', 'PROFILE']);
    const read = { resourceName: String(data.resourceName), personFields: 'names,urls,metadata' };
    const { data: own } = await api.people.get({ ...read, sources: ['READ_SOURCE_TYPE_CONTACT'] });
    expect(own.names).toHaveLength(1);
    expect(own).not.toHaveProperty('urls');
    const { data: profile } = await api.people.get({ ...read, sources: ['READ_SOURCE_TYPE_PROFILE'] });
    expect(profile.names?.map(({ givenName }) => givenName)).toEqual(['Profile']);
  });

  test('in an update are ignored', async () => {
    await using sandbox = await startSandbox({ variants: { profileValues: 'linked' } });
    const { data } = await sandbox.api.people.createContact({ requestBody });
    const echo = { resourceName: String(data.resourceName), updatePersonFields: 'names,urls', requestBody: data };
    await sandbox.api.people.updateContact(echo);
    const kept = sandbox.emulator.account.person(String(data.resourceName));
    expect(kept?.names).toHaveLength(1);
    expect(kept?.names?.[0]?.givenName).toBe('Ada');
    expect(kept).not.toHaveProperty('urls');
  });
});

test('the key order of field metadata alternates in that variant', async ({ api, emulator, account }) => {
  emulator.setVariants({ metadataKeyOrder: 'alternating' });
  const resourceName = account.createPerson({ names: [{ givenName: 'Ada' }] });
  const read = async () => {
    const { data } = await api.people.get({ resourceName, personFields: 'names' });
    return Object.keys(data.names?.[0]?.metadata ?? {});
  };
  const first = await read();
  expect(await read()).toEqual(first.toReversed());
});
