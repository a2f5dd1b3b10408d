import {
  EMPTY_PERSON,
  isFilledAddress,
  isIdentified,
  type LabelledText,
  type ParsedPeople,
  type Person,
  type PersonAddress,
  type PersonProblem,
  readBirthday,
  splitFullName,
  userGroups,
} from './person.ts';
import { CardLineError, type CardProperty, readCard } from './vcard-lines.ts';

type Value = CardProperty['values'][number];

/** Components that hold several texts (`Philip,Paul`) become one text. */
const asText = (value: Value | undefined, separator = ' '): string => {
  if (value === undefined) return '';
  return (typeof value === 'string' ? value : value.map((text) => text.trim()).join(separator)).trim();
};

const named = (card: readonly CardProperty[], name: string): CardProperty[] =>
  card.filter((property) => property.name === name);

const firstText = (card: readonly CardProperty[], name: string): string => {
  const texts = named(card, name).map((property) => property.values.map((value) => asText(value)).join(','));
  return texts.find((text) => text !== '') ?? '';
};

const FAX_LABELS: Readonly<Record<string, string>> = { home: 'homeFax', work: 'workFax' };
const PLACES = ['home', 'work', 'other'];

const labelFromTypes = (types: readonly string[]): string | null => {
  const place = types.find((type) => PLACES.includes(type)) ?? null;
  if (types.includes('fax')) return FAX_LABELS[place ?? ''] ?? 'otherFax';
  if (types.includes('cell') || types.includes('iphone')) return place === 'work' ? 'workMobile' : 'mobile';
  if (types.includes('pager')) return 'pager';
  if (types.includes('main')) return 'main';
  return place;
};

/** Apple's own labels look like `_$!<HomePage>!$_`; a label that somebody typed stands as it is. */
const readAppleLabel = (label: string): string => {
  const known = /^_\$!<(?<name>.*)>!\$_$/.exec(label)?.groups?.['name'];
  return known === undefined ? label : known.slice(0, 1).toLowerCase() + known.slice(1);
};

const labelOf = (property: CardProperty, card: readonly CardProperty[]): string | null => {
  const label =
    property.group === null ? undefined : named(card, 'x-ablabel').find((other) => other.group === property.group);
  const text = readAppleLabel(asText(label?.values[0]));
  return text === '' ? labelFromTypes(property.types) : text;
};

const labelled = (card: readonly CardProperty[], name: string, clean: (text: string) => string): LabelledText[] =>
  named(card, name)
    .map((property) => ({ value: clean(asText(property.values[0])), label: labelOf(property, card) }))
    .filter(({ value }) => value !== '');

const cleanPhone = (text: string): string => text.replace(/^tel:/i, '').replace(/;ext=/i, ' ext. ');
const cleanEmail = (text: string): string => text.replace(/^mailto:/i, '');
const cleanUrl = (text: string): string => text.replace(/\\([:,;])/g, '$1');

const readAddress = (property: CardProperty, card: readonly CardProperty[]): PersonAddress => {
  const [poBox, extended, street, city, region, postalCode, country] = property.values.map((value) =>
    asText(value, ', '),
  );
  return {
    street: [street, extended, poBox].filter(Boolean).join('\n'),
    city: city ?? '',
    region: region ?? '',
    postalCode: postalCode ?? '',
    country: country ?? '',
    label: labelOf(property, card),
  };
};

type Names = Pick<Person, 'prefix' | 'givenName' | 'middleName' | 'familyName' | 'suffix'>;

/** The parts of N; where N is empty, FN with its last word as the family name, unless FN is the company's name. */
const readNames = (card: readonly CardProperty[], company: string): Names => {
  const parts = (named(card, 'n')[0]?.values ?? []).map((value) => asText(value));
  const [familyName = '', givenName = '', middleName = '', prefix = '', suffix = ''] = parts;
  const formatted = firstText(card, 'fn');
  if ([familyName, givenName, middleName].some(Boolean) || formatted === company) {
    return { prefix, givenName, middleName, familyName, suffix };
  }
  return { prefix, middleName, suffix, ...splitFullName(formatted) };
};

const readCardBirthday = (card: readonly CardProperty[]): string => {
  const property = named(card, 'bday')[0];
  const birthday = readBirthday(asText(property?.values[0]));
  return property?.unknownYear === birthday.slice(0, 4) ? `-${birthday.slice(4)}` : birthday;
};

const toPerson = (card: readonly CardProperty[]): Person => {
  const [company = '', department = ''] = (named(card, 'org')[0]?.values ?? []).map((value) => asText(value));
  return {
    ...EMPTY_PERSON,
    ...readNames(card, company),
    nickname: asText(named(card, 'nickname')[0]?.values[0]),
    company,
    department,
    title: firstText(card, 'title'),
    emails: labelled(card, 'email', cleanEmail),
    phones: labelled(card, 'tel', cleanPhone),
    websites: labelled(card, 'url', cleanUrl),
    addresses: named(card, 'adr')
      .map((property) => readAddress(property, card))
      .filter(isFilledAddress),
    groups: userGroups(named(card, 'categories').flatMap((property) => property.values.map((value) => asText(value)))),
    birthday: readCardBirthday(card),
    notes: firstText(card, 'note'),
  };
};

const isGroupCard = (card: readonly CardProperty[]): boolean =>
  [...named(card, 'kind'), ...named(card, 'x-addressbookserver-kind')].some(
    (property) => asText(property.values[0]).toLowerCase() === 'group',
  );

/** The person of one card, or the reason why there is none. */
const readPerson = (text: string): Person | string => {
  if (!/^END:VCARD[ \t]*$/im.test(text)) return 'the card does not end with END:VCARD';
  try {
    const card = readCard(text.replace(/^END:VCARD[^]*$/im, ''));
    if (isGroupCard(card)) return 'the card is a group, not a person';
    const person = toPerson(card);
    return isIdentified(person) ? person : 'the card holds no name, company, email address or phone number';
  } catch (error) {
    if (error instanceof CardLineError) return error.message;
    throw error;
  }
};

/**
 * The people of a vCard file (2.1, 3.0 and 4.0 mixed as they like), as Google, Apple and Android export it. A card that
 * cannot be read is reported under `problems` and costs the others nothing.
 */
export const parseVCards = (text: string): ParsedPeople => {
  const people: Person[] = [];
  const problems: PersonProblem[] = [];
  const cards = text
    .replace(/^\uFEFF/, '')
    .split(/^BEGIN:VCARD[ \t]*$/im)
    .slice(1);
  for (const [index, card] of cards.entries()) {
    const read = readPerson(card);
    if (typeof read === 'string') problems.push({ entry: index + 1, reason: read });
    else people.push(read);
  }
  return { people, problems };
};
