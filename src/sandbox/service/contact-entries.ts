import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { invalid } from './errors.ts';
import type { Identifiers } from './ids-and-times.ts';
import type { ContactRecord } from './records.ts';
import type { ServiceVariants } from './variants.ts';

const MAX_TEXT_LENGTH = 255;

const rewrites = (variants: ServiceVariants, what: ServiceVariants['normalisation']): boolean =>
  variants.normalisation === what || variants.normalisation === 'all';

/** Returns a text within the maximum length of the service. Throws a ServiceError if a variant refuses longer texts. */
export const storedText = (text: string, variants: ServiceVariants): string => {
  if (text.length <= MAX_TEXT_LENGTH || variants.longText === 'kept') return text;
  if (variants.longText === '422') throw invalid(variants, 'Text is too long (maximum is 255 characters)');
  return text.slice(0, MAX_TEXT_LENGTH);
};

/** Returns an email address as stored. If rewritten: trimmed and in lower case. */
const storedEmail = (address: string, variants: ServiceVariants): string =>
  rewrites(variants, 'emails') ? address.trim().toLowerCase() : address;

/** Returns a phone number as stored. If rewritten: ten digits in the American format. */
const storedPhone = (number: string, variants: ServiceVariants): string => {
  if (!rewrites(variants, 'phones')) return number;
  const digits = number.replaceAll(/\D/g, '');
  if (digits.length !== 10) return number;
  return `(${digits.slice(0, 3)}) ${digits.slice(3, 6)}-${digits.slice(6)}`;
};

/** Returns a label as stored. If rewritten: with a capital first letter. */
const storedLabel = (label: string | null | undefined, variants: ServiceVariants): string | null => {
  if (label === null || label === undefined) return null;
  return rewrites(variants, 'labels') ? label.charAt(0).toUpperCase() + label.slice(1).toLowerCase() : label;
};

/** Returns a part of a postal address as stored. If rewritten: trimmed, in upper case. */
const storedAddressPart = (part: string | null | undefined, variants: ServiceVariants): string | null => {
  if (part === null || part === undefined) return null;
  return rewrites(variants, 'addresses') ? part.trim().toUpperCase() : part;
};

/** Returns tags as stored. If rewritten: the first spelling of each, compared without case. */
export const storedTags = (tags: readonly string[], variants: ServiceVariants): readonly string[] => {
  if (!rewrites(variants, 'tags')) return tags;
  const spellings = new Map<string, string>();
  for (const tag of tags) {
    const key = tag.trim().toLowerCase();
    if (!spellings.has(key)) spellings.set(key, tag.trim());
  }
  return [...spellings.values()];
};

/** The context of a write in addition to the sent fields. */
export type WriteKit = {
  readonly variants: ServiceVariants;
  readonly identifiers: Identifiers;
  readonly customFields: { takes(id: string, value: unknown): boolean };
};

const text = z.string().nullish();
const entry = { id: z.string().nullish(), label: text };

/** The entries of a contact's arrays in requests (providers/service/API.md, Writable contact fields). */
export const entrySchemas = {
  addresses: z.object({ ...entry, street_1: text, city: text, state: text, zip: text, country: text }),
  email_addresses: z.object({ ...entry, address: z.string() }),
  social_media_profiles: z.object({ ...entry, url: z.string() }),
  websites: z.object({ ...entry, address: z.string() }),
  phone_numbers: z.object({ ...entry, number: z.string() }),
};

type Entry = { readonly id: string };
type SentEntry = { readonly id?: string | null | undefined };

/** Creates the entries of one array from sent ones. Entries with equal values of `valueOf` are the same. */
type EntryKind<Sent extends SentEntry, Kept extends Entry> = {
  readonly newId: (identifiers: Identifiers) => string;
  readonly make: (id: string, sent: Sent, variants: ServiceVariants) => Kept;
  readonly valueOf: (kept: Kept) => string;
};

type KindOf<List extends keyof typeof entrySchemas> = EntryKind<
  z.infer<(typeof entrySchemas)[List]>,
  ContactRecord[List][number]
>;

const uuid = (identifiers: Identifiers): string => identifiers.nextUuid();

export const ADDRESS: KindOf<'addresses'> = {
  newId: uuid,
  make: (id, sent, variants) => {
    const part = (value: string | null | undefined): string | null => storedAddressPart(value, variants);
    const parts = {
      street_1: part(sent.street_1),
      city: part(sent.city),
      state: part(sent.state),
      zip: part(sent.zip),
      country: part(sent.country),
    };
    const full_address = Object.values(parts).filter(Boolean).join(', ');
    return { id, full_address, label: storedLabel(sent.label, variants), street_2: null, ...parts };
  },
  valueOf: (kept) => kept.full_address,
};

