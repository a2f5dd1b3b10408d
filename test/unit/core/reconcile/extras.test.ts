import { expect, test } from 'vitest';
import { type Contact, isEmptyContact } from '../../../../src/core/contact/contact.ts';
import { contactOf } from '../../../../src/core/contact/record.ts';
import { emptiedFields } from '../../../../src/core/reconcile/losses.ts';
import { matchContacts } from '../../../../src/core/reconcile/match.ts';
import { gone, pairOf, planOf, present, record, snapshot, unpaired } from './support.ts';

const LAST = 'lastContacted';
const ADA: Partial<Contact> = { firstName: 'Ada', lastName: 'King' };

test('[R8] a value that a side computes loses nothing if nothing is computed any more', () => {
  const before = contactOf({ ...ADA, [LAST]: 'monday', notes: 'tall' });
  expect(emptiedFields(before, contactOf(ADA), [LAST, 'notes'])).toEqual(['notes']);
});

test('a contact that has only computed values is blank', () => {
  expect(isEmptyContact(contactOf({ [LAST]: 'today' }))).toBe(true);
});

test('[R13] copies of one person are recognised without a computed value', () => {
  const copies = (more: Partial<Contact>) => [record('a', { ...ADA, ...more }), record('b', { ...ADA, ...more })];
  const [left, right] = [unpaired('left', ...copies({})), unpaired('right', ...copies({ [LAST]: 'today' }))];
  const { ambiguous, matches } = matchContacts({ left, right });
  expect([matches.length, ambiguous]).toEqual([2, []]);
});

test('[R6] a computed value does not outweigh a deletion at the other side', () => {
  const right = present(record('r', { ...ADA, [LAST]: 'today' }), snapshot(ADA));
  const { decisions } = planOf({ pairs: [pairOf(gone('l'), right)], policy: { directions: { [LAST]: 'to-left' } } });
  expect(decisions).toMatchObject([{ kind: 'delete', side: 'right' }]);
});
