import { expect, test } from 'vitest';
import { contactOf } from '../../../../src/core/contact/record.ts';
import { rankBy } from '../../../../src/core/contact/search.ts';

const ADA = contactOf({
  firstName: 'Ada',
  lastName: 'Lee',
  emailAddresses: [{ label: 'work', value: 'ada@x.example' }],
  phoneNumbers: [
    { label: 'home', value: '+49 30 5550199' },
    { label: 'mobile', value: '+49 30 5550123' },
  ],
});

test.each<[string, string, ReturnType<ReturnType<typeof rankBy>>]>([
  ['first by its email address', 'Ada@X.example', 0],
  ['first by any of its phone numbers, in any spelling', '0049 (30) 5550123', 0],
  ['second by its whole name, in any order', 'lee ada', 1],
  ['third by a word of its name', 'Lee', 2],
  ['last by the beginnings of words of its name', 'le ad', 3],
  ['not at all by another name', 'Ada Lovelace', null],
  ['not at all by the number of another contact', '+49 30 5550124', null],
  ['not at all by an empty text', '', null],
])('a search ranks a contact %s', (_, text, rank) => {
  expect(rankBy(text)(ADA)).toBe(rank);
});

test.each<[string, string, number | null]>([
  ['a company without a contact person is found by its name', '', 1],
  ['a person is not found by the name of the company', 'Ada', null],
])('%s', (_, firstName, rank) => {
  expect(rankBy('acme tools')(contactOf({ firstName, company: 'Acme Tools' }))).toBe(rank);
});
