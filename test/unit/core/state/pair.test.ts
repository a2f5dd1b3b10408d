import { describe, expect, test } from 'vitest';
import type { Half, HalfState } from '../../../../src/core/contact/half.ts';
import type { Pair } from '../../../../src/core/reconcile/decision.ts';
import { endPair, keepAlone, storePair, unlinkPair } from '../../../../src/core/state/pair.ts';
import type { WorkingSet } from '../../../../src/core/state/working-set.ts';
import { record, SIDE_PAIRS, snapshot } from '../reconcile/support.ts';
import { ADA, changesOf, dropsFrom, linkedPair, putsInto, looseHalf, pairedHalf, setOf } from '../../engine/support.ts';

const NOW = 10;

const store = (
  set: WorkingSet,
  left: Half | null,
  right: Half | null,
  given: Partial<Parameters<typeof storePair>[1]> = {},
): void => {
  storePair(set, { pairId: null, status: 'linked', halves: { left, right }, writtenSide: null, ...given });
};

/** The pairs of the halves in the set, each by its ids. */
const pairsIn = (set: WorkingSet): readonly string[] => {
  const ids = [...new Set(set.halves().flatMap(({ pair }) => pair ?? []))];
  const text = (pair: Pair | null) => `${pair?.left?.id ?? '-'} ${pair?.right?.id ?? '-'}`;
  return ids.map((id) => text(set.pair(id))).toSorted();
};

const looseIn = (set: WorkingSet): readonly Half[] => set.halves().filter(({ pair }) => pair === null);

describe('storing a pair', () => {
  test('creates a new one for two contacts without a pair', () => {
    const set = setOf([looseHalf('left', 'l'), looseHalf('right', 'r')]);
    store(set, looseHalf('left', 'l'), looseHalf('right', 'r'));
    expect(pairsIn(set)).toEqual(['l r']);
    expect(looseIn(set)).toEqual([]);
    expect(putsInto(set, 'pairs')).toEqual([{ id: -1, status: 'linked' }]);
    expect(putsInto(set, 'halves')).toMatchObject([{ half: { id: 'l', pair: -1 } }, { half: { id: 'r', pair: -1 } }]);
  });

  test('sets the values of its halves, and its own status', () => {
    const [left, right] = [pairedHalf('left', 'l', 1), pairedHalf('right', 'r', 1)];
    const set = setOf([left, right]);
    store(set, { ...left, state: 'changed' }, right, { pairId: 1, status: 'kept' });
    expect(set.pair(1)).toEqual({ id: 1, status: 'kept', left: { ...left, state: 'changed' }, right });
    expect(putsInto(set, 'pairs')).toEqual([{ id: 1, status: 'kept' }]);
    expect(putsInto(set, 'halves')).toContainEqual({
      half: { ...left, state: 'changed' },
      digest: null,
      keepsRecord: true,
    });
  });

  test.each(SIDE_PAIRS)('finds the pair that already has the contact of %s', (side, other) => {
    const known = pairedHalf(side, 'known', 1);
    const set = setOf([known, looseHalf(other, 'new')]);
    const halves = { left: known, right: known, [other]: looseHalf(other, 'new') };
    store(set, halves.left, halves.right);
    expect(set.pair(1)).toMatchObject({ [side]: { id: 'known' }, [other]: { id: 'new', pair: 1 } });
  });

  test('creates a new one if the planned pair has ended in the meantime', () => {
    const set = setOf([looseHalf('left', 'l'), looseHalf('right', 'r')]);
    store(set, looseHalf('left', 'l'), looseHalf('right', 'r'), { pairId: 9 });
    expect(pairsIn(set)).toEqual(['l r']);
    expect(putsInto(set, 'pairs')).toMatchObject([{ id: -1 }]);
  });

  test.each(SIDE_PAIRS)('drops the half of %s if the pair is to have none there', (side) => {
    const set = setOf(linkedPair(1, 'l', 'r'));
    const halves = { left: pairedHalf('left', 'l', 1), right: pairedHalf('right', 'r', 1), [side]: null };
    store(set, halves.left, halves.right, { pairId: 1, status: 'kept' });
    expect(pairsIn(set)).toEqual([side === 'left' ? '- r' : 'l -']);
    expect(looseIn(set)).toEqual([]);
  });
});

