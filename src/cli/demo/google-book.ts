import type { GoogleEmulator } from '../../sandbox/google/server.ts';
import { toTexts, type Book, type BookContact } from './book.ts';

const valuesOf = (entries: readonly { readonly value?: string | null }[] = []): string[] =>
  toTexts(entries.map((entry) => entry.value));

type GooglePerson = ReturnType<GoogleEmulator['account']['people']>[number];

/** Labels of the user have hexadecimal ids; those of Google's own groups are words. */
const isLabel = (groupName: string): boolean => /^contactGroups\/[0-9a-f]+$/u.test(groupName);

const groupsOf = (person: GooglePerson): string[] =>
  toTexts((person.memberships ?? []).map((entry) => entry.contactGroupMembership?.contactGroupResourceName));

const currentJob = (person: GooglePerson) =>
  person.organizations?.find((organization) => organization.current) ?? person.organizations?.[0];

const readGooglePerson = (entry: GooglePerson, groupNames: ReadonlyMap<string, string>): BookContact => {
  const [name, job] = [entry.names?.[0], currentJob(entry)];
  const [firstName = '', lastName = ''] = toTexts([name?.givenName, name?.familyName]);
  const [company = '', title = ''] = toTexts([job?.name, job?.title]);
  return {
    id: entry.resourceName ?? '',
    firstName,
    lastName,
    company,
    title,
    emails: valuesOf(entry.emailAddresses),
    phones: valuesOf(entry.phoneNumbers),
    addresses: (entry.addresses ?? []).map(({ streetAddress, city, region, postalCode, country }) => {
      return toTexts([streetAddress, city, region, postalCode, country]).join(' ');
    }),
    websites: valuesOf(entry.urls),
    groups: groupsOf(entry).flatMap((id) => groupNames.get(id) ?? []),
  };
};

/** The owner's view of the Google account in the web interface. */
export const googleBook = ({ account }: GoogleEmulator): Book => {
  const idOf = (name: string): string => account.groups().find((group) => group.name === name)?.resourceName ?? '';
  const person = (id: string): GooglePerson => account.person(id) ?? {};
  return {
    groupWords: { one: 'label', within: 'with the label' },
    keepsEmptyGroups: true,
    contacts: () => {
      const names = new Map(account.groups().map((group) => [group.resourceName, group.name]));
      return account.people().map((entry) => readGooglePerson(entry, names));
    },
    groups: () => account.groups().map((group) => group.name),
    add: ({ firstName, lastName, company, title, emails, phones, groups }) => {
      const entry: GooglePerson = {
        names: [{ givenName: firstName, familyName: lastName }],
        organizations: [{ name: company, title }],
        emailAddresses: emails.map((value) => ({ value })),
        phoneNumbers: phones.map((value) => ({ value })),
      };
      account.createPerson(entry, { groups: ['contactGroups/myContacts', ...groups.map(idOf)] });
    },
    setTitle: (id, title) => {
      const job = currentJob(person(id));
      const others = (person(id).organizations ?? []).filter((organization) => organization !== job);
      account.updatePerson(id, { organizations: [{ ...job, title }, ...others] });
    },
    replaceEmail: (id, from, to) => {
      const emails = person(id).emailAddresses ?? [];
      const emailAddresses = emails.map((email) => (email.value === from ? { ...email, value: to } : email));
      account.updatePerson(id, { emailAddresses });
    },
    addPhone: (id, phone) => {
      account.updatePerson(id, { phoneNumbers: [...(person(id).phoneNumbers ?? []), { value: phone }] });
    },
    remove: (id) => account.deletePerson(id),
    setGroups: (id, names) => {
      const ownGroups = groupsOf(person(id)).filter((group) => !isLabel(group));
      account.setGroups(id, [...ownGroups, ...names.map(idOf)]);
    },
    renameGroup: (from, to) => account.renameGroup(idOf(from), to),
  };
};
