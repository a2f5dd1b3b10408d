import { LIST_FIELDS, SCALAR_FIELDS, type Contact, type ListField } from './contact.ts';
import { phoneKey, phonesAgree } from './keys.ts';
import { elementKey, emailKeys, listOf } from './lists.ts';
import { namesAgree } from './name-agreement.ts';
import { wordsOf } from './names.ts';
import { hasName, personNameOf } from './person-name.ts';
import type { ContactRecord } from './record.ts';

const PHONE_TAIL = 8;
const MINIMUM_PHONE = 7;

/** Returns the last digits of a phone number's key; null if they are too few to distinguish people. */
export const phoneTail = (key: string): string | null => {
  const digits = key.replace(/x\d+$/u, '').replace(/\D/gu, '');
  return digits.length < MINIMUM_PHONE ? null : digits.slice(-PHONE_TAIL);
};

const hasNoValues = (contact: Contact): boolean =>
  SCALAR_FIELDS.every((field) => contact[field] === '') && LIST_FIELDS.every((field) => contact[field].length === 0);

const isNameless = (contact: Contact): boolean => !hasName(personNameOf(contact));

const phonesOf = (contact: Contact): readonly string[] =>
  contact.phoneNumbers.map(({ value }) => phoneKey(value)).filter((key) => phoneTail(key) !== null);

const elementsOf = (contact: Contact, field: ListField): ReadonlySet<string> =>
  new Set(listOf(contact, field).map((element) => elementKey(field, element)));

/** Returns whether two contacts share a name, an address or another identifying value. */
const haveInCommon = (a: Contact, b: Contact): boolean => {
  if (!emailKeys(a.emailAddresses).isDisjointFrom(emailKeys(b.emailAddresses))) return true;
  if (phonesOf(a).some((one) => phonesOf(b).some((other) => phonesAgree(one, other)))) return true;
  if (!isNameless(a) && !isNameless(b)) return namesAgree(a, b, []);
  const company = wordsOf(a.company).join(' ');
  if (company !== '' && company === wordsOf(b.company).join(' ')) return true;
  return LIST_FIELDS.some((field) => !elementsOf(a, field).isDisjointFrom(elementsOf(b, field)));
};

/** A contact that another contact may have been created for. */
type Origin = {
  readonly id: string;
  /** Identifies the account that the id belongs to. */
  readonly scope: string | undefined;
  readonly contact: Contact;
};

/**
 * Returns whether a contact was created for another one (R9): it contains the other's id, of the same account or without a recorded
 * account, and a name or an address agrees. An empty contact is recognised only by an id of the same account.
 */
export const wasMadeFor = (carrier: ContactRecord, origin: Origin): boolean => {
  const { originId, originScope, contact } = carrier;
  if (originId !== origin.id) return false;
  if (originScope === undefined) return haveInCommon(contact, origin.contact);
  if (originScope !== origin.scope) return false;
  return hasNoValues(contact) || hasNoValues(origin.contact) || haveInCommon(contact, origin.contact);
};
