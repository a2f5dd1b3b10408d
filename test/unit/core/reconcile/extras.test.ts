import { describe, expect, test } from 'vitest';
import { type Contact, isEmptyContact } from '../../../../src/core/contact/contact.ts';
import type { ExtraField } from '../../../../src/core/contact/fields.ts';
import { contactOf } from '../../../../src/core/contact/record.ts';
import type { Decision } from '../../../../src/core/reconcile/decision.ts';
import { deferExtras } from '../../../../src/core/reconcile/defer.ts';
import { emptiedFields } from '../../../../src/core/reconcile/losses.ts';
import { matchContacts } from '../../../../src/core/reconcile/match.ts';
import { decideMerge, planContacts } from '../../../../src/core/reconcile/plan.ts';
import { updateOn } from '../../../../src/core/reconcile/planned.ts';
import { bothSides, gone, NONE, pairOf, policyWith, present, record, SCOPES, snapshot, unpaired } from './support.ts';

const LAST: ExtraField = 'lastContacted';
const ADA: Partial<Contact> = { firstName: 'Ada', lastName: 'King' };
const POLICY = policyWith({ directions: { [LAST]: 'to-left' } });
const GROUPS = { links: [], actions: [], pairs: [], ended: [], duplicates: [] };

/** The decision about Ada with these values at each side now, and those values when the sides agreed. */
const merged = (
  shown: Partial<Contact>,
  computed: Partial<Contact>,
  bases: readonly [Partial<Contact>, Partial<Contact>] = [{}, {}],
) => {
  const halves = bothSides(
    present(record('l', { ...ADA, ...shown }), snapshot({ ...ADA, ...bases[0] })),
    present(record('r', { ...ADA, ...computed }), snapshot({ ...ADA, ...bases[1] })),
  );
  return decideMerge(pairOf(halves.left, halves.right), halves, [], POLICY);
};

describe('[R2] a value that a side computes is written to the other one', () => {
  test('only when it has changed', () => {
    const { writes } = merged({}, { [LAST]: 'today' });
    expect(writes).toMatchObject([{ kind: 'update', side: 'left', fields: [LAST], desired: { [LAST]: 'today' } }]);
    expect(merged({}, { [LAST]: 'today' }, [{}, { [LAST]: 'today' }]).writes).toEqual([]);
    const agreed = [{ [LAST]: 'today' }, { [LAST]: 'today' }] as const;
    expect(updateOn(merged({ [LAST]: 'today' }, {}, agreed).writes, 'left')?.fields).toEqual([LAST]);
  });

  test('over a value that a user entered there, which is not propagated and is no conflict [R4]', () => {
    const agreed = [{ [LAST]: 'monday' }, { [LAST]: 'monday' }] as const;
    const scribbled = merged({ [LAST]: 'mine' }, { [LAST]: 'monday' }, agreed);
    expect(scribbled).toMatchObject({ writes: [], localFields: { left: [LAST] }, conflicts: [] });
    const both = merged({ [LAST]: 'mine' }, { [LAST]: 'today' }, agreed);
    expect(both).toMatchObject({
      writes: [{ kind: 'update', side: 'left', desired: { [LAST]: 'today' } }],
      conflicts: [],
    });
  });

  test('and loses nothing if nothing is computed any more [R8]', () => {
    const before = contactOf({ ...ADA, [LAST]: 'monday', notes: 'tall' });
    expect(emptiedFields(before, contactOf(ADA), [LAST, 'notes'])).toEqual(['notes']);
  });
});

describe('[R2] in a run that lists no side', () => {
  const both = merged({}, { [LAST]: 'today', title: 'Dr' });
  const alone = merged({}, { [LAST]: 'today' });

  test('a contact receives no computed value: its change stays outstanding', () => {
    expect(deferExtras([alone])).toMatchObject([
      { writes: [], localFields: { left: [], right: [LAST] }, deferred: true },
    ]);
  });

  test('a contact receives all other changes', () => {
    const [deferred] = deferExtras([both]);
    const { desired, fields } = updateOn(deferred?.kind === 'merge' ? deferred.writes : [], 'left') ?? {};
    expect(fields).toEqual(['title']);
    expect(desired).toEqual(contactOf({ ...ADA, title: 'Dr' }));
  });

  test('another decision stays the same', () => {
    const unlink: Decision = { kind: 'unlink', pair: pairOf(NONE, NONE), to: 'drop' };
    expect(deferExtras([unlink])).toEqual([unlink]);
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
