import { describe, expect, test } from 'vitest';
import { type Contact, isEmptyContact } from '../../../../src/core/contact/contact.ts';
import type { ExtraField } from '../../../../src/core/contact/fields.ts';
import { contactOf } from '../../../../src/core/contact/record.ts';
import { emptiedFields } from '../../../../src/core/reconcile/losses.ts';
import { matchContacts } from '../../../../src/core/reconcile/match.ts';
import { planContacts } from '../../../../src/core/reconcile/plan.ts';
import { gone, pairOf, policyWith, present, record, SCOPES, snapshot, unpaired } from './support.ts';

const LAST: ExtraField = 'lastContacted';
const ADA: Partial<Contact> = { firstName: 'Ada', lastName: 'King' };
const POLICY = policyWith({ directions: { [LAST]: 'to-left' } });
const GROUPS = { links: [], actions: [], pairs: [], ended: [], duplicates: [] };

describe('[R2] a value that a side computes is written to the other one', () => {
  test('and loses nothing if nothing is computed any more [R8]', () => {
    const before = contactOf({ ...ADA, [LAST]: 'monday', notes: 'tall' });
    expect(emptiedFields(before, contactOf(ADA), [LAST, 'notes'])).toEqual(['notes']);
  });
});

describe('a computed value is no information about a person', () => {
  test('a contact that has only computed values is blank', () => {
    expect(isEmptyContact(contactOf({ [LAST]: 'today' }))).toBe(true);
  });

  test('copies of one person are recognised without it [R13]', () => {
    const copies = (more: Partial<Contact>) => [record('a', { ...ADA, ...more }), record('b', { ...ADA, ...more })];
    const { ambiguous, matches } = matchContacts({
      left: unpaired('left', ...copies({})),
      right: unpaired('right', ...copies({ [LAST]: 'today' })),
      scopes: SCOPES,
    });
    expect([matches.length, ambiguous]).toEqual([2, []]);
  });

  test('does not outweigh a deletion at the other side [R6]', () => {
    const right = present(record('r', { ...ADA, [LAST]: 'today' }), snapshot(ADA));
    const { decisions } = planContacts({
      pairs: [pairOf(gone('l'), right)],
      survivors: [],
      unpaired: { left: [], right: [] },
      groups: GROUPS,
      conflicts: [],
      policy: POLICY,
      scopes: SCOPES,
    });
    expect(decisions).toMatchObject([{ kind: 'delete', side: 'right' }]);
  });
});
