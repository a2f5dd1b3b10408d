import { normaliseText } from '../../contact/text.ts';
import { InvalidError, NotFoundError, RemoteError, RevokedError } from '../errors.ts';
import type { BookContext } from './book.ts';
import { cardsIn, type StoredCard } from './cards.ts';
import { lineOf, type Card } from './card/content-line.ts';
import { addLines, linesOf, removeLine, textOf, withText, withValue } from './card/edits.ts';
import { escapeText, splitValue, unescapeText } from './card/escapes.ts';
import { isVersion4 } from './card/lists.ts';
import { addressbookQuery, type CardFilter } from './requests.ts';
import { requireMultistatus } from './send.ts';

const KINDS = ['X-ADDRESSBOOKSERVER-KIND', 'KIND'];
const MEMBERS = ['X-ADDRESSBOOKSERVER-MEMBER', 'MEMBER'];

/** Whether a card is a group, and no contact. */
export const isGroupCard = (card: Card): boolean =>
  KINDS.some((name) => textOf(card, name).trim().toLowerCase() === 'group');

/** A UID as member lines and cards spell it. */
const uidKey = (uid: string): string =>
  uid
    .trim()
    .toLowerCase()
    .replace(/^urn:uuid:/u, '');

/** What names a card as a member of a group; empty where it has no UID. */
export const memberKeyOf = (card: Card): string => uidKey(textOf(card, 'UID'));

/** The name of a group card. */
export const groupNameOf = (card: Card): string => normaliseText(textOf(card, 'FN'));

/** The keys of the members of a group card. */
export const membersOf = (card: Card): ReadonlySet<string> =>
  new Set(linesOf(card, MEMBERS).map(({ value }) => uidKey(unescapeText(value ?? ''))));

/** The group card with the members of these UIDs, and without those of these keys; the other members stay. */
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

/** A new group card. */
export const newGroupCard = (name: string, uid: string, version: '3.0' | '4.0'): Card => [
  lineOf('BEGIN', 'VCARD'),
  lineOf('VERSION', version),
  lineOf('PRODID', '-//contact-sync//EN'),
  lineOf('UID', uid),
  lineOf('FN', escapeText(name)),
  lineOf('N', `${escapeText(name)};;;;`),
  lineOf(version === '4.0' ? 'KIND' : 'X-ADDRESSBOOKSERVER-KIND', 'group'),
  lineOf('END', 'VCARD'),
];

/** The group card with another name. */
export const withGroupName = (card: Card, name: string): Card =>
  withValue(withText(card, 'FN', name), 'N', `${escapeText(name)};;;;`);

/** The names of the categories of a card. */
export const categoriesOf = (card: Card): readonly string[] =>
  [
    ...new Set(
      linesOf(card, ['CATEGORIES'])
        .flatMap(({ value }) => splitValue(value ?? '', ','))
        .map((part) => normaliseText(unescapeText(part))),
    ),
  ].filter((name) => name !== '');

/** The card with and without some categories; the spelling and the order of the others stay. */
export const withCategories = (card: Card, add: readonly string[], remove: readonly string[]): Card => {
  const held = categoriesOf(card);
  const added = add.filter((name) => !held.includes(name)).map(escapeText);
  if (added.length === 0 && !remove.some((name) => held.includes(name))) return card;
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

/** The cards that any of the filters matches. An answer that may be too large (`isDivisible`) is not asked for again. */
export const queryCards = async (
  { find, send }: BookContext,
  filters: readonly CardFilter[],
  signal: AbortSignal,
  isDivisible = false,
): Promise<readonly StoredCard[]> => {
  const book = await find(signal);
  const request = { ...addressbookQuery(book.url, filters, 'groups'), isDivisible };
  const { responses } = requireMultistatus(request, await send(request, signal));
  return [...cardsIn(responses, book.url).values()].flatMap((each) => (each.kind === 'card' ? [each.stored] : []));
};

/** Whether a server refused a search that it does not have: with 400, 403, 404 or 501. */
export const isUnsupported = (error: unknown): boolean =>
  error instanceof InvalidError ||
  error instanceof NotFoundError ||
  error instanceof RevokedError ||
  (error instanceof RemoteError && error.status === 501);

/** The cards that any of the filters matches; none where the server cannot search. */
export const findCards = async (
  context: BookContext,
  filters: readonly CardFilter[],
  signal: AbortSignal,
): Promise<readonly StoredCard[]> => {
  try {
    return await queryCards(context, filters, signal);
  } catch (error) {
    if (!isUnsupported(error)) throw error;
    return [];
  }
};

/** All group cards of the address book. */
export const listGroupCards = async (context: BookContext, signal: AbortSignal): Promise<readonly StoredCard[]> => {
  if (context.groupStyle === 'categories') return [];
  const filters = KINDS.map((property) => ({ property, text: 'group' }));
  return (await findCards(context, filters, signal)).filter(({ card }) => isGroupCard(card));
};
