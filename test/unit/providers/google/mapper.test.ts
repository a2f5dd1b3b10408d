import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Contact, CONTACT_FIELDS, type ContactField, USUAL_FIELDS } from '../../../../src/core/contact/contact.ts';
import { contactOf, type ContactRecord } from '../../../../src/core/contact/record.ts';
import { normaliseText } from '../../../../src/core/contact/text.ts';
import { personMapping } from '../../../../src/providers/google/fields.ts';
import { createBody, maskOf, readPerson, updateBody } from '../../../../src/providers/google/mapper.ts';
import { creation, originData, person, recordOf } from './support.ts';
import { dateOf, dayOf } from '../../../../src/providers/google/further-fields.ts';

const METADATA = { primary: true, source: { type: 'CONTACT', id: '1' } };
const STREET = { type: 'home', streetAddress: 'Main St 1', city: 'Bonn', postalCode: '53111', poBox: 'Box 5' };
const SENT_ADDRESS = { ...STREET, country: 'Germany', countryCode: 'DE' };
const FORMATTED = 'Box 5, Main St 1, Bonn';
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
  addresses: [{ metadata: METADATA, formattedType: 'Home', formattedValue: FORMATTED, ...SENT_ADDRESS }],
});

const entryOf = (value: string, label: string | null = null) => ({ value, label });

const update = (record: ContactRecord, changes: Partial<Contact>) => {
  const fields = Object.keys(changes) as ContactField[];
  return updateBody({ key: 'k', current: record, desired: { ...record.contact, ...changes }, fields }, maskOf(fields));
};

test.each(['Facebook', 'profile'])('[R3] a website with the label %s is not read back as a social profile', (label) => {
  const mapping = personMapping([...USUAL_FIELDS, 'socialProfiles']);
  const [websites, socialProfiles] = [[entryOf('ada.example', label)], [entryOf('x.example/ada', label)]];
  const { urls } = createBody(creation(1, { websites, socialProfiles }), mapping);
  expect(readPerson({ ...person(1), urls }, mapping)).toMatchObject({
    record: { contact: { websites: [entryOf('ada.example')], socialProfiles } },
  });
});

const RECORD = recordOf(RICH);
const [ADDRESS = expect.fail('no address')] = RECORD.contact.addresses;
const NO_ADDRESS = { street: '', city: '', region: '', postalCode: '', country: '', label: null };
const PARIS = { ...NO_ADDRESS, street: 'Rue 2', city: 'Paris' };
const FIRST = { name: 'First', title: 'Clerk', department: 'Desk' };
const CURRENT = { current: true, startDate: { year: 2020 } };
const CHIEF = { ...CURRENT, name: 'Second', title: 'Chief' };
const BARE = { metadata: METADATA, name: 'A', type: 'work' };
const NEITHER = { company: '', title: '' };
const ITALY = { country: 'Italy', countryCode: undefined };
const UNBOXED = { streetAddress: 'A 2', poBox: undefined };
const entered = (fields: Readonly<Record<string, unknown>>): ContactRecord => recordOf(person(1, fields));
const moved = (change: object): Partial<Contact> => ({ addresses: [{ ...ADDRESS, ...change }] });
const sentAddress = (change: object) => ({ addresses: [{ ...SENT_ADDRESS, ...change }] });

const phones = (...phoneNumbers: readonly object[]) => ({ phoneNumbers });
const [INVISIBLE, SPELT] = [
  { value: '\u200f', type: 'home' },
  { value: '555-1234', type: 'fax' },
];
const EMAILS = RECORD.contact.emailAddresses.toSpliced(0, 1, entryOf('John@kde.example', 'other'));
const SENT_EMAILS = [
  { value: 'John@kde.example', type: 'other', displayName: 'J. Doe' },
  { value: 'john@home.test', type: 'home', metadata: { sourcePrimary: true } },
];
const [FORMATTED_ADDRESS, SENT_PARIS] = [
  { ...SENT_ADDRESS, formattedValue: FORMATTED },
  { streetAddress: 'Rue 2', city: 'Paris' },
];
const [VALUELESS, PLACELESS] = [{ displayName: 'No address' }, { countryCode: 'DE' }];

