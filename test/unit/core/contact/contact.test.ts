import { expect, test } from 'vitest';
import { EMPTY_CONTACT, filledFields } from '../../../../src/core/contact/contact.ts';
import { contactOf } from '../../../../src/core/contact/record.ts';

test('the filled fields of a contact are those with a value, in the canonical order', () => {
  const emailAddresses = [{ label: null, value: 'ada@x.org' }];
  const contact = contactOf({ nickname: 'Augusta', emailAddresses, firstName: 'Ada', title: '' });
  expect(filledFields(contact)).toEqual(['firstName', 'emailAddresses', 'nickname']);
  expect(filledFields(EMPTY_CONTACT)).toEqual([]);
});
