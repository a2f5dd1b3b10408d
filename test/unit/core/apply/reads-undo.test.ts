import { describe, expect, test } from 'vitest';
import { applyRead, applySearch } from '../../../../src/core/apply/reads.ts';
import type { Contact } from '../../../../src/core/contact/contact.ts';
import type { Half } from '../../../../src/core/contact/half.ts';
import { contactOf, type ContactRecord } from '../../../../src/core/contact/record.ts';
import type { ReadAnswer } from '../../../../src/core/contact/requests.ts';
import { KNOWN, NOTHING, NOW, openOperation } from './support.ts';
import { record, snapshot } from '../reconcile/support.ts';
import { ADA, adaRecord, changesOf, linkedPair, pairedHalf, setOf } from '../../engine/support.ts';

describe('[R9] a contact that an undo restores, without a response,', () => {
  const IMAGE = adaRecord('former');
  const write = openOperation('create', { desired: contactOf(ADA), image: IMAGE, cause: 'undo', rightId: 'former' });
  const FOUND = adaRecord('back');

  const restore = (found: ContactRecord | null, halves: readonly Half[], open = write) => {
    const set = setOf(halves, { 1: 'kept' });
    return { set, finding: applySearch(set, open, found, KNOWN) };
  };

  test('can be requested again if it is not found', () => {
    const { set, finding } = restore(null, [pairedHalf('left', 'l', 1)]);
    expect(finding).toEqual(NOTHING);
    expect(set.changes()).toEqual([]);
  });

  test('is linked again with the remaining half, and no unsettled value is marked settled', () => {
    const { set, finding } = restore(FOUND, [pairedHalf('left', 'l', 1, { base: null })]);
    expect(finding).toEqual({ applied: true, after: FOUND, error: null });
    expect(set.pair(1)).toMatchObject({
      status: 'linked',
      left: { id: 'l', state: 'changed', base: snapshot({}) },
      right: { id: 'back', state: 'settled', base: snapshot(ADA), writtenAtMs: NOW },
    });
  });

  test('keeps the base of the remaining half', () => {
    const { set } = restore(FOUND, [pairedHalf('left', 'l', 1)]);
    expect(set.pair(1)?.left).toMatchObject({ base: snapshot(ADA), state: 'settled' });
  });

  test.each<[string, readonly Half[], number | null]>([
    ['there is no pair any more', [], null],
    ['the pair of the entry has ended', [], 1],
    ['the other half is deleted too', [pairedHalf('left', 'l', 1, { state: 'gone' })], 1],
  ])('stays unpaired if %s', (_, halves, pairId) => {
    const { set, finding } = restore(FOUND, halves, { ...write, pairId });
    expect(finding).toMatchObject({ applied: true });
    expect(changesOf(set, 'put-pair')).toMatchObject([
      { id: null, status: 'kept', halves: [{ half: { side: 'right', id: 'back', state: 'settled' } }] },
    ]);
  });
});

const OLD = { title: 'Old', company: 'Old' };

/** The run wrote the title of the right side; the undo writes the old title there, and it stays on that side. */
const left = pairedHalf('left', 'l', 1, { record: record('l', { ...ADA, ...OLD, title: 'New' }) });
const right = pairedHalf('right', 'r', 1, { record: record('r', { ...ADA, ...OLD, title: 'New' }) });
const REVERT = openOperation('update', {
  fields: ['title'],
  desired: contactOf({ ...ADA, ...OLD }),
  cause: 'undo',
  before: right.record,
  source: null,
});

const revert = (
  answer: ReadAnswer | undefined,
  halves: readonly Half[] = [left, right],
  write: Parameters<typeof applyRead>[1] = REVERT,
) => {
  const set = setOf(halves);
  return { set, finding: applyRead(set, write, answer, KNOWN) };
};

const found = (
  contact: Partial<Contact>,
  given: Partial<ContactRecord> = {},
): Extract<ReadAnswer, { kind: 'found' }> => {
  return { kind: 'found', record: record('r', { ...ADA, ...contact }, { version: '2', ...given }) };
};

