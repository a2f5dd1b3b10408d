import { addressKey, type ListElement } from '../contact/keys.ts';
import type { KeyedList } from '../contact/lists.ts';

const bare = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');

const MINIMUM_TAIL = 6;

/**
 * Whether one text may be what a side made of the other: the same letters and digits, a cut-off, or for phone numbers the
 * same closing digits.
 */
export const resembles = (a: string, b: string): boolean => {
  const [left, right] = [bare(a), bare(b)];
  if (left === right) return true;
  const [short, long] = left.length < right.length ? [left, right] : [right, left];
  return short.length >= MINIMUM_TAIL && (long.startsWith(short) || long.endsWith(short.replace(/^0+/u, '')));
};

const textOf = (element: ListElement): string => ('value' in element ? element.value : addressKey(element));

/** The two sides of one list field, each with its own base. */
export type FourLists = Readonly<Record<'google' | 'service' | 'googleBase' | 'serviceBase', KeyedList>>;

/**
 * Gives one key to what both sides hold of one element under different values, because a side rewrote it when it was
 * written. Such elements show as leftovers of the two bases: both bases were stored when the sides agreed, so what only
 * one base holds and resembles what only the other holds is the same element.
 */
export const aliasLeftovers = (lists: FourLists): FourLists => {
  const { googleBase, serviceBase } = lists;
  const leftovers = [...serviceBase].filter(([key]) => !googleBase.has(key));
  if (leftovers.length === 0) return lists;
  const aliases = new Map<string, string>();
  for (const [key, element] of googleBase) {
    if (serviceBase.has(key)) continue;
    const twin = leftovers.find(([other, candidate]) => {
      return !aliases.has(other) && resembles(textOf(element), textOf(candidate));
    });
    if (twin !== undefined) aliases.set(twin[0], key);
  }
  const rename = (list: KeyedList): KeyedList => new Map([...list].map(([key, e]) => [aliases.get(key) ?? key, e]));
  return { ...lists, service: rename(lists.service), serviceBase: rename(serviceBase) };
};