test.each<[string, ContactRecord, Partial<Contact>, Readonly<Record<string, unknown>>]>([
  ['the other subfields of an email address', RECORD, { emailAddresses: EMAILS }, { emailAddresses: SENT_EMAILS }],
  [
    'a phone number of invisible characters is sent once',
    entered(phones({ ...INVISIBLE, metadata: METADATA })),
    { phoneNumbers: [entryOf('\u200f', 'home'), entryOf('112')] },
    phones(INVISIBLE, { value: '112' }),
  ],
  [
    'two spellings of one number are both kept',
    entered(phones({ value: '555 1234' }, SPELT)),
    { phoneNumbers: [entryOf('555 1234'), entryOf('999')] },
    phones({ value: '555 1234' }, SPELT, { value: '999' }),
  ],
  ['an old address', RECORD, { addresses: [PARIS, ADDRESS] }, { addresses: [SENT_PARIS, FORMATTED_ADDRESS] }],
  [
    'entries without a mapped value are kept',
    entered({ emailAddresses: [VALUELESS], addresses: [PLACELESS] }),
    { emailAddresses: [entryOf('a@x')], addresses: [PARIS] },
    { emailAddresses: [{ value: 'a@x' }, VALUELESS], addresses: [SENT_PARIS, PLACELESS] },
  ],
  ['an address keeps its box', RECORD, moved({ city: 'Köln' }), sentAddress({ city: 'Köln' })],
  ['another country replaces the code', RECORD, moved({ country: 'Italy' }), sentAddress(ITALY)],
  ['another street has no former box', RECORD, moved({ poBox: '', street: 'A 2' }), sentAddress(UNBOXED)],
  ['a title changes the current organization', RECORD, { title: 'Chief' }, { organizations: [FIRST, CHIEF] }],
  ['an organization with another value is kept', RECORD, NEITHER, { organizations: [FIRST, CURRENT] }],
  ['an empty organization is removed', entered({ organizations: [BARE] }), { company: '' }, { organizations: [] }],
])('R10: an update keeps what no contact expresses: %s', (_, record, changes, lists) => {
  const metadata = { sources: [{ type: 'CONTACT', id: '1', etag: '#1' }] };
  expect(update(record, changes)).toEqual({ resourceName: record.id, metadata, ...lists });
});

test('[R10] lists that only the batch writes are sent as they were read, without values that Google generates', () => {
  const lists = ['names', 'organizations', 'emailAddresses', 'phoneNumbers', 'addresses', 'urls'] as const;
  const { contact: desired } = RECORD;
  const sent = JSON.stringify(updateBody({ key: 'k', current: RECORD, desired, fields: ['firstName'] }, lists));
  expect(sent).not.toMatch(/canonicalForm|formattedType|displayNameLastFirst|unstructuredName|"primary"/u);
  expect(sent).toContain('Dschon');
  const current = entered({ names: [{ displayName: 'Madonna', unstructuredName: 'Madonna' }] });
  const request = { key: 'k', current, desired: contactOf({ title: 'x' }), fields: ['title' as const] };
  expect(updateBody(request, ['names', 'organizations'])['names']).toEqual([{ unstructuredName: 'Madonna' }]);
});

test('a create contains the draft, My Contacts and the groups, and the origin id with its account (R9)', () => {
  const request = creation(1, { firstName: 'Ann', emailAddresses: [{ value: 'a@x', label: 'home' }] });
  const memberships = ['contactGroups/myContacts', 'contactGroups/0a'].map((contactGroupResourceName) => ({
    contactGroupMembership: { contactGroupResourceName },
  }));
  expect(createBody(request)).toEqual({
    names: [{ givenName: 'Ann' }],
    emailAddresses: [{ value: 'a@x', type: 'home' }],
    memberships,
    ...originData('contact_1'),
    ...Object.fromEntries(['organizations', 'phoneNumbers', 'addresses', 'urls'].map((list) => [list, []])),
  });
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
      const created = written(createBody(creation(1, before)));
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

const parts = { honorificPrefix: 'Dr.', middleName: 'Ann', honorificSuffix: 'Jr.' };
const NAMED = { ...parts, givenName: 'Mary', familyName: 'Lee' };

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
])('R10: an unsynced part of a name is not written again in a synced part: %s', (_, changes, expected) => {
  expect(nameWritten(NAMED, changes)).toEqual({ ...NAMED, ...expected });
});

test('[R10] an update of a name with parts that are not synced keeps a repetition that the user of Google entered', () => {
  const doubled = { ...NAMED, givenName: 'Mary Ann' };
  expect(nameWritten(doubled, { lastName: 'Ray' })).toEqual({ ...doubled, familyName: 'Ray' });
  expect(nameWritten(doubled, { firstName: 'Marie Ann' })).toEqual({ ...doubled, givenName: 'Marie Ann' });
});

test('[R10] the parts of a name are not split from a name that was entered as one text: it is the first name', () => {
  const whole = { unstructuredName: 'Mary Ann Lee' };
  expect(namedRecord(whole).contact).toMatchObject({ firstName: 'Mary Ann Lee', lastName: '' });
  expect(nameWritten(whole, { lastName: 'Lee' })).toEqual({ givenName: 'Mary Ann Lee', familyName: 'Lee' });
});

