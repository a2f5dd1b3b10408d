import { nameOf, type Book, type BookContact, type Books } from './book.ts';

/** What both books must agree on, each value in one spelling. Shares nothing with the program that it checks. */
type Row = Readonly<Record<'name' | 'company' | 'title', string>> &
  Readonly<Record<'emails' | 'phones' | 'addresses' | 'websites' | 'groups', readonly string[]>>;

const FIELDS = ['name', 'company', 'title', 'emails', 'phones', 'addresses', 'websites', 'groups'] as const;

const clean = (text: string): string => text.normalize('NFC').replaceAll(/\s+/gu, ' ').trim();
const asSet = (values: readonly string[], spell: (value: string) => string): readonly string[] =>
  [...new Set(values.map(spell))].filter((value) => value !== '').toSorted();

/** Sides write one number with or without its country and spaces; the last digits stay. */
const phoneEnding = (phone: string): string => {
  const digits = [...phone.normalize('NFKC')].filter((letter) => /\p{Nd}/u.test(letter)).join('');
  return digits.slice(-8) || phone;
};
const lettersOf = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '');
const bareUrl = (url: string): string =>
  clean(url)
    .toLowerCase()
    .replace(/^https?:\/\/(?:www\.)?/u, '')
    .replace(/\/+$/u, '');

const toRow = (contact: BookContact): Row => ({
  name: clean(`${contact.firstName} ${contact.lastName}`),
  company: clean(contact.company),
  title: clean(contact.title),
  emails: asSet(contact.emails, (email) => clean(email).toLowerCase()),
  phones: asSet(contact.phones, phoneEnding),
  addresses: asSet(contact.addresses, lettersOf),
  websites: asSet(contact.websites, bareUrl),
  groups: asSet(contact.groups, clean),
});

type Entry = { readonly contact: BookContact; readonly row: Row; readonly text: string };

const entriesOf = (book: Book): Entry[] =>
  book.contacts().map((contact) => {
    const row = toRow(contact);
    return { contact, row, text: JSON.stringify(row) };
  });

/** The entries that have no equal among the others. */
const withoutEqual = (entries: readonly Entry[], others: readonly Entry[]): Entry[] => {
  const texts = others.map((other) => other.text);
  return entries.filter((entry) => {
    const index = texts.indexOf(entry.text);
    if (index >= 0) texts.splice(index, 1);
    return index < 0;
  });
};

const describe = (google: Row, service: Row): string => {
  const differing = FIELDS.filter((field) => JSON.stringify(google[field]) !== JSON.stringify(service[field]));
  const values = (row: Row, field: (typeof FIELDS)[number]): string => [row[field]].flat().join(', ') || 'nothing';
  return differing
    .map((field) => `${field}: ${values(google, field)} at Google, ${values(service, field)} at the service`)
    .join('; ');
};

const compareGroups = ({ google, service }: Books): readonly string[] => {
  const [labels, buckets] = [asSet(google.groups(), clean), asSet(service.groups(), clean)];
  return [
    ...labels.filter((name) => !buckets.includes(name)).map((name) => `The label ${name} has no bucket.`),
    ...buckets.filter((name) => !labels.includes(name)).map((name) => `The bucket ${name} has no label.`),
  ];
};

export type Comparison = {
  /** Contacts that both books hold alike, with those that differ. */
  readonly contacts: number;
  readonly groups: number;
  /** One sentence for each contact or group that is not the same on both sides. */
  readonly differences: readonly string[];
};

/** Compares both books contact by contact. */
export const compareBooks = (books: Books): Comparison => {
  const [google, service] = [entriesOf(books.google), entriesOf(books.service)];
  const left = withoutEqual(google, service);
  const right = withoutEqual(service, google);
  const differences: string[] = [];
  for (const entry of left) {
    const index = right.findIndex((other) => other.row.name === entry.row.name);
    const [other] = index < 0 ? [] : right.splice(index, 1);
    const name = nameOf(entry.contact);
    differences.push(other ? `${name}: ${describe(entry.row, other.row)}` : `${name} is only at Google.`);
  }
  differences.push(...right.map((entry) => `${nameOf(entry.contact)} is only at the service.`));
  return {
    contacts: Math.max(google.length, service.length),
    groups: books.google.groups().length,
    differences: [...differences, ...compareGroups(books)],
  };
};
