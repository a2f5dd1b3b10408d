import type { GroupNames } from '../reconcile/groups.ts';
import { type Contact, EMPTY_CONTACT, type SyncedField, valueIn } from '../contact/contact.ts';
import { streetLines } from '../contact/elements.ts';
import { emailKey, type ListElement, phoneKey } from '../contact/keys.ts';
import { personNameOf } from '../contact/person-name.ts';
import type { PairIds } from '../contact/pair.ts';
import type { Snapshot } from '../contact/snapshot.ts';
import type { FieldChange, Why } from './views.ts';

/** Scripts that write the family name first and no space. A name of only katakana is a foreign name, in its own order. */
const FAMILY_FIRST = /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}ー]+$/u;
const KATAKANA = /^[\p{Script=Katakana}ー]+$/u;

/** Returns first and last name in the order of their script: `Ada Lovelace`, `王小明`. */
const fullName = (firstName: string, lastName: string): string => {
  if (firstName === '' || lastName === '') return firstName + lastName;
  const joined = lastName + firstName;
  return FAMILY_FIRST.test(joined) && !KATAKANA.test(joined) ? joined : `${firstName} ${lastName}`;
};

/** Returns the display name of a contact: its name, else its company, an email address or a number; null if it has none. */
export const nameOf = ({ firstName, lastName, company, emailAddresses, phoneNumbers }: Contact): string | null => {
  const name = fullName(firstName, lastName);
  return name || company || emailAddresses[0]?.value || phoneNumbers[0]?.value || null;
};

/** Returns the ids of a contact on both sides as a text. */
export const idsText = ({ leftId, rightId }: PairIds): string =>
  [leftId, rightId].filter((id) => id !== null).join(' / ') || 'a contact without a readable id';

const textOf = (element: ListElement): string => {
  if ('value' in element) return element.value;
  const { postalCode, city, region, country } = element;
  return [streetLines(element), postalCode, city, region, country].filter((part) => part !== '').join(', ');
};

/** Returns the values of a field as texts; groups by name, sorted. */
export const shownValues = (snapshot: Snapshot | null, field: SyncedField, names: GroupNames): readonly string[] => {
  if (field === 'buckets') return (snapshot?.groupIds ?? []).map((id) => names.get(id) ?? id).toSorted();
  const value: string | readonly ListElement[] = valueIn(snapshot?.contact ?? EMPTY_CONTACT, field);
  if (typeof value === 'string') return value === '' ? [] : [value];
  return value.map(textOf);
};

/** Returns whether both have the same texts in the same order. */
const isSame = (from: readonly string[], to: readonly string[]): boolean =>
  from.length === to.length && from.every((value, index) => value === to[index]);

/** Returns the changed fields between two images of a contact. */
export const fieldChanges = (
  fields: readonly SyncedField[],
  { before, after }: { readonly before: Snapshot | null; readonly after: Snapshot | null },
  names: GroupNames,
  whyOf: (field: SyncedField) => Why,
): readonly FieldChange[] =>
  fields.flatMap((field): FieldChange[] => {
    const from = shownValues(before, field, names);
    const to = shownValues(after, field, names);
    return isSame(from, to) ? [] : [{ field, from, to, why: whyOf(field) }];
  });

/** Returns the most visible value that two contacts have in common; null if they have none. */
export const likenessOf = (left: Contact, right: Contact): Why | null => {
  const shared = (field: 'emailAddresses' | 'phoneNumbers', keyOf: (value: string) => string): Why | null => {
    const keys = new Set(right[field].map(({ value }) => keyOf(value)));
    const found = left[field].find(({ value }) => keys.has(keyOf(value)));
    return found === undefined ? null : { kind: 'alike', in: field, value: found.value };
  };
  const sharedName = (): Why | null => {
    const { key } = personNameOf(left);
    const name = key !== '' && key === personNameOf(right).key ? nameOf(left) : null;
    return name === null ? null : { kind: 'alike', in: 'name', value: name };
  };
  return shared('emailAddresses', emailKey) ?? shared('phoneNumbers', phoneKey) ?? sharedName();
};
