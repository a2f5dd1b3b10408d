import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Contact, CONTACT_FIELDS, type ContactField, USUAL_FIELDS } from '../../../../src/core/contact/contact.ts';
import { contactOf, type ContactRecord } from '../../../../src/core/contact/record.ts';
import { normaliseText } from '../../../../src/core/contact/text.ts';
import { personMapping } from '../../../../src/providers/google/fields.ts';
import { createBody, maskOf, readPerson, updateBody } from '../../../../src/providers/google/mapper.ts';
import { contact, person, recordOf } from './support.ts';

const METADATA = { primary: true, source: { type: 'CONTACT', id: '1' } };

const STREET = { type: 'home', streetAddress: 'Main St 1', city: 'Bonn', postalCode: '53111', poBox: 'Box 5' };
const SENT_ADDRESS = { ...STREET, country: 'Germany', countryCode: 'DE' };
const GENERATED = {
  displayName: 'Dr. John Doe',
  displayNameLastFirst: 'Doe, Dr. John',
  unstructuredName: 'Dr. John Doe',
};
const MOBILE = { canonicalForm: '+34666123490', type: 'mobile', formattedType: 'Mobile' };

const RICH = person(1, {
  names: [{ metadata: METADATA, ...GENERATED, familyName: 'Doe', givenName: 'John', phoneticGivenName: 'Dschon' }],
  organizations: [
    { metadata: METADATA, name: 'First', title: 'Clerk', department: 'Desk' },
    { metadata: METADATA, name: 'Second', title: 'Boss', current: true, startDate: { year: 2020 } },
  ],
  emailAddresses: [
    { metadata: METADATA, value: 'John@kde.example', type: 'work', formattedType: 'Work', displayName: 'J. Doe' },
    { metadata: { sourcePrimary: true }, value: 'john@home.test', type: 'home', formattedType: 'Home' },
  ],
  phoneNumbers: [{ metadata: METADATA, value: '666 12 34 90', ...MOBILE }],
  addresses: [{ metadata: METADATA, formattedType: 'Home', formattedValue: 'Box 5, Main St 1, Bonn', ...SENT_ADDRESS }],
});

const entryOf = (value: string, label: string | null = null) => ({ value, label });

const update = (record: ContactRecord, changes: Partial<Contact>) => {
  const fields = Object.keys(changes) as ContactField[];
  return updateBody({ key: 'k', current: record, desired: { ...record.contact, ...changes }, fields }, maskOf(fields));
};

test.each(['Facebook', 'profile'])('[R3] a website with the label %s is not read back as a social profile', (label) => {
  const mapping = personMapping([...USUAL_FIELDS, 'socialProfiles']);
  const [websites, socialProfiles] = [[entryOf('ada.example', label)], [entryOf('x.example/ada', label)]];
  const draft = contactOf({ websites, socialProfiles });
  const { urls } = createBody({ key: 'k', draft, groupIds: [], originId: 'contact_1' }, mapping);
  expect(readPerson({ ...person(1), urls }, mapping)).toMatchObject({
    record: { contact: { websites: [entryOf('ada.example')], socialProfiles } },
  });
});

const RECORD = recordOf(RICH);
const [ADDRESS = expect.fail('no address')] = RECORD.contact.addresses;
const NO_ADDRESS = { street: '', city: '', region: '', postalCode: '', country: '', label: null };
const FIRST = { name: 'First', title: 'Clerk', department: 'Desk' };

const entered = (fields: Readonly<Record<string, unknown>>): ContactRecord => recordOf(person(1, fields));

