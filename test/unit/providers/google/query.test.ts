import { expect, test } from 'vitest';
import { LIST_QUERY, TEMPLATE_HASH } from '../../../../src/providers/google/query.ts';

test('[R14] a listing asks for every list that holds a contact field, and a changed query has another name', () => {
  expect(LIST_QUERY.personFields).toBe(
    'metadata,names,organizations,emailAddresses,phoneNumbers,addresses,urls,memberships,clientData',
  );
  expect(TEMPLATE_HASH).toBe('b15d1d4490983f34');
});
