import type { ChosenFields } from '../../../core/contact/chosen.ts';
import { textIn, type Contact, type ContactField } from '../../../core/contact/contact.ts';
import { normaliseText } from '../../../core/contact/text.ts';
import { unsyncedNameOf } from '../../../core/contact/unsynced-name.ts';
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

const formattedName = (card: Card): string => normaliseText(textOf(card, 'FN'));

/**
 * Returns the components of `N`. Some programs escape the semicolons between them, so that all of them are in one component
 * (`N:Lee\\;Ann\\;;;`). They are divided if the formatted name has several words and no semicolon.
 */
const nameComponents = (card: Card): readonly string[] => {
  const components = componentsOf(card, 'N');
  const [only = '', ...others] = components.filter((component) => componentText(component) !== '');
  const inner = unescapeText(only).split(';');
  const name = formattedName(card);
  if (inner.length < 2 || others.length > 0 || name.includes(';') || !name.includes(' ')) return components;
  return inner.map((component) => escapeText(component));
};

const partsOf = (card: Card): Parts => {
  const components = nameComponents(card);
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

/** The ways in which programs compose a name of its parts. */
const COMPOSED: readonly ((card: Card) => string)[] = [
  FULL,
  ...[
    (p: Parts) => joined(p.firstName, p.middleName, p.lastName),
    (p: Parts) => joined(p.firstName, p.lastName),
    (p: Parts) => joined(p.lastName, p.firstName),
    (p: Parts) => (p.lastName === '' || p.firstName === '' ? '' : `${p.lastName}, ${p.firstName}`),
  ].map((form) => (card: Card) => form(partsOf(card))),
];

/** The ways in which programs compose the formatted name of a card. */
const FORMS: readonly ((card: Card) => string)[] = [...COMPOSED, ...SUBSTITUTES];

/** Returns whether a card is of a company, by `KIND` (RFC 6350, 6.1.4) or by Apple's property. */
const isCompany = (card: Card): boolean =>
  textOf(card, 'KIND').trim().toLowerCase() === 'org' || textOf(card, 'X-ABSHOWAS').trim().toLowerCase() === 'company';

/**
 * Returns the card of a company with the company in `ORG` only. Programs also write it as the formatted name or as a part of `N`.
 * Any other card is returned unchanged.
 */
export const withCompanyApart = (card: Card): Card => {
  if (!isCompany(card)) return card;
  const whole = formattedName(card);
  const company = componentText(componentsOf(card, 'ORG')[0]) || whole || FULL(card);
  const isNamed = COMPOSED.some((form) => form(card) !== '' && [company, whole].includes(form(card)));
  const named = withComponents(card, 'ORG', new Map([[0, company]]));
  const places = Object.values(PLACES).map((place) => [place, ''] as const);
  return isNamed ? withComponents(named, 'N', new Map(places), COMPONENTS) : named;
};

const hasNoParts = (card: Card): boolean => Object.values(partsOf(card)).every((part) => part === '');

/** Returns the name of a card. A name without parts is used as the first name, and a write stores it as one. */
const namedParts = (card: Card): Parts => {
  const parts = partsOf(card);
  if (!hasNoParts(card) || isCompany(card)) return parts;
  const whole = formattedName(card);
  return SUBSTITUTES.some((substitute) => substitute(card) === whole) ? parts : { ...parts, firstName: whole };
};

/** Returns the parts of a card's name that the link does not sync. */
export const unsyncedName = (card: Card, chosen: ChosenFields): ReturnType<typeof unsyncedNameOf> => {
  const phonetic = ['FIRST', 'MIDDLE', 'LAST'].map((part) => textOf(card, `X-PHONETIC-${part}-NAME`));
  return unsyncedNameOf(chosen, { ...partsOf(card), phonetic: joined(...phonetic) });
};

/** Returns a part of a card's name. */
export const readName = (card: Card, field: NameField): string => namedParts(card)[field];

/** Returns the card with some parts of its name written. */
export const writeName = (card: Card, desired: Contact, fields: readonly ContactField[]): Card => {
  const written = fields.filter(isNameField);
  if (written.length === 0) return card;
  const stored = partsOf(card);
  const parts = namedParts(card);
  const own = Object.fromEntries(written.map((field) => [field, textIn(desired, field)]));
  const next: Parts = { ...parts, ...own };
  const all = Object.keys(PLACES) as NameField[];
  if (all.every((field) => next[field] === parts[field])) return card;
  // Components that the card has in another division are all written.
  const isDivided = nameComponents(card).join(';') !== componentsOf(card, 'N').join(';');
  const names = all.filter((field) => isDivided || next[field] !== stored[field]);
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
 * it may be empty, but is never removed. The formatted name of a company is its `ORG`.
 */
export const withFormattedName = (card: Card, former: Card, isRenamed: boolean): Card => {
  const before = formattedName(former);
  if (isCompany(card)) {
    const [was, is] = [former, card].map((each) => componentText(componentsOf(each, 'ORG')[0]));
    return before === was && is !== undefined && is !== '' && is !== was ? withName(card, is) : card;
  }
  if (isRenamed && [former, card].some(hasNoParts)) return withName(card, nameBy(FULL, card));
  const form = before === '' ? FULL : FORMS.find((each) => each(former) === before);
  if (form === undefined) return card;
  const name = nameBy(form, card);
  return name === nameBy(form, former) ? card : withName(card, name);
};
