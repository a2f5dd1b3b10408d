import type { Contact } from '../contact/contact.ts';
import { emailKey, phoneKey } from '../contact/keys.ts';
import { personNameOf } from '../contact/person-name.ts';
import { nameOf } from './values.ts';
import type { Why } from './views.ts';

/** The most visible value that two contacts have in common; null if they have none. */
export const likenessOf = (left: Contact, right: Contact): Why | null => {
  const shared = (field: 'emailAddresses' | 'phoneNumbers', keyOf: (value: string) => string): Why | null => {
    const keys = new Set(right[field].map(({ value }) => keyOf(value)));
    const found = left[field].find(({ value }) => keys.has(keyOf(value)));
    return found === undefined ? null : { kind: 'alike', in: field, value: found.value };
  };
  const { key } = personNameOf(left);
  const name = key !== '' && key === personNameOf(right).key ? nameOf(left) : null;
  return (
    shared('emailAddresses', emailKey) ??
    shared('phoneNumbers', phoneKey) ??
    (name === null ? null : { kind: 'alike', in: 'name', value: name })
  );
};
