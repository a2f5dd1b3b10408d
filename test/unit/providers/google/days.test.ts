import { expect, test } from 'vitest';
import { dateOf, dayOf } from '../../../../src/providers/google/further-fields.ts';

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
