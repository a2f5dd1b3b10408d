import type { Contact, ListField } from '../../core/contact/contact.ts';
import { type LabelledValue, POSTAL_ADDRESS, type PostalAddress } from '../../core/contact/elements.ts';
import { addressKey } from '../../core/contact/keys.ts';
import { elementKey } from '../../core/contact/lists.ts';
import { normaliseLabel, normaliseText } from '../../core/contact/text.ts';
import {
  type BodyEntry,
  type BoundTo,
  type ChosenParts,
  type EntrySet,
  type FieldMapping,
  boundEntry,
  boundField,
  type MaskField,
  nonEmpty,
  personField,
  type PersonLists,
  withoutKeys,
  withTexts,
  writable,
} from './person-field.ts';
import type { EntryOf } from './schema.ts';

type AddressEntry = EntryOf<'addresses'>;

/** The contact fields with labelled values. */
type ValueField = Exclude<ListField, 'addresses'>;

/** An entry as it was read. */
type Entry = Parameters<typeof writable>[0];

/** The keys of an entry's value and label. */
type ValueKeys = { readonly value: string; readonly label: string };

export const USUAL_KEYS: ValueKeys = { value: 'value', label: 'type' };

const textAt = (entry: Entry, key: string): string => {
  const text = entry[key];
  return typeof text === 'string' ? text : '';
};

/** Returns the elements of a list of values, not yet normalised. */
export const elementsOf = (list: readonly Entry[] = [], keys: ValueKeys = USUAL_KEYS): readonly LabelledValue[] =>
  list.map((entry) => ({ value: normaliseText(textAt(entry, keys.value)), label: textAt(entry, keys.label) || null }));

/** Returns the entry for an element that Google does not have yet. */
const newValue = ({ value, label }: LabelledValue, keys: ValueKeys): BodyEntry =>
  withTexts({}, { [keys.value]: value, [keys.label]: label ?? '' });

const rewrittenValue = (entry: Entry, wanted: LabelledValue, keys: ValueKeys): BodyEntry => {
  const value = normaliseText(textAt(entry, keys.value)) === wanted.value ? {} : { [keys.value]: wanted.value };
  const isSameLabel = normaliseLabel(textAt(entry, keys.label)) === wanted.label;
  return withTexts(writable(entry), { ...value, ...(isSameLabel ? {} : { [keys.label]: wanted.label ?? '' }) });
};

/**
 * Returns the complete entries to write. A wanted element replaces the entry with the same key. Duplicates of that entry, and
 * entries without a value, stay unchanged.
 */
export const writtenValues = (
  field: ValueField,
  entries: readonly Entry[],
  wanted: readonly LabelledValue[],
  keys: ValueKeys = USUAL_KEYS,
): readonly BodyEntry[] => {
  if (entries.length === 0) return wanted.map((element) => newValue(element, keys));
  const keyOf = (element: LabelledValue): string => (element.value === '' ? '' : elementKey(field, element));
  const read = entries.map((entry) => {
    const element = { value: textAt(entry, keys.value), label: textAt(entry, keys.label) };
    return { entry, key: keyOf({ value: normaliseText(element.value), label: normaliseLabel(element.label) }) };
  });
  const byKey = Map.groupBy(read, ({ key }) => key);
  const written = wanted.flatMap((element) => {
    const [same, ...duplicates] = byKey.get(keyOf(element)) ?? [];
    if (same === undefined) return [newValue(element, keys)];
    return [rewrittenValue(same.entry, element, keys), ...duplicates.map(({ entry }) => writable(entry))];
  });
  return [...written, ...(byKey.get('') ?? []).map(({ entry }) => writable(entry))];
};

/** Returns the mapping of a contact field to a whole list of values. `listedMax` as in {@link PersonField}. */
export const valueField = (
  name: MaskField,
  field: ValueField,
  { listedMax = null, ...keys }: ValueKeys & { readonly listedMax?: number | null } = USUAL_KEYS,
): FieldMapping<readonly LabelledValue[]> => ({
  list: personField(name, (person, target) => writtenValues(field, person[name] ?? [], target[field] ?? [], keys), {
    listedMax,
  }),
  read: (person) => elementsOf(person[name], keys),
});

type Part = Exclude<keyof PostalAddress, 'label'>;

const PARTS = {
  street: 'streetAddress',
  city: 'city',
  region: 'region',
  postalCode: 'postalCode',
  country: 'country',
  extended: 'extendedAddress',
  poBox: 'poBox',
} as const satisfies Readonly<Record<Part, string>>;
const PART_NAMES = Object.keys(PARTS) as readonly Part[];

/** Returns a Google address in canonical form, not yet normalised. The text of an unstructured address becomes the street. */
export const postalAddressOf = (entry: AddressEntry): PostalAddress => {
  const texts = PART_NAMES.map((part) => [part, entry[PARTS[part]] ?? '']);
  const parts = Object.fromEntries(texts) as Record<Part, string>;
  const isBlock = Object.values(parts).every((part) => normaliseText(part) === '');
  return { ...parts, ...(isBlock ? { street: entry.formattedValue ?? '' } : {}), label: entry.type ?? null };
};

