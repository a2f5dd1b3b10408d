import { EMPTY_PERSON, type LabelledText, type Person, type PersonAddress } from './person.ts';
import type { Random } from './random.ts';

/**
 * The data for generating people of one country. In every pattern `#` is a random digit and `*` a digit from 2 to 9. A name
 * may have its Latin form for email addresses after a slash: `Анна/anna`.
 */
export type Culture = {
  readonly country: string;
  readonly nameForm: 'one surname' | 'two surnames' | 'mononym';
  readonly given: readonly string[];
  readonly family: readonly string[];
  /** One kind of number in the local notations: international, national, with dots, with 00. */
  readonly phones: readonly string[];
  /** City, region, postal code pattern. */
  readonly cities: readonly (readonly [city: string, region: string, postalCode: string])[];
  readonly streets: readonly string[];
  readonly companies: readonly string[];
  readonly titles: readonly string[];
};

/** Returns the items of a comma-separated text. */
export const list = (text: string): string[] => text.split(',').map((item) => item.trim());

/** The source of generated values: randomness, and the email addresses in use. */
export type Source = {
  readonly random: Random;
  readonly takenEmails: Set<string>;
};

const PERSONAL_DOMAINS = ['example.com', 'example.org', 'example.net', 'mail.example.com', 'inbox.test'];
const DEPARTMENTS = ['Sales', 'Legal', 'R&D', 'Customer Care', 'Finance / Controlling'];
const NOTES = [
  'Met at the trade fair in Lyon.',
  'Prefers calls after 18:00.\nKids: Tim & Ana',
  'Referred by the neighbours; "very thorough", they say.',
  '🎂 loves carrot cake',
  'Übergabe der Schlüssel im März; Rückruf vereinbaren.',
];
const NICKNAMES = ['Coach', 'Bibi', 'Doc', 'Sunny', 'Zé', 'Ace'];
const HONORIFICS = ['Dr.', 'Prof. Dr.', 'Rev.', 'Mme'];
const SUFFIXES = ['Jr.', 'PhD', 'III', 'M.D.'];
/** Group names. The frequency of a name is the relative size of its group. */
const PRIVATE_GROUPS = [
  'Relatives',
  'Close friends',
  'Close friends',
  'Close friends',
  'Neighbours',
  'Book club',
  'Alumni 2009',
  'Café ☕ Runde',
];
const BUSINESS_GROUPS = ['Clients', 'Clients', 'Clients', 'Leads', 'Leads', 'Vendors', 'Press', 'VIP'];

type Name = { readonly text: string; readonly latin: string };

const UNDECOMPOSABLE: Readonly<Record<string, string>> = { ł: 'l', ø: 'o', đ: 'd', ı: 'i', ß: 'ss', æ: 'ae', œ: 'oe' };

