import { describe, expect, it } from 'vitest';
import { phoneKey } from '../../../src/core/contact/keys.ts';
import { splitBook } from '../../../src/sandbox/people/overlap.ts';
import type { Person } from '../../../src/sandbox/people/person.ts';
import { samplePeople } from '../../../src/sandbox/people/sample.ts';

const fullName = (person: Person): string => `${person.givenName} ${person.familyName}`;
const emailsOf = (person: Person): string[] => person.emails.map(({ value }) => value);
const phonesOf = (person: Person): string[] => person.phones.map(({ value }) => value);

describe('the sample people', () => {
  it('have only domains that are reserved for examples', () => {
    const domains = samplePeople(60).flatMap((person) => [
      ...emailsOf(person).map((email) => email.replace(/^.*@/u, '')),
      ...person.websites.map(({ value }) => value.replace(/^https?:\/\//u, '').replace(/\/.*$/u, '')),
    ]);
    expect(domains.length).toBeGreaterThan(55);
    const reserved = /(?:^|\.)(?:example\.(?:com|org|net)|[a-z-]+\.test)$/iu;
    expect(domains.filter((domain) => !reserved.test(domain))).toEqual([]);
  });

  it('are the beginning of a longer book, in which no name, email address or phone number is in two rounds', () => {
    expect(samplePeople(500).slice(0, 60)).toEqual(samplePeople(60));
    const rounds = Map.groupBy(samplePeople(6_000).entries(), ([index]) => Math.floor(index / 60));
    const keys = [...rounds.values()].flatMap((round) => {
      const found = round.flatMap(([, person]) => [
        `${fullName(person)} ${fullName(person) === ' ' ? person.company : ''}`,
        ...emailsOf(person).map((email) => email.toLowerCase()),
        ...phonesOf(person).map(phoneKey),
      ]);
      return [...new Set(found.filter((key) => key.trim() !== ''))];
    });
    expect(new Set(keys).size).toBe(keys.length);
  });
});

const digitsOf = (phone: string): string => phone.replace(/\D/gu, '').replace(/^00/u, '');

describe('two books of one seed', () => {
  /** No difference changes notes, so they serve as the identity here. */
  const people = samplePeople(400).map((person, index) => ({ ...person, notes: `person ${index}` }));
  const { left, right } = splitBook(people, 11);
  const atRight = new Map(right.map((person) => [person.notes, person]));
  const inBoth = left.flatMap((person): [Person, Person][] => {
    const other = atRight.get(person.notes);
    return other === undefined ? [] : [[person, other]];
  });

  it('are the same again, with each person in one of them and most in both', () => {
    expect(splitBook(people, 11)).toEqual({ left, right });
    expect(splitBook(people, 12)).not.toEqual({ left, right });
    expect(new Set([...left, ...right].map((person) => person.notes)).size).toBe(people.length);
    expect(inBoth.length).toBeGreaterThan(240);
    expect(Math.min(left.length, right.length) - inBoth.length).toBeGreaterThan(30);
  });

  it('differ in values, and never in the digits of a phone or the letters of the first email address', () => {
    const changed = inBoth.filter(([one, other]) => JSON.stringify(one) !== JSON.stringify(other));
    expect(changed.length / inBoth.length).toBeGreaterThan(0.3);
    for (const [one, other] of inBoth) {
      expect(emailsOf(one)[0]?.toLowerCase()).toBe(emailsOf(other)[0]?.toLowerCase());
      expect(phonesOf(one).map(digitsOf)).toEqual(phonesOf(other).map(digitsOf));
    }
  });
});
