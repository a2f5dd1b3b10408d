/** A contact in the owner's view, with the same keys for every provider. */
export type BookContact = {
  readonly id: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly company: string;
  readonly title: string;
  readonly emails: readonly string[];
  readonly phones: readonly string[];
  /** One line for each address. */
  readonly addresses: readonly string[];
  readonly websites: readonly string[];
  /** Names of labels or buckets. */
  readonly groups: readonly string[];
};

export type NewContact = Omit<BookContact, 'id' | 'addresses' | 'websites'>;

/** The owner's view of one side's address book, which the demo edits and reads without the program. */
export type Book = {
  /** The words for its groups: `label`, and `with the label` before a label's name. */
  readonly groupWords: { readonly one: string; readonly within: string };
  /** False: a group exists only as long as it has contacts. */
  readonly keepsEmptyGroups: boolean;
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

/** The name of a contact; without one its company or email address. */
export const contactName = ({ firstName, lastName, company, emails }: Omit<BookContact, 'id'>): string =>
  [firstName, lastName].filter((part) => part !== '').join(' ') || company || (emails[0] ?? 'no name');

/** The texts, with an empty text for each missing one. */
export const toTexts = (values: readonly (string | null | undefined)[]): string[] => values.map((value) => value ?? '');