test.each<[string, ContactRecord, Partial<Contact>, Readonly<Record<string, unknown>>]>([
  [
    'a changed label keeps the other subfields of its email address and the other addresses',
    RECORD,
    { emailAddresses: [entryOf('John@kde.example', 'other'), entryOf('john@home.test', 'home'), entryOf('n@x')] },
    {
      emailAddresses: [
        { value: 'John@kde.example', type: 'other', displayName: 'J. Doe' },
        { value: 'john@home.test', type: 'home', metadata: { sourcePrimary: true } },
        { value: 'n@x' },
      ],
    },
  ],
  [
    'a phone number that consists of invisible characters is sent once',
    entered({ phoneNumbers: [{ metadata: METADATA, value: '\u200f', type: 'home' }] }),
    { phoneNumbers: [entryOf('\u200f', 'home'), entryOf('112')] },
    { phoneNumbers: [{ value: '\u200f', type: 'home' }, { value: '112' }] },
  ],
  [
    'two spellings of one number are both kept',
    entered({ phoneNumbers: [{ value: '555 1234' }, { value: '555-1234', type: 'fax' }] }),
    { phoneNumbers: [entryOf('555 1234'), entryOf('999')] },
    { phoneNumbers: [{ value: '555 1234' }, { value: '555-1234', type: 'fax' }, { value: '999' }] },
  ],
  [
    'an empty organization is removed',
    entered({ organizations: [{ metadata: METADATA, name: 'A', type: 'work' }] }),
    { company: '' },
    { organizations: [] },
  ],
  [
    'an added address leaves the old address as it was read, with its formatted value',
    RECORD,
    { addresses: [{ ...NO_ADDRESS, street: 'Rue 2', city: 'Paris' }, ADDRESS] },
    {
      addresses: [
        { streetAddress: 'Rue 2', city: 'Paris' },
        { ...SENT_ADDRESS, formattedValue: 'Box 5, Main St 1, Bonn' },
      ],
    },
  ],
  [
    'entries without a mapped value are kept',
    entered({ emailAddresses: [{ displayName: 'No address' }], addresses: [{ countryCode: 'DE' }] }),
    { emailAddresses: [entryOf('a@x.example')], addresses: [{ ...NO_ADDRESS, street: 'A' }] },
    {
      emailAddresses: [{ value: 'a@x.example' }, { displayName: 'No address' }],
      addresses: [{ streetAddress: 'A' }, { countryCode: 'DE' }],
    },
  ],
])(
  '[R10] an update has the etag of the CONTACT source, and what no contact expresses: %s',
  (_, record, changes, lists) => {
    const metadata = { sources: [{ type: 'CONTACT', id: '1', etag: '#1' }] };
    expect(update(record, changes)).toEqual({ resourceName: record.id, metadata, ...lists });
  },
);

test.each<[string, object, object]>([
  ['keeps its PO box and loses the formatted value', { city: 'Köln' }, { city: 'Köln' }],
  ['with another country loses its country code', { country: 'Italy' }, { country: 'Italy', countryCode: undefined }],
  ['with another street has no former box', { poBox: '', street: 'A 2' }, { streetAddress: 'A 2', poBox: undefined }],
])('[R10] a changed address %s', (_, change, sent) => {
  const { addresses } = update(RECORD, { addresses: [{ ...ADDRESS, ...change }] });
  expect(addresses).toEqual([{ ...SENT_ADDRESS, ...sent }]);
});

test.each<[string, Partial<Contact>, object]>([
  ['of which only the title changes', { title: 'Chief' }, { name: 'Second', title: 'Chief' }],
  ['that is kept without company and title while it has another value', { company: '', title: '' }, {}],
])('[R10] an update of title and company changes the current organization only, %s', (_, changes, words) => {
  const current = { current: true, startDate: { year: 2020 }, ...words };
  expect(update(RECORD, changes)['organizations']).toEqual([FIRST, current]);
});

test('[R10] lists that only the batch writes are sent as they were read, without values that Google generates', () => {
  const lists = ['names', 'organizations', 'emailAddresses', 'phoneNumbers', 'addresses', 'urls'] as const;
  const { contact: desired } = RECORD;
  const sent = JSON.stringify(updateBody({ key: 'k', current: RECORD, desired, fields: ['firstName'] }, lists));
  expect(sent).not.toMatch(/canonicalForm|formattedType|displayNameLastFirst|unstructuredName|"primary"/u);
  expect(sent).toContain('Dschon');
  const current = entered({ names: [{ displayName: 'Madonna', unstructuredName: 'Madonna' }] });
  const request = { key: 'k', current, desired: contact({ title: 'x' }), fields: ['title' as const] };
  expect(updateBody(request, ['names', 'organizations'])['names']).toEqual([{ unstructuredName: 'Madonna' }]);
});

