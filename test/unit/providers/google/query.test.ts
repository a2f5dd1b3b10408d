import { expect, test } from 'vitest';
import { USUAL_MAPPING } from '../../../../src/providers/google/fields.ts';

test('[R14] a listing asks for every list that holds a contact field, and a changed query has another name', () => {
  expect(USUAL_MAPPING.personFields).toBe(
    'metadata,names,organizations,emailAddresses,phoneNumbers,addresses,urls,memberships,clientData',
  );
  expect(USUAL_MAPPING.templateHash).toBe('b15d1d4490983f34');
});
