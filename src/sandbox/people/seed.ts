import type { GoogleAccount } from '../google/account.ts';
import { myContactsGroup } from '../google/group-book.ts';
import type { Person as GooglePerson } from '../google/person-schema.ts';
import type { ServiceAccount } from '../service/account.ts';
import type { ContactFields } from '../service/contact-fields.ts';
import { ServiceError } from '../service/errors.ts';
import type { LabelledText, Person } from './person.ts';

const groupNames = (people: readonly Person[]): string[] => [...new Set(people.flatMap(({ groups }) => groups))];

const idsOf = (names: readonly string[], idByName: ReadonlyMap<string, string>): string[] =>
  names.flatMap((name) => idByName.get(name) ?? []);

const toTypedValue = ({ value, label }: LabelledText) => ({ value, type: label });

const toBirthdays = (birthday: string): NonNullable<GooglePerson['birthdays']> => {
  const [, year, month, day] = /^(\d{4}|-)-(\d{2})-(\d{2})$/.exec(birthday) ?? [];
  if (year === undefined) return [];
  return [{ date: { year: year === '-' ? null : Number(year), month: Number(month), day: Number(day) } }];
};

/** The account drops empty texts and what is left empty by that, so nothing is left out here. */
const toGooglePerson = (person: Person): GooglePerson => ({
  names: [
    {
      honorificPrefix: person.prefix,
      givenName: person.givenName,
      middleName: person.middleName,
      familyName: person.familyName,
      honorificSuffix: person.suffix,
    },
  ],
  nicknames: [{ value: person.nickname }],
  organizations: [{ name: person.company, title: person.title, department: person.department }],
  emailAddresses: person.emails.map(toTypedValue),
  phoneNumbers: person.phones.map(toTypedValue),
  urls: person.websites.map(toTypedValue),
  addresses: person.addresses.map(({ street, city, region, postalCode, country, label }) => {
    return { streetAddress: street, city, region, postalCode, country, type: label };
  }),
  birthdays: toBirthdays(person.birthday),
  biographies: person.notes === '' ? [] : [{ value: person.notes }],
});

/** Puts the people into the account, in My Contacts and under labels that are created where the account lacks them. */
export const seedGoogle = (account: GoogleAccount, people: readonly Person[]): void => {
  const idByName = new Map(account.groups().map(({ name, resourceName }) => [name, resourceName]));
  for (const name of groupNames(people)) {
    if (!idByName.has(name)) idByName.set(name, account.createGroup(name));
  }
  for (const person of people) {
    account.createPerson(toGooglePerson(person), { groups: [myContactsGroup, ...idsOf(person.groups, idByName)] });
  }
};

const toAddressEntry = ({ value, label }: LabelledText) => ({ address: value, label });

/** Of a middle name, prefix, birthday and the like the service knows nothing (providers/service/API.md, Contact). */
const toServiceContact = (person: Person): ContactFields => ({
  first_name: person.givenName || null,
  last_name: person.familyName || null,
  company: person.company || null,
  title: person.title || null,
  email_addresses: person.emails.map(toAddressEntry),
  phone_numbers: person.phones.map(({ value, label }) => ({ number: value, label })),
  websites: person.websites.map(toAddressEntry),
  addresses: person.addresses.map(({ street, city, region, postalCode, country, label }) => {
    return { street_1: street, city, state: region, zip: postalCode, country, label };
  }),
});

const isTaken = (create: () => void): boolean => {
  try {
    create();
    return true;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
};

/**
 * Puts the people into the account, in buckets that are created where the account lacks them. Whom the service refuses
 * under its present variants (say, without a last name) is left out: such a contact could not be there. Returns how many.
 */
export const seedService = (account: ServiceAccount, people: readonly Person[]): number => {
  const idByName = new Map(account.buckets().map(({ name, id }) => [name, id]));
  for (const name of groupNames(people)) {
    if (!idByName.has(name)) idByName.set(name, account.createBucket({ name }).id);
  }
  const refused = people.filter((person) => {
    const bucketIds = idsOf(person.groups, idByName);
    return !isTaken(() => account.createContact(toServiceContact(person), { bucketIds }));
  });
  return refused.length;
};
