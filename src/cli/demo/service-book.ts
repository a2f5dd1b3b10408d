import type { ServiceEmulator } from '../../sandbox/service/server.ts';
import { toTexts, type Book } from './book.ts';

/** The owner's view of the service's account in the web app. */
export const serviceBook = ({ account }: ServiceEmulator): Book => {
  const idOf = (name: string): string => account.buckets().find((bucket) => bucket.name === name)?.id ?? '';
  return {
    groupWords: { one: 'bucket', within: 'in the bucket' },
    keepsEmptyGroups: true,
    contacts: () => {
      const names = new Map(account.buckets().map((bucket) => [bucket.id, bucket.name]));
      return account.contacts().map((entry) => ({
        id: entry.id,
        firstName: entry.first_name ?? '',
        lastName: entry.last_name ?? '',
        company: entry.company ?? '',
        title: entry.title ?? '',
        emails: entry.email_addresses.map((email) => email.address),
        phones: entry.phone_numbers.map((phone) => phone.number),
        addresses: entry.addresses.map(({ street_1, city, state, zip, country }) => {
          return toTexts([street_1, city, state, zip, country]).join(' ');
        }),
        websites: entry.websites.map((website) => website.address),
        groups: entry.bucketIds.flatMap((id) => names.get(id) ?? []),
      }));
    },
    groups: () => account.buckets().map((bucket) => bucket.name),
    add: ({ firstName, lastName, company, title, emails, phones, groups }) => {
      const fields = {
        first_name: firstName,
        last_name: lastName,
        company,
        title,
        email_addresses: emails.map((address) => ({ address })),
        phone_numbers: phones.map((number) => ({ number })),
      };
      account.createContact(fields, { bucketIds: groups.map(idOf) });
    },
    setTitle: (id, title) => void account.updateContact(id, { title }),
    replaceEmail: (id, from, to) => {
      const emails = account.contact(id)?.email_addresses ?? [];
      const changed = emails.map((email) => (email.address === from ? { ...email, address: to } : email));
      account.updateContact(id, { email_addresses: changed });
    },
    addPhone: (id, number) => {
      account.updateContact(id, { phone_numbers: [...(account.contact(id)?.phone_numbers ?? []), { number }] });
    },
    remove: (id) => void account.deleteContact(id),
    setGroups: (id, names) => void account.setBuckets(id, names.map(idOf)),
    renameGroup: (from, to) => void account.renameBucket(idOf(from), to),
  };
};
