import { describe, expect, test } from 'vitest';
import type { Half, HalfState } from '../../../../src/core/contact/half.ts';
import { endPair, keepAlone, storePair, unlinkPair } from '../../../../src/core/state/pair.ts';
import type { WorkingSet } from '../../../../src/core/state/working-set.ts';
import { ADA, changesOf, dropsFrom, linkedPair, looseHalf, pairedHalf, setOf } from '../../engine/support.ts';
import { record, SIDE_PAIRS, snapshot } from '../reconcile/support.ts';

const NOW = 10;

type Given = Partial<Parameters<typeof storePair>[1]>;

const store = (set: WorkingSet, left: Half | null, right: Half | null, given: Given = {}): void =>
  storePair(set, { pairId: null, status: 'linked', halves: { left, right }, writtenSide: null, ...given });

/** The pairs of a set as `left right status`, then the halves without one as `id state`. */
const textsOf = (set: WorkingSet): readonly string[] => {
  const halves = set.halves();
  const ids = [...new Set(halves.flatMap(({ pair }) => pair ?? []))];
  const pairs = ids
    .map((id) => set.pair(id))
    .map((pair) => `${pair?.left?.id ?? '-'} ${pair?.right?.id ?? '-'} ${pair?.status}`);
  const loose = halves.filter(({ pair }) => pair === null);
  for (const { base } of loose) expect(base).toBeNull();
  return [...pairs, ...loose.map(({ id, state }) => `${id} ${state}`)].toSorted();
};

const [LEFT, RIGHT] = [pairedHalf('left', 'l', 1), pairedHalf('right', 'r', 1)];

test('only the changed half of a pair is stored, without its record', () => {
  const set = setOf([LEFT, RIGHT]);
  const half: Half = { ...LEFT, state: 'changed' };
  store(set, half, RIGHT, { pairId: 1, status: 'kept' });
  expect(set.pair(1)).toEqual({ id: 1, status: 'kept', left: half, right: RIGHT });
  expect(changesOf(set, 'put').map(({ row }) => row)).toContainEqual({ half, digest: null, keepsRecord: true });
});

test.each([null, 9])('two halves get a new pair if the planned one, %s, does not exist', (pairId) => {
  const [left, right] = [looseHalf('left', 'l'), looseHalf('right', 'r')];
  const set = setOf([left, right]);
  store(set, left, right, { pairId });
  expect(set.pair(-1)).toMatchObject({ status: 'linked', left: { id: 'l' }, right: { id: 'r', pair: -1 } });
});

describe.each(SIDE_PAIRS)('the half of %s', (side, other) => {
  const at = (own: Half, others: Half) => (side === 'left' ? ([own, others] as const) : ([others, own] as const));

  test('R12: that moves to another pair ends its former pair, whose other half is planned alone', () => {
    const [own, former, moving] = [
      pairedHalf(other, 'own', 1),
      pairedHalf(other, 'former', 2),
      pairedHalf(side, 'moving', 2),
    ];
    const set = setOf([own, moving, former]);
    store(set, ...at(moving, own), { pairId: 1 });
    expect(textsOf(set)).toEqual(
      [side === 'left' ? 'moving own linked' : 'own moving linked', 'former changed'].toSorted(),
    );
    expect([dropsFrom(set, 'pairs'), dropsFrom(set, 'halves')]).toEqual([[{ id: 2 }], []]);
  });

  test('that is kept alone is settled by its base, and its conflicts are resolved', () => {
    const own = pairedHalf(side, 'own', 1, { state: 'changed', base: snapshot({ ...ADA, title: 'Dr' }) });
    const set = setOf([own, pairedHalf(other, 'other', 1)]);
    keepAlone(set, 1, side, NOW);
    expect(set.pair(1)).toEqual({ id: 1, status: 'kept', [side]: { ...own, state: 'settled' }, [other]: null });
    const leftId = side === 'left' ? 'own' : 'other';
    expect(changesOf(set, 'end-conflicts')).toEqual([{ kind: 'end-conflicts', leftId, fields: 'all', atMs: NOW }]);
    expect(dropsFrom(set, 'halves')).toEqual([{ side: other, id: 'other' }]);
  });
});

test.each<[string, Given]>([
  ['as planned for its pair', { pairId: 1, writtenSide: 'left' }],
  ['of a pair that is found by its other half', {}],
  ['and was not written', { writtenSide: 'right' }],
])('R7, R12: a contact that gets a new id is deleted under the old one, which a listing may show: %s', (_, given) => {
  const set = setOf(linkedPair(1, 'old', 'r'));
  store(set, looseHalf('left', 'new', { heardAtMs: 7 }), RIGHT, given);
  expect(textsOf(set)).toEqual(['new r linked', 'old gone']);
  expect(set.half('left', 'old')?.heardAtMs).toBe(7);
});

