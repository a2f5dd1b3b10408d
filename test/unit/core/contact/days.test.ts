import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { normaliseDay } from '../../../../src/core/contact/days.ts';

describe('a day', () => {
  test.each([
    { text: '1980-05-17', day: '1980-05-17' },
    { text: '1980-5-7', day: '1980-05-07' },
    { text: '1980.05.17', day: '1980-05-17' },
    { text: '1980/5/17', day: '1980-05-17' },
    { text: '19800517', day: '1980-05-17' },
    { text: '1980-05-17T00:00:00Z', day: '1980-05-17' },
    { text: '1980-05-17T00:00:00.000+00:00', day: '1980-05-17' },
    { text: '1980-05-17 00:00:00 UTC', day: '1980-05-17' },
    { text: '1980-05-17 00:00:00', day: '1980-05-17' },
    { text: '19800517T000000Z', day: '1980-05-17' },
    { text: '17.05.1980', day: '1980-05-17' },
    { text: '17. 5. 1980', day: '1980-05-17' },
    { text: '05.06.1980', day: '1980-06-05' },
    { text: '17.05.', day: '--05-17' },
    { text: '17/05/1980', day: '1980-05-17' },
    { text: '05/17/1980', day: '1980-05-17' },
    { text: '17-05-1980', day: '1980-05-17' },
    { text: '05/05/1980', day: '1980-05-05' },
    { text: '--05-17', day: '--05-17' },
    { text: '--0517', day: '--05-17' },
    { text: '--0229', day: '--02-29' },
    { text: '  1980-05-17 ', day: '1980-05-17' },
  ])('is read from $text', ({ text, day }) => {
    expect(normaliseDay(text)).toBe(day);
  });

  test.each([
    '05/06/1980',
    '5-6-1980',
    '2001-02-29',
    '29.02.2001',
    '19801340',
    '0000-05-17',
    '1980-05-17T22:00:00Z',
    '1980-05',
    'May 17',
    '12345678',
    'unknown',
  ])('is not guessed: %s stays unchanged', (text) => {
    expect(normaliseDay(text)).toBe(text);
  });

  test('has one spelling', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('0100-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
        (date) => {
          const day = date.toISOString().slice(0, 10);
          const [year = '', month = '', ofMonth = ''] = day.split('-');
          for (const text of [day, `${year}${month}${ofMonth}`, `${ofMonth}.${month}.${year}`, `${day}T00:00:00Z`]) {
            expect(normaliseDay(text)).toBe(day);
          }
          expect(normaliseDay(normaliseDay(`${month}/${ofMonth}/${year}`))).toBe(
            normaliseDay(`${month}/${ofMonth}/${year}`),
          );
        },
      ),
    );
  });
});
