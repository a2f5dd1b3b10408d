/** An email address, phone number or website with its free-text label; null where it has none. */
export type LabelledText = {
  readonly value: string;
  readonly label: string | null;
};

/** A postal address; an absent part is the empty string. */
export type PersonAddress = {
  readonly street: string;
  readonly city: string;
  readonly region: string;
  readonly postalCode: string;
  readonly country: string;
  readonly label: string | null;
};

/**
 * An entry of an address book of any origin. It has more fields than either emulated remote stores.
 * An absent text is the empty string, an absent list is empty. Texts are as the book has them, not normalised.
 */
export type Person = {
  readonly prefix: string;
  readonly givenName: string;
  readonly middleName: string;
  readonly familyName: string;
  readonly suffix: string;
  readonly nickname: string;
  readonly company: string;
  readonly title: string;
  readonly department: string;
  readonly emails: readonly LabelledText[];
  readonly phones: readonly LabelledText[];
  readonly websites: readonly LabelledText[];
  readonly addresses: readonly PersonAddress[];
  /** Names of the groups (labels, buckets) that the person belongs to; no system groups. */
  readonly groups: readonly string[];
  /** `YYYY-MM-DD`, or `--MM-DD` where the year is unknown. */
  readonly birthday: string;
  readonly notes: string;
};

export const EMPTY_PERSON: Person = {
  prefix: '',
  givenName: '',
  middleName: '',
  familyName: '',
  suffix: '',
  nickname: '',
  company: '',
  title: '',
  department: '',
  emails: [],
  phones: [],
  websites: [],
  addresses: [],
  groups: [],
  birthday: '',
  notes: '',
};

/** Whether the person has anything that makes up a contact; groups and a birthday alone do not. */
export const isFilled = (person: Person): boolean => {
  const { prefix, givenName, middleName, familyName, suffix, nickname, company, title, department, notes } = person;
  const texts = [givenName, familyName, company, middleName, nickname, title, department, notes, prefix, suffix];
  const lists = [person.emails, person.phones, person.addresses, person.websites];
  return texts.some((text) => text !== '') || lists.some((list) => list.length > 0);
};

/** Google's system groups, as its exports and other programs name them. */
const SYSTEM_GROUP =
  /^(?:\* .*|my ?contacts|starred(?: in android)?|meine kontakte|mes contacts|mis contactos|i miei contatti|mijn contacten|(?:os )?meus contatos|マイ ?コンタクト)$/iu;

/** The group names of an export without blanks, repeats and Google's system groups (`* myContacts`, `myContacts`). */
export const userGroups = (names: readonly string[]): string[] => {
  const kept = names.map((name) => name.trim()).filter((name) => name !== '' && !SYSTEM_GROUP.test(name));
  return [...new Set(kept)];
};

/** A full name in parts, by a guess: the last word is the family name; a single word is the given name. */
export const splitFullName = (fullName: string): Pick<Person, 'givenName' | 'familyName'> => {
  const words = fullName.split(/\s+/).filter(Boolean);
  const familyName = words.length > 1 ? (words.pop() ?? '') : '';
  return { givenName: words.join(' '), familyName };
};

/** Whether any part of the address is filled. */
export const isFilledAddress = (address: PersonAddress): boolean =>
  [address.street, address.city, address.region, address.postalCode, address.country].some((part) => part !== '');
