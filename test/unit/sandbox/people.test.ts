import { describe, expect, it } from 'vitest';
import { phoneKey } from '../../../src/core/contact/keys.ts';
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
