import type { GoogleAccount } from '../google/account.ts';
import { myContactsGroup } from '../google/group-book.ts';
import type { Person as GooglePerson } from '../google/person-schema.ts';
import type { LabelledText, Person } from './person.ts';
import type { ServiceAccount } from '../service/account.ts';
import type { ContactFields } from '../service/contact-fields.ts';
import { ServiceError } from '../service/errors.ts';
import type { ContactRecord } from '../service/records.ts';

const groupNamesIn = (people: readonly Person[]): string[] => [...new Set(people.flatMap(({ groups }) => groups))];

const idsOf = (names: readonly string[], idByName: ReadonlyMap<string, string>): string[] =>
  names.flatMap((name) => idByName.get(name) ?? []);

const toTypedValue = ({ value, label }: LabelledText) => ({ value, type: label });

const toBirthdays = (birthday: string): NonNullable<GooglePerson['birthdays']> => {
  const [, year, month, day] = /^(\d{4}|-)-(\d{2})-(\d{2})$/.exec(birthday) ?? [];
  if (year === undefined) return [];
  return [{ date: { year: year === '-' ? null : Number(year), month: Number(month), day: Number(day) } }];
};

/** Returns the person with all its texts: the account removes empty ones and everything that becomes empty. */
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

/** Adds the people to the account, in My Contacts and in labels. Missing labels are created. */
export const seedGoogle = (account: GoogleAccount, people: readonly Person[]): void => {
  const idByName = new Map(account.groups().map(({ name, resourceName }) => [name, resourceName]));
  for (const name of groupNamesIn(people)) {
    if (!idByName.has(name)) idByName.set(name, account.createGroup(name));
  }
  for (const person of people) {
    account.createPerson(toGooglePerson(person), { groups: [myContactsGroup, ...idsOf(person.groups, idByName)] });
  }
};

const toAddressEntry = ({ value, label }: LabelledText) => ({ address: value, label });

/** The service has no middle name, prefix, birthday or similar fields (providers/service/API.md, Contact). */
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

/**
 * Adds the people to the account, in buckets. Missing buckets are created. A contact that the service refuses under its
 * current variants (for example, without a last name) is skipped.
 */
export const seedService = (account: ServiceAccount, people: readonly Person[]): void => {
  const idByName = new Map(account.buckets().map(({ name, id }) => [name, id]));
  for (const name of groupNamesIn(people)) {
    if (!idByName.has(name)) idByName.set(name, account.createBucket({ name }).id);
  }
  for (const person of people) {
    try {
      account.createContact(toServiceContact(person), { bucketIds: idsOf(person.groups, idByName) });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
    }
  }
};

type Text = string | null | undefined;
type NameField = 'prefix' | 'givenName' | 'middleName' | 'familyName' | 'suffix' | 'nickname';

const text = (value: Text): string => value ?? '';

const lines = (...parts: readonly Text[]): string => parts.filter(Boolean).join('\n');

const toLabelled = ({ value, type }: { readonly value?: Text; readonly type?: Text }): LabelledText => ({
  value: value ?? '',
  label: type || null,
});

const toBirthday = (birthday: NonNullable<GooglePerson['birthdays']>[number] | undefined): string => {
  const { year, month, day } = birthday?.date ?? {};
  if (!month || !day) return '';
  const [yearDigits, ...others] = [String(year ?? '').padStart(4, '0'), month, day].map(String);
  const monthAndDay = others.map((digits) => digits.padStart(2, '0')).join('-');
  return `${year ? yearDigits : '-'}-${monthAndDay}`;
};

const toAddress = (address: NonNullable<GooglePerson['addresses']>[number]): Person['addresses'][number] => {
  const { city, region, postalCode, country, type } = address;
  const street = lines(address.streetAddress, address.extendedAddress, address.poBox);
  const isBlock = [street, city, region, postalCode, country].every((part) => !part);
  return {
    street: isBlock ? text(address.formattedValue) : street,
    city: text(city),
    region: text(region),
    postalCode: text(postalCode),
    country: text(country),
    label: type || null,
  };
};

const namesOf = ({
  names: [name = {}] = [],
  nicknames: [nickname = {}] = [],
}: GooglePerson): Pick<Person, NameField> => ({
  prefix: text(name.honorificPrefix),
  givenName: text(name.givenName),
  middleName: text(name.middleName),
  familyName: text(name.familyName),
  suffix: text(name.honorificSuffix),
  nickname: text(nickname.value),
});

const jobOf = ({ organizations = [] }: GooglePerson): Pick<Person, 'company' | 'title' | 'department'> => {
  const { name, title, department } = organizations.find(({ current }) => current) ?? organizations[0] ?? {};
  return { company: text(name), title: text(title), department: text(department) };
};

const fromGoogle = (person: GooglePerson, groupNames: ReadonlyMap<string, string>): Person => ({
  ...namesOf(person),
  ...jobOf(person),
  emails: (person.emailAddresses ?? []).map(toLabelled),
  phones: (person.phoneNumbers ?? []).map(toLabelled),
  websites: (person.urls ?? []).map(toLabelled),
  addresses: (person.addresses ?? []).map(toAddress),
  groups: (person.memberships ?? []).flatMap(
    ({ contactGroupMembership }) => groupNames.get(contactGroupMembership?.contactGroupResourceName ?? '') ?? [],
  ),
  birthday: toBirthday(person.birthdays?.[0]),
  notes: text(person.biographies?.[0]?.value),
});

/** Returns the people in the account as address book entries: the inverse of `seedGoogle`. */
export const peopleAtGoogle = (account: GoogleAccount): readonly Person[] => {
  const groupNames = new Map(account.groups().map(({ resourceName, name }) => [resourceName, name]));
  return account.people().map((person) => fromGoogle(person, groupNames));
};

const fromService = (contact: ContactRecord, bucketNames: ReadonlyMap<string, string>): Person => ({
  prefix: '',
  givenName: text(contact.first_name),
  middleName: '',
  familyName: text(contact.last_name),
  suffix: '',
  nickname: '',
  company: text(contact.company),
  title: text(contact.title),
  department: '',
  emails: contact.email_addresses.map(({ address, label }) => ({ value: address, label: label || null })),
  phones: contact.phone_numbers.map(({ number, label }) => ({ value: number, label: label || null })),
  websites: contact.websites.map(({ address, label }) => ({ value: address, label: label || null })),
  addresses: contact.addresses.map((address) => ({
    street: lines(address.street_1, address.street_2),
    city: text(address.city),
    region: text(address.state),
    postalCode: text(address.zip),
    country: text(address.country),
    label: address.label || null,
  })),
  groups: contact.bucketIds.flatMap((id) => bucketNames.get(id) ?? []),
  birthday: '',
  notes: '',
});

/** Returns the people of the account's owner, without archived ones: the inverse of `seedService`. */
export const peopleAtService = (account: ServiceAccount): readonly Person[] => {
  const bucketNames = new Map(account.buckets().map(({ id, name }) => [id, name]));
  return account
    .contacts()
    .filter(({ archivedAtMs }) => archivedAtMs === null)
    .map((contact) => fromService(contact, bucketNames));
};
