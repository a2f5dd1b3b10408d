import type { Sandbox } from '../../src/sandbox/sandbox.ts';

/** One person in a form that is comparable between the sides, independent of the code of the program. */
export type Row = {
  readonly name: string;
  readonly company: string;
  readonly title: string;
  readonly emails: readonly string[];
  readonly phones: readonly string[];
  readonly addresses: readonly string[];
  readonly websites: readonly string[];
  readonly groups: readonly string[];
};

const text = (value: string | null | undefined): string =>
  (value ?? '').normalize('NFC').replaceAll(/\s+/gu, ' ').trim();
const sorted = (values: Iterable<string>): string[] => [...new Set(values)].filter((value) => value !== '').toSorted();
// Spellings of one number differ between sides; its last eight digits do not.
const phone = (value: string): string => {
  const digits = [...value.normalize('NFKC')].filter((character) => /\p{Nd}/u.test(character)).join('');
  return digits.slice(-8) || value;
};
const website = (value: string): string =>
  text(value)
    .toLowerCase()
    .replace(/^https?:\/\/(?:www\.)?/u, '')
    .replace(/\/+$/u, '');
const letters = (parts: readonly (string | null | undefined)[]): string =>
  parts
    .map((part) =>
      text(part)
        .toUpperCase()
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}]+/gu, ''),
    )
    .join('|');

const googleRows = ({ google }: Sandbox): Row[] => {
  const groupNames = new Map(google.account.groups().map((group) => [group.resourceName, group.name]));
  return google.account.people().map((person) => {
    const name = person.names?.[0];
    const job = person.organizations?.find((organization) => organization.current) ?? person.organizations?.[0];
    const memberships = (person.memberships ?? []).map((m) => m.contactGroupMembership?.contactGroupResourceName ?? '');
    return {
      name: text(`${name?.givenName ?? ''} ${name?.familyName ?? ''}`),
      company: text(job?.name),
      title: text(job?.title),
      emails: sorted((person.emailAddresses ?? []).map((email) => text(email.value).toLowerCase())),
      phones: sorted((person.phoneNumbers ?? []).map((number) => phone(number.value ?? ''))),
      addresses: sorted(
        (person.addresses ?? []).map((a) => letters([a.streetAddress, a.city, a.region, a.postalCode, a.country])),
      ),
      websites: sorted((person.urls ?? []).map((url) => website(url.value ?? ''))),
      groups: sorted(memberships.map((id) => groupNames.get(id) ?? '')),
    };
  });
};

const serviceRows = ({ service }: Sandbox): Row[] => {
  const bucketNames = new Map(service.account.buckets().map((bucket) => [bucket.id, bucket.name]));
  return service.account.contacts().map((contact) => ({
    name: text(`${contact.first_name ?? ''} ${contact.last_name ?? ''}`),
    company: text(contact.company),
    title: text(contact.title),
    emails: sorted(contact.email_addresses.map((email) => text(email.address).toLowerCase())),
    phones: sorted(contact.phone_numbers.map((entry) => phone(entry.number ?? ''))),
    addresses: sorted(contact.addresses.map((a) => letters([a.street_1, a.city, a.state, a.zip, a.country]))),
    websites: sorted(contact.websites.map((entry) => website(entry.address ?? ''))),
    groups: sorted(contact.bucketIds.map((id) => bucketNames.get(id) ?? '')),
  }));
};

const inOrder = (rows: readonly Row[]): Row[] =>
  rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

/** Both address books of the emulators, sorted for a comparison. */
export const readSides = (sandbox: Sandbox): { readonly google: readonly Row[]; readonly service: readonly Row[] } => ({
  google: inOrder(googleRows(sandbox)),
  service: inOrder(serviceRows(sandbox)),
});

/** The names of the user's groups on both sides. */
export const readGroupNames = ({ google, service }: Sandbox) => ({
  google: sorted(google.account.groups().map((group) => group.name)),
  service: sorted(service.account.buckets().map((bucket) => bucket.name)),
});
