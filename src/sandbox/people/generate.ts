import { LATIN_CULTURES } from './cultures-latin.ts';
import { OTHER_SCRIPT_CULTURES } from './cultures-other-scripts.ts';
import {
  type Culture,
  makeAddress,
  makeCompany,
  makeEmail,
  makePerson,
  makePhone,
  type Source,
} from './make-person.ts';
import { EMPTY_PERSON, type LabelledText, type Person } from './person.ts';
import { createDeck, createRandom, type Random, reformatPhone } from './random.ts';

/** The special property of an unusual entry. */
type Quirk =
  | 'none'
  | 'company only'
  | 'email only'
  | 'no email'
  | 'duplicate'
  | 'shares email'
  | 'emoji'
  | 'decomposed'
  | 'mixed-case email'
  | 'capitals'
  | 'phone extension'
  | 'crowded';

/** The number of entries in 40 with each quirk. The other entries are ordinary. */
const QUIRK_COUNTS: readonly (readonly [Quirk, number])[] = [
  ['company only', 2],
  ['email only', 1],
  ['no email', 5],
  ['duplicate', 1],
  ['shares email', 2],
  ['emoji', 1],
  ['decomposed', 1],
  ['mixed-case email', 3],
  ['capitals', 1],
  ['phone extension', 2],
  ['crowded', 1],
  ['none', 20],
];

const QUIRKS = QUIRK_COUNTS.flatMap(([quirk, count]) => Array<Quirk>(count).fill(quirk));
const EMOJI = ['🌟', '🏠', '🍕', '👩‍💻', '🇵🇹', '❤️'];

/** A Latin country is drawn three times as often as any other country. */
const CULTURES = [...LATIN_CULTURES, ...LATIN_CULTURES, ...LATIN_CULTURES, ...OTHER_SCRIPT_CULTURES];
const DECOMPOSABLE_COUNTRIES = ['France', 'Việt Nam', '대한민국', 'España'];
const DECOMPOSABLE_CULTURES = CULTURES.filter(({ country }) => DECOMPOSABLE_COUNTRIES.includes(country));

const withEmail = (person: Person, source: Source): Person =>
  person.emails.length > 0
    ? person
    : { ...person, emails: [makeEmail(person.givenName, person.familyName, null, source)] };

const mixCase = (email: string): string =>
  email
    .replace(
      /^(.*@)(.*)$/,
      (_, local: string, domain: string) => local + domain.slice(0, 1).toUpperCase() + domain.slice(1),
    )
    .replace(/(?:^|[._-])[a-z](?=.*@)/g, (start) => start.toUpperCase());

const mapFirst = (values: readonly LabelledText[], change: (text: string) => string): LabelledText[] =>
  values.map((entry, index) => (index === 0 ? { ...entry, value: change(entry.value) } : entry));

const withoutEmail = (person: Person, culture: Culture, source: Source): Person => ({
  ...person,
  emails: [],
  phones: person.phones.length > 0 ? person.phones : [makePhone(culture, 'mobile', source)],
});

const withExtension = (person: Person, culture: Culture, source: Source): Person => {
  const { value, label } = makePhone(culture, 'work', source);
  const extension = 10 + source.random.below(990);
  const ending = source.random.pick([` ext. ${extension}`, ` x${extension}`]);
  return { ...person, phones: [...person.phones, { value: value + ending, label }] };
};

const crowded = (person: Person, culture: Culture, source: Source): Person => {
  const email = (label: string): LabelledText => makeEmail(person.givenName, person.familyName, label, source);
  const phone = (label: string): LabelledText => makePhone(culture, label, source);
  return {
    ...person,
    emails: [...person.emails, email('other'), email('Newsletter')],
    phones: [...person.phones, phone('home'), phone('workFax'), phone('assistant')],
    addresses: [makeAddress(culture, 'home', source), makeAddress(culture, 'Weekend', source)],
    websites: [...person.websites, { value: 'https://social.example.net/@someone', label: 'profile' }],
  };
};

/** Returns the same person entered a second time, with less care. */
const duplicateOf = (person: Person, random: Random): Person => ({
  ...EMPTY_PERSON,
  givenName: person.givenName,
  familyName: person.familyName,
  emails: mapFirst(person.emails.slice(0, 1), (email) => (random.chance(0.5) ? mixCase(email) : email)),
  phones: mapFirst(person.phones.slice(0, 1), (phone) => reformatPhone(phone, random)),
  groups: person.groups.slice(0, 1),
});

/** Returns a person of the same household: another given name, the same family name, email address and home. */
const relativeOf = (person: Person, culture: Culture, source: Source): Person => ({
  ...EMPTY_PERSON,
  givenName: makePerson(culture, source).givenName,
  familyName: person.familyName,
  emails: person.emails.slice(0, 1),
  phones: [makePhone(culture, 'mobile', source)],
  addresses: person.addresses,
  groups: person.groups,
});

type Entry = { readonly person: Person; readonly culture: Culture };

const applyQuirk = (quirk: Quirk, { person, culture }: Entry, source: Source): Person => {
  const { random } = source;
  switch (quirk) {
    case 'no email':
      return withoutEmail(person, culture, source);
    case 'email only':
      return { ...EMPTY_PERSON, emails: withEmail(person, source).emails.slice(0, 1) };
    case 'emoji':
      return { ...person, givenName: `${person.givenName} ${random.pick(EMOJI)}` };
    case 'decomposed':
      return {
        ...person,
        givenName: person.givenName.normalize('NFD'),
        familyName: person.familyName.normalize('NFD'),
      };
    case 'mixed-case email':
      return { ...person, emails: mapFirst(withEmail(person, source).emails, mixCase) };
    case 'capitals':
      return { ...person, familyName: person.familyName.toUpperCase() };
    case 'phone extension':
      return withExtension(person, culture, source);
    case 'crowded':
      return crowded(person, culture, source);
    case 'company only':
      return makeCompany(culture, source);
    case 'none':
    case 'duplicate':
    case 'shares email':
      return person;
  }
};

/**
 * Generates an address book with many countries and scripts, and with the flaws of real ones (duplicates, shared addresses,
 * decomposed letters, phone numbers in every form). The same count and seed always give the same book, and a longer book
 * starts with the shorter one. Every domain is reserved for examples (RFC 2606).
 */
export const generatePeople = ({ count, seed }: { count: number; seed: number }): Person[] => {
  const random = createRandom(seed);
  const source: Source = { random, takenEmails: new Set() };
  const drawQuirk = createDeck(QUIRKS, random);
  const drawCulture = createDeck(CULTURES, random);
  /** Ordinary entries that a later entry can duplicate or share an address with. */
  const models: Entry[] = [];

  const makeEntry = (): Person => {
    const quirk = drawQuirk();
    const culture = quirk === 'decomposed' ? random.pick(DECOMPOSABLE_CULTURES) : drawCulture();
    if (models.length > 0 && quirk === 'duplicate') return duplicateOf(random.pick(models).person, random);
    if (models.length > 0 && quirk === 'shares email') {
      const model = random.pick(models);
      return relativeOf(model.person, model.culture, source);
    }
    const entry = { person: makePerson(culture, source), culture };
    if (quirk === 'none') models.push(entry);
    return applyQuirk(quirk, entry, source);
  };
  return Array.from({ length: count }, makeEntry);
};