test.each<[HalfState, HalfState | null]>([
  ['settled', 'changed'],
  ['changed', 'changed'],
  ['missing', null],
  ['unseen', null],
  ['gone', 'gone'],
  ['doubted', 'doubted'],
])('R12: a contact that is %s, and that a created one replaces in its pair, is then %s alone', (state, after) => {
  const set = setOf([pairedHalf('left', 'paired since', 1, { state }), RIGHT]);
  store(set, looseHalf('left', 'created'), RIGHT, { writtenSide: 'left' });
  expect(textsOf(set)).toEqual(['created r linked', ...(after === null ? [] : [`paired since ${after}`])]);
});

test('R7: a half that moves leaves only the deletion of a former other half that is deleted', () => {
  const moving = pairedHalf('left', 'moving', 2);
  const set = setOf([LEFT, RIGHT, moving, pairedHalf('right', 'gone', 2, { state: 'gone' })]);
  store(set, moving, RIGHT, { pairId: 1 });
  expect(textsOf(set)).toEqual(['gone gone', 'l gone', 'moving r linked']);
});

test('of the pairs of two halves, one stays and the other one ends', () => {
  const other = pairedHalf('right', 'r', 2);
  const set = setOf([LEFT, other], { 1: 'kept', 2: 'kept' });
  store(set, LEFT, other);
  expect([textsOf(set), set.pair(2)]).toEqual([['l r linked'], null]);
});

test.each<[string, Partial<Half>, Partial<Half> | null, readonly string[]]>([
  ['that exist', {}, { state: 'changed' }, []],
  ['of which one is shown although it was deleted', { state: 'doubted' }, {}, ['l doubted']],
  ['that are deleted', { state: 'gone' }, { state: 'gone' }, ['l gone', 'r gone']],
  ['of which one is stored', {}, null, []],
])('R7: a pair that ends keeps of its halves, %s, only a deletion', (_, left, right, expected) => {
  const own = pairedHalf('left', 'l', 1, left);
  const set = setOf(right === null ? [own] : [own, pairedHalf('right', 'r', 1, right)]);
  endPair(set, 1);
  expect(textsOf(set)).toEqual(expected);
});

test('R7: the deletion that an ended pair leaves has no times of listings, and the conflicts are resolved', () => {
  const times = { absences: 2, lastListedAtMs: 3, writtenAtMs: 4, heardAtMs: 5 };
  const set = setOf([pairedHalf('left', 'l', 1, { state: 'gone', mergedInto: 'survivor', ...times }), RIGHT]);
  endPair(set, 1);
  expect(set.halves()).toEqual([looseHalf('left', 'l', { state: 'gone', writtenAtMs: 4, heardAtMs: 5 })]);
  expect([dropsFrom(set, 'halves'), dropsFrom(set, 'pairs')]).toEqual([[{ side: 'right', id: 'r' }], [{ id: 1 }]]);
  expect(changesOf(set, 'end-conflicts')).toMatchObject([{ leftId: 'l', fields: 'all' }]);
});

test('a half that is kept alone uses its values as its base, or ends its pair if it is deleted or missing', () => {
  const baseless = pairedHalf('right', 'r', 1, { base: null, record: record('r', ADA, { groupIds: ['g'] }) });
  const kept = (...halves: readonly Half[]): WorkingSet => {
    const set = setOf(halves);
    keepAlone(set, 1, 'right', NOW);
    return set;
  };
  expect(kept(LEFT, baseless).pair(1)?.right).toMatchObject({ base: snapshot(ADA, ['g']), state: 'settled' });
  expect(textsOf(kept(LEFT, { ...RIGHT, state: 'gone' }))).toEqual(['r gone']);
  expect(textsOf(kept(LEFT))).toEqual([]);
  expect(kept().changes()).toEqual([]);
});

test('R18: two halves that are unlinked remember their pair until they are stored as a pair again', () => {
  const set = setOf([{ ...LEFT, state: 'changed' }, RIGHT]);
  unlinkPair(set, 1);
  expect(textsOf(set)).toEqual(['l changed', 'r settled']);
  expect(set.halves().map(({ formerPair }) => formerPair)).toEqual([1, 1]);
  expect(changesOf(set, 'end-conflicts')).toMatchObject([{ leftId: 'l', fields: 'all' }]);
  store(set, set.half('left', 'l'), set.half('right', 'r'));
  expect(set.halves().map(({ formerPair }) => formerPair)).toEqual([null, null]);
});
