import { expect, test } from 'vitest';
import type { SyncedField } from '../../../../src/core/contact/contact.ts';
import { agreedBase } from '../../../../src/core/reconcile/agreed.ts';
import { snapshot } from './support.ts';

type PlannedSide = Parameters<typeof agreedBase>[0];

const agree = (given: Partial<PlannedSide>, outstanding: readonly SyncedField[] = []) =>
  agreedBase({
    base: snapshot({}),
    record: snapshot({}),
    other: snapshot({}).contact,
    agreedGroups: new Set(),
    ...given,
    outstanding: new Set(outstanding),
  });

test('R11: a group in which both contacts are, or neither, is agreed on while another move is to be written', () => {
  const [base, record] = [snapshot({}, ['old', 'left']), snapshot({}, ['both', 'own'])];
  const given = { base, record, agreedGroups: new Set(['both', 'old']) };
  expect(agree(given, ['buckets']).groupIds).toEqual(['both', 'left']);
  expect(agree(given).groupIds).toEqual(['both', 'own']);
});
