import { expect, test } from 'vitest';
import { updateBody } from '../../../../src/providers/google/body.ts';
import { dateOf, dayOf } from '../../../../src/providers/google/further-fields.ts';
import { person, recordOf } from './support.ts';

const FIRST = { name: 'Acme', title: 'CEO' };
const SECOND = { name: 'OldCo', title: 'Advisor', department: 'Board' };

test('R10: a record names the organizations that it does not hold', () => {
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

test('R10: a record of an earlier version is written over the entry that is usually held', () => {
  const { entries: _, ...current } = recordOf(person(1, { organizations: [FIRST, SECOND] }));
  const desired = { ...current.contact, company: 'Beta' };
  const body = updateBody({ key: '1', current, desired, fields: ['company'] }, ['organizations']);
  expect(body['organizations']).toEqual([{ ...FIRST, name: 'Beta' }, SECOND]);
});

test.each([
  ['1980-05-17', { year: 1980, month: 5, day: 17 }],
  ['--02-29', { month: 2, day: 29 }],
])('%s is a day', (text, date) => {
  expect(dateOf(text)).toEqual(date);
  expect(dayOf(date)).toBe(text);
});

test.each(['1981-02-29', '1980-13-01', '0000-01-01', 'May 17', '1980-05', ''])('%s is none [R2]', (text) => {
  expect(dateOf(text)).toBeNull();
});

test.each([{}, { year: 1980 }, { year: 1980, month: 5 }, { year: 0, month: 0, day: 3 }])('%o names none', (date) => {
  expect(dayOf(date)).toBeNull();
});
