import type { Half } from '../core/contact/half.ts';
import { emailKey } from '../core/contact/keys.ts';
import { rankBy, searchText } from '../core/contact/search.ts';
import type { HalfQuery } from './store.ts';

/** Whether a half's record holds an email address of one of the keys. */
export const holdsEmail = (keys: readonly string[]): ((half: Half) => boolean) => {
  const asked = new Set(keys);
  return ({ record }) => record.contact.emailAddresses.some(({ value }) => asked.has(emailKey(value)));
};

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

/** The halves in the order in which the store returns them. */
export const inOrder = (halves: readonly Half[]): Half[] =>
  halves.toSorted((one, other) => compare(one.side, other.side) || compare(one.id, other.id));

/** Whether a text names the contact of a half. */
export const isNamedBy = (text: string): ((half: Half) => boolean) => {
  const rank = rankBy(text);
  return ({ record }) => rank(record.contact) !== null;
};

/** The halves of a page in the order of the page. */
export const inPageOrder = (halves: readonly Half[], { of }: Extract<HalfQuery, { by: 'page' }>): readonly Half[] => {
  const ordered = inOrder(halves);
  if (of === 'written') return ordered.toSorted((one, other) => (other.writtenAtMs ?? 0) - (one.writtenAtMs ?? 0));
  const texts = new Map(ordered.map((half) => [half, Buffer.from(searchText(half.record.contact))]));
  const textOf = (half: Half): Buffer => texts.get(half) ?? Buffer.alloc(0);
  return ordered.toSorted((one, other) => Buffer.compare(textOf(one), textOf(other)));
};
