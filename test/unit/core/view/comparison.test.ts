import { expect, test } from 'vitest';
import { isSame, relationOf } from '../../../../src/core/view/comparison.ts';
import type { FieldComparison } from '../../../../src/core/view/views.ts';

const comparedOf = (field: FieldComparison['field'], left: string, right: string): FieldComparison => {
  return { field, left: [left], right: [right], from: null, sinceMs: null, why: null };
};

test.each<[FieldComparison['field'], left: string, right: string, relation: string]>([
  ['emailAddresses', 'john.doe@example.org', 'johndoe@example.org', 'different'],
  ['emailAddresses', 'ada@my-shop.example', 'ada@myshop.example', 'different'],
  ['emailAddresses', 'Ada@Example.org', 'ada@example.org', 'other spelling'],
  ['emailAddresses', 'ada@bücher.example', 'ada@xn--bcher-kva.example', 'other spelling'],
  ['phoneNumbers', '+49 30 5550100', '0049 (30) 555-0100', 'other spelling'],
  ['phoneNumbers', '+49 30 5550100', '+49 30 5550101', 'different'],
  ['websites', 'https://www.example.org/', 'example.org', 'other spelling'],
  ['company', 'ACME', 'Acme', 'different'],
])('the values of %s are compared like a run compares them: %s and %s', (field, left, right, relation) => {
  const compared = comparedOf(field, left, right);
  expect([relationOf(compared), isSame(compared)]).toEqual([relation, relation !== 'different']);
});
