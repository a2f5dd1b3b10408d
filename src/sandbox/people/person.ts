/** An email address, phone number or website with its free-text label; null without one. */
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
 * An entry of an address book of any origin. It has more fields than either emulated remote. A missing text is the empty
 * string, a missing list is empty. Texts are not normalised.
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
  /** Names of the groups (labels, buckets) of the person, without system groups. */
  readonly groups: readonly string[];
  /** `YYYY-MM-DD`, or `--MM-DD` if the year is unknown. */
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

/** Returns whether the person has content for a contact. Groups and a birthday alone are not enough. */
export const isFilled = (person: Person): boolean => {
  const { prefix, givenName, middleName, familyName, suffix, nickname, company, title, department, notes } = person;
  const texts = [givenName, familyName, company, middleName, nickname, title, department, notes, prefix, suffix];
  const lists = [person.emails, person.phones, person.addresses, person.websites];
  return texts.some((text) => text !== '') || lists.some((list) => list.length > 0);
};

/** Google's system groups, in the names of its exports. */
const SYSTEM_GROUP = /^(?:\* .*|my ?contacts|starred)$/iu;

/** Returns the group names of an export without blanks, duplicates and Google's system groups (`* myContacts`, `myContacts`). */
export const userGroups = (names: readonly string[]): string[] => {
  const kept = names.map((name) => name.trim()).filter((name) => name !== '' && !SYSTEM_GROUP.test(name));
  return [...new Set(kept)];
};

/** Splits a full name by a heuristic: the last word is the family name, a single word is the given name. */
export const splitFullName = (fullName: string): Pick<Person, 'givenName' | 'familyName'> => {
  const words = fullName.split(/\s+/).filter(Boolean);
  const familyName = words.length > 1 ? (words.pop() ?? '') : '';
  return { givenName: words.join(' '), familyName };
};

export const isFilledAddress = (address: PersonAddress): boolean =>
  [address.street, address.city, address.region, address.postalCode, address.country].some((part) => part !== '');
