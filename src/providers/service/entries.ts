import type { LabelledValue, PostalAddress } from '../../core/contact/elements.ts';
import { addressKey, emailKey, phoneKey, profileKey, websiteKey } from '../../core/contact/keys.ts';
import { normaliseLabel, normaliseLines, normaliseText } from '../../core/contact/text.ts';
import type { Json } from '../../core/contact/record.ts';
import type { NewAddress, NewAddressed, NewPhoneNumber, NewProfile } from './api/schemas-contacts.ts';

/** An entry of one of the service's lists: its id and label, and beside them what the list and the service put there. */
export type RawEntry = {
  readonly id?: string | null | undefined;
  readonly label?: string | null | undefined;
  readonly [key: string]: Json | undefined;
};

/** How one list of the service corresponds to one list field of the canonical contact. */
export type EntryKind<Element extends LabelledValue | PostalAddress, New> = {
  /** The canonical element; one without content where the entry says nothing. */
  readonly toElement: (raw: RawEntry) => Element;
  /** What two spellings of an element have in common; empty where it says nothing. */
  readonly keyOf: (element: Element) => string;
  /** What stays of an element however the service rewrites case and format; empty where it says nothing. */
  readonly traceOf: (element: Element) => string;
  /** The writable keys of the entry (API.md, Contact), with the element's texts. */
  readonly toParts: (element: Element) => Readonly<Record<string, string>>;
  /** A text of the entry under that key, as the canonical element holds it. */
  readonly normalisePart: (key: string, text: string | null) => string;
  /** The element as a new entry, without what is empty. */
  readonly toNew: (element: Element) => New;
  /** Whether the desired element may be an edited version of the held one, so that it takes over the held entry. */
  readonly isEditOf: (desired: Element, held: Element) => boolean;
  /** Whether an entry without canonical content says something all the same. */
  readonly saysMore: (raw: RawEntry) => boolean;
};

const textAt = (raw: RawEntry, key: string): string => {
  const value = raw[key];
  return normaliseText(typeof value === 'string' ? value : null);
};

/** The address of one text may have several lines, as may the street. */
const linesAt = (raw: RawEntry, key: string): string => {
  const value = raw[key];
  return normaliseLines(typeof value === 'string' ? value : null);
};

const labelOf = (element: { readonly label: string | null }): { readonly label?: string } => {
  return element.label === null ? {} : { label: element.label };
};

/** The letters and digits of a text, without case. */
export const bareText = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');

/** How many closing digits of a phone number stay the same however it is written. */
const TELLING_DIGITS = 9;

const bareDigits = (text: string): string => text.normalize('NFKC').replace(/\D+/gu, '').slice(-TELLING_DIGITS);

const labelledKind = <New>(
  valueKey: 'address' | 'number' | 'url',
  keyOf: (element: LabelledValue) => string,
  traceOf: (value: string) => string,
  toNew: (element: LabelledValue) => New,
): EntryKind<LabelledValue, New> => ({
  toElement: (raw) => ({ value: textAt(raw, valueKey), label: normaliseLabel(raw.label) }),
  keyOf: (element) => (element.value === '' ? '' : keyOf(element)),
  traceOf: (element) => traceOf(element.value),
  toParts: (element) => ({ [valueKey]: element.value }),
  normalisePart: (_, text) => normaliseText(text),
  toNew,
  isEditOf: () => false,
  saysMore: () => false,
});

const newAddressed = (element: LabelledValue): NewAddressed => ({ ...labelOf(element), address: element.value });

const newPhoneNumber = (element: LabelledValue): NewPhoneNumber => ({ ...labelOf(element), number: element.value });

const newProfile = (element: LabelledValue): NewProfile => ({ ...labelOf(element), url: element.value });

const byValue =
  (keyOf: (value: string) => string) =>
  ({ value }: LabelledValue): string =>
    keyOf(value);

export const EMAIL_ENTRIES = labelledKind('address', byValue(emailKey), emailKey, newAddressed);
export const PHONE_ENTRIES = labelledKind('number', byValue(phoneKey), bareDigits, newPhoneNumber);
export const WEBSITE_ENTRIES = labelledKind('address', byValue(websiteKey), bareText, newAddressed);
export const PROFILE_ENTRIES = labelledKind('url', profileKey, bareText, newProfile);

/** The street is `street_1`; an address that has only `full_address` keeps that as its street. */
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

const newAddress = (address: PostalAddress): NewAddress => {
  const filled = Object.entries(addressParts(address)).filter(([, text]) => text !== '');
  return { ...labelOf(address), ...Object.fromEntries(filled) };
};

export const ADDRESS_ENTRIES: EntryKind<PostalAddress, NewAddress> = {
  toElement: addressElement,
  keyOf: addressKey,
  traceOf: (address) => bareText(address.street + address.city + address.postalCode),
  toParts: addressParts,
  normalisePart: (key, text) => (key === 'street_1' ? normaliseLines(text) : normaliseText(text)),
  toNew: newAddress,
  isEditOf: (desired, held) => desired.street !== '' && desired.street.toLowerCase() === held.street.toLowerCase(),
  saysMore: (raw) => textAt(raw, 'street_2') !== '',
};
