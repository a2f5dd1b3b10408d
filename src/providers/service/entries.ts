import type { LabelledValue, PostalAddress } from '../../core/contact/elements.ts';
import { addressKey, emailKey, phoneKey, profileKey, websiteKey } from '../../core/contact/keys.ts';
import { normaliseLabel, normaliseLines, normaliseText } from '../../core/contact/text.ts';
import type { Json } from '../../core/contact/record.ts';

/** An entry of one of the service's lists: id, label, and the other keys of the list and the service. */
export type RawEntry = {
  readonly id?: string | null | undefined;
  readonly label?: string | null | undefined;
  readonly [key: string]: Json | undefined;
};

/** The mapping between one list of the service and one list field of the canonical contact. */
export type EntryKind<Element extends LabelledValue | PostalAddress> = {
  /** Returns the canonical element; without content if the entry has none. */
  readonly toElement: (raw: RawEntry) => Element;
  /** Returns the part that different spellings of an element share; empty if it has no content. */
  readonly keyOf: (element: Element) => string;
  /** Returns the part of an element that the service does not change by rewriting case and format; empty without content. */
  readonly traceOf: (element: Element) => string;
  /** Returns the writable keys of the entry (API.md, Contact), with the element's texts. */
  readonly toParts: (element: Element) => Readonly<Record<string, string>>;
  /** Returns the entry's text under that key, normalised as in the canonical element. */
  readonly normalisePart: (key: string, text: string | null) => string;
  /** Returns whether the desired element may be an edited version of the held one; then it replaces the held entry. */
  readonly isEditOf: (desired: Element, held: Element) => boolean;
  /** Returns whether an entry has content although its canonical element is empty. */
  readonly saysMore: (raw: RawEntry) => boolean;
};

const textAt = (raw: RawEntry, key: string): string => {
  const value = raw[key];
  return normaliseText(typeof value === 'string' ? value : null);
};

/** Returns a text of several lines: the street, or an address that is one text. */
const linesAt = (raw: RawEntry, key: string): string => {
  const value = raw[key];
  return normaliseLines(typeof value === 'string' ? value : null);
};

/** Returns the letters and digits of a text in lower case. */
export const bareText = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');

/** The number of last digits of a phone number that do not depend on its notation. */
const TELLING_DIGITS = 9;

const bareDigits = (text: string): string => text.normalize('NFKC').replace(/\D+/gu, '').slice(-TELLING_DIGITS);

const labelledKind = (
  valueKey: 'address' | 'number' | 'url',
  keyOf: (element: LabelledValue) => string,
  traceOf: (value: string) => string,
): EntryKind<LabelledValue> => ({
  toElement: (raw) => ({ value: textAt(raw, valueKey), label: normaliseLabel(raw.label) }),
  keyOf: (element) => (element.value === '' ? '' : keyOf(element)),
  traceOf: (element) => traceOf(element.value),
  toParts: (element) => ({ [valueKey]: element.value }),
  normalisePart: (_, text) => normaliseText(text),
  isEditOf: () => false,
  saysMore: () => false,
});

const byValue =
  (keyOf: (value: string) => string) =>
  ({ value }: LabelledValue): string =>
    keyOf(value);

export const EMAIL_ENTRIES = labelledKind('address', byValue(emailKey), emailKey);
export const PHONE_ENTRIES = labelledKind('number', byValue(phoneKey), bareDigits);
export const WEBSITE_ENTRIES = labelledKind('address', byValue(websiteKey), bareText);
export const PROFILE_ENTRIES = labelledKind('url', profileKey, bareText);

/** The street is `street_1`. If an address has only `full_address`, that is its street. */
const addressElement = (raw: RawEntry): PostalAddress => {
  const parts = {
    street: linesAt(raw, 'street_1'),
    city: textAt(raw, 'city'),
    region: textAt(raw, 'state'),
    postalCode: textAt(raw, 'zip'),
    country: textAt(raw, 'country'),
  };
  const isStructured = textAt(raw, 'street_2') !== '' || Object.values(parts).some((part) => part !== '');
  const street = isStructured ? parts.street : linesAt(raw, 'full_address');
  return { ...parts, street, label: normaliseLabel(raw.label) };
};

const addressParts = (address: PostalAddress) => ({
  street_1: address.street,
  city: address.city,
  state: address.region,
  zip: address.postalCode,
  country: address.country,
});

export const ADDRESS_ENTRIES: EntryKind<PostalAddress> = {
  toElement: addressElement,
  keyOf: addressKey,
  traceOf: (address) => bareText(address.street + address.city + address.postalCode),
  toParts: addressParts,
  normalisePart: (key, text) => (key === 'street_1' ? normaliseLines(text) : normaliseText(text)),
  isEditOf: (desired, held) => desired.street !== '' && desired.street.toLowerCase() === held.street.toLowerCase(),
  saysMore: (raw) => textAt(raw, 'street_2') !== '',
};
