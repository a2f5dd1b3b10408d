import { EMPTY_CONTACT, type Contact, type LabelledValue, type PostalAddress } from './contact.ts';
import { addressKey, emailKey, phoneKey, websiteKey } from './keys.ts';

const CONTROL_CHARACTERS = /[\u0000-\u0008\u000E-\u001F\u007F-\u0084\u0086-\u009F]/gu;
const WHITESPACE = /[\s\u0085]+/gu;

/** Words of visible ASCII with one space between them: nothing to normalise. */
const PLAIN = /^(?:[!-~]+(?: [!-~]+)*)?$/u;

/** Unicode NFC, no control characters, white space collapsed and trimmed; the empty string for an absent text. */
export const normaliseText = (text: string | null | undefined): string => {
  if (!text || PLAIN.test(text)) return text ?? '';
  return text.replace(CONTROL_CHARACTERS, '').replace(WHITESPACE, ' ').trim().normalize('NFC');
};

/** A label as {@link normaliseText} gives it; null where nothing is left. */
export const normaliseLabel = (label: string | null | undefined): string | null => normaliseText(label) || null;

const normaliseValues = (
  values: readonly LabelledValue[],
  keyOf: (value: string) => string,
): readonly LabelledValue[] => {
  const filled = values.flatMap((entry) => {
    const value = normaliseText(entry.value);
    return value === '' ? [] : [{ value, label: normaliseLabel(entry.label) }];
  });
  // Most lists hold one element, and a key costs much: a phone number's is parsed.
  if (filled.length < 2) return filled;
  const byKey = new Map<string, LabelledValue>();
  for (const entry of filled) {
    const key = keyOf(entry.value);
    if (!byKey.has(key)) byKey.set(key, entry);
  }
  return [...byKey.values()];
};

const normaliseAddress = (address: PostalAddress): PostalAddress => ({
  street: normaliseText(address.street),
  city: normaliseText(address.city),
  region: normaliseText(address.region),
  postalCode: normaliseText(address.postalCode),
  country: normaliseText(address.country),
  label: normaliseLabel(address.label),
});

const normaliseAddresses = (addresses: readonly PostalAddress[]): readonly PostalAddress[] => {
  const byKey = new Map<string, PostalAddress>();
  for (const entry of addresses) {
    const address = normaliseAddress(entry);
    const key = addressKey(address);
    if (key !== '' && !byKey.has(key)) byKey.set(key, address);
  }
  return [...byKey.values()];
};

/**
 * The canonical contact of what a side gave: every text through {@link normaliseText}, empty list elements dropped, and
 * of elements that mean the same the first one kept. Values keep the side's own spelling.
 */
export const contactOf = (given: Partial<Contact>): Contact => {
  const contact = { ...EMPTY_CONTACT, ...given };
  return {
    firstName: normaliseText(contact.firstName),
    lastName: normaliseText(contact.lastName),
    company: normaliseText(contact.company),
    title: normaliseText(contact.title),
    emailAddresses: normaliseValues(contact.emailAddresses, emailKey),
    phoneNumbers: normaliseValues(contact.phoneNumbers, phoneKey),
    addresses: normaliseAddresses(contact.addresses),
    websites: normaliseValues(contact.websites, websiteKey),
  };
};
