import { expect, test } from 'vitest';
import { fieldsNamed, syncedFieldsOf, nameOfFields } from '../../../../src/core/contact/chosen.ts';
import { EMPTY_CONTACT, LIST_FIELDS, SCALAR_FIELDS, USUAL_FIELDS } from '../../../../src/core/contact/contact.ts';
import { ADDED_FIELDS, FIELDS } from '../../../../src/core/contact/fields.ts';
import { contactOf } from '../../../../src/core/contact/record.ts';
import { snapshotText } from '../../../../src/core/contact/snapshot.ts';

const ADDRESS = { label: 'home', country: 'Peru', postalCode: '1', region: 'R', city: 'Lima', street: 'Main 1' };

test('the fields of each kind have the order of plans and stored data', () => {
  expect(SCALAR_FIELDS).toEqual(['firstName', 'lastName', 'company', 'title']);
  expect(LIST_FIELDS).toEqual(['emailAddresses', 'phoneNumbers', 'addresses', 'websites']);
  expect(USUAL_FIELDS).toEqual([...SCALAR_FIELDS, ...LIST_FIELDS, 'buckets']);
  expect(Object.keys(EMPTY_CONTACT)).toEqual([...SCALAR_FIELDS, ...LIST_FIELDS]);
});

test('[R1] a snapshotText is the text that stored snapshots are compared with', () => {
  const contact = contactOf({
    title: 'Dr',
    websites: [{ label: null, value: 'x.org' }],
    addresses: [ADDRESS],
    emailAddresses: [{ label: 'work', value: 'a@x.org' }],
    firstName: 'Ada',
  });
  expect(snapshotText({ contact, groupIds: ['g1'] })).toBe(
    '{"contact":{"firstName":"Ada","lastName":"","company":"","title":"Dr",' +
      '"emailAddresses":[{"value":"a@x.org","label":"work"}],"phoneNumbers":[],"addresses":[{"street":"Main 1",' +
      '"city":"Lima","region":"R","postalCode":"1","country":"Peru","label":"home"}],' +
      '"websites":[{"value":"x.org","label":null}]},"groupIds":["g1"]}',
  );
});

test('[R1] rows that were read before stay known while no field is added', () => {
  expect(ADDED_FIELDS).toBe('');
});

test('group ids are stored sorted, each once', () => {
  expect(FIELDS.buckets.normalise(['b', 'a', 'b'])).toEqual(['a', 'b']);
});

test('a choice has the name of its joined fields, and its fields are found by that name', () => {
  const chosen = [...USUAL_FIELDS, 'middleName:joined'] as const;
  expect(syncedFieldsOf(chosen)).toEqual(USUAL_FIELDS);
  expect(nameOfFields(USUAL_FIELDS)).toBe('');
  expect(nameOfFields(chosen)).toBe(JSON.stringify(chosen));
  expect(fieldsNamed(nameOfFields(chosen))).toEqual(USUAL_FIELDS);
});
