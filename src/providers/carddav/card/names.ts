import type { ChosenFields } from '../../../core/contact/chosen.ts';
import { textIn, type Contact, type ContactField } from '../../../core/contact/contact.ts';
import { wordsOf } from '../../../core/contact/names.ts';
import { normaliseText } from '../../../core/contact/text.ts';
import { unsyncedNameOf } from '../../../core/contact/unsynced-name.ts';
import { type Card, escapeText, splitValue, unescapeText } from './content-line.ts';
import {
  componentsOf,
  lineNamed,
  linesOf,
  removeLine,
  replaceLine,
  textOf,
  withComponents,
  withText,
} from './edits.ts';

/** The components of `N` (RFC 6350, 6.2.2) that are contact fields. */
const PLACES = { lastName: 0, firstName: 1, middleName: 2, namePrefix: 3, nameSuffix: 4 } as const;
const COMPONENTS = 5;

type NameField = keyof typeof PLACES;
type Parts = Readonly<Record<NameField, string>>;

const NAME_FIELDS = Object.keys(PLACES) as readonly NameField[];

export const isNameField = (field: ContactField): field is NameField => Object.hasOwn(PLACES, field);

/** Returns the text of a component, which may be a list, for example of several given names. */
const componentText = (component = ''): string => normaliseText(splitValue(component, ',').map(unescapeText).join(' '));

const formattedName = (card: Card): string => normaliseText(textOf(card, 'FN'));

/** Returns the first component of `ORG`. It is no list: a comma in it is part of the company's name, escaped or not. */
const companyIn = (card: Card): string => normaliseText(unescapeText(componentsOf(card, 'ORG')[0] ?? ''));

const sortedWords = (text: string): string => wordsOf(text).toSorted().join(' ');

/**
 * Returns the components of `N`. Some programs escape the semicolons between them, so that all of them are in one component
 * (`N:Lee\\;Ann\\;;;`). They are divided if the formatted name has the same words, several of them, and no semicolon. Any other
 * semicolon is part of the name.
 */
const nameComponents = (card: Card): readonly string[] => {
  const components = componentsOf(card, 'N');
  if (!components.some((component) => component.includes(';'))) return components;
  const [only = '', ...others] = components.filter((component) => componentText(component) !== '');
  const name = formattedName(card);
  if (!only.includes(';') || others.length > 0 || name.includes(';') || !name.includes(' ')) return components;
  if (sortedWords(name) !== sortedWords(componentText(only))) return components;
  return unescapeText(only).split(';').map(escapeText);
};

const partsOf = (card: Card): Parts => {
  const components = nameComponents(card);
  return Object.fromEntries(NAME_FIELDS.map((field) => [field, componentText(components[PLACES[field]])])) as Parts;
};

const joined = (...texts: readonly string[]): string => texts.filter((text) => text !== '').join(' ');

/** A way in which programs compose the formatted name of a card. */
type Form = (parts: Parts, card: Card) => string;

const FULL: Form = (p) => joined(p.namePrefix, p.firstName, p.middleName, p.lastName, p.nameSuffix);

/** The ways in which programs compose a name of its parts. */
const COMPOSED: readonly Form[] = [
  FULL,
  (p) => joined(p.firstName, p.middleName, p.lastName),
  (p) => joined(p.firstName, p.lastName),
  (p) => joined(p.lastName, p.firstName),
  (p) => (p.lastName === '' || p.firstName === '' ? '' : `${p.lastName}, ${p.firstName}`),
];

const firstText = (card: Card, name: string): string => {
  const [line] = linesOf(card, [name]);
  return normaliseText(unescapeText(line?.value ?? ''));
};

/** The values that replace the formatted name of a card without a name, each with its field. */
const SUBSTITUTES: readonly (readonly [ContactField, Form])[] = [
  ['company', (_, card) => companyIn(card)],
  ['nickname', (_, card) => normaliseText(textOf(card, 'NICKNAME'))],
  ['emailAddresses', (_, card) => firstText(card, 'EMAIL')],
  ['phoneNumbers', (_, card) => firstText(card, 'TEL')],
];

/** Returns the substitutes of the chosen fields. The other side gets no other field, so it would get no name at all. */
const substitutesIn = (chosen: ChosenFields): readonly Form[] =>
  SUBSTITUTES.flatMap(([field, form]) => (chosen.includes(field) ? [form] : []));

const formsIn = (chosen: ChosenFields): readonly Form[] => [...COMPOSED, ...substitutesIn(chosen)];

/** The properties that mark the card of a company: `KIND` (RFC 6350, 6.1.4), or Apple's property. */
const COMPANY_MARKS: Readonly<Record<string, string>> = { KIND: 'org', 'X-ABSHOWAS': 'company' };

const isCompany = (card: Card): boolean =>
  Object.entries(COMPANY_MARKS).some(([name, value]) => textOf(card, name).trim().toLowerCase() === value);