test.each<[string, Partial<Parameters<typeof storePair>[1]>]>([
  ['as planned for its pair', { pairId: 1, writtenSide: 'left' }],
  ['of a pair that is found by its other half', {}],
  ['and was not written', { writtenSide: 'right' }],
])('[R7, R12] a contact that gets a new id is deleted under the old one, which a listing may show: %s', (_, given) => {
  const set = setOf(linkedPair(1, 'old', 'r'));
  store(set, looseHalf('left', 'new', { heardAtMs: 7 }), pairedHalf('right', 'r', 1), given);
  expect(pairsIn(set)).toEqual(['new r']);
  expect(looseIn(set)).toMatchObject([{ id: 'old', pair: null, base: null, state: 'gone', heardAtMs: 7 }]);
});

test.each<[string, HalfState, HalfState | null]>([
  ['is planned as a contact without a pair', 'settled', 'changed'],
  ['is planned as a contact without a pair', 'changed', 'changed'],
  ['is dropped', 'missing', null],
  ['is dropped', 'settling', null],
  ['[R7] stays known to be deleted', 'gone', 'gone'],
  ['[R7] stays known to be deleted', 'doubted', 'doubted'],
])('[R12] a contact that a created one replaces in its pair %s if it is %s', (_, state, after) => {
  const set = setOf([pairedHalf('left', 'paired since', 1, { state }), pairedHalf('right', 'source', 1)]);
  store(set, looseHalf('left', 'created'), pairedHalf('right', 'source', 1), { writtenSide: 'left' });
  expect(pairsIn(set)).toEqual(['created source']);
  const released = { id: 'paired since', pair: null, base: null, state: after };
  expect(looseIn(set)).toMatchObject(after === null ? [] : [released]);
});

describe('[R12] a half that moves to another pair', () => {
  test.each(SIDE_PAIRS)('of %s ends its former pair, whose other half is planned alone', (side, other) => {
    const [own, former] = [pairedHalf(other, 'own', 1), pairedHalf(other, 'former', 2)];
    const moving = pairedHalf(side, 'moving', 2);
    const set = setOf([own, moving, former]);
    const halves = { left: own, right: own, [side]: moving };
    store(set, halves.left, halves.right, { pairId: 1 });
    expect(set.pair(1)).toMatchObject({ [side]: { id: 'moving', pair: 1 }, [other]: { id: 'own' } });
    expect(set.pair(2)).toBeNull();
    expect(looseIn(set)).toMatchObject([{ id: 'former', pair: null, base: null, state: 'changed' }]);
    expect(dropsFrom(set, 'pairs')).toEqual([{ id: 2 }]);
    expect(dropsFrom(set, 'halves')).toEqual([]);
  });

  test('[R7] records only its deletion for a former pair whose other half was deleted', () => {
    const set = setOf([
      ...linkedPair(1, 'l', 'r'),
      pairedHalf('left', 'moving', 2),
      pairedHalf('right', 'gone', 2, { state: 'gone' }),
    ]);
    store(set, pairedHalf('left', 'moving', 2), pairedHalf('right', 'r', 1), { pairId: 1 });
    expect(pairsIn(set)).toEqual(['moving r']);
    expect(looseIn(set)).toMatchObject([
      { id: 'l', pair: null, base: null, state: 'gone' },
      { id: 'gone', pair: null, base: null, state: 'gone' },
    ]);
  });

  test('from each of two pairs makes one of them, and the other one ends', () => {
    const set = setOf([pairedHalf('left', 'l', 1), pairedHalf('right', 'r', 2)], { 1: 'kept', 2: 'kept' });
    store(set, pairedHalf('left', 'l', 1), pairedHalf('right', 'r', 2));
    expect(set.pair(1)).toMatchObject({ status: 'linked', left: { id: 'l' }, right: { id: 'r', pair: 1 } });
    expect(set.pair(2)).toBeNull();
  });
});

