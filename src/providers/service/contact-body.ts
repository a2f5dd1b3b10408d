import {
  CONTACT_FIELDS,
  type Contact,
  type ContactField,
  type LabelledValue,
  type PostalAddress,
} from '../../contact/contact.ts';
import { normaliseLabel, normaliseText } from '../../contact/normalise.ts';
import type { ContactRecord, Json } from '../../contact/record.ts';
import type { ContactWrite, KeptEntry, SyncedLists } from './api/schemas-contacts.ts';
import {
  ADDRESS_ENTRIES,
  EMAIL_ENTRIES,
  PHONE_ENTRIES,
  WEBSITE_ENTRIES,
  type EntryKind,
  type RawEntry,
} from './entries.ts';
import { NO_LISTS, readRaw } from './mapper.ts';

type Element = LabelledValue | PostalAddress;

/** What an entry holds and may be sent back: not what is null, nor the service's own rendering of an address. */
const carriedOf = (raw: RawEntry): Record<string, Json> => {
  return Object.fromEntries(
    Object.entries(raw).filter((pair): pair is [string, Json] => {
      return pair[0] !== 'full_address' && pair[1] !== null && pair[1] !== undefined;
    }),
  );
};

/** The held entry with only what the desired element says differently; the service's own spelling stays (R10). */
const keptEntry = <E extends Element>(
  kind: EntryKind<E, unknown>,
  raw: RawEntry,
  id: string,
  element: E,
): KeptEntry => {
  const carried = carriedOf(raw);
  const changes = Object.entries(kind.toParts(element)).filter(([key, text]) => {
    const held = carried[key];
    return normaliseText(typeof held === 'string' ? held : null) !== text;
  });
  const label = normaliseLabel(raw.label) === element.label ? {} : { label: element.label };
  return { ...carried, ...Object.fromEntries(changes), ...label, id };
};

type Matches<E> = ReadonlyMap<E, RawEntry>;

/** Which held entry each desired element is: first by equal text, then by equal meaning, then as an edit of it. */
const matchEntries = <E extends Element>(
  kind: EntryKind<E, unknown>,
  held: readonly RawEntry[],
  desired: readonly E[],
): Matches<E> => {
  const sameText = (a: E, b: E): boolean => JSON.stringify(kind.toParts(a)) === JSON.stringify(kind.toParts(b));
  const passes = [sameText, (a: E, b: E) => kind.keyOf(a) === kind.keyOf(b), kind.isEditOf];
  const matches = new Map<E, RawEntry>();
  const used = new Set<RawEntry>();
  for (const isMatch of passes) {
    for (const element of desired) {
      if (matches.has(element)) continue;
      const raw = held.find((candidate) => !used.has(candidate) && isMatch(element, kind.toElement(candidate)));
      if (raw === undefined) continue;
      matches.set(element, raw);
      used.add(raw);
    }
  }
  return matches;
};

/**
 * Held entries that no desired element stands for and that are yet not to be lost (R10): second spellings of an element
 * that stays, and entries that say something which the canonical contact cannot express.
 */
const silentEntries = <E extends Element>(
  kind: EntryKind<E, unknown>,
  held: readonly RawEntry[],
  desired: readonly E[],
  matches: Matches<E>,
): KeptEntry[] => {
  const stays = new Set(desired.map((element) => kind.keyOf(element)));
  const used = new Set(matches.values());
  return held.flatMap((raw) => {
    const id = raw.id ?? null;
    if (used.has(raw) || id === null) return [];
    const key = kind.keyOf(kind.toElement(raw));
    const isWorthKeeping = key === '' ? kind.saysMore(raw) : stays.has(key);
    return isWorthKeeping ? [{ ...carriedOf(raw), id }] : [];
  });
};

/** The whole list to send, in the desired order: held entries as they were read, new ones with label and value. */
const listBody = <E extends Element, New>(
  kind: EntryKind<E, New>,
  held: readonly RawEntry[],
  desired: readonly E[],
): (New | KeptEntry)[] => {
  if (held.length === 0) return desired.map((element) => kind.toNew(element));
  const matches = matchEntries(kind, held, desired);
  const wanted = desired.map((element): New | KeptEntry => {
    const raw = matches.get(element);
    const id = raw?.id ?? null;
    return raw === undefined || id === null ? kind.toNew(element) : keptEntry(kind, raw, id, element);
  });
  return [...wanted, ...silentEntries(kind, held, desired, matches)];
};

const fieldBody = (field: ContactField, contact: Contact, held: SyncedLists): ContactWrite => {
  switch (field) {
    case 'firstName':
      return { first_name: contact.firstName };
    case 'lastName':
      return { last_name: contact.lastName };
    case 'title':
      return { title: contact.title };
    case 'company':
      return { company: contact.company === '' ? null : contact.company };
    case 'emailAddresses':
      return { email_addresses: listBody(EMAIL_ENTRIES, held.email_addresses, contact.emailAddresses) };
    case 'phoneNumbers':
      return { phone_numbers: listBody(PHONE_ENTRIES, held.phone_numbers, contact.phoneNumbers) };
    case 'addresses':
      return { addresses: listBody(ADDRESS_ENTRIES, held.addresses, contact.addresses) };
    case 'websites':
      return { websites: listBody(WEBSITE_ENTRIES, held.websites, contact.websites) };
  }
};

const bodyOf = (fields: readonly ContactField[], contact: Contact, held: SyncedLists): ContactWrite => {
  return fields.reduce<ContactWrite>((body, field) => ({ ...body, ...fieldBody(field, contact, held) }), {});
};

/** The body's data of a create: only what is filled. */
export const createBody = (draft: Contact): ContactWrite => {
  const filled = CONTACT_FIELDS.filter((field) => draft[field].length > 0);
  return bodyOf(filled, draft, NO_LISTS);
};

/**
 * The body's data of an update: only `fields`. An emptied company is null and another emptied text is empty, as the
 * document types them. A list is sent whole, in the desired order, with the held entries as they were read.
 */
export const updateBody = (current: ContactRecord, desired: Contact, fields: readonly ContactField[]): ContactWrite => {
  return bodyOf(fields, desired, readRaw(current.raw));
};
