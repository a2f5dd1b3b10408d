import { normaliseLabel } from '../../../core/contact/text.ts';
import {
  type Card,
  type ContentLine,
  escapeText,
  lineOf,
  parameterOf,
  unescapeText,
  withGroup,
  withParameter,
} from './content-line.ts';
import { freeGroup, replaceLine, sharesGroup } from './edits.ts';

const LABEL = 'X-ABLABEL';

/** Types that describe an ability or a preference. They stay if a label is replaced. */
export const ABILITIES: ReadonlySet<string> = new Set(
  'pref voice internet msg text dom intl postal parcel x400'.split(' '),
);

/** Each common label with its types. */
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

const keyOf = (types: readonly string[]): string =>
  types
    .map((type) => type.toLowerCase().replace('iphone', 'cell'))
    .toSorted()
    .join(' ');

const BY_TYPES: ReadonlyMap<string, string> = new Map([...TYPES].map(([label, types]) => [keyOf(types), label]));

/** Converts Apple's own labels, such as `_$!<HomeFAX>!$_`. Any other label is returned unchanged. */
const appleLabel = (text: string): string => {
  const known = /^_\$!<(?<name>.*)>!\$_$/u.exec(text)?.groups?.['name'];
  if (known === undefined) return text;
  const common = [...TYPES.keys()].find((label) => label.toLowerCase() === known.toLowerCase());
  return common ?? known.charAt(0).toLowerCase() + known.slice(1);
};

const APPLE_LABELS: ReadonlySet<string> = new Set(
  'homePage mother father parent brother sister child friend spouse partner assistant manager'.split(' '),
);

/** Returns a label in Apple's spelling. */
const labelText = (label: string): string =>
  APPLE_LABELS.has(label) ? `_$!<${label.charAt(0).toUpperCase()}${label.slice(1)}>!$_` : label;

const labelLine = (card: Card, line: ContentLine): ContentLine | undefined => {
  const { group } = line;
  return group === null ? undefined : card.find((each) => each.group === group && each.name === LABEL);
};

/** Returns the types of a line that determine its label. */
const ownTypes = (line: ContentLine): readonly string[] =>
  parameterOf(line, 'TYPE').filter((type) => !ABILITIES.has(type.toLowerCase()));

const labelOfTypes = (types: readonly string[]): string | null => {
  if (types.length === 0) return null;
  const known = BY_TYPES.get(keyOf([...new Set(types)]));
  if (known !== undefined) return known;
  const common = types.map((type) => BY_TYPES.get(keyOf([type]))).find((label) => label !== undefined);
  return common ?? types[0]?.replace(/^X-/iu, '') ?? null;
};

/** Returns the label of a line: that of its group, or else that of its types; null without one. */
export const labelOf = (card: Card, line: ContentLine): string | null => {
  const own = appleLabel(unescapeText(labelLine(card, line)?.value ?? ''));
  return normaliseLabel(own) ?? normaliseLabel(labelOfTypes(ownTypes(line)));
};

/** Returns the card with another label of a line, or without one. Other parameters of the line stay. */
export const withLabel = (card: Card, line: ContentLine, label: string | null): Card => {
  if (labelOf(card, line) === label) return card;
  const abilities = parameterOf(line, 'TYPE').filter((type) => ABILITIES.has(type.toLowerCase()));
  const former = labelLine(card, line);
  const types = label === null ? [] : TYPES.get(label);
  const retyped = withParameter(line, 'TYPE', [...abilities, ...(types ?? [])]);
  // If the label also describes another line, this line leaves the group.
  const isShared = former !== undefined && sharesGroup(card, line);
  const rest = isShared ? card : card.filter((each) => each !== former);
  if (types !== undefined) return replaceLine(rest, line, [isShared ? withGroup(retyped, null) : retyped]);
  // In a shared group, the new label would also describe the other lines.
  const group = (sharesGroup(card, line) ? null : line.group) ?? freeGroup(card);
  const description = withGroup(lineOf('X-ABLabel', escapeText(labelText(label ?? ''))), group);
  return replaceLine(rest, line, [withGroup(retyped, group), description]);
};
