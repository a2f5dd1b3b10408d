import { addressKey, type ListElement } from '../contact/keys.ts';
import { renameKeys, type KeyedList } from '../contact/lists.ts';

const bare = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '');

const MINIMUM_TAIL = 6;

/**
 * Whether one text may be what a side made of the other: the same letters and digits, a cut-off, or for phone numbers the
 * same closing digits.
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

const textOf = (element: ListElement): string => ('value' in element ? element.value : addressKey(element));

/** The two sides of one list field, each with its own base. */
export type FourLists = Readonly<Record<'left' | 'right' | 'leftBase' | 'rightBase', KeyedList>>;

/**
 * Gives one key to what both sides hold of one element under different values, because a side rewrote it when it was
 * written. Such elements show as leftovers of the two bases: both bases were stored when the sides agreed, so what only
 * one base holds and resembles what only the other holds is the same element. A side that by now holds the other's
 * spelling keeps both apart.
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
      return !isTaken && resembles(textOf(element), textOf(candidate));
    });
    if (twin !== undefined) aliases.set(twin[0], key);
  }
  return { ...lists, right: renameKeys(lists.right, aliases), rightBase: renameKeys(rightBase, aliases) };
};
