import { expect, test } from 'vitest';
import type { SyncedField } from '../../../../src/core/contact/contact.ts';
import { agreedBase } from '../../../../src/core/apply/store-task.ts';
import { snapshot, values } from '../reconcile/support.ts';

test('R11: a group in which both contacts are, or neither, is agreed on while another move is to be written', () => {
  const [base, record] = [snapshot({}, ['old', 'left']), snapshot({}, ['both', 'own'])];
  const nothing = snapshot({});
  const given = { base, record, other: nothing.contact, otherBase: nothing, agreedGroups: new Set(['both', 'old']) };
  const agreed = (...outstanding: SyncedField[]) =>
    agreedBase({ ...given, outstanding: new Set(outstanding) }).groupIds;
  expect(agreed('buckets')).toEqual(['both', 'left']);
  expect(agreed()).toEqual(['both', 'own']);
});

test('R2, R5: an element that the other side stores in another form is not agreed on when it is removed', () => {
  const [base, other] = [
    snapshot({ relations: values('Annabel') }),
    snapshot({ relations: values('Annabel (sister)') }),
  ];
  const removed = { base, record: snapshot({}), other: other.contact, otherBase: other };
  const agreed = agreedBase({ ...removed, outstanding: new Set(['relations']), agreedGroups: new Set() });
  expect(agreed.contact.relations).toEqual(values('Annabel'));
});