const withoutCompanyMarks = (card: Card): Card =>
  linesOf(card, Object.keys(COMPANY_MARKS))
    .filter(
      ({ name, value }) =>
        unescapeText(value ?? '')
          .trim()
          .toLowerCase() === COMPANY_MARKS[name],
    )
    .reduce(removeLine, card);

/**
 * Returns the card of a company with the company in `ORG` only. Programs also write it as the formatted name or as a part of `N`.
 * Any other card is returned unchanged.
 */
export const withCompanyApart = (card: Card): Card => {
  if (!isCompany(card)) return card;
  const parts = partsOf(card);
  const whole = formattedName(card);
  const company = companyIn(card) || whole || FULL(parts, card);
  const isNamed = COMPOSED.some((form) => form(parts, card) !== '' && [company, whole].includes(form(parts, card)));
  const named = withComponents(card, 'ORG', new Map([[0, company]]));
  const places = Object.values(PLACES).map((place) => [place, ''] as const);
  return isNamed ? withComponents(named, 'N', new Map(places), COMPONENTS) : named;
};

const hasNoParts = (parts: Parts): boolean => Object.values(parts).every((part) => part === '');

/** Returns the name of a card. A name without parts is used as the first name, and a write stores it as one. */
const namedParts = (parts: Parts, card: Card, chosen: ChosenFields): Parts => {
  if (!hasNoParts(parts) || isCompany(card)) return parts;
  const whole = formattedName(card);
  const isSubstitute = substitutesIn(chosen).some((substitute) => substitute(parts, card) === whole);
  return isSubstitute ? parts : { ...parts, firstName: whole };
};

const PHONETIC = ['X-PHONETIC-FIRST-NAME', 'X-PHONETIC-MIDDLE-NAME', 'X-PHONETIC-LAST-NAME'];

/** Returns the parts of a card's name, and those that the link does not sync. */
export const readName = (card: Card, chosen: ChosenFields) => {
  const parts = partsOf(card);
  const phonetic = PHONETIC.map((name) => textOf(card, name));
  return {
    name: namedParts(parts, card, chosen),
    unsynced: unsyncedNameOf(chosen, { ...parts, phonetic: joined(...phonetic) }),
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
  const parts = namedParts(stored, card, chosen);
  const own = Object.fromEntries(written.map((field) => [field, textIn(desired, field)]));
  const next: Parts = { ...parts, ...own };
  if (NAME_FIELDS.every((field) => next[field] === parts[field])) return card;
  // Components that the card has in another division are all written.
  const isDivided = nameComponents(card).join(';') !== componentsOf(card, 'N').join(';');
  const names = NAME_FIELDS.filter((field) => isDivided || next[field] !== stored[field]);
  return withComponents(card, 'N', new Map(names.map((field) => [PLACES[field], next[field]])), COMPONENTS);
};

/** Returns the name that a form composes of a card. If it is empty, the first of `forms` with a result is used. */
const nameBy = (form: Form, forms: readonly Form[], parts: Parts, card: Card): string =>
  form(parts, card) || (forms.map((each) => each(parts, card)).find((text) => text !== '') ?? '');

const withName = (card: Card, name: string): Card => {
  const line = lineNamed(card, 'FN');
  return line === undefined
    ? withText(card, 'FN', name)
    : replaceLine(card, line, [{ ...line, value: escapeText(name) }]);
};

/**
 * Returns the edited card of a company with its formatted name, which is its `ORG`. If the company was removed, the formatted
 * name is composed of `N`, and a card with a name is not marked as that of a company any more.
 */
const withCompanyName = (card: Card, former: Card, isRenamed: boolean): Card => {
  const [was, is] = [companyIn(former), companyIn(card)];
  if (is !== '') return formattedName(former) === was && is !== was ? withName(card, is) : card;
  if (was === '' && !isRenamed) return card;
  const parts = partsOf(card);
  // Without `ORG`, any formatted name of a company's card would be read as the company.
  return withName(hasNoParts(parts) ? card : withoutCompanyMarks(card), FULL(parts, card));
};

/**
 * Returns the edited card with its formatted name. The name is updated if it was composed of other values of the former card.
 * It is also updated after a written name (`isRenamed`) if it was or becomes the only name. Every version requires `FN`, so
 * it may be empty, but is never removed.
 */
export const withFormattedName = (card: Card, former: Card, isRenamed: boolean, chosen: ChosenFields): Card => {
  if (isCompany(card)) return withCompanyName(card, former, isRenamed);
  const before = formattedName(former);
  const [formerParts, parts] = [partsOf(former), partsOf(card)];
  const forms = formsIn(chosen);
  if (isRenamed && [formerParts, parts].some(hasNoParts)) return withName(card, nameBy(FULL, forms, parts, card));
  const form = before === '' ? FULL : forms.find((each) => each(formerParts, former) === before);
  if (form === undefined) return card;
  const name = nameBy(form, forms, parts, card);
  return name === nameBy(form, forms, formerParts, former) ? card : withName(card, name);
};
