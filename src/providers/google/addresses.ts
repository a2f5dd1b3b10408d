import { POSTAL_ADDRESS, type PostalAddress } from '../../core/contact/elements.ts';
import { addressKey } from '../../core/contact/keys.ts';
import { normaliseText } from '../../core/contact/text.ts';
import { withTexts, without, writable, type BodyEntry } from './body-entry.ts';
import { personField } from './person-field.ts';
import type { AddressEntry } from './schema.ts';

type Part = Exclude<keyof PostalAddress, 'label'>;

const PARTS = {
  street: 'streetAddress',
  city: 'city',
  region: 'region',
  postalCode: 'postalCode',
  country: 'country',
} as const satisfies Readonly<Record<Part, string>>;
const PART_NAMES = Object.keys(PARTS) as readonly Part[];

/** A Google address as the canonical one, not yet normalised; one that was only typed as a block becomes its street. */
export const postalAddressOf = (entry: AddressEntry): PostalAddress => {
  const parts = {
    street: entry.streetAddress ?? '',
    city: entry.city ?? '',
    region: entry.region ?? '',
    postalCode: entry.postalCode ?? '',
    country: entry.country ?? '',
  };
  const isBlock = Object.values(parts).every((part) => normaliseText(part) === '');
  return { ...parts, ...(isBlock ? { street: entry.formattedValue ?? '' } : {}), label: entry.type ?? null };
};

/** An address that Google does not have yet. */
const newAddress = (address: PostalAddress): BodyEntry => {
  const texts = PART_NAMES.map((part) => [PARTS[part], address[part]] as const);
  return withTexts({}, { ...Object.fromEntries(texts), type: address.label ?? '' });
};

/**
 * The whole address list. A wanted address is written over the entry that it means the same as, else over one that it
 * corrects, so that parts which the canonical address lacks (a box number, a second line) stay; else it is new.
 */
const writtenAddresses = (entries: readonly AddressEntry[], wanted: readonly PostalAddress[]): readonly BodyEntry[] => {
  const read = entries.map((entry) => ({ entry, address: POSTAL_ADDRESS.normalise(postalAddressOf(entry)) }));
  const byKey = Map.groupBy(read, ({ address }) => addressKey(address));
  const replaced = read.filter(({ address }) => !wanted.some((other) => addressKey(other) === addressKey(address)));
  const written = wanted.flatMap((address) => {
    const [same, ...duplicates] = byKey.get(addressKey(address)) ?? [];
    if (same !== undefined) return [rewritten(same, address), ...duplicates.map(({ entry }) => writable(entry))];
    const corrected = takeCorrected(replaced, address);
    return [corrected === undefined ? newAddress(address) : rewritten(corrected, address)];
  });
  const unmapped = byKey.get('') ?? [];
  return [...written, ...unmapped.map(({ entry }) => writable(entry))];
};

type ReadAddress = { readonly entry: AddressEntry; readonly address: PostalAddress };

/** Takes out of `replaced` the entry that `address` most likely is a correction of: same street, or most parts alike. */
const takeCorrected = (replaced: ReadAddress[], address: PostalAddress): ReadAddress | undefined => {
  const alike = ({ address: other }: ReadAddress): number => {
    const equalParts = PART_NAMES.filter((part) => address[part] !== '' && address[part] === other[part]);
    return equalParts.length + (equalParts.includes('street') ? 1 : 0);
  };
  const best = replaced.toSorted((a, b) => alike(b) - alike(a))[0];
  if (best === undefined || alike(best) < 2) return undefined;
  replaced.splice(replaced.indexOf(best), 1);
  return best;
};

const rewritten = ({ entry, address }: ReadAddress, wanted: PostalAddress): BodyEntry => {
  const changed = PART_NAMES.filter((part) => wanted[part] !== address[part]);
  const label = wanted.label === address.label ? {} : { type: wanted.label ?? '' };
  const body = withTexts(writable(entry), label);
  if (changed.length === 0) return body;
  // The block and the country code would contradict the new parts; a street that came from the block is spelt out.
  const stale = changed.includes('country') ? ['formattedValue', 'countryCode'] : ['formattedValue'];
  const spelt = changed.includes('street') || entry.streetAddress === undefined ? { streetAddress: wanted.street } : {};
  const parts = Object.fromEntries(changed.map((part) => [PARTS[part], wanted[part]]));
  return withTexts(without(body, stale), { ...spelt, ...parts });
};

/** The postal addresses of a contact. */
export const ADDRESSES = personField('addresses', (person, target) => {
  return writtenAddresses(person.addresses ?? [], target.addresses);
});