/** Returns the text in lower-case ASCII letters and digits, with single hyphens for other characters; may be empty. */
const asciiHandle = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[łøđıßæœ]/g, (letter) => UNDECOMPOSABLE[letter] ?? '')
    .replace(/['’.]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

const readName = (entry: string): Name => {
  const [text = '', latin] = entry.split('/');
  return { text, latin: asciiHandle(latin ?? text) };
};

const fillPattern = (pattern: string, random: Random): string =>
  pattern.replace(/[#*]/g, (place) => String(place === '#' ? random.below(10) : 2 + random.below(8)));

const unusedEmail = (local: string, domain: string, source: Source): string => {
  const candidates = [`${local}@${domain}`];
  while (source.takenEmails.has(candidates.at(-1) ?? '')) candidates.push(`${local}${candidates.length + 1}@${domain}`);
  const email = candidates.at(-1) ?? '';
  source.takenEmails.add(email);
  return email;
};

const companyHandle = (company: string, random: Random): string =>
  asciiHandle(company) || `company-${100 + random.below(900)}`;

const localPart = (given: string, family: string, random: Random): string => {
  if (family === '') return `${given}${random.below(100)}`;
  return random.pick([
    `${given}.${family}`,
    `${given.slice(0, 1)}${family}`,
    `${family}.${given}`,
    `${given}_${family}`,
  ]);
};

/** Returns a phone number in a notation of that country. */
export const makePhone = (culture: Culture, label: string | null, { random }: Source): LabelledText => ({
  value: fillPattern(random.pick(culture.phones), random),
  label,
});

/** Returns a postal address in that country. */
export const makeAddress = (culture: Culture, label: string | null, { random }: Source): PersonAddress => {
  const [city, region, postalCode] = random.pick(culture.cities);
  return {
    street: fillPattern(random.pick(culture.streets), random),
    city,
    region,
    postalCode: fillPattern(postalCode, random),
    country: random.chance(0.7) ? culture.country : '',
    label,
  };
};

/** Returns a personal email address that is not in use. */
export const makeEmail = (given: string, family: string, label: string | null, source: Source): LabelledText => {
  const local = localPart(asciiHandle(given) || 'kontakt', asciiHandle(family), source.random);
  return { value: unusedEmail(local, source.random.pick(PERSONAL_DOMAINS), source), label };
};

const makeBirthday = ({ random }: Source): string => {
  const day = `${String(1 + random.below(12)).padStart(2, '0')}-${String(1 + random.below(28)).padStart(2, '0')}`;
  return random.chance(0.25) ? `--${day}` : `${1940 + random.below(67)}-${day}`;
};

const makeGroups = (isEmployed: boolean, { random }: Source): string[] => {
  const size = random.pick([0, 0, 0, 1, 1, 1, 1, 1, 2, 3]);
  const names = isEmployed && random.chance(0.7) ? BUSINESS_GROUPS : PRIVATE_GROUPS;
  return [...new Set(Array.from({ length: size }, () => random.pick(names)))];
};

const makeNames = (culture: Culture, { random }: Source): { given: Name; family: Name } => {
  const given = readName(random.pick(culture.given));
  const family = readName(random.pick(culture.family));
  if (culture.nameForm === 'mononym' && random.chance(0.8)) return { given, family: { text: '', latin: '' } };
  if (culture.nameForm !== 'two surnames') return { given, family };
  const second = readName(random.pick(culture.family));
  return { given, family: { text: `${family.text} ${second.text}`, latin: family.latin } };
};

/** Returns titles and initials, for people with a surname in the Latin script. */
const makeNameDetails = (given: Name, family: Name, { random }: Source): Partial<Person> => {
  if (family.text === '' || !/^\p{Script=Latin}/u.test(given.text)) return {};
  return {
    prefix: random.chance(0.06) ? random.pick(HONORIFICS) : '',
    middleName: random.chance(0.08) ? random.pick(['J.', 'M.', 'K.']) : '',
    suffix: random.chance(0.04) ? random.pick(SUFFIXES) : '',
  };
};

type Work = Pick<Person, 'company' | 'title' | 'department'>;

const NO_WORK: Work = { company: '', title: '', department: '' };

const makeWork = (culture: Culture, { random }: Source): Work => ({
  company: random.pick(culture.companies),
  title: random.chance(0.85) ? random.pick(culture.titles) : '',
  department: random.chance(0.2) ? random.pick(DEPARTMENTS) : '',
});

const makeEmails = (given: Name, family: Name, company: string, source: Source): LabelledText[] => {
  const { random } = source;
  const emails = [makeEmail(given.latin, family.latin, random.pick(['home', 'home', null, 'other']), source)];
  if (company === '' || random.chance(0.3)) return emails;
  const local = [given.latin, family.latin].filter(Boolean).join('.');
  const work = { value: unusedEmail(local, `${companyHandle(company, random)}.test`, source), label: 'work' };
  return random.chance(0.5) ? [work] : [work, ...emails];
};

const makeWebsites = (given: Name, company: string, { random }: Source): LabelledText[] => {
  if (!random.chance(0.15)) return [];
  if (company === '') return [{ value: `blog.example.org/${given.latin}`, label: 'blog' }];
  return [
    { value: `https://www.${companyHandle(company, random)}.test/`, label: random.pick(['work', null, 'homePage']) },
  ];
};

const PHONE_LABELS = ['mobile', 'mobile', 'mobile', 'work', 'home', 'main', null, 'WhatsApp'];

/** Returns an ordinary entry: a person of that country with the usual fields of an address book. */
export const makePerson = (culture: Culture, source: Source): Person => {
  const { random } = source;
  const { given, family } = makeNames(culture, source);
  const work = random.chance(0.6) ? makeWork(culture, source) : NO_WORK;
  const phoneCount = random.pick([0, 1, 1, 1, 1, 2]);
  return {
    ...EMPTY_PERSON,
    ...work,
    ...makeNameDetails(given, family, source),
    givenName: given.text,
    familyName: family.text,
    nickname: random.chance(0.06) ? random.pick(NICKNAMES) : '',
    emails: makeEmails(given, family, work.company, source),
    phones: Array.from({ length: phoneCount }, () => makePhone(culture, random.pick(PHONE_LABELS), source)),
    websites: makeWebsites(given, work.company, source),
    addresses: random.chance(0.35) ? [makeAddress(culture, random.pick(['home', 'work', null]), source)] : [],
    groups: makeGroups(work.company !== '', source),
    birthday: random.chance(0.25) ? makeBirthday(source) : '',
    notes: random.chance(0.2) ? random.pick(NOTES) : '',
  };
};

/** Returns an entry for a company, without a person's name. */
export const makeCompany = (culture: Culture, source: Source): Person => {
  const { random } = source;
  const company = random.pick(culture.companies);
  const domain = `${companyHandle(company, random)}.test`;
  return {
    ...EMPTY_PERSON,
    company,
    emails: random.chance(0.6) ? [{ value: unusedEmail('info', domain, source), label: 'work' }] : [],
    phones: [makePhone(culture, 'work', source)],
    websites: random.chance(0.5) ? [{ value: `www.${domain}`, label: 'work' }] : [],
    addresses: [makeAddress(culture, 'work', source)],
    groups: random.chance(0.6) ? ['Vendors'] : [],
  };
};
