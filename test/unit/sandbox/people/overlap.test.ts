import { describe, expect, it } from 'vitest';
import { generatePeople } from '../../../../src/sandbox/people/generate.ts';
import { splitBook } from '../../../../src/sandbox/people/overlap.ts';
import type { Person } from '../../../../src/sandbox/people/person.ts';
import { createRandom, reformatPhone } from '../../../../src/sandbox/people/random.ts';

const digitsOf = (phone: string): string => phone.replace(/\D/g, '').replace(/^00/, '');

describe('splitBook', () => {
  /** No difference changes notes, so they serve as the identity here. */
  const people = generatePeople({ count: 400, seed: 3 }).map((person, index) => ({
    ...person,
    notes: `person ${index}`,
  }));
  const { left: google, right: service } = splitBook(people, 11);
  const atService = new Map(service.map((person) => [person.notes, person]));
  const inBoth = google.flatMap((person): [Person, Person][] => {
    const other = atService.get(person.notes);
    return other === undefined ? [] : [[person, other]];
  });

  it('returns the same books for the same seed', () => {
    expect(splitBook(people, 11)).toEqual({ left: google, right: service });
    expect(splitBook(people, 12)).not.toEqual({ left: google, right: service });
  });

  it('puts each person in at least one book and most people in both', () => {
    expect(new Set([...google, ...service].map((person) => person.notes)).size).toBe(people.length);
    expect(inBoth.length).toBeGreaterThan(240);
    expect(google.length - inBoth.length).toBeGreaterThan(30);
    expect(service.length - inBoth.length).toBeGreaterThan(30);
  });

  it.each<[string, (left: Person, right: Person) => boolean]>([
    ['no difference', (left, right) => JSON.stringify(left) === JSON.stringify(right)],
    ['a missing title', (left, right) => left.title !== '' && right.title === ''],
    ['another company', (left, right) => left.company !== right.company],
    ['an extra email address', (left, right) => left.emails.length < right.emails.length],
    ['the same phone in another notation', (left, right) => left.phones[0]?.value !== right.phones[0]?.value],
    ['the same email address in another case', (left, right) => left.emails[0]?.value !== right.emails[0]?.value],
    ['fewer groups', (left, right) => left.groups.length > right.groups.length],
  ])('shows %s between the books', (_title, differs) => {
    expect(inBoth.filter(([left, right]) => differs(left, right) || differs(right, left)).length).toBeGreaterThan(5);
  });

  it('keeps the identity of each person: the digits of a phone and the letters of an email address are unchanged', () => {
    for (const [left, right] of inBoth) {
      expect(left.emails[0]?.value.toLowerCase()).toBe(right.emails[0]?.value.toLowerCase());
      expect(left.phones.map(({ value }) => digitsOf(value.replace('(0)', '')))).toEqual(
        right.phones.map(({ value }) => digitsOf(value.replace('(0)', ''))),
      );
    }
  });
});

describe('reformatPhone', () => {
  const formsOf = (phone: string): Set<string> => {
    const random = createRandom(1);
    return new Set(Array.from({ length: 50 }, () => reformatPhone(phone, random)));
  };

  it('writes an international number in its other international forms', () => {
    expect(formsOf('+33 6 39 98 00 01')).toEqual(new Set(['+33639980001', '0033639980001', '+336 399 800 01']));
    expect(formsOf('0033639980001')).toEqual(new Set(['+33639980001', '+336 399 800 01']));
  });

  it('keeps an extension', () => {
    expect(formsOf('030 23125 004 ext. 12')).toContain('03023125004 x12');
  });

  it.each(['1-800-FLOWERS', '112', '*31#0171392000', ''])('leaves %o unchanged', (phone) => {
    expect(formsOf(phone)).toEqual(new Set([phone]));
  });
});
