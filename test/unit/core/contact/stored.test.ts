import { expect, test } from 'vitest';
import { CONTACT_FIELDS, EMPTY_CONTACT } from '../../../../src/core/contact/contact.ts';
import { contactOf } from '../../../../src/core/contact/record.ts';
import { contactSchema } from '../../../../src/core/contact/stored.ts';

const FULL = contactOf({
  firstName: 'Ada',
  phoneNumbers: [{ value: '+34 666 12 34 90', label: null }],
  addresses: [{ street: 'Main 1', city: 'Rome', region: '', postalCode: '', country: '', label: 'home' }],
});

const without = (field: string) => Object.fromEntries(Object.entries(FULL).filter(([name]) => name !== field));

test('a stored contact reads back as it was', () => {
  expect(contactSchema.parse(JSON.parse(JSON.stringify(FULL)))).toEqual(FULL);
});

test.each(CONTACT_FIELDS)('a stored contact that is older than %s reads with an empty one', (field) => {
  expect(contactSchema.parse(without(field))).toEqual({ ...FULL, [field]: EMPTY_CONTACT[field] });
});

test('a stored field that is not synced is ignored', () => {
  const [phone] = FULL.phoneNumbers;
  const stored = { ...FULL, shoeSize: 43, phoneNumbers: [{ ...phone, carrier: 'x' }] };
  expect(contactSchema.parse(stored)).toEqual(FULL);
});

test.each<[string, unknown]>([
  ['a text that is null', { ...FULL, title: null }],
  ['a list that is a text', { ...FULL, websites: 'x.org' }],
  ['an element without its label', { ...FULL, websites: [{ value: 'x.org' }] }],
  ['an address without a part', { ...FULL, addresses: [{ street: 'Main 1', label: null }] }],
  ['no contact at all', null],
])('%s is refused', (_, stored) => {
  expect(contactSchema.safeParse(stored).success).toBe(false);
});
