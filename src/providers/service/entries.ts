import { type LabelledValue, type PostalAddress, streetLines } from '../../core/contact/elements.ts';
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
  /** Returns the writable keys of the entry (API.md, Contact), with the element's texts. `current` is the entry that it edits. */
  readonly toParts: (element: Element, current?: RawEntry) => Readonly<Record<string, string>>;
  /** Returns the entry's text under that key, normalised as in the canonical element. */
  readonly normalisePart: (key: string, text: string | null) => string;
  /** Returns whether the desired element may be an edited version of the current one; then it replaces the current entry. */
  readonly isEditOf: (desired: Element, current: Element) => boolean;
  /** Returns whether the entry becomes the element if its writable keys are written. Otherwise it is replaced by a new entry. */
  readonly canBecome: (raw: RawEntry, element: Element) => boolean;
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

/** Returns the letters, with their marks, and the digits of a text in lower case. */
export const bareText = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{Mn}\p{Mc}\p{N}]+|\p{Variation_Selector}/gu, '');

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
  canBecome: () => true,
});

const byValue =
  (keyOf: (value: string) => string) =>
  ({ value }: LabelledValue): string =>
    keyOf(value);

export const EMAIL_ENTRIES = labelledKind('address', byValue(emailKey), emailKey);
export const PHONE_ENTRIES = labelledKind('number', byValue(phoneKey), bareDigits);
export const WEBSITE_ENTRIES = labelledKind('address', byValue(websiteKey), bareText);
export const PROFILE_ENTRIES = labelledKind('url', profileKey, bareText);

/** The lines of the street are `street_1` and `street_2`. If an address has only `full_address`, that is its street. */
const addressElement = (raw: RawEntry): PostalAddress => {
  const parts = {
    street: normaliseLines(`${linesAt(raw, 'street_1')}\n${linesAt(raw, 'street_2')}`),
    city: textAt(raw, 'city'),
    region: textAt(raw, 'state'),
    postalCode: textAt(raw, 'zip'),
    country: textAt(raw, 'country'),
  };
  const isStructured = Object.values(parts).some((part) => part !== '');
  const street = isStructured ? parts.street : linesAt(raw, 'full_address');
  return { ...parts, street, label: normaliseLabel(raw.label) };
};

/** Returns the lines without those of `street_2`, which cannot be written; null if they do not end with it. */
const firstLines = (lines: string, second: string): string | null => {
  if (second === '') return lines;
  if (lines === second) return '';
  return lines.endsWith(`\n${second}`) ? lines.slice(0, -second.length - 1) : null;
};

const addressParts = (address: PostalAddress, current: RawEntry = {}) => ({
  street_1: firstLines(streetLines(address), linesAt(current, 'street_2')) ?? streetLines(address),
  city: address.city,
  state: address.region,
  zip: address.postalCode,
  country: address.country,
});

export const ADDRESS_ENTRIES: EntryKind<PostalAddress> = {
  toElement: addressElement,
  keyOf: addressKey,
  traceOf: (address) => bareText(streetLines(address) + address.city + address.postalCode),
  toParts: addressParts,
  normalisePart: (key, text) => (key === 'street_1' ? normaliseLines(text) : normaliseText(text)),
  isEditOf: (desired, current) => {
    const [lines, former] = [desired, current].map((address) => streetLines(address).toLowerCase());
    return lines !== '' && lines === former;
  },
  canBecome: (raw, address) => firstLines(streetLines(address), linesAt(raw, 'street_2')) !== null,
};
