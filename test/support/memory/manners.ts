import type { Contact } from '../../../src/core/contact/contact.ts';
import type { LabelledValue, PostalAddress } from '../../../src/core/contact/elements.ts';
import { contactOf } from '../../../src/core/contact/record.ts';

/** How a side normalises values. Each rule is idempotent. */
export type Manners = {
  readonly lowersEmails: boolean;
  readonly formatsPhones: boolean;
  /** Maximum length of a title; the rest is truncated. */
  readonly titleLength: number;
  /** Websites with a number that this divides are silently dropped; 0 drops none. */
  readonly dropsWebsitesBy: number;
  /** A write is refused if the title has a number that this divides; 0 refuses none. */
  readonly refusesTitlesBy: number;
  /** Whether the side refuses every create; absent if not. */
  readonly refusesNew?: true;
};

export const PLAIN_MANNERS: Manners = {
  lowersEmails: false,
  formatsPhones: false,
  titleLength: 1_000,
  dropsWebsitesBy: 0,
  refusesTitlesBy: 0,
};

const SIGNS = '+#-*';

/** A text for each number that differs from all others in its signs alone. */
export const signText = (number: number): string =>
  `A${number.toString(SIGNS.length).replace(/\d/gu, (digit) => SIGNS.charAt(Number(digit)))}`;

/** The number of a {@link signText}; null for any other text. */
const numberOfSigns = (text: string): number | null => {
  const signs = /^A([-+#*]+)$/u.exec(text)?.[1];
  return signs === undefined ? null : [...signs].reduce((sum, sign) => sum * SIGNS.length + SIGNS.indexOf(sign), 0);
};

/** The number in a value of the simulation. */
export const numberIn = (text: string): number | null => {
  const ofSigns = numberOfSigns(text);
  if (ofSigns !== null) return ofSigns;
  const digits = /^\+1555(\d{7})$/u.exec(text.replaceAll(/[^\d+]/gu, ''))?.[1] ?? /[a-z](\d+)/iu.exec(text)?.[1];
  return digits === undefined ? null : Number(digits);
};

const isMultiple = (text: string, divisor: number): boolean => {
  const number = numberIn(text);
  return divisor > 0 && number !== null && number % divisor === 0;
};

const formatPhone = (value: string): string => {
  return value.replace(/^\+1(\d{3})(\d{3})(\d{4})$/u, '+1 ($1) $2-$3');
};

const mapValues = (list: readonly LabelledValue[], change: (value: string) => string): LabelledValue[] => {
  return list.map((entry) => ({ ...entry, value: change(entry.value) }));
};

/** Whether the side silently drops this website. */
export const dropsWebsite = (manners: Manners, value: string): boolean => isMultiple(value, manners.dropsWebsitesBy);

/** Whether the side refuses a contact with this title. */
export const refusesTitle = (manners: Manners, title: string): boolean => isMultiple(title, manners.refusesTitlesBy);

/** Whether the side refuses to create this contact. */
export const refusesNew = (manners: Manners, { title }: Contact): boolean =>
  manners.refusesNew === true || refusesTitle(manners, title);

/** The contact as the side keeps it. */
export const receive = (manners: Manners, contact: Contact): Contact => {
  const addresses: readonly PostalAddress[] = contact.addresses;
  return contactOf({
    ...contact,
    addresses,
    title: contact.title.slice(0, manners.titleLength),
    emailAddresses: manners.lowersEmails
      ? mapValues(contact.emailAddresses, (value) => value.toLowerCase())
      : contact.emailAddresses,
    phoneNumbers: manners.formatsPhones ? mapValues(contact.phoneNumbers, formatPhone) : contact.phoneNumbers,
    websites: contact.websites.filter((entry) => !dropsWebsite(manners, entry.value)),
  });
};