/** Returns the entry for an address that Google does not have yet. */
const newAddress = (address: PostalAddress): BodyEntry => {
  const texts = PART_NAMES.map((part) => [PARTS[part], address[part] ?? ''] as const);
  return withTexts({}, { ...Object.fromEntries(texts), type: address.label ?? '' });
};

/**
 * Returns the complete address list. A wanted address replaces the entry with the same key, else an entry that it corrects.
 * Parts that the canonical address lacks then stay. Otherwise it is a new entry.
 */
const writtenAddresses = (entries: readonly AddressEntry[], wanted: readonly PostalAddress[]): readonly BodyEntry[] => {
  if (entries.length === 0) return wanted.map(newAddress);
  const read = entries.map((entry) => ({ entry, address: POSTAL_ADDRESS.normalise(postalAddressOf(entry)) }));
  const byKey = Map.groupBy(read, ({ address }) => addressKey(address));
  const replaced = read.filter(({ address }) => !wanted.some((other) => addressKey(other) === addressKey(address)));
  const written = wanted.flatMap((address) => {
    const [same, ...duplicates] = byKey.get(addressKey(address)) ?? [];
    if (same !== undefined) return [rewrittenAddress(same, address), ...duplicates.map(({ entry }) => writable(entry))];
    const corrected = takeCorrected(replaced, address);
    return [corrected === undefined ? newAddress(address) : rewrittenAddress(corrected, address)];
  });
  const unmapped = byKey.get('') ?? [];
  return [...written, ...unmapped.map(({ entry }) => writable(entry))];
};

type ReadAddress = { readonly entry: AddressEntry; readonly address: PostalAddress };

/** Removes from `replaced` the entry that `address` most likely corrects: same street, or most parts equal. */
const takeCorrected = (replaced: ReadAddress[], address: PostalAddress): ReadAddress | undefined => {
  const alike = ({ address: other }: ReadAddress): number => {
    const equalParts = PART_NAMES.filter((part) => (address[part] ?? '') !== '' && address[part] === other[part]);
    return equalParts.length + (equalParts.includes('street') ? 1 : 0);
  };
  const best = replaced.toSorted((a, b) => alike(b) - alike(a))[0];
  if (best === undefined || alike(best) < 2) return undefined;
  replaced.splice(replaced.indexOf(best), 1);
  return best;
};

const rewrittenAddress = ({ entry, address }: ReadAddress, wanted: PostalAddress): BodyEntry => {
  const changed = PART_NAMES.filter((part) => wanted[part] !== address[part]);
  const label = wanted.label === address.label ? {} : { type: wanted.label ?? '' };
  const body = withTexts(writable(entry), label);
  if (changed.length === 0) return body;
  // The block and the country code would contradict the new parts. A street that was read from the block is written explicitly.
  const stale = changed.includes('country') ? ['formattedValue', 'countryCode'] : ['formattedValue'];
  const spelt = changed.includes('street') || entry.streetAddress === undefined ? { streetAddress: wanted.street } : {};
  const parts = Object.fromEntries(changed.map((part) => [PARTS[part], wanted[part] ?? '']));
  return withTexts(withoutKeys(body, stale), { ...spelt, ...parts });
};

/** The postal addresses of a contact. */
export const ADDRESSES = personField('addresses', (person, target) => {
  return writtenAddresses(person.addresses ?? [], target.addresses);
});

/** A department alone does not count as a company: the next organization is used. */
const ENTRIES: EntrySet<EntryOf<'organizations'>> = {
  name: 'organizations',
  in: ({ organizations = [] }) => organizations,
  isFilled: ({ name, title }) => normaliseText(name) !== '' || normaliseText(title) !== '',
  isPreferred: ({ current }) => current === true,
};

const writtenOrganizations = (
  person: PersonLists,
  target: Contact,
  chosen: ChosenParts,
  bound: BoundTo,
): readonly BodyEntry[] => {
  const texts = {
    ...(chosen.has('company') && { name: target.company }),
    ...(chosen.has('title') && { title: target.title }),
  };
  const own = boundEntry(ENTRIES, person, chosen.has('company') ? 'company' : 'title', bound);
  const entries = ENTRIES.in(person);
  // Google displays the first organization.
  if (own === undefined) return [...nonEmpty([withTexts({}, texts)]), ...nonEmpty(entries.map(writable))];
  return nonEmpty(entries.map((entry) => (entry === own ? withTexts(writable(entry), texts) : writable(entry))));
};

/** All organizations of a contact. Company and title are mapped to one of them. */
const ORGANIZATIONS = personField('organizations', writtenOrganizations);

export const COMPANY = boundField(ORGANIZATIONS, ENTRIES, (entry) => entry?.name ?? '');
export const TITLE = boundField(ORGANIZATIONS, ENTRIES, (entry) => entry?.title ?? '');
