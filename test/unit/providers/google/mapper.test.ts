import { describe, expect, test } from 'vitest';
import { USUAL_MAPPING } from '../../../../src/providers/google/fields.ts';
import { dateOf, dayOf } from '../../../../src/providers/google/further-fields.ts';
import { LISTED_VALUES_MAX } from '../../../../src/providers/google/limits.ts';
import { readPerson } from '../../../../src/providers/google/mapper.ts';
import { person, recordOf } from './support.ts';

const CONTACT = { source: { type: 'CONTACT', id: '1' } };

const inGroup = (name: string) => ({ contactGroupMembership: { contactGroupResourceName: `contactGroups/${name}` } });

describe('the record of a Person', () => {
  test.each<[string, Record<string, string>, object]>([
    [
      'with its account',
      { 'contact-sync.origin': 'account-1 people/c7' },
      { originId: 'people/c7', originScope: 'account-1' },
    ],
    ['without its account', { 'contact-sync.service-id': 'contact_7' }, { originId: 'contact_7' }],
    [
      'with and without its account',
      { 'contact-sync.service-id': 'contact_7', 'contact-sync.origin': 'account-1 contact_8' },
      { originId: 'contact_8', originScope: 'account-1' },
    ],
    ['that is malformed: none', { 'contact-sync.origin': 'account-1' }, { originId: null }],
    ['of another program: none', { other: 'contact_7' }, { originId: null }],
  ])('[R9] has the origin of client data %s', (_, entries, expected) => {
    const clientData = Object.entries(entries).map(([key, value]) => ({ metadata: CONTACT, key, value }));
    const { originId, originScope } = recordOf(person(31, { clientData }));
    expect({ originId, ...(originScope === undefined ? {} : { originScope }) }).toEqual(expected);
  });

  test('has the user labels as groups, sorted, without system groups', () => {
    const memberships = [inGroup('ff01'), inGroup('myContacts'), inGroup('friends'), inGroup('19cb37f60aed8000')];
    const byId = { contactGroupMembership: { contactGroupId: '0a' } };
    const groupIds = ['0a', '19cb37f60aed8000', 'ff01'].map((id) => `contactGroups/${id}`);
    expect(recordOf(person(1, { memberships: [...memberships, byId] })).groupIds).toEqual(groupIds);
  });
});

describe('a Person without a record', () => {
  test.each([
    [{ ...person(1), names: { givenName: 'not a list' } }, 'people/c1'],
    [{ ...person(1), emailAddresses: [{ value: 5 }] }, 'people/c1'],
    [{ resourceName: 'people/c1', metadata: { sources: [{ type: 'PROFILE', etag: 'x' }] } }, 'people/c1'],
    [{ metadata: {} }, null],
    ['text', null],
    [undefined, null],
  ])('is unreadable, with its id if it has one: %j', (answer, id) => {
    expect(readPerson(answer)).toMatchObject({ kind: 'unreadable', id });
  });

  test('has a reason that names the path and no value', () => {
    const emailAddresses = [{ value: 'a@x.example' }, { value: ['secret@x.example'] }];
    const reason = 'the contact is malformed at "emailAddresses.1.value"';
    expect(readPerson({ ...person(1), emailAddresses })).toMatchObject({ reason });
  });
});

test('a record has the digest of its row only if it contains everything in the row', () => {
  expect(recordOf(person(1)).digest).toBe(USUAL_MAPPING.digestOf(person(1)));
  const source = { type: 'CONTACT', etag: '#1' };
  const renamed = { ...person(1), metadata: { sources: [source], previousResourceNames: ['people/c0'] } };
  expect(recordOf(renamed).digest).toBeUndefined();
  const phoneNumbers = Array.from({ length: LISTED_VALUES_MAX }, (_, number) => ({ value: `+1830555${number}` }));
  expect(recordOf(person(1, { phoneNumbers })).digest).toBeUndefined();
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
