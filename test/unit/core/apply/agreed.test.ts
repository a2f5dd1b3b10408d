import { expect, test } from 'vitest';
import type { SyncedField } from '../../../../src/core/contact/contact.ts';
import { agreedBase } from '../../../../src/core/apply/store-task.ts';
import { snapshot } from '../reconcile/support.ts';

test('R11: a group in which both contacts are, or neither, is agreed on while another move is to be written', () => {
  const [base, record] = [snapshot({}, ['old', 'left']), snapshot({}, ['both', 'own'])];
  const given = { base, record, other: snapshot({}).contact, agreedGroups: new Set(['both', 'old']) };
  const agreed = (...outstanding: SyncedField[]) =>
    agreedBase({ ...given, outstanding: new Set(outstanding) }).groupIds;
  expect(agreed('buckets')).toEqual(['both', 'left']);
  expect(agreed()).toEqual(['both', 'own']);
});
