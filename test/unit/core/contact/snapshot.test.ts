import { expect, test } from 'vitest';
import {
  fieldsNamed,
  keepChosen,
  nameOfFields,
  without as withoutFields,
} from '../../../../src/core/contact/chosen.ts';
import {
  type Contact,
  CONTACT_FIELDS,
  EMPTY_CONTACT,
  filledFields,
  inFieldOrder,
  isEmptyContact,
  USUAL_FIELDS,
} from '../../../../src/core/contact/contact.ts';
import { HALF_STATES, isPresent } from '../../../../src/core/contact/half.ts';
import { contactOf } from '../../../../src/core/contact/record.ts';
import { equalSnapshots, snapshotText, unordered } from '../../../../src/core/contact/snapshot.ts';
import { storedContactSchema } from '../../../../src/core/contact/stored.ts';
import { halfOf, record, snapshot, values } from '../reconcile/support.ts';

const ADDRESS = { street: 'Main 1', city: 'Rome', region: '', postalCode: '', country: '', label: null };

test('an unordered snapshot is equal for any order of lists, groups and object keys', () => {
  const addresses = [ADDRESS, { ...ADDRESS, street: 'Main 2' }];
  const one = snapshot({ emailAddresses: values('a@x.org', 'b@x.org'), addresses }, ['g1', 'g2']);
  const emailAddresses = [
    { label: null, value: 'b@x.org' },
    { value: 'a@x.org', label: null },
  ];
  const contact = { ...one.contact, addresses: addresses.toReversed(), emailAddresses };
  const other = { contact, groupIds: ['g2', 'g1'] };
  expect(equalSnapshots(unordered(one), unordered(other))).toBe(true);
  expect(equalSnapshots(one, other)).toBe(false);
});

const FULL = contactOf({ firstName: 'Ada', phoneNumbers: values('+34 666 12 34 90'), addresses: [ADDRESS] });

const without = (field: string) => Object.fromEntries(Object.entries(FULL).filter(([name]) => name !== field));

test.each(CONTACT_FIELDS)('a stored contact that is older than %s reads with an empty one', (field) => {
  expect(storedContactSchema.parse(without(field))).toEqual({ ...FULL, [field]: EMPTY_CONTACT[field] });
});

test('a stored contact is read back unchanged, without a field that is not synced', () => {
  expect(storedContactSchema.parse(JSON.parse(JSON.stringify(FULL)))).toEqual(FULL);
  const [phone] = FULL.phoneNumbers;
  const stored = { ...FULL, shoeSize: 43, phoneNumbers: [{ ...phone, carrier: 'x' }] };
  expect(storedContactSchema.parse(stored)).toEqual(FULL);
});

test.each<[string, unknown]>([
  ['a text that is null', { ...FULL, title: null }],
  ['an element without its label', { ...FULL, websites: [{ value: 'x.org' }] }],
  ['an address without a part', { ...FULL, addresses: [{ street: 'Main 1', label: null }] }],
])('%s is refused', (_, stored) => {
  expect(storedContactSchema.safeParse(stored).success).toBe(false);
});

test('[R7] a contact exists unless it is known to be deleted, even if a feed shows it since', () => {
  const existing = HALF_STATES.filter((state) => isPresent(halfOf(record('x', {}), { state })));
  expect(existing).toEqual(['settled', 'changed', 'missing', 'unseen']);
  expect(isPresent(null)).toBe(false);
});

test('[R1] a snapshotText is the text that stored snapshots are compared with', () => {
  const home = { label: 'home', country: 'Peru', postalCode: '1', region: 'R', city: 'Lima', street: 'Main 1' };
  const emailAddresses = [{ label: 'work', value: 'a@x.org' }];
  const texts = { title: 'Dr', company: '', lastName: '', firstName: 'Ada' };
  // The keys of the objects are in another order than in the text.
  const contact: Contact = { websites: values('x.org'), addresses: [home], phoneNumbers: [], emailAddresses, ...texts };
  expect(snapshotText({ contact, groupIds: ['g1'] })).toBe(
    '{"contact":{"firstName":"Ada","lastName":"","company":"","title":"Dr",' +
      '"emailAddresses":[{"value":"a@x.org","label":"work"}],"phoneNumbers":[],"addresses":[{"street":"Main 1",' +
      '"city":"Lima","region":"R","postalCode":"1","country":"Peru","label":"home"}],' +
      '"websites":[{"value":"x.org","label":null}]},"groupIds":["g1"]}',
  );
});

test('the fields of a choice are found by its name', () => {
  const chosen = inFieldOrder([...USUAL_FIELDS, 'middleName']);
  expect(nameOfFields(USUAL_FIELDS)).toBe('');
  expect(nameOfFields(chosen)).toBe(JSON.stringify(chosen));
  expect(fieldsNamed(nameOfFields(chosen))).toEqual(chosen);
});

const ADA = contactOf({ firstName: 'Ada', title: 'Countess', nickname: 'Augusta' });

test('a contact without some fields has no value in a usual one, and no key of a further one', () => {
  const { nickname: _, ...rest } = ADA;
  expect(withoutFields(ADA, ['title', 'nickname', 'buckets'])).toStrictEqual({ ...rest, title: '' });
  expect(keepChosen(ADA, new Set(USUAL_FIELDS))).toStrictEqual(rest);
});

test('the filled fields of a contact are those with a value, in the canonical order', () => {
  expect(filledFields(ADA)).toEqual(['firstName', 'title', 'nickname']);
  expect(filledFields(EMPTY_CONTACT)).toEqual([]);
  expect(isEmptyContact(contactOf({ lastContacted: 'today' }))).toBe(true);
});
