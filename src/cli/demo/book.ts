/** A contact as its owner sees it, in the same words for both sides. */
export type BookContact = {
  readonly id: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly company: string;
  readonly title: string;
  readonly emails: readonly string[];
  readonly phones: readonly string[];
  /** Each in one line. */
  readonly addresses: readonly string[];
  readonly websites: readonly string[];
  /** Names of labels or buckets. */
  readonly groups: readonly string[];
};

export type NewContact = Omit<BookContact, 'id' | 'addresses' | 'websites'>;

/** One side's address book in the hands of its owner: what the demo edits and reads back, past the program. */
export type Book = {
  contacts(): readonly BookContact[];
  groups(): readonly string[];
  add(contact: NewContact): void;
  setTitle(id: string, title: string): void;
  replaceEmail(id: string, from: string, to: string): void;
  addPhone(id: string, phone: string): void;
  remove(id: string): void;
  setGroups(id: string, names: readonly string[]): void;
  renameGroup(from: string, to: string): void;
};

export type Books = { readonly google: Book; readonly service: Book };

/** What a contact is called. */
export const nameOf = ({ firstName, lastName, company, emails }: Omit<BookContact, 'id'>): string =>
  [firstName, lastName].filter((part) => part !== '').join(' ') || company || (emails[0] ?? 'no name');
