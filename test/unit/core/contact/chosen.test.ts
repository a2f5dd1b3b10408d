import { expect, test } from 'vitest';
import { keepChosen, without } from '../../../../src/core/contact/chosen.ts';
import { EMPTY_CONTACT, filledFields, USUAL_FIELDS } from '../../../../src/core/contact/contact.ts';
import { contactOf } from '../../../../src/core/contact/record.ts';

const ADA = contactOf({ firstName: 'Ada', title: 'Countess', nickname: 'Augusta' });

test('a contact without some fields has no value in a usual one, and no key of a further one', () => {
  const { nickname: _, ...rest } = ADA;
  expect(without(ADA, ['title', 'nickname', 'buckets'])).toStrictEqual({ ...rest, title: '' });
  expect(keepChosen(ADA, new Set(USUAL_FIELDS))).toStrictEqual(rest);
});

test('the filled fields of a contact are those with a value, in the canonical order', () => {
  expect(filledFields(ADA)).toEqual(['firstName', 'title', 'nickname']);
  expect(filledFields(EMPTY_CONTACT)).toEqual([]);
});
