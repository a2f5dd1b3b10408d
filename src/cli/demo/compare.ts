import { bySide, otherSide, SIDES, type Sides } from '../../core/contact/side.ts';
import { contactName, type Book, type BookContact } from './book.ts';

/** The values that must be equal in both books, each in one spelling. Uses no code of the program that it checks. */
type Row = Readonly<Record<'name' | 'company' | 'title', string>> &
  Readonly<Record<'emails' | 'phones' | 'addresses' | 'websites' | 'groups', readonly string[]>>;

const FIELDS = ['name', 'company', 'title', 'emails', 'phones', 'addresses', 'websites', 'groups'] as const;

const clean = (text: string): string => text.normalize('NFC').replaceAll(/\s+/gu, ' ').trim();
const asSet = (values: readonly string[], spell: (value: string) => string): readonly string[] =>
  [...new Set(values.map(spell))].filter((value) => value !== '').toSorted();

/** The last digits of a number: remotes write it with or without its country code and spaces. */
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

/** The entries without an equal one among the others. */
const withoutEqual = (entries: readonly Entry[], others: readonly Entry[]): Entry[] => {
  const texts = others.map((other) => other.text);
  return entries.filter((entry) => {
    const index = texts.indexOf(entry.text);
    if (index >= 0) texts.splice(index, 1);
    return index < 0;
  });
};

const describe = (rows: Sides<Row>, places: Sides<string>): string => {
  const { left, right } = rows;
  const differing = FIELDS.filter((field) => JSON.stringify(left[field]) !== JSON.stringify(right[field]));
  const values = (row: Row, field: (typeof FIELDS)[number]): string => [row[field]].flat().join(', ') || 'nothing';
  return differing
    .map((field) => `${field}: ${SIDES.map((side) => `${values(rows[side], field)} at ${places[side]}`).join(', ')}`)
    .join('; ');
};

const compareGroups = (books: Sides<Book>, places: Sides<string>): readonly string[] => {
  const mayBeEmpty = SIDES.every((side) => books[side].keepsEmptyGroups);
  const groupsOf = (book: Book): readonly string[] =>
    mayBeEmpty ? book.groups() : book.contacts().flatMap(({ groups }) => groups);
  const names = bySide((side) => asSet(groupsOf(books[side]), clean));
  return SIDES.flatMap((side) => {
    const alone = names[side].filter((name) => !names[otherSide(side)].includes(name));
    return alone.map((name) => `The ${books[side].groupWords.one} ${name} is only at ${places[side]}.`);
  });
};

type Comparison = {
  /** The number of contacts in the larger book. */
  readonly contacts: number;
  readonly groups: number;
  /** One sentence for each contact or group that is not the same on both sides. */
  readonly differences: readonly string[];
};

/** Compares both books contact by contact. `places` are the names of the sides within a sentence. */
export const compareBooks = (books: Sides<Book>, places: Sides<string>): Comparison => {
  const entries = bySide((side) => entriesOf(books[side]));
  const open = withoutEqual(entries.right, entries.left);
  const differences: string[] = [];
  for (const entry of withoutEqual(entries.left, entries.right)) {
    const index = open.findIndex((other) => other.row.name === entry.row.name);
    const [other] = index < 0 ? [] : open.splice(index, 1);
    const name = contactName(entry.contact);
    const rows = other && { left: entry.row, right: other.row };
    differences.push(rows ? `${name}: ${describe(rows, places)}` : `${name} is only at ${places.left}.`);
  }
  differences.push(...open.map((entry) => `${contactName(entry.contact)} is only at ${places.right}.`));
  return {
    contacts: Math.max(entries.left.length, entries.right.length),
    groups: books.left.groups().length,
    differences: [...differences, ...compareGroups(books, places)],
  };
};