test.each(['honorificPrefix', 'middleName', 'honorificSuffix'])('R10: only a %s is no first name', (part) => {
  const lone = { [part]: 'Dr.', displayName: 'Dr.', unstructuredName: 'Dr.' };
  expect(namedRecord(lone).contact).toMatchObject({ firstName: '', lastName: '' });
  expect(nameWritten(lone, { lastName: 'Lee' })).toEqual({ [part]: 'Dr.', familyName: 'Lee' });
  expect(nameWritten(lone, { firstName: 'Ada' })).toEqual({ [part]: 'Dr.', givenName: 'Ada' });
});

test('R10: the parts of a name are read once if a link syncs the only part that exists', () => {
  const name = { middleName: 'Fam.', displayName: 'Fam.', unstructuredName: 'Fam.' };
  const mapping = personMapping([...USUAL_FIELDS, 'middleName']);
  expect(readPerson(person(1, { names: [name] }), mapping)).toMatchObject({
    record: { contact: { firstName: '', lastName: '', middleName: 'Fam.' } },
  });
});

test('[R10] the parts of a name are kept byte for byte by a write that does not change them', () => {
  const untidy = { honorificPrefix: ' Dr', givenName: ' Mary  Lou ', middleName: 'Ann\u00A0', familyName: 'Lee' };
  expect(nameWritten(untidy, { lastName: 'Ray' })).toEqual({ ...untidy, familyName: 'Ray' });
  expect(nameWritten(untidy, { firstName: 'Mary Lou' })).toEqual(untidy);
});

test('[R10] the parts of a name and the given name are read back as the first name that was written', () => {
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

const FROM_CONTACT = { source: { type: 'CONTACT', id: '1' } };
const ORIGIN = 'contact-sync.origin';

test.each<[string, Record<string, string>, object]>([
  ['with its account', { [ORIGIN]: 'account-1 people/c7' }, { originId: 'people/c7', originScope: 'account-1' }],
  ['that is malformed: none', { [ORIGIN]: 'account-1' }, { originId: null }],
  ['of another program: none', { other: 'contact_7' }, { originId: null }],
])('R9: the record of a Person has the origin of client data %s', (_, entries, expected) => {
  const clientData = Object.entries(entries).map(([key, value]) => ({ metadata: FROM_CONTACT, key, value }));
  const { originId, originScope } = recordOf(person(31, { clientData }));
  expect({ originId, ...(originScope === undefined ? {} : { originScope }) }).toEqual(expected);
});

test.each([
  [{ ...person(1), names: { givenName: 'not a list' } }, 'people/c1'],
  [{ ...person(1), emailAddresses: [{ value: 5 }] }, 'people/c1'],
  [{ resourceName: 'people/c1', metadata: { sources: [{ type: 'PROFILE', etag: 'x' }] } }, 'people/c1'],
  [{ metadata: {} }, null],
  ['text', null],
  [undefined, null],
])('a Person without a record is unreadable, with its id if it has one: %j', (answer, id) => {
  expect(readPerson(answer)).toMatchObject({ kind: 'unreadable', id });
});

test('a Person without a record has a reason that names the path and no value', () => {
  const emailAddresses = [{ value: 'a@x.example' }, { value: ['secret@x.example'] }];
  const reason = 'the contact is malformed at "emailAddresses.1.value"';
  expect(readPerson({ ...person(1), emailAddresses })).toMatchObject({ reason });
});

test('R10: a record lists the organizations that its contact does not contain', () => {
  const first = { name: 'Acme', title: 'CEO' };
  const second = { name: 'OldCo', title: 'Advisor', department: 'Board' };
  expect(recordOf(person(1, { organizations: [first] }))).not.toHaveProperty('entries');
  const { contact, entries } = recordOf(person(1, { organizations: [{ department: 'Sales' }, first, second] }));
  expect(contact).toMatchObject({ company: 'Acme', title: 'CEO' });
  const listed = ['', 'Acme CEO', 'OldCo Advisor'].map((words) => (words === '' ? ['', ''] : words.split(' ')));
  expect(entries).toEqual([{ fields: ['company', 'title'], entries: listed, bound: 1 }]);
});

test.each([
  ['1980-05-17', { year: 1980, month: 5, day: 17 }],
  ['--02-29', { month: 2, day: 29 }],
])('%s is converted to a date and back', (text, date) => {
  expect([dateOf(text), dayOf(date)]).toEqual([date, text]);
});

test('a text that is no date has no date, and an incomplete date is not a day [R2]', () => {
  const texts = ['1981-02-29', '1980-13-01', '0000-01-01', 'May 17', '1980-05', ''];
  expect(texts.filter((text) => dateOf(text) !== null)).toEqual([]);
  const dates = [{}, { year: 1980 }, { year: 1980, month: 5 }, { year: 0, month: 0, day: 3 }];
  expect(dates.filter((date) => dayOf(date) !== null)).toEqual([]);
});
