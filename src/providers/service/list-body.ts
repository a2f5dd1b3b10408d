import type { LabelledValue, PostalAddress } from '../../core/contact/elements.ts';
import type { Json } from '../../core/contact/record.ts';
import { normaliseLabel } from '../../core/contact/text.ts';
import type { BodyEntry } from './api/schemas-contacts.ts';
import type { EntryKind, RawEntry } from './entries.ts';

type Element = LabelledValue | PostalAddress;

/** Returns the keys of an entry that may be sent back: not null, and not the service's own rendering of an address. */
const carriedOf = (raw: RawEntry): Record<string, Json> => {
  return Object.fromEntries(
    Object.entries(raw).filter((pair): pair is [string, Json] => {
      return pair[0] !== 'full_address' && pair[1] !== null && pair[1] !== undefined;
    }),
  );
};

/** Returns the current entry with only the differences of the desired element; the service's own spelling stays (R10). */
const keptEntry = <E extends Element>(kind: EntryKind<E>, raw: RawEntry, id: string, element: E): BodyEntry => {
  const carried = carriedOf(raw);
  const changes = Object.entries(kind.toParts(element, raw)).filter(([key, text]) => {
    const current = carried[key];
    return kind.normalisePart(key, typeof current === 'string' ? current : null) !== text;
  });
  const label = normaliseLabel(raw.label) === element.label ? {} : { label: element.label };
  return { ...carried, ...Object.fromEntries(changes), ...label, id };
};

type Matches<E> = ReadonlyMap<E, RawEntry>;

/** Matches each desired element with a current entry: first by equal text, then by equal key, then as an edit of it. */
const matchEntries = <E extends Element>(
  kind: EntryKind<E>,
  current: readonly RawEntry[],
  desired: readonly E[],
): Matches<E> => {
  const sameText = (a: E, b: E): boolean => JSON.stringify(kind.toParts(a)) === JSON.stringify(kind.toParts(b));
  const passes = [sameText, (a: E, b: E) => kind.keyOf(a) === kind.keyOf(b), kind.isEditOf];
  const matches = new Map<E, RawEntry>();
  const used = new Set<RawEntry>();
  for (const isMatch of passes) {
    for (const element of desired) {
      if (matches.has(element)) continue;
      const raw = current.find((candidate) => !used.has(candidate) && isMatch(element, kind.toElement(candidate)));
      if (raw === undefined) continue;
      matches.set(element, raw);
      used.add(raw);
    }
  }
  return matches;
};

/** Returns current entries that match no desired element and must not be lost (R10): second spellings of an element that stays. */
const silentEntries = <E extends Element>(
  kind: EntryKind<E>,
  current: readonly RawEntry[],
  desired: readonly E[],
  matches: Matches<E>,
): readonly BodyEntry[] => {
  const used = new Set(matches.values());
  const unused = current.filter((raw) => !used.has(raw));
  if (unused.length === 0) return [];
  const stays = new Set(desired.map((element) => kind.keyOf(element)));
  return unused.flatMap((raw) => {
    const id = raw.id ?? null;
    if (id === null) return [];
    return stays.has(kind.keyOf(kind.toElement(raw))) ? [{ ...carriedOf(raw), id }] : [];
  });
};

/** Returns an element as a new entry, without empty parts. */
const newEntry = <E extends Element>(kind: EntryKind<E>, element: E): BodyEntry => {
  const filled = Object.entries(kind.toParts(element)).filter(([, text]) => text !== '');
  return { ...(element.label !== null && { label: element.label }), ...Object.fromEntries(filled) };
};

/** Returns the complete list to send, in the desired order: current entries as they were read, new ones with label and value. */
export const listBody = <E extends Element>(
  kind: EntryKind<E>,
  current: readonly RawEntry[],
  desired: readonly E[],
): readonly BodyEntry[] => {
  const matches = matchEntries(kind, current, desired);
  const wanted = desired.map((element) => {
    const raw = matches.get(element);
    const id = raw?.id ?? null;
    return raw === undefined || id === null || !kind.canBecome(raw, element)
      ? newEntry(kind, element)
      : keptEntry(kind, raw, id, element);
  });
  return [...wanted, ...silentEntries(kind, current, desired, matches)];
};
