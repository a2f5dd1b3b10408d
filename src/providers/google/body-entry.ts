import type { Json } from '../../core/contact/record.ts';

/** One entry of a field list, as it is sent. */
export type BodyEntry = { readonly [key: string]: Json };

type ReadEntry = { readonly [key: string]: Json | undefined; readonly metadata?: { readonly sourcePrimary?: boolean } };

/** Google makes these itself: `canonicalForm` by guess, `formattedType` in the account's language (reference). */
const OUTPUT_ONLY = new Set(['metadata', 'formattedType', 'canonicalForm']);

/** An entry as it may be sent back: as it was read, without what Google makes itself. */
export const writable = (entry: ReadEntry): BodyEntry => {
  const kept = Object.entries(entry).flatMap(([key, value]) => {
    return value === undefined || OUTPUT_ONLY.has(key) ? [] : [[key, value] as const];
  });
  const primary = entry.metadata?.sourcePrimary === true ? { metadata: { sourcePrimary: true } } : {};
  return { ...Object.fromEntries(kept), ...primary };
};

/** The entry with the given texts in place of its own; an empty text removes the key. */
export const withTexts = (entry: BodyEntry, texts: Readonly<Record<string, string>>): BodyEntry => {
  const untouched = Object.entries(entry).filter(([key]) => texts[key] === undefined);
  return Object.fromEntries([...untouched, ...Object.entries(texts).filter(([, text]) => text !== '')]);
};

/** The entry without some of its keys. */
export const without = (entry: BodyEntry, keys: readonly string[]): BodyEntry =>
  Object.fromEntries(Object.entries(entry).filter(([key]) => !keys.includes(key)));

/** Whether an entry says anything beside the given keys. */
const saysMoreThan = (entry: BodyEntry, keys: readonly string[]): boolean =>
  Object.keys(without(entry, keys)).length > 0;

/** Entries that would say nothing are not sent. */
export const nonEmpty = (entries: readonly BodyEntry[]): readonly BodyEntry[] =>
  entries.filter((entry) => saysMoreThan(entry, ['metadata', 'type', 'current']));
