import { normaliseDay, partsOfDay } from '../../../core/contact/days.ts';
import { nameOfNamed, type NamedField } from '../../../core/contact/fields.ts';
import { normaliseText } from '../../../core/contact/text.ts';
import { type Card, escapeText, lineOf, parameterOf, splitValue, unescapeText, withParameter } from './content-line.ts';
import {
  addLines,
  componentsOf,
  lineNamed,
  removeLine,
  replaceLine,
  textOf,
  withComponents,
  withText,
} from './edits.ts';
import { isVersion4 } from './lists.ts';

/** The mapping of a text field to a card. */
export type ScalarMapping = {
  /** Returns the text, not yet normalised. */
  readonly read: (card: Card) => string;
  readonly write: (card: Card, text: string) => Card;
};

/** Maps a text to a property of its own. */
export const property = (name: string): ScalarMapping => ({
  read: (card) => textOf(card, name),
  write: (card, text) => withText(card, name, text),
});

/** The first component of `ORG`. Its departments stay. */
export const COMPANY: ScalarMapping = {
  read: (card) => unescapeText(componentsOf(card, 'ORG')[0] ?? ''),
  write: (card, text) => withComponents(card, 'ORG', new Map([[0, text]])),
};

export const NICKNAME: ScalarMapping = {
  read: (card) =>
    splitValue(lineNamed(card, 'NICKNAME')?.value ?? '', ',')
      .map((part) => unescapeText(part))
      .join(', '),
  write: (card, text) => withText(card, 'NICKNAME', text),
};

/** The parameter with the year that Apple writes for a day without one. */
const OMITTED_YEAR = 'X-APPLE-OMIT-YEAR';

const birthdayOf = (card: Card): string => {
  const line = lineNamed(card, 'BDAY');
  if (line === undefined) return '';
  const text = unescapeText(line.value ?? '').trim();
  const day = normaliseDay(text.replace(/^([\d-]+)T.*$/su, '$1'));
  const [omitted] = parameterOf(line, OMITTED_YEAR);
  return omitted !== undefined && day.startsWith(`${omitted}-`) ? `-${day.slice(omitted.length)}` : day;
};

/** Returns the value and the omitted year of a day. Any other text is written as a text. */
const birthdayValue = (text: string, isLater: boolean) => {
  const day = partsOfDay(text);
  if (day === null) return { value: escapeText(text), kind: 'text', omitted: null };
  if (isLater) return { value: text.replace(/^-(?=-)/u, '-').replaceAll(/(?<=\d)-/gu, ''), kind: null, omitted: null };
  return day.year === null
    ? { value: `1604${text.slice(1)}`, kind: null, omitted: '1604' }
    : { value: text, kind: null, omitted: null };
};

/** Version 3.0 has no day without a year (RFC 2426, 3.1.5), so Apple's format is used there. */
export const BIRTHDAY: ScalarMapping = {
  read: birthdayOf,
  write: (card, text) => {
    const line = lineNamed(card, 'BDAY');
    if (text === '') return line === undefined ? card : removeLine(card, line);
    const { value, kind, omitted } = birthdayValue(text, isVersion4(card));
    const typed = withParameter(line ?? lineOf('BDAY', ''), 'VALUE', kind === null ? [] : [kind]);
    const written = { ...withParameter(typed, OMITTED_YEAR, omitted === null ? [] : [omitted]), value };
    return line === undefined ? addLines(card, ['BDAY'], [written]) : replaceLine(card, line, [written]);
  },
};

/** The address of a photo. An embedded photo has no address. Photos are never written. */
export const PHOTO: ScalarMapping = {
  read: (card) => {
    const text = unescapeText(lineNamed(card, 'PHOTO')?.value ?? '').trim();
    return text.startsWith('https://') ? text : '';
  },
  write: (card) => card,
};

/** Returns the property of a custom field, such as `X-SHOE-SIZE`. Characters that are not allowed become their codes. */
const propertyOf = (field: NamedField): string => {
  const name = [...normaliseText(nameOfNamed(field)).toUpperCase()].map((character) => {
    if (/[A-Z0-9]/u.test(character)) return character;
    return /[\s_-]/u.test(character) ? '-' : `U${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}`;
  });
  return `X-${name.join('')}`;
};

/** Returns the mapping of a field with a user-defined name. */
export const namedMapping = (field: NamedField): ScalarMapping => property(propertyOf(field));
