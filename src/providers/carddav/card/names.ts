import type { ChosenFields } from '../../../core/contact/chosen.ts';
import { textIn, type Contact, type ContactField } from '../../../core/contact/contact.ts';
import { normaliseText } from '../../../core/contact/text.ts';
import { type Card, escapeText, splitValue, unescapeText } from './content-line.ts';
import { componentsOf, lineNamed, linesOf, replaceLine, textOf, withComponents, withText } from './edits.ts';

/** The components of `N` (RFC 6350, 6.2.2) that are contact fields. */
const PLACES = { lastName: 0, firstName: 1, middleName: 2, namePrefix: 3, nameSuffix: 4 } as const;
const COMPONENTS = 5;

type NameField = keyof typeof PLACES;
type Parts = Readonly<Record<NameField, string>>;

export const isNameField = (field: ContactField): field is NameField => Object.hasOwn(PLACES, field);

/** Returns the text of a component, which may be a list, for example of several given names. */
const componentText = (component = ''): string =>
  normaliseText(
    splitValue(component, ',')
      .map((part) => unescapeText(part))
      .join(' '),
  );

const partsOf = (card: Card): Parts => {
  const components = componentsOf(card, 'N');
  const part = (field: NameField): string => componentText(components[PLACES[field]]);
  return {
    lastName: part('lastName'),
    firstName: part('firstName'),
    middleName: part('middleName'),
    namePrefix: part('namePrefix'),
    nameSuffix: part('nameSuffix'),
  };
};

const joined = (...texts: readonly string[]): string => texts.filter((text) => text !== '').join(' ');

const firstText = (card: Card, name: string): string => {
  const [line] = linesOf(card, [name]);
  return normaliseText(unescapeText(line?.value ?? ''));
};

/** The values that replace the formatted name of a card without a name. */
const SUBSTITUTES: readonly ((card: Card) => string)[] = [
  (card) => componentText(componentsOf(card, 'ORG')[0]),
  (card) => normaliseText(textOf(card, 'NICKNAME')),
  (card) => firstText(card, 'EMAIL'),
  (card) => firstText(card, 'TEL'),
];

const FULL = (card: Card): string => {
  const { firstName, lastName, middleName, namePrefix, nameSuffix } = partsOf(card);
  return joined(namePrefix, firstName, middleName, lastName, nameSuffix);
};

/** The ways in which programs compose the formatted name of a card. */
const FORMS: readonly ((card: Card) => string)[] = [
  FULL,
  ...[
    (p: Parts) => joined(p.firstName, p.middleName, p.lastName),
    (p: Parts) => joined(p.firstName, p.lastName),
    (p: Parts) => joined(p.lastName, p.firstName),
    (p: Parts) => (p.lastName === '' || p.firstName === '' ? '' : `${p.lastName}, ${p.firstName}`),
  ].map((form) => (card: Card) => form(partsOf(card))),
  ...SUBSTITUTES,
];

const formattedName = (card: Card): string => normaliseText(textOf(card, 'FN'));

const hasNoParts = (card: Card): boolean => Object.values(partsOf(card)).every((part) => part === '');

/** Returns the name of a card. A name without parts is used as the first name, and a write stores it as one. */
const namedParts = (card: Card): Parts => {
  const parts = partsOf(card);
  if (!hasNoParts(card)) return parts;
  const whole = formattedName(card);
  return SUBSTITUTES.some((substitute) => substitute(card) === whole) ? parts : { ...parts, firstName: whole };
};

type Joined = 'namePrefix' | 'middleName';

/** Returns a part that is joined into the first name; empty if the link does not join it. */
const joinedPart = (parts: Parts, field: Joined, chosen: ChosenFields): string =>
  chosen.includes(`${field}:joined`) ? parts[field] : '';

/** Returns a part of a card's name. Joined parts are added around the given name. */
export const readName = (card: Card, field: NameField, chosen: ChosenFields): string => {
  const parts = namedParts(card);
  if (field !== 'firstName') return parts[field];
  return joined(joinedPart(parts, 'namePrefix', chosen), parts.firstName, joinedPart(parts, 'middleName', chosen));
};

/** Returns the parts for the first name `text`. A joined part is cleared if the text does not begin or end with it. */
const dividedFirstName = (parts: Parts, text: string, chosen: ChosenFields): Partial<Parts> => {
  const prefix = joinedPart(parts, 'namePrefix', chosen);
  const hasPrefix = prefix !== '' && `${text} `.startsWith(`${prefix} `);
  const unprefixed = hasPrefix ? text.slice(prefix.length + 1) : text;
  const middle = joinedPart(parts, 'middleName', chosen);
  const hasMiddle = middle !== '' && ` ${unprefixed}`.endsWith(` ${middle}`);
  return {
    firstName: hasMiddle ? unprefixed.slice(0, -middle.length).trimEnd() : unprefixed,
    ...(prefix !== '' && !hasPrefix && { namePrefix: '' }),
    ...(middle !== '' && !hasMiddle && { middleName: '' }),
  };
};

/** Returns the card with some parts of its name written. */
export const writeName = (
  card: Card,
  desired: Contact,
  fields: readonly ContactField[],
  chosen: ChosenFields,
): Card => {
  const written = fields.filter(isNameField);
  if (written.length === 0) return card;
  const stored = partsOf(card);
  const parts = namedParts(card);
  const own = Object.fromEntries(
    written.filter((field) => field !== 'firstName').map((field) => [field, textIn(desired, field)]),
  );
  const first = written.includes('firstName') ? dividedFirstName(parts, desired.firstName, chosen) : {};
  const next: Parts = { ...parts, ...own, ...first };
  const all = Object.keys(PLACES) as NameField[];
  if (all.every((field) => next[field] === parts[field])) return card;
  const names = all.filter((field) => next[field] !== stored[field]);
  return withComponents(card, 'N', new Map(names.map((field) => [PLACES[field], next[field]])), COMPONENTS);
};

/** Returns the name that a form composes of a card. If it is empty, the first other form with a result is used. */
const nameBy = (form: (card: Card) => string, card: Card): string =>
  form(card) || (FORMS.map((each) => each(card)).find((text) => text !== '') ?? '');

const withName = (card: Card, name: string): Card => {
  const line = lineNamed(card, 'FN');
  return line === undefined
    ? withText(card, 'FN', name)
    : replaceLine(card, line, [{ ...line, value: escapeText(name) }]);
};

/**
 * Returns the edited card with its formatted name. The name is updated if it was composed of other values of the former card.
 * It is also updated after a written name (`isRenamed`) if it was or becomes the only name. Every version requires `FN`, so
 * it may be empty, but is never removed.
 */
export const withFormattedName = (card: Card, former: Card, isRenamed: boolean): Card => {
  const before = formattedName(former);
  if (isRenamed && [former, card].some(hasNoParts)) return withName(card, nameBy(FULL, card));
  const form = before === '' ? FULL : FORMS.find((each) => each(former) === before);
  if (form === undefined) return card;
  const name = nameBy(form, card);
  return name === nameBy(form, former) ? card : withName(card, name);
};