test('a create contains the draft, My Contacts and the groups, and the origin id with its account (R9)', () => {
  const draft = contact({ firstName: 'Ann', emailAddresses: [{ value: 'a@x', label: 'home' }] });
  const request = { key: 'k', draft, groupIds: ['contactGroups/0a'], originId: 'contact_1' };
  const memberships = ['contactGroups/myContacts', 'contactGroups/0a'].map((contactGroupResourceName) => ({
    contactGroupMembership: { contactGroupResourceName },
  }));
  expect(createBody(request)).toEqual({
    names: [{ givenName: 'Ann' }],
    emailAddresses: [{ value: 'a@x', type: 'home' }],
    memberships,
    clientData: [{ key: 'contact-sync.service-id', value: 'contact_1' }],
    ...Object.fromEntries(['organizations', 'phoneNumbers', 'addresses', 'urls'].map((list) => [list, []])),
  });
  const { clientData } = createBody({ ...request, originScope: 'account-1' });
  expect(clientData).toEqual([{ key: 'contact-sync.origin', value: 'account-1 contact_1' }]);
});

const word = fc.constantFrom('', 'a', 'b', 'Ann', 'Ünal');

const label = fc.constantFrom(null, 'home', 'work');

const values = (options: string[]) =>
  fc.uniqueArray(fc.record({ value: fc.constantFrom(...options), label }), { selector: ({ value }) => value });

const contacts = fc
  .record({
    firstName: word,
    lastName: word,
    company: word,
    title: word,
    emailAddresses: values(['a@x.example', 'b@x.example', 'c@x.example']),
    phoneNumbers: values(['+34666123490', '555 1234', '12345']),
    addresses: fc.array(fc.record({ street: word, city: word, region: word, postalCode: word, country: word, label }), {
      maxLength: 3,
    }),
    websites: values(['https://a.example', 'b.example/x']),
  })
  .map(contactOf);

/** Returns the Person that Google stores after a write: the written lists replace the old ones. */
const written = (body: Readonly<Record<string, unknown>>, over: Record<string, unknown> = {}) => ({
  ...person(1),
  ...over,
  ...body,
  metadata: person(1)['metadata'],
});

test('a written contact is read back with the values that were requested', () => {
  fc.assert(
    fc.property(contacts, contacts, fc.subarray([...CONTACT_FIELDS], { minLength: 1 }), (before, after, fields) => {
      const created = written(createBody({ key: 'k', draft: before, groupIds: [], originId: 'o' }));
      const record = recordOf(created);
      expect(record.contact).toEqual(before);
      const body = updateBody({ key: 'k', current: record, desired: after, fields }, maskOf(fields));
      const expected = { ...before, ...Object.fromEntries(fields.map((field) => [field, after[field]])) };
      expect(recordOf(written(body, created)).contact).toEqual(expected);
    }),
    { numRuns: 300 },
  );
});

type Name = Readonly<Record<string, unknown>>;

const namedRecord = (name: Name) => recordOf(person(1, { names: [name] }));

/** Returns the name that an update of these fields sends to Google for a contact with that name. */
const nameWritten = (name: Name, changes: Partial<Contact>): Name =>
  (update(namedRecord(name), changes)['names'] as unknown as readonly Name[])[0] ?? {};