export const EMAIL: KindOf<'email_addresses'> = {
  newId: (identifiers) => identifiers.next('contact_identity').id,
  make: (id, sent, variants) => ({
    id,
    label: storedLabel(sent.label, variants),
    address: storedText(storedEmail(sent.address, variants), variants),
  }),
  valueOf: (kept) => kept.address.trim().toLowerCase(),
};

export const PROFILE: KindOf<'social_media_profiles'> = {
  newId: uuid,
  make: (id, sent, variants) => ({
    id,
    label: storedLabel(sent.label, variants),
    url: storedText(sent.url, variants),
  }),
  valueOf: (kept) => kept.url,
};

export const WEBSITE: KindOf<'websites'> = {
  newId: uuid,
  make: (id, sent, variants) => ({
    id,
    label: storedLabel(sent.label, variants),
    address: storedText(sent.address, variants),
  }),
  valueOf: (kept) => kept.address,
};

export const PHONE: KindOf<'phone_numbers'> = {
  newId: uuid,
  make: (id, sent, variants) => ({
    id,
    label: storedLabel(sent.label, variants),
    number: storedText(storedPhone(sent.number, variants), variants),
  }),
  valueOf: (kept) => kept.number,
};

const sameApartFromIds = (left: readonly Entry[], right: readonly Entry[]): boolean => {
  const withoutId = (entries: readonly Entry[]): unknown => entries.map((kept) => ({ ...kept, id: '' }));
  return isDeepStrictEqual(withoutId(left), withoutId(right));
};

/** Returns the stored form of each sent entry, with the id of the entry that it replaces, or a new id. */
const replaced = <Sent extends SentEntry, Kept extends Entry>(
  kind: EntryKind<Sent, Kept>,
  current: readonly Kept[],
  sent: readonly Sent[],
  { variants, identifiers }: WriteKit,
): readonly Kept[] => {
  const free = [...current];
  const take = (matches: (kept: Kept) => boolean): string | undefined => {
    const index = free.findIndex(matches);
    return index < 0 ? undefined : free.splice(index, 1)[0]?.id;
  };
  const entries = sent.map((one) => {
    const draft = kind.make('', one, variants);
    const id = take((kept) => kept.id === one.id) ?? take((kept) => kind.valueOf(kept) === kind.valueOf(draft));
    return kind.make(id ?? kind.newId(identifiers), one, variants);
  });
  if (variants.entryIds === 'kept' || sameApartFromIds(current, entries)) return entries;
  return entries.map((kept) => ({ ...kept, id: kind.newId(identifiers) }));
};

/** Returns the current entries, with the sent ones written over matching entries or added at the end. */
const united = <Sent extends SentEntry, Kept extends Entry>(
  kind: EntryKind<Sent, Kept>,
  current: readonly Kept[],
  sent: readonly Sent[],
  matches: (kept: Kept, draft: Kept) => boolean,
  { variants, identifiers }: WriteKit,
): readonly Kept[] => {
  const entries = [...current];
  for (const one of sent) {
    const draft = kind.make(one.id ?? '', one, variants);
    const index = entries.findIndex((kept) => matches(kept, draft));
    const id = entries[index]?.id ?? kind.newId(identifiers);
    entries.splice(index < 0 ? entries.length : index, 1, kind.make(id, one, variants));
  }
  return entries;
};

/** Returns an array of a contact after an update with `sent`; `undefined` means that the array was not sent. */
export const writtenEntries = <Sent extends SentEntry, Kept extends Entry>(
  kind: EntryKind<Sent, Kept>,
  current: readonly Kept[],
  sent: readonly Sent[] | null | undefined,
  kit: WriteKit,
): readonly Kept[] => {
  const { variants } = kit;
  if (sent === undefined) return current;
  if (sent === null) return variants.nullArray === 'clears' ? [] : current;
  if (sent.length === 0) return variants.emptyArray === 'clears' ? [] : current;
  switch (variants.arrayPatch) {
    case 'replace':
      return replaced(kind, current, sent, kit);
    case 'merge-by-value':
      return united(kind, current, sent, (kept, draft) => kind.valueOf(kept) === kind.valueOf(draft), kit);
    case 'merge-by-id':
      return united(kind, current, sent, (kept, draft) => kept.id === draft.id, kit);
    case 'append':
      return united(kind, current, sent, () => false, kit);
  }
};
