import type { LabelledText, Person } from './person.ts';
import { createRandom, type Random } from './random.ts';

const EXTENSION = /\s*ext\.?\s*(\d+)$/iu;

/** Returns the same number without separators, with `00` for `+`, and with another spelling of its extension. */
const reformatPhone = (phone: string): string => {
  const extension = EXTENSION.exec(phone)?.[1];
  const digits = phone.replace(EXTENSION, '').replaceAll(/\D/gu, '');
  return (phone.startsWith('+') ? '00' : '') + digits + (extension === undefined ? '' : ` x${extension}`);
};

const swapFirstLetterCase = (text: string): string => {
  const first = text.slice(0, 1);
  const swapped = first === first.toLowerCase() ? first.toUpperCase() : first.toLowerCase();
  return swapped + text.slice(1);
};

const mapValues = (entries: readonly LabelledText[], change: (value: string) => string): LabelledText[] =>
  entries.map((entry) => ({ ...entry, value: change(entry.value) }));

/** A typical difference between two address books that are not synced. Returns null if the person cannot have it. */
type Difference = (person: Person, random: Random) => Partial<Person> | null;

const DIFFERENCES: readonly Difference[] = [
  ({ phones }) => (phones.length > 0 ? { phones: mapValues(phones, reformatPhone) } : null),
  ({ emails }) => (emails.length > 0 ? { emails: mapValues(emails, swapFirstLetterCase) } : null),
  ({ title }) => (title === '' ? null : { title: '' }),
  ({ company, givenName }, random) =>
    company === '' || givenName === ''
      ? null
      : { company: `${company} ${random.pick(['Group', 'International', '2'])}` },
  ({ emails, givenName }) => {
    const [first] = emails;
    if (first === undefined || givenName === '') return null;
    return { emails: [...emails, { value: `extra.${first.value.toLowerCase()}`, label: 'other' }] };
  },
  ({ addresses }) => (addresses.length > 0 ? { addresses: [] } : null),
  ({ groups }) => (groups.length > 0 ? { groups: groups.slice(1) } : null),
];

/** Returns the person with one or two differences. */
const withDifferences = (person: Person, random: Random): Person => {
  const possible = random.shuffle(DIFFERENCES).filter((difference) => difference(person, random) !== null);
  const chosen = possible.slice(0, 1 + random.below(2));
  return chosen.reduce((changed, difference) => ({ ...changed, ...difference(changed, random) }), person);
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
    const other = random.chance(0.5) ? withDifferences(person, random) : person;
    const [atLeft, atRight] = random.chance(0.3) ? [other, person] : [person, other];
    if (place >= 0.15) left.push(atLeft);
    if (place < 0.85) right.push(atRight);
  }
  return { left, right: random.shuffle(right) };
};
