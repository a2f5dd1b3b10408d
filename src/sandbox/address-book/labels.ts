/** What Google and Apple call the common labels, without blanks and in lower case, as the People API spells them. */
const COMMON: ReadonlyMap<string, string> = new Map(
  'home work other mobile main pager homeFax workFax otherFax workMobile homePage googleVoice'
    .split(' ')
    .map((label) => [label.toLowerCase(), label]),
);

/** One of the common labels as the People API spells it; any other as the file has it. */
export const commonLabel = (label: string): string =>
  COMMON.get(label.toLowerCase()) ?? COMMON.get(label.replaceAll(/\s/gu, '').toLowerCase()) ?? label;

/** Apple's own labels look like `_$!<HomePage>!$_`; a label that somebody typed stands as it is. */
export const appleLabel = (label: string): string => {
  const known = /^_\$!<(?<name>.*)>!\$_$/u.exec(label)?.groups?.['name'];
  if (known === undefined) return label;
  const common = commonLabel(known);
  return common === known ? known.slice(0, 1).toLowerCase() + known.slice(1) : common;
};

/** Types that say what a number or address can do or which is preferred, not what it is. */
const ABILITIES: ReadonlySet<string> = new Set('pref voice internet msg text dom intl postal parcel x400'.split(' '));
const PLACES = ['home', 'work', 'other'];
const DEVICES = ['pager', 'main'];

const placed = (place: string | null, labels: Readonly<Record<'home' | 'work' | 'other', string>>): string =>
  place === 'home' || place === 'work' ? labels[place] : labels.other;

const FAX = { home: 'homeFax', work: 'workFax', other: 'otherFax' };
const MOBILE = { home: 'mobile', work: 'workMobile', other: 'mobile' };

/** A type that is not common is a label as the file spells it; Android marks such types with `X-`. */
const ownLabel = (types: readonly string[]): string | null =>
  types.find((type) => !ABILITIES.has(type.toLowerCase()))?.replace(/^X-/iu, '') ?? null;

/** The label that the types of a property amount to. */
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

/** The types that stand for a common label; null for a label that needs to be spelt out. */
export const typesOfLabel = (label: string): readonly string[] | null => TYPES.get(label) ?? null;
