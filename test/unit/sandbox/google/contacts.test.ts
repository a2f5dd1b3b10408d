import { expect, test } from 'vitest';
import { startSandbox } from './support.ts';

test('a created contact has the computed values of recorded answers', async () => {
  await using sandbox = await startSandbox();
  const { data } = await sandbox.api.people.createContact({
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
