import { normaliseText } from '../../core/contact/text.ts';
import { type Card, escapeText, lineOf, splitValue, unescapeText } from './card/content-line.ts';
import { addLines, linesOf, newCard, removeLine, textOf, withText, withLineValue } from './card/edits.ts';
import { isVersion4 } from './card/lists.ts';
import { uidKey } from './origin-uid.ts';

/** The properties with the kind of a card. */
export const KINDS = ['X-ADDRESSBOOKSERVER-KIND', 'KIND'];
const MEMBERS = ['X-ADDRESSBOOKSERVER-MEMBER', 'MEMBER'];

/** Returns whether a card is a group rather than a contact. */
export const isGroupCard = (card: Card): boolean =>
  KINDS.some((name) => textOf(card, name).trim().toLowerCase() === 'group');

/** Returns the key of a card as a member of a group; empty without a UID. */
export const memberKeyOf = (card: Card): string => uidKey(textOf(card, 'UID'));

/** Returns the name of a group card. */
export const groupNameOf = (card: Card): string => normaliseText(textOf(card, 'FN'));

/** Returns the keys of the members of a group card. */
export const membersOf = (card: Card): ReadonlySet<string> => {
  const keys = linesOf(card, MEMBERS).map(({ value }) => uidKey(unescapeText(value ?? '')));
  return new Set(keys.filter((key) => key !== ''));
};

/** Returns the group card with the members `add` (UIDs) and without the members `remove` (keys). Other members stay. */
export const withMembers = (card: Card, add: readonly string[], remove: readonly string[]): Card => {
  const rest = linesOf(card, MEMBERS)
    .filter(({ value }) => remove.includes(uidKey(unescapeText(value ?? ''))))
    .reduce(removeLine, card);
  const members = membersOf(rest);
  const name = isVersion4(card) ? 'MEMBER' : 'X-ADDRESSBOOKSERVER-MEMBER';
  const lines = add
    .filter((uid) => !members.has(uidKey(uid)))
    .map((uid) => lineOf(name, `urn:uuid:${escapeText(uid.trim().replace(/^urn:uuid:/iu, ''))}`));
  return addLines(rest, MEMBERS, lines);
};

/** Returns a new group card. */
export const newGroupCard = (name: string, uid: string, version: '3.0' | '4.0'): Card => {
  const kind = version === '4.0' ? 'KIND' : 'X-ADDRESSBOOKSERVER-KIND';
  return addLines(newCard(uid, version, name), [], [lineOf(kind, 'group')]);
};

/** Returns the group card with another name. */
export const withGroupName = (card: Card, name: string): Card =>
  withLineValue(withText(card, 'FN', name), 'N', `${escapeText(name)};;;;`);

/** PostgreSQL stores no key that is much longer. */
const LONGEST_CATEGORY = 500;

/** Returns whether a name is short enough for a category that is a group. A card keeps a longer one. */
export const isCategory = (name: string): boolean => name.length <= LONGEST_CATEGORY;

/** Returns the names of the categories of a card. */
export const categoriesOf = (card: Card): readonly string[] => {
  const lines = linesOf(card, ['CATEGORIES']);
  if (lines.length === 0) return [];
  const parts = lines.flatMap(({ value }) => splitValue(value ?? '', ','));
  return [...new Set(parts.map((part) => normaliseText(unescapeText(part))))].filter(
    (name) => name !== '' && isCategory(name),
  );
};

/** Returns the card with the categories `add` and without `remove`. Spelling and order of the others stay. */
export const withCategories = (card: Card, add: readonly string[], remove: readonly string[]): Card => {
  const current = categoriesOf(card);
  const added = add.filter((name) => !current.includes(name)).map(escapeText);
  if (added.length === 0 && !remove.some((name) => current.includes(name))) return card;
  const lines = linesOf(card, ['CATEGORIES']);
  const kept = lines.map(({ value }) =>
    splitValue(value ?? '', ',').filter((part) => !remove.includes(normaliseText(unescapeText(part)))),
  );
  const [first = [], ...others] = kept;
  const parts = [[...first.filter((part) => part.trim() !== ''), ...added], ...others];
  return lines.length === 0
    ? addLines(card, ['CATEGORIES'], [lineOf('CATEGORIES', added.join(','))])
    : lines.reduce((next, line, index) => {
        const value = (parts[index] ?? []).join(',');
        return value === '' ? removeLine(next, line) : next.map((each) => (each === line ? { ...line, value } : each));
      }, card);
};
