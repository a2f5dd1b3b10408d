import { addressKey, linesKey, type ListElement } from '../contact/keys.ts';
import { renameKeys, type KeyedList } from '../contact/lists.ts';

const bare = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '');

const MINIMUM_TAIL = 6;

/**
 * Returns whether one text may be a side's rewritten form of the other: the same letters and digits, a truncated text, or for phone
 * numbers the same closing digits.
 */
export const resembles = (a: string, b: string): boolean => {
  const [first, second] = [bare(a), bare(b)];
  if (first === second) return first !== '' || a === b;
  const [short, long] = first.length < second.length ? [first, second] : [second, first];
  const digits = /^0*(\d+)$/u.exec(short)?.[1];
  return (
    (short.length >= MINIMUM_TAIL && long.startsWith(short)) ||
    (digits !== undefined && digits.length >= MINIMUM_TAIL && /^\d+$/u.test(long) && long.endsWith(digits))
  );
};

/** Returns whether a text may be the form in which a side stored the value: the value, or a part of it. */
export const mayBeStored = (text: string, value: string): boolean =>
  text.length <= value.length && resembles(text, value);

/** Returns whether one element may be a side's rewritten form of the other. */
const areAlike = (one: ListElement, other: ListElement): boolean => {
  if ('value' in one || 'value' in other)
    return 'value' in one && 'value' in other && resembles(one.value, other.value);
  const isReordered =
    linesKey(one) === linesKey(other) && addressKey({ ...one, ...NO_LINES }) === addressKey({ ...other, ...NO_LINES });
  return isReordered || resembles(addressKey(one), addressKey(other));
};

const NO_LINES = { street: '', extended: '', poBox: '' };

/** The two sides of one list field, each with its own base. */
type FourLists = Readonly<Record<'left' | 'right' | 'leftBase' | 'rightBase', KeyedList>>;

/**
 * Assigns one key to an element that the two sides store under different values, because a side rewrote it on a write. Such
 * elements appear in only one of the two bases. Both bases were stored when the sides agreed, so an element of one base
 * that resembles an element of the other base is the same element. If a side now has the other side's spelling, the two
 * elements keep their own keys.
 */
export const aliasLeftovers = (lists: FourLists): FourLists => {
  const { leftBase, rightBase } = lists;
  const leftovers = [...rightBase].filter(([key]) => !leftBase.has(key));
  if (leftovers.length === 0) return lists;
  const aliases = new Map<string, string>();
  for (const [key, element] of leftBase) {
    if (rightBase.has(key)) continue;
    const twin = leftovers.find(([other, candidate]) => {
      const isTaken = aliases.has(other) || lists.left.has(other) || lists.right.has(key);
      return !isTaken && areAlike(element, candidate);
    });
    if (twin !== undefined) aliases.set(twin[0], key);
  }
  return { ...lists, right: renameKeys(lists.right, aliases), rightBase: renameKeys(rightBase, aliases) };
};