describe('[R10] an update of a name with parts that are not synced', () => {
  const parts = { honorificPrefix: 'Dr.', middleName: 'Ann', honorificSuffix: 'Jr.' };
  const whole = { ...parts, givenName: 'Mary', familyName: 'Lee' };

  test.each<[string, Partial<Contact>, Name]>([
    ['the middle name after the given name', { firstName: 'Mary Ann' }, {}],
    ['the middle name in another case', { firstName: 'Mary ANN' }, {}],
    ['the initial of the middle name', { firstName: 'Mary A.' }, {}],
    ['the middle name after another given name', { firstName: 'Marie Ann' }, { givenName: 'Marie' }],
    ['the middle name after a hyphen', { firstName: 'Mary-Ann' }, {}],
    ['the middle name before the family name', { lastName: 'Ann Ray' }, { familyName: 'Ray' }],
    ['the prefix', { firstName: 'Dr Marie' }, { givenName: 'Marie' }],
    ['the prefix and the middle name', { firstName: 'Dr. Mary Ann' }, {}],
    ['the suffix', { lastName: 'Ray Jr' }, { familyName: 'Ray' }],
    ['a name that consists only of such a part', { firstName: 'Ann' }, { givenName: 'Ann' }],
    ['a word that only begins like such a part', { firstName: 'Mary Anna' }, { givenName: 'Mary Anna' }],
    ['a family name that begins with the initial', { lastName: 'Anders Ray' }, { familyName: 'Anders Ray' }],
  ])(
    'does not write such a part again within a synced part, and writes every other text: %s',
    (_, changes, expected) => {
      expect(nameWritten(whole, changes)).toEqual({ ...whole, ...expected });
    },
  );

  test('keeps a repetition that the user of Google entered', () => {
    const doubled = { ...whole, givenName: 'Mary Ann' };
    expect(nameWritten(doubled, { lastName: 'Ray' })).toEqual({ ...doubled, familyName: 'Ray' });
    expect(nameWritten(doubled, { firstName: 'Marie Ann' })).toEqual({ ...doubled, givenName: 'Marie Ann' });
  });
});

describe('[R10] the parts of a name', () => {
  test('are not split from a name that was entered as one text: it is the first name', () => {
    const whole = { unstructuredName: 'Mary Ann Lee' };
    expect(namedRecord(whole).contact).toMatchObject({ firstName: 'Mary Ann Lee', lastName: '' });
    expect(nameWritten(whole, { lastName: 'Lee' })).toEqual({ givenName: 'Mary Ann Lee', familyName: 'Lee' });
  });

  test.each([['honorificPrefix'], ['middleName'], ['honorificSuffix']])(
    'R10: are not written a second time if only the %s exists: it is not the first name',
    (part) => {
      const lone = { [part]: 'Dr.', displayName: 'Dr.', unstructuredName: 'Dr.' };
      expect(namedRecord(lone).contact).toMatchObject({ firstName: '', lastName: '' });
      expect(nameWritten(lone, { lastName: 'Lee' })).toEqual({ [part]: 'Dr.', familyName: 'Lee' });
      expect(nameWritten(lone, { firstName: 'Ada' })).toEqual({ [part]: 'Dr.', givenName: 'Ada' });
    },
  );

  test('R10: are read once if a link syncs the only part that exists', () => {
    const name = { middleName: 'Fam.', displayName: 'Fam.', unstructuredName: 'Fam.' };
    const mapping = personMapping([...USUAL_FIELDS, 'middleName']);
    expect(readPerson(person(1, { names: [name] }), mapping)).toMatchObject({
      record: { contact: { firstName: '', lastName: '', middleName: 'Fam.' } },
    });
  });

  test('are kept byte for byte by a write that does not change them', () => {
    const untidy = { honorificPrefix: ' Dr', givenName: ' Mary  Lou ', middleName: 'Ann\u00A0', familyName: 'Lee' };
    expect(nameWritten(untidy, { lastName: 'Ray' })).toEqual({ ...untidy, familyName: 'Ray' });
    expect(nameWritten(untidy, { firstName: 'Mary Lou' })).toEqual(untidy);
  });

  test('and the given name are read back as the first name that was written', () => {
    const words = fc
      .array(fc.constantFrom('Ann', 'Dr', 'Mary', 'Ann Dr', 'X', 'ann', 'Lé', ' ', '  ', '\u0301a'), { maxLength: 4 })
      .map((list) => list.join(' '));
    fc.assert(
      fc.property(words, words.map(normaliseText), (givenName, firstName) => {
        // The other parts have a value that the first name never repeats.
        const before = { honorificPrefix: 'Q', givenName, middleName: 'Q', familyName: 'Lee' };
        const after = nameWritten(before, { firstName });
        expect(namedRecord(after).contact).toMatchObject({ firstName, lastName: 'Lee' });
        // Writing the first name that was read changes nothing.
        expect(nameWritten(before, { firstName: namedRecord(before).contact.firstName })).toEqual(before);
        expect(nameWritten(after, { firstName })).toEqual(after);
      }),
      { numRuns: 2_000 },
    );
  });
});
