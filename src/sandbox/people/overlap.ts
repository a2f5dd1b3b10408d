import type { Person } from './person.ts';
import { createRandom, type Random, reformatPhone } from './random.ts';

/** A typical difference between two address books that are not synced. */
type Difference = {
  readonly appliesTo: (person: Person) => boolean;
  readonly apply: (person: Person, random: Random) => Person;
};

const swapFirstLetterCase = (text: string): string => {
  const first = text.slice(0, 1);
  const swapped = first === first.toLowerCase() ? first.toUpperCase() : first.toLowerCase();
  return swapped + text.slice(1);
};

const DIFFERENCES: readonly Difference[] = [
  {
    appliesTo: (person) => person.phones.length > 0,
    apply: (person, random) => ({
      ...person,
      phones: person.phones.map((phone) => ({ ...phone, value: reformatPhone(phone.value, random) })),
    }),
  },
  {
    appliesTo: (person) => person.emails.length > 0,
    apply: (person) => ({
      ...person,
      emails: person.emails.map((email) => ({ ...email, value: swapFirstLetterCase(email.value) })),
    }),
  },
  {
    appliesTo: (person) => person.title !== '',
    apply: (person) => ({ ...person, title: '' }),
  },
  {
    appliesTo: (person) => person.company !== '' && person.givenName !== '',
    apply: (person, random) => ({
      ...person,
      company: `${person.company} ${random.pick(['Group', 'International', '2'])}`,
    }),
  },
  {
    appliesTo: (person) => person.givenName !== '' && person.emails.length > 0,
    apply: (person) => ({
      ...person,
      emails: [...person.emails, { value: `extra.${person.emails[0]?.value.toLowerCase() ?? ''}`, label: 'other' }],
    }),
  },
  {
    appliesTo: (person) => person.addresses.length > 0,
    apply: (person) => ({ ...person, addresses: [] }),
  },
  {
    appliesTo: (person) => person.groups.length > 0,
    apply: (person) => ({ ...person, groups: person.groups.slice(1) }),
  },
];

const applyDifferences = (person: Person, random: Random): Person => {
  const possible = random.shuffle(DIFFERENCES.filter((difference) => difference.appliesTo(person)));
  const chosen = possible.slice(0, 1 + random.below(2));
  return chosen.reduce((changed, difference) => difference.apply(changed, random), person);
};

/**
 * Splits one book into two. About 70 % of the people are in both books, half of those with realistic differences in one of
 * them. The others are in one book only. The right book has a different order.
 */
export const splitBook = (people: readonly Person[], seed: number): { left: Person[]; right: Person[] } => {
  const random = createRandom(seed);
  const left: Person[] = [];
  const right: Person[] = [];
  for (const person of people) {
    const place = random.next();
    const other = random.chance(0.5) ? applyDifferences(person, random) : person;
    const [atLeft, atRight] = random.chance(0.3) ? [other, person] : [person, other];
    if (place >= 0.15) left.push(atLeft);
    if (place < 0.85) right.push(atRight);
  }
  return { left, right: random.shuffle(right) };
};
