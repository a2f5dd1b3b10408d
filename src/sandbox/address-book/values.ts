/** A birthday in the format of `Person`, or the reason why it cannot be read; both are null without a birthday. */
type ReadBirthday = { readonly day: string | null; readonly reason: string | null };

const NOTHING: ReadBirthday = { day: null, reason: null };
const UNREADABLE: ReadBirthday = { day: null, reason: 'the birthday cannot be read' };
const IMPOSSIBLE: ReadBirthday = { day: null, reason: 'the birthday is not a day of the calendar' };
const AMBIGUOUS: ReadBirthday = { day: null, reason: 'the birthday has two readings: day and month, or month and day' };

/** The year that Apple writes for an unknown year. */
const APPLE_UNKNOWN_YEAR = '1604';

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');

/** A time of day after a date. */
const TIME = /(?:T| (?=\d{1,2}:))\d{1,2}.*$/u;

/** The notations of a date in which day and month are distinguishable. */
const SPELLINGS = [
  /^(?<year>\d{4}|-)(?<sign>[-./]?)(?<month>\d{1,2})\k<sign>(?<day>\d{1,2})$/u,
  /^--(?<month>\d{2})(?<day>\d{2})$/u,
  /^(?<day>\d{1,2})\. ?(?<month>\d{1,2})\.(?: ?(?<year>\d{4}))?$/u,
  /^(?<month>\p{L}{3,}) (?<day>\d{1,2}),? (?<year>\d{4})$/u,
  /^(?<day>\d{1,2})\.? (?<month>\p{L}{3,}),? (?<year>\d{4})$/u,
];
const EITHER_ORDER = /^(\d{1,2})([-/])(\d{1,2})\2(\d{4})$/u;

/** Returns true for texts such as `0/0/00`, which Outlook writes for no birthday. */
const isBlank = (text: string): boolean => !/[1-9\p{L}]/u.test(text);

const isLeapYear = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

const isDay = (year: string, month: number, day: number): boolean => {
  const lengths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  if (month === 2 && day === 29 && /^\d+$/u.test(year) && !isLeapYear(Number(year))) return false;
  return day >= 1 && day <= (lengths[month - 1] ?? 0);
};

const dayOf = (year: string, month: number, day: number): ReadBirthday => {
  const known = year === '' || year === '0000' || year === APPLE_UNKNOWN_YEAR ? '-' : year;
  if (!isDay(known, month, day)) return IMPOSSIBLE;
  return { day: `${known}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`, reason: null };
};

const eitherOrder = (first: number, second: number, year: string): ReadBirthday => {
  if (first !== second && first <= 12 && second <= 12) return AMBIGUOUS;
  return first > 12 ? dayOf(year, second, first) : dayOf(year, first, second);
};

/** Returns the number of a month, which may be an English name; 0 for any other text. */
const monthOf = (text: string): number =>
  /^\d+$/u.test(text) ? Number(text) : MONTHS.indexOf(text.slice(0, 3).toLowerCase()) + 1;

/** Parses a birthday of an export: `19900412`, `1990-04-12T00:00:00Z`, `--0412`, `12.04.1990`, `April 12, 1990`. */
export const readBirthday = (text: string): ReadBirthday => {
  const bare = text.trim();
  if (isBlank(bare)) return NOTHING;
  const date = bare.replace(TIME, '').trim();
  const [, first, , second, ofYear] = EITHER_ORDER.exec(date) ?? [];
  if (ofYear !== undefined) return eitherOrder(Number(first), Number(second), ofYear);
  const parts = SPELLINGS.map((spelling) => spelling.exec(date)?.groups).find((groups) => groups !== undefined);
  const month = monthOf(parts?.['month'] ?? '');
  if (parts === undefined || month === 0) return UNREADABLE;
  const { year = '' } = parts;
  return dayOf(year === '-' ? '' : year, month, Number(parts['day']));
};

/** The People API's spelling of Google's and Apple's common labels, by the label in lower case without blanks. */
const COMMON: ReadonlyMap<string, string> = new Map(
  'home work other mobile main pager homeFax workFax otherFax workMobile homePage googleVoice'
    .split(' ')
    .map((label) => [label.toLowerCase(), label]),
);

