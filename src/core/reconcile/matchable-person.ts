import { withoutExtras } from '../contact/chosen.ts';
import { type Contact, type ListField, listsIn, scalarsIn, textIn } from '../contact/contact.ts';
import type { Half } from '../contact/half.ts';
import { phonesAgree } from '../contact/keys.ts';
import { elementKey, listOf } from '../contact/lists.ts';
import { foldText, withoutDigraphs } from '../contact/names.ts';
import { formalNamesOf } from '../contact/nicknames.ts';
import { phoneTail } from '../contact/origin.ts';
import { hasName, type PersonName, personNameOf, phoneInName } from '../contact/person-name.ts';
import type { ContactRecord } from '../contact/record.ts';
import { phoneticKey, withWholeName } from '../contact/unsynced-name.ts';
import type { GroupLink } from './membership.ts';

type Keys = ReadonlySet<string>;

/** The values of a contact's name that matching compares. */
type Naming = {
  readonly names: PersonName;
  /** The name with the parts that the link does not sync. */
  readonly wholeNames: PersonName;
  /** The spoken name; empty if unknown. */
  readonly phonetic: string;
  /** Equal for namesakes; the company name if the contact has no person's name. */
  readonly name: string;
  /** The folded company. */
  readonly company: string;
};

type Numbers = {
  /** The keys of phone numbers that are long enough to distinguish people. */
  readonly phones: Keys;
  /** Their closing digits. Two numbers that agree have the same ones. */
  readonly phoneTails: Keys;
  /** Phone numbers that are too short to distinguish people. */
  readonly shortPhones: Keys;
};

/**
 * Returns a key that is equal for two spellings of one full name, in any order of its parts; a key of the
 * company if there is no name.
 */
const nameKey = ({ key }: PersonName, company: string): string => {
  if (key !== '') return key;
  return company === '' ? '' : `company ${company}`;
};

/** Returns whether the contact is a company card: it has a company and no person's name. */
export const isCompanyCard = ({ naming }: MatchablePerson): boolean => naming.company !== '' && !hasName(naming.names);

/**
 * Returns keys of a full name. Two contacts with one full name, or with two forms of it, share at least one key. Returns no key if
 * there is only a first name or only a family name. A company card has its company as its key.
 */
export const fullNames = (person: MatchablePerson): readonly string[] => {
  const { name: company, names } = person.naming;
  const { given, family } = names;
  if (isCompanyCard(person)) return [company];
  const [[first] = ['']] = given;
  if (first === '' || family.length === 0) return [];
  const name = family.map(([plain]) => withoutDigraphs(plain)).join(' ');
  return [first.slice(0, 1), ...formalNamesOf(first)].map((form) => `${form} ${name}`);
};

const NONE: Keys = new Set();

/** Returns a set of keys; empty sets share one object, because most sets are empty. */
const setOf = (keys: readonly string[]): Keys => (keys.length === 0 ? NONE : new Set(keys));

const contentOf = (contact: Contact, keysIn: (field: ListField) => Keys): string => {
  const texts = scalarsIn(withoutExtras(contact)).map((field) => textIn(contact, field));
  const lists = listsIn(contact).map((field) => [...keysIn(field)].toSorted());
  return texts.every((text) => text === '') && lists.every((own) => own.length === 0)
    ? ''
    : JSON.stringify([...texts, ...lists]);
};

const namingOf = (record: ContactRecord): Naming => {
  const { contact, unsyncedName } = record;
  const names = personNameOf(contact);
  const company = foldText(contact.company);
  return {
    names,
    wholeNames: unsyncedName === undefined ? names : personNameOf(withWholeName(record)),
    phonetic: phoneticKey(record),
    name: nameKey(names, company),
    company,
  };
};

const numbersOf = (contact: Contact, keys: Keys): Numbers => {
  const number = phoneInName(contact);
  const phones = [...keys, ...(number === null ? [] : [number])];
  return {
    phones: setOf(phones.filter((phone) => phoneTail(phone) !== null)),
    phoneTails: setOf(phones.flatMap((phone) => phoneTail(phone) ?? [])),
    shortPhones: setOf(phones.filter((phone) => phoneTail(phone) === null)),
  };
};

/** A contact with the values that matching compares. Each is computed when it is first read, because most contacts need only some. */
export class MatchablePerson {
  readonly half: Half;
  /** The linked groups of the contact, by the key of the group pair. */
  readonly groups: Keys;
  readonly #keys = new Map<ListField, Keys>();
  #content: string | null = null;
  #naming: Naming | null = null;
  #numbers: Numbers | null = null;

  constructor(half: Half, groups: Keys) {
    this.half = half;
    this.groups = groups;
  }

  #keysIn(field: ListField): Keys {
    const keys =
      this.#keys.get(field) ?? setOf(listOf(this.record.contact, field).map((each) => elementKey(field, each)));
    this.#keys.set(field, keys);
    return keys;
  }

  /** All values of the contact, independent of their order and without labels; empty if the contact has no values. */
  get content(): string {
    this.#content ??= contentOf(this.record.contact, (field) => this.#keysIn(field));
    return this.#content;
  }

  get record(): ContactRecord {
    return this.half.record;
  }

  get emails(): Keys {
    return this.#keysIn('emailAddresses');
  }

  get addresses(): Keys {
    return this.#keysIn('addresses');
  }

  get websites(): Keys {
    return this.#keysIn('websites');
  }

  get naming(): Naming {
    this.#naming ??= namingOf(this.record);
    return this.#naming;
  }

  get numbers(): Numbers {
    this.#numbers ??= numbersOf(this.record.contact, this.#keysIn('phoneNumbers'));
    return this.#numbers;
  }

  /** Equal for copies of one person: the name, or all email addresses if there is no name. */
  get identity(): string {
    const { name, wholeNames, phonetic } = this.naming;
    return JSON.stringify(name === '' ? [...this.emails].toSorted() : [name, wholeNames.key, phonetic]);
  }
}

/** Returns a function that makes a `MatchablePerson` of a half; `links` are the groups that both sides have or will have. */
export const personReader = (links: readonly GroupLink[]): ((half: Half) => MatchablePerson) => {
  const keyOfGroup = new Map(
    links.flatMap(({ key, left, right }) => [
      [`left ${left}`, key],
      [`right ${right}`, key],
    ]),
  );
  return (half) => {
    const groups = half.record.groupIds.flatMap((id) => keyOfGroup.get(`${half.side} ${id}`) ?? []);
    return new MatchablePerson(half, setOf(groups));
  };
};

/** Returns the number of phone numbers of the first contact that the second one has too, in any form. */
export const sharedPhones = (a: MatchablePerson, b: MatchablePerson): number => {
  const [own, others] = [a.numbers, b.numbers];
  if (shared(own.phoneTails, others.phoneTails) === 0) return 0;
  return [...own.phones].filter((one) => [...others.phones].some((other) => phonesAgree(one, other))).length;
};

/** Returns the number of values that both sets contain. */
export const shared = (a: Keys, b: Keys): number => (a.size === 0 || b.size === 0 ? 0 : a.intersection(b).size);

/** Indexes the people by each of their keys. */
export const indexBy = (
  people: Iterable<MatchablePerson>,
  keys: (person: MatchablePerson) => Iterable<string>,
): Map<string, MatchablePerson[]> => {
  const index = new Map<string, MatchablePerson[]>();
  for (const person of people) {
    for (const key of keys(person)) {
      const list = index.get(key);
      if (list === undefined) index.set(key, [person]);
      else list.push(person);
    }
  }
  return index;
};
