/** A birthday in the format of `Person`, or the reason why it cannot be read; both are null without a birthday. */
type ReadBirthday = { readonly day: string | null; readonly reason: string | null };

/** `1990-04-12`, `19900412`, `--04-12` and `--0412`, each with or without a time of day. */
const DATE = /^(?<year>\d{4}|-)-?(?<month>\d{2})-?(?<day>\d{2})(?:T.*)?$/u;

/** The year that Apple writes for an unknown year. */
const APPLE_UNKNOWN_YEAR = '1604';

const isDay = (year: string, monthDay: string): boolean => {
  const time = new Date(`${year}-${monthDay}T00:00:00Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().slice(5, 10) === monthDay;
};

export const readBirthday = (text: string): ReadBirthday => {
  const date = text.trim();
  const { year, month, day } = DATE.exec(date)?.groups ?? {};
  if (date === '') return { day: null, reason: null };
  if (year === undefined) return { day: null, reason: 'the birthday cannot be read' };
  const isKnown = year !== '-' && year !== '0000' && year !== APPLE_UNKNOWN_YEAR;
  const monthDay = `${month}-${day}`;
  if (!isDay(isKnown ? year : '2000', monthDay)) {
    return { day: null, reason: 'the birthday is not a day of the calendar' };
  }
  return { day: `${isKnown ? year : '-'}-${monthDay}`, reason: null };
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

export const escape = (text: string): string =>
  text.replaceAll(/[\\,;]/gu, String.raw`\$&`).replaceAll(/\r\n|\n|\r/gu, String.raw`\n`);