/** Returns a common label in the spelling of the People API, any other label unchanged. */
export const commonLabel = (label: string): string =>
  COMMON.get(label.toLowerCase()) ?? COMMON.get(label.replaceAll(/\s/gu, '').toLowerCase()) ?? label;

/** Converts Apple's own labels, such as `_$!<HomePage>!$_`. Any other label is returned unchanged. */
export const appleLabel = (label: string): string => {
  const known = /^_\$!<(?<name>.*)>!\$_$/u.exec(label)?.groups?.['name'];
  if (known === undefined) return label;
  const common = commonLabel(known);
  return common === known ? known.slice(0, 1).toLowerCase() + known.slice(1) : common;
};

/** Types that describe an ability or preference rather than the kind of a number or address. */
const ABILITIES: ReadonlySet<string> = new Set('pref voice internet msg text dom intl postal parcel x400'.split(' '));
const PLACES = ['home', 'work', 'other'];
const DEVICES = ['pager', 'main'];

const placed = (place: string | null, labels: Readonly<Record<'home' | 'work' | 'other', string>>): string =>
  place === 'home' || place === 'work' ? labels[place] : labels.other;

const FAX = { home: 'homeFax', work: 'workFax', other: 'otherFax' };
const MOBILE = { home: 'mobile', work: 'workMobile', other: 'mobile' };

/** Returns an uncommon type as a label in the file's spelling. Android marks such types with `X-`. */
const ownLabel = (types: readonly string[]): string | null =>
  types.find((type) => !ABILITIES.has(type.toLowerCase()))?.replace(/^X-/iu, '') ?? null;

/** Returns the label of a property's types. */
export const labelOfTypes = (types: readonly string[]): string | null => {
  if (types.length === 0) return null;
  const known = new Set(types.map((type) => type.toLowerCase()));
  const place = PLACES.find((type) => known.has(type)) ?? null;
  if (known.has('fax')) return placed(place, FAX);
  if (known.has('cell') || known.has('iphone')) return placed(place, MOBILE);
  return DEVICES.find((type) => known.has(type)) ?? place ?? ownLabel(types);
};

const TYPES: ReadonlyMap<string, readonly string[]> = new Map([
  ['home', ['HOME']],
  ['work', ['WORK']],
  ['other', ['OTHER']],
  ['mobile', ['CELL']],
  ['main', ['MAIN']],
  ['pager', ['PAGER']],
  ['homeFax', ['HOME', 'FAX']],
  ['workFax', ['WORK', 'FAX']],
  ['otherFax', ['FAX']],
  ['workMobile', ['WORK', 'CELL']],
]);

/** Returns the types of a common label; null for any other label. */
export const typesOfLabel = (label: string): readonly string[] | null => TYPES.get(label) ?? null;

const HAS_CONTROL = /[\u0000-\u001F\u007F]/u;
const CONTROLS = /[\u0000-\u001F\u007F]+/gu;
const LINE_BREAKS = /\r\n|\r/gu;

/** Returns the text on one line: line breaks and other control characters become blanks. */
export const singleLine = (text: string): string =>
  (HAS_CONTROL.test(text) ? text.replaceAll(CONTROLS, ' ') : text).trim();

/** Returns a text of several lines, with `\n` between them. */
export const severalLines = (text: string): string =>
  (text.includes('\r') ? text.replaceAll(LINE_BREAKS, '\n') : text).trim();

/** Returns a vCard text without its escapes. In every version, `\;` is a semicolon. */
export const unescape = (text: string): string =>
  text.includes('\\')
    ? text.replace(/\\([nN,;:\\])/gu, (_, escaped: string) => (escaped.toLowerCase() === 'n' ? '\n' : escaped))
    : text;

/** Divides a text at unescaped separators. The parts are still escaped. */
export const splitEscaped = (text: string, separator: ';' | ','): string[] => {
  if (!text.includes('\\')) return text.split(separator);
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === separator) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, text.slice(from)];
};

/** Escapes a text for vCard 3.0 and 4.0. */
export const escape = (text: string): string =>
  text.replaceAll(/[\\,;]/gu, String.raw`\$&`).replaceAll(/\r\n|\n|\r/gu, String.raw`\n`);
