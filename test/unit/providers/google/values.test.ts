import { expect, test } from 'vitest';
import { updateBody } from '../../../../src/providers/google/mapper.ts';
import { dateOf, dayOf } from '../../../../src/providers/google/further-fields.ts';
import { person, recordOf } from './support.ts';

const FIRST = { name: 'Acme', title: 'CEO' };
const SECOND = { name: 'OldCo', title: 'Advisor', department: 'Board' };

test('R10: a record lists the organizations that its contact does not contain', () => {
  expect(recordOf(person(1, { organizations: [FIRST] }))).not.toHaveProperty('entries');
  const { contact, entries } = recordOf(person(1, { organizations: [{ department: 'Sales' }, FIRST, SECOND] }));
  expect(contact).toMatchObject({ company: 'Acme', title: 'CEO' });
  expect(entries).toEqual([
    {
      fields: ['company', 'title'],
      entries: [
        ['', ''],
        ['Acme', 'CEO'],
        ['OldCo', 'Advisor'],
      ],
      bound: 1,
    },
  ]);
});

test('R10: an update of a record from an earlier version changes the entry that is bound by default', () => {
  const { entries: _, ...current } = recordOf(person(1, { organizations: [FIRST, SECOND] }));
  const desired = { ...current.contact, company: 'Beta' };
  const body = updateBody({ key: '1', current, desired, fields: ['company'] }, ['organizations']);
  expect(body['organizations']).toEqual([{ ...FIRST, name: 'Beta' }, SECOND]);
});

test.each([
  ['1980-05-17', { year: 1980, month: 5, day: 17 }],
  ['--02-29', { month: 2, day: 29 }],
])('%s is converted to a date and back', (text, date) => {
  expect(dateOf(text)).toEqual(date);
  expect(dayOf(date)).toBe(text);
});

test.each(['1981-02-29', '1980-13-01', '0000-01-01', 'May 17', '1980-05', ''])('%s is not a date [R2]', (text) => {
  expect(dateOf(text)).toBeNull();
});

test.each([{}, { year: 1980 }, { year: 1980, month: 5 }, { year: 0, month: 0, day: 3 }])('%o is not a day', (date) => {
  expect(dayOf(date)).toBeNull();
});
