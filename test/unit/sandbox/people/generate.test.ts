import { describe, expect, it } from 'vitest';
import { generatePeople } from '../../../../src/sandbox/people/generate.ts';
import type { Person } from '../../../../src/sandbox/people/person.ts';

const SCRIPTS = 'Latin Cyrillic Greek Arabic Hebrew Devanagari Tamil Thai Han Hiragana Katakana Hangul Georgian'.split(
  ' ',
);

const fullName = (person: Person): string => `${person.givenName} ${person.familyName}`;
const emailsOf = (person: Person): string[] => person.emails.map(({ value }) => value);

/** The keys that more than one entry has. */
const repeated = (keys: readonly string[]): string[] => {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > 1).map(([key]) => key);
};

describe('generatePeople', () => {
  const people = generatePeople({ count: 500, seed: 1 });

  it('returns the same book for the same seed and another book for another seed', () => {
    expect(generatePeople({ count: 500, seed: 1 })).toEqual(people);
    expect(generatePeople({ count: 500, seed: 2 })).not.toEqual(people);
  });

  it('starts a longer book with the people of the shorter one', () => {
    expect(people.slice(0, 60)).toEqual(generatePeople({ count: 60, seed: 1 }));
    expect(generatePeople({ count: 0, seed: 1 })).toEqual([]);
  });

  it.each(SCRIPTS)('has names in the %s script', (script) => {
    expect(people.some((person) => new RegExp(`\\p{Script=${script}}`, 'u').test(fullName(person)))).toBe(true);
  });

  it('uses only domains that are reserved for examples', () => {
    const domains = people.flatMap((person) => [
      ...emailsOf(person).map((email) => email.split('@')[1] ?? ''),
      ...person.websites.map(({ value }) => value.replace(/^https?:\/\//, '').split('/')[0] ?? ''),
    ]);
    expect(domains.length).toBeGreaterThan(400);
    expect(
      domains.filter((domain) => !/^(?:[a-z0-9-]+\.)*(?:example\.(?:com|org|net)|[a-z0-9-]+\.test)$/i.test(domain)),
    ).toEqual([]);
  });

  it('writes every email address in ASCII with something before the at sign', () => {
    expect(people.flatMap(emailsOf).filter((email) => !/^[A-Za-z0-9._-]+@[A-Za-z0-9.-]+$/.test(email))).toEqual([]);
  });

  it('leaves no pattern placeholder unfilled', () => {
    const filled = people.flatMap((person) => [
      ...person.phones.map(({ value }) => value),
      ...person.addresses.flatMap(({ street, postalCode }) => [street, postalCode]),
    ]);
    expect(filled.filter((text) => /[#*]/.test(text))).toEqual([]);
  });

  it('writes phone numbers in many forms', () => {
    const numbers = people.flatMap((person) => person.phones.map(({ value }) => value));
    for (const form of [/^\+\d/, /^00\d/, /^0\d/, /^\(/, /\d\.\d/, /\d-\d/, /\d \d/, /^\d+$/, / (?:ext\.|x) ?\d+$/]) {
      expect(numbers.filter((number) => form.test(number)).length, String(form)).toBeGreaterThan(2);
    }
  });

  it('has the irregularities of a real book', () => {
    const has = (test: (person: Person) => boolean): number => people.filter(test).length;
    expect(has((person) => fullName(person) === ' ' && person.company !== '')).toBeGreaterThan(20);
    expect(has((person) => person.emails.length === 0)).toBeGreaterThan(40);
    expect(has((person) => person.givenName !== '' && person.familyName === '')).toBeGreaterThan(10);
    expect(has((person) => person.familyName.split(' ').length > 1)).toBeGreaterThan(20);
    expect(has((person) => /\p{Extended_Pictographic}|\p{Regional_Indicator}/u.test(person.givenName))).toBeGreaterThan(
      8,
    );
    expect(has((person) => fullName(person) !== fullName(person).normalize('NFC'))).toBeGreaterThan(3);
    expect(has((person) => emailsOf(person).some((email) => email !== email.toLowerCase()))).toBeGreaterThan(20);
    expect(has((person) => person.phones.length > 3)).toBeGreaterThan(0);
  });

  it('repeats some people, and gives some the same email address under another name', () => {
    const keys = people.flatMap((person) => emailsOf(person).map((email) => email.toLowerCase()));
    const shared = repeated(keys);
    const namesByEmail = shared.map(
      (email) =>
        new Set(people.filter((person) => emailsOf(person).join(' ').toLowerCase().includes(email)).map(fullName)),
    );
    expect(namesByEmail.filter((names) => names.size === 1).length).toBeGreaterThan(2);
    expect(namesByEmail.filter((names) => names.size > 1).length).toBeGreaterThan(5);
  });

  it('has about ten groups of very different sizes, and people in none, one and several', () => {
    const memberships = people.flatMap((person) => person.groups);
    const sizes = [...new Set(memberships)].map((group) => memberships.filter((other) => other === group).length);
    expect(sizes.length).toBeGreaterThanOrEqual(8);
    expect(sizes.length).toBeLessThanOrEqual(14);
    expect(Math.max(...sizes)).toBeGreaterThan(2 * Math.min(...sizes));
    expect(new Set(people.map((person) => Math.min(person.groups.length, 2)))).toEqual(new Set([0, 1, 2]));
  });
});
