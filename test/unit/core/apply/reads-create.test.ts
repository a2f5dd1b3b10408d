import { describe, expect, test } from 'vitest';
import { applySearch } from '../../../../src/core/apply/reads.ts';
import type { Contact } from '../../../../src/core/contact/contact.ts';
import type { Half } from '../../../../src/core/contact/half.ts';
import { contactOf, type ContactRecord } from '../../../../src/core/contact/record.ts';
import { KNOWN, NOTHING, NOW, openOperation } from './support.ts';
import { record, snapshot } from '../reconcile/support.ts';
import { ADA, adaRecord, changesOf, looseHalf, pairedHalf, setOf } from '../../engine/support.ts';

describe('[R9] a create without a response', () => {
  const DR: Partial<Contact> = { ...ADA, title: 'Dr' };
  const SOURCE = looseHalf('left', 'l', { record: record('l', DR, { groupIds: ['g'] }) });
  const write = openOperation('create', { desired: contactOf(DR), pairId: null, rightId: null });

  const settle = (found: ContactRecord | null, halves: readonly Half[] = [SOURCE], creating = write) => {
    const set = setOf(halves);
    const finding = applySearch(set, creating, found, KNOWN);
    return { set, finding, left: set.half('left', 'l'), right: set.half('right', 'r') };
  };

  test('that created nothing leaves everything to the next plan', () => {
    const { set, finding } = settle(null);
    expect(finding).toEqual(NOTHING);
    expect(set.changes()).toEqual([]);
  });

  test('that created a contact pairs it with its source: nothing is created twice', () => {
    const found = record('r', DR, { groupIds: ['s'] });
    const { set, finding, left, right } = settle(found);
    expect(finding).toEqual({ applied: true, after: found, error: null });
    expect(changesOf(set, 'put-pair')).toMatchObject([{ id: null, status: 'linked' }]);
    expect(left?.pair).toBe(right?.pair);
    // The next plan compares memberships that the write did not request: neither base has any.
    expect(left).toMatchObject({ state: 'changed', record: SOURCE.record, base: snapshot(DR), writtenAtMs: null });
    expect(right).toMatchObject({ state: 'changed', record: found, base: snapshot(DR), writtenAtMs: NOW });
  });

  test('[R5] keeps later edits of a user on the new contact out of the base', () => {
    const { right } = settle(record('r', { ...ADA, title: 'Countess', company: 'Engine' }));
    expect(right).toMatchObject({ record: { contact: { title: 'Countess' } }, base: snapshot(DR) });
  });

  test('[R2] sends again the values that the new contact lacks', () => {
    const { left, right } = settle(record('r', ADA));
    expect(left).toMatchObject({ base: snapshot(ADA) });
    expect(right).toMatchObject({ base: snapshot(ADA) });
  });

  test('[R6] that restored a half stays in its pair', () => {
    const source = pairedHalf('left', 'l', 1, { state: 'changed' });
    const set = setOf([source, pairedHalf('right', 'gone', 1, { state: 'gone' })]);
    const again = openOperation('create', { desired: contactOf(ADA), rightId: null });
    expect(applySearch(set, again, adaRecord('r'), KNOWN).applied).toBe(true);
    expect(set.pair(1)).toMatchObject({ left: { id: 'l' }, right: { id: 'r', state: 'settled' } });
    expect(set.half('right', 'gone')).toMatchObject({ pair: null, base: null, state: 'gone' });
  });

  test('accepts a contact found in the meantime as the one that it created', () => {
    const { set, right } = settle(adaRecord('r'), [SOURCE, looseHalf('right', 'r')]);
    expect(right?.pair).toBe(set.half('left', 'l')?.pair);
    expect(set.halves()).toHaveLength(2);
  });

  test.each<[string, readonly string[], readonly string[], readonly string[]]>([
    ['entered both', ['s'], ['g'], ['s']],
    ['entered none', [], [], []],
    ['entered in addition to one that a user chose since', ['s', 'own'], ['g'], ['s']],
    ['has no half at the source', ['t'], [], ['t']],
  ])('[R5] adds the memberships that it carried to the bases: %s', (_, now, leftIds, rightIds) => {
    const given = { desired: contactOf(DR), join: ['s', 't'] };
    const carrying = openOperation('create', { ...given, pairId: null, rightId: null });
    const settled = settle(record('r', DR, { groupIds: now }), undefined, carrying);
    expect(settled.left?.base).toEqual(snapshot(DR, leftIds));
    expect(settled.right?.base).toEqual(snapshot(DR, rightIds));
  });

  test('can only be abandoned if its source is no longer stored', () => {
    const { set, finding } = settle(adaRecord('r'), []);
    expect(finding).toEqual({ ...NOTHING, error: 'l, which it follows from, is not known any more.' });
    expect(set.changes()).toEqual([]);
  });
});