describe('[R9] a reverting update without a response', () => {
  test('that took effect enters the base of its side, so that it is not propagated', () => {
    const answer = found(OLD);
    const { set, finding } = revert(answer);
    expect(finding).toEqual({ applied: true, after: answer.record, error: null });
    expect(set.pair(1)).toMatchObject({
      status: 'linked',
      left: { state: 'settled', base: left.base },
      right: { state: 'settled', base: snapshot({ ...ADA, ...OLD }), record: answer.record, writtenAtMs: NOW },
    });
  });

  test('[R5] leaves later edits of a user out of the base', () => {
    const { set } = revert(found({ title: 'Old', company: 'Foreign' }));
    expect(set.pair(1)?.right).toMatchObject({
      base: snapshot({ ...ADA, ...OLD }),
      record: { contact: { company: 'Foreign' } },
    });
  });

  test('[R5] leaves edits of other fields from before the undo open', () => {
    const edited = { ...right, record: record('r', { ...ADA, title: 'New', company: 'Edited' }) };
    const write = openOperation('update', { ...REVERT, before: edited.record });
    const { set } = revert(found({ title: 'Old', company: 'Edited' }), [left, edited], write);
    expect(set.pair(1)?.right).toMatchObject({ state: 'changed', base: snapshot({ ...ADA, ...OLD }) });
  });

  test('that did not take effect can be requested again', () => {
    const { set, finding } = revert(found({ ...OLD, title: 'New' }));
    expect(finding).toEqual(NOTHING);
    expect(set.pair(1)?.right).toMatchObject({ state: 'settled', base: right.base });
  });

  test.each<[string, readonly Half[]]>([
    ['there is no pair any more', [{ ...right, pair: null }]],
    ['the contact was found to be deleted', [left, { ...right, state: 'gone' }]],
  ])('stores the contact if %s', (_, halves) => {
    const { set, finding } = revert(found(OLD), halves, { ...REVERT, pairId: null });
    expect(finding).toEqual(NOTHING);
    expect(set.half('right', 'r')).toMatchObject({ state: 'changed', record: { contact: OLD } });
  });

  test.each<[string, ReadAnswer | undefined, object | null]>([
    ['is deleted', { kind: 'gone' }, { id: 'r', state: 'gone' }],
    ['has another id', { kind: 'moved', record: adaRecord('renamed') }, { id: 'renamed', state: 'changed' }],
  ])('stores that the contact %s', (_, answer, expected) => {
    const { set, finding } = revert(answer);
    expect(finding).toEqual(NOTHING);
    expect(set.pair(1)?.right).toMatchObject(expected ?? {});
  });
});

describe('[R9] a reverting change of membership without a response', () => {
  const member = (...groupIds: string[]) => pairedHalf('right', 'r', 1, { record: adaRecord('r', { groupIds }) });
  const MOVE = openOperation('membership', {
    join: ['back'],
    leave: ['away'],
    cause: 'undo',
    before: adaRecord('r', { groupIds: ['away', 'own'] }),
  });
  const move = (...groupIds: string[]) => {
    const halves = [pairedHalf('left', 'l', 1), member('away', 'own')];
    return revert({ kind: 'found', record: adaRecord('r', { groupIds }) }, halves, MOVE);
  };

  test('that took effect enters the base, and nothing else does', () => {
    const { set, finding } = move('back', 'foreign', 'own');
    expect(finding).toMatchObject({ applied: true });
    expect(set.pair(1)?.right).toMatchObject({
      base: { groupIds: ['back', 'own'] },
      record: { groupIds: ['back', 'foreign', 'own'] },
    });
  });

  test.each([
    ['joined nothing', ['foreign', 'own'], ['own']],
    ['left nothing', ['away', 'back', 'foreign', 'own'], ['away', 'back', 'own']],
  ])('that %s can be requested again, and the part that took effect is not propagated', (_, groupIds, base) => {
    const { set, finding } = move(...groupIds);
    expect(finding).toMatchObject({ applied: false, after: { groupIds } });
    expect(set.pair(1)?.right).toMatchObject({ base: { groupIds: base }, record: { groupIds }, writtenAtMs: NOW });
  });
});

describe('[R9] a deletion of an undo without a response', () => {
  const DELETE = openOperation('delete', { cause: 'undo', before: adaRecord('r') });

  test('that took effect leaves the other half unchanged: the contact is not created again', () => {
    const { set, finding } = revert({ kind: 'gone' }, linkedPair(1, 'l', 'r'), DELETE);
    expect(finding).toEqual({ ...NOTHING, applied: true });
    expect(set.pair(1)).toMatchObject({ status: 'kept', left: { id: 'l', state: 'settled' }, right: null });
  });

  test('that took effect is recognised although the pair has ended', () => {
    const { set, finding } = revert({ kind: 'gone' }, [], DELETE);
    expect(finding).toMatchObject({ applied: true });
    expect(set.changes()).toEqual([]);
  });
});