describe('[R7] a pair that ends', () => {
  const ended = (left: Partial<Half>, right: Partial<Half> | null) => {
    const halves = [pairedHalf('left', 'l', 1, left)];
    const set = setOf(right === null ? halves : [...halves, pairedHalf('right', 'r', 1, right)]);
    endPair(set, 1);
    expect(set.pair(1)).toBeNull();
    return set;
  };

  test('[R7] keeps only the deletion of a half that is deleted, and resolves the conflicts', () => {
    const times = { absences: 2, lastListedAtMs: 3, writtenAtMs: 4, heardAtMs: 5 };
    const set = ended({ state: 'gone', mergedInto: 'survivor', ...times }, {});
    expect(set.halves()).toEqual([looseHalf('left', 'l', { state: 'gone', writtenAtMs: 4, heardAtMs: 5 })]);
    expect(dropsFrom(set, 'halves')).toEqual([{ side: 'right', id: 'r' }]);
    expect(changesOf(set, 'end-conflicts')).toMatchObject([{ leftId: 'l', fields: 'all' }]);
    expect(dropsFrom(set, 'pairs')).toEqual([{ id: 1 }]);
    expect(putsInto(set, 'halves')).toMatchObject([{ half: { id: 'l', pair: null }, digest: null }]);
  });

  test('keeps a half that is shown although it was deleted: a lagging listing does not restore it', () => {
    expect(ended({ state: 'doubted' }, {}).halves()).toEqual([looseHalf('left', 'l', { state: 'doubted' })]);
    // Both are kept if both are deleted, and none if both exist.
    expect(looseIn(ended({ state: 'gone' }, { state: 'gone' })).map(({ id }) => id)).toEqual(['l', 'r']);
    expect(ended({}, { state: 'changed' }).halves()).toEqual([]);
    expect(ended({}, null).halves()).toEqual([]);
  });

  test('changes nothing if the pair does not exist', () => {
    const set = setOf([]);
    endPair(set, 1);
    keepAlone(set, 1, 'left', NOW);
    expect(set.changes()).toEqual([]);
  });
});

describe('a half that is kept alone', () => {
  test.each(SIDE_PAIRS)('at %s is settled by its base, and its conflicts are resolved', (side, other) => {
    const own = pairedHalf(side, 'own', 1, { state: 'changed', base: snapshot({ ...ADA, title: 'Dr' }) });
    const set = setOf([own, pairedHalf(other, 'other', 1)]);
    keepAlone(set, 1, side, NOW);
    expect(set.pair(1)).toEqual({ id: 1, status: 'kept', [side]: { ...own, state: 'settled' }, [other]: null });
    const leftId = side === 'left' ? 'own' : 'other';
    expect(changesOf(set, 'end-conflicts')).toEqual([{ kind: 'end-conflicts', leftId, fields: 'all', atMs: NOW }]);
    expect(dropsFrom(set, 'halves')).toEqual([{ side: other, id: 'other' }]);
  });

  test('uses its values as its base if it has none', () => {
    const own = pairedHalf('right', 'r', 1, { base: null, record: record('r', ADA, { groupIds: ['g'] }) });
    const set = setOf([pairedHalf('left', 'l', 1), own]);
    keepAlone(set, 1, 'right', NOW);
    expect(set.pair(1)?.right).toMatchObject({ base: snapshot(ADA, ['g']), state: 'settled' });
  });

  test('ends the pair if it is deleted, or missing', () => {
    const deleted = setOf([pairedHalf('left', 'l', 1), pairedHalf('right', 'r', 1, { state: 'gone' })]);
    keepAlone(deleted, 1, 'right', NOW);
    expect(deleted.halves()).toMatchObject([{ id: 'r', pair: null, base: null, state: 'gone' }]);
    expect(dropsFrom(deleted, 'pairs')).toEqual([{ id: 1 }]);
    const none = setOf([pairedHalf('left', 'l', 1)]);
    keepAlone(none, 1, 'right', NOW);
    expect(none.halves()).toEqual([]);
  });
});

describe('[R18] unlinking a pair', () => {
  const unlinked = (state: HalfState): WorkingSet => {
    const set = setOf([pairedHalf('left', 'l', 1, { state }), pairedHalf('right', 'r', 1)]);
    unlinkPair(set, 1);
    return set;
  };

  test('keeps both contacts without a pair and without a base, and they remember the pair', () => {
    const set = unlinked('changed');
    expect(set.pair(1)).toBeNull();
    const half = { pair: null, base: null, formerPair: 1 };
    expect(set.half('left', 'l')).toMatchObject({ ...half, state: 'changed' });
    expect(set.half('right', 'r')).toMatchObject({ ...half, state: 'settled' });
    expect(changesOf(set, 'end-conflicts')).toMatchObject([{ leftId: 'l', fields: 'all' }]);
  });

  test('is over when the two are stored as a pair again', () => {
    const set = unlinked('settled');
    store(set, set.half('left', 'l'), set.half('right', 'r'));
    expect(pairsIn(set)).toEqual(['l r']);
    expect(set.halves().map(({ formerPair }) => formerPair)).toEqual([null, null]);
  });
});
