import { describe, expect, test } from 'vitest';
import type { Half } from '../../../../src/core/contact/half.ts';
import { WorkingSet } from '../../../../src/core/state/working-set.ts';
import { changesOf, linkedPair, looseHalf, pairedHalf, setOf } from '../../engine/support.ts';

const [ADA, BEN] = [pairedHalf('left', 'ada', 1), pairedHalf('right', 'ben', 1)];
const OPEN: Half = { ...ADA, state: 'changed' };
const put = (half: Half, digest: string | null) => ({ kind: 'put-half', half, digest });
const keep = (half: Half, digest: string | null) => ({ ...put(half, digest), keepsRecord: true });

describe('a working set', () => {
  test('returns only the halves and pairs that it has loaded', () => {
    const set = setOf([ADA, BEN], { 1: 'kept' });
    expect(set.half('left', 'ada')).toBe(ADA);
    expect(set.half('right', 'ada')).toBeNull();
    expect(set.halves()).toEqual([ADA, BEN]);
    expect(set.pair(1)).toEqual({ id: 1, status: 'kept', left: ADA, right: BEN });
    expect(set.pair(2)).toBeNull();
  });

  test('keeps its contents if the same rows are loaded again', () => {
    const set = setOf([ADA, BEN]);
    set.put(OPEN);
    set.drop(BEN);
    set.putPair(1, 'kept');
    set.load([ADA, BEN], [{ id: 1, status: 'linked' }]);
    expect(set.pair(1)).toEqual({ id: 1, status: 'kept', left: OPEN, right: null });
  });

  test('returns a pair as it is after halves were added, moved and deleted', () => {
    const set = setOf([ADA, BEN, looseHalf('right', 'cid')]);
    set.drop(BEN);
    expect(set.pair(1)).toMatchObject({ left: ADA, right: null });
    const moved = pairedHalf('right', 'cid', 1);
    set.put(moved);
    expect(set.pair(1)).toMatchObject({ left: ADA, right: moved });
    set.put({ ...ADA, pair: null });
    expect(set.pair(1)).toMatchObject({ left: null, right: moved });
  });

  test('treats halves of one id on both sides as two', () => {
    const [left, right] = linkedPair(1, 'x', 'x');
    const set = setOf([left ?? ADA, right ?? BEN]);
    set.drop({ side: 'left', id: 'x' });
    expect(set.pair(1)).toMatchObject({ left: null, right });
  });
});

describe('[R1] the changes of a working set', () => {
  test('are empty if nothing changed', () => {
    const set = setOf([ADA, BEN]);
    set.put(ADA);
    expect(set.putPair(1, 'linked')).toBe(1);
    expect(set.changes()).toEqual([]);
  });

  test('are empty if a half was added and removed, and if a pair was', () => {
    const set = new WorkingSet();
    set.put(looseHalf('left', 'x'));
    set.drop({ side: 'left', id: 'x' });
    set.drop({ side: 'left', id: 'never' });
    set.dropPair(set.putPair(null, 'linked'));
    set.dropPair(9);
    expect(set.changes()).toEqual([]);
  });

  test('put a half with the digest that identifies its row, or with none', () => {
    const set = setOf([OPEN, BEN]);
    set.put(ADA);
    expect(set.changes()).toEqual([keep(ADA, 'row of ada')]);
    const opened = setOf([ADA, BEN]);
    opened.put(OPEN);
    expect(opened.changes()).toEqual([keep(OPEN, null)]);
  });

  test('contain the final state: the last of several', () => {
    const set = setOf([ADA, BEN]);
    set.put(OPEN);
    set.drop(ADA);
    set.put({ ...ADA, state: 'missing' });
    expect(set.changes()).toEqual([keep({ ...ADA, state: 'missing' }, null)]);
  });

  test('drop rows that the store has', () => {
    const set = setOf([ADA, BEN]);
    set.drop(ADA);
    expect(set.changes()).toEqual([{ kind: 'drop', table: 'halves', where: { side: 'left', id: 'ada' } }]);
  });

  test('give a pair another status, and leave its halves unchanged', () => {
    const set = setOf([ADA, BEN]);
    expect(set.putPair(1, 'dormant')).toBe(1);
    expect(set.changes()).toEqual([{ kind: 'put-pair', id: 1, status: 'dormant', halves: [] }]);
  });

  test('make a new pair together with its halves, each of which is in that pair only', () => {
    const set = setOf([ADA, BEN, looseHalf('right', 'cid')]);
    const id = set.putPair(null, 'linked');
    const [left, right] = [
      { ...ADA, pair: id },
      { ...pairedHalf('right', 'cid', id), state: 'changed' as const },
    ];
    set.put(left);
    set.put(right);
    const halves = [
      { half: left, digest: 'row of ada', keepsRecord: true },
      { half: right, digest: null },
    ];
    expect(set.pair(id)).toMatchObject({ left, right });
    expect(set.changes()).toEqual([{ kind: 'put-pair', id: null, status: 'linked', halves }]);
  });

  test('make two pairs of two new ones', () => {
    const set = new WorkingSet();
    for (const id of ['x', 'y']) set.put(pairedHalf('left', id, set.putPair(null, 'kept')));
    const names = changesOf(set, 'put-pair').map(({ halves }) => halves.map(({ half }) => half.id));
    expect(names).toEqual([['x'], ['y']]);
  });

  test('end a pair with its halves and the conflicts of its left one', () => {
    const set = setOf([ADA, BEN]);
    set.dropPair(1);
    expect(set.pair(1)).toBeNull();
    expect(set.halves()).toEqual([]);
    expect(set.changes()).toEqual([
      { kind: 'drop', table: 'halves', where: { side: 'left', id: 'ada' } },
      { kind: 'drop', table: 'halves', where: { side: 'right', id: 'ben' } },
      { kind: 'drop', table: 'pairs', where: { id: 1 } },
      { kind: 'end-conflicts', leftId: 'ada', fields: 'all', atMs: Math.max(ADA.heardAtMs, BEN.heardAtMs) },
    ]);
  });

  test('end a pair without a left half, which has no conflicts', () => {
    const set = setOf([BEN]);
    set.dropPair(1);
    expect(set.changes()).toMatchObject([{ table: 'halves' }, { table: 'pairs' }]);
  });

  test('drop before they put, so that a half may replace another one, and add the rest in its order', () => {
    const set = setOf([ADA, BEN, ...linkedPair(2, 'cid', 'dot')]);
    set.add(
      { kind: 'drop', table: 'shownPages', where: { side: 'left' } },
      { kind: 'drop', table: 'groupPairs', where: { key: 'g' } },
    );
    set.put({ ...ADA, id: 'renamed' });
    set.drop(ADA);
    set.dropPair(2);
    set.add({ kind: 'drop', table: 'shownPages', where: { side: 'right' } });
    const kinds = set.changes().map((change) => ('table' in change ? `${change.kind} ${change.table}` : change.kind));
    expect(kinds).toEqual([
      'drop halves',
      'drop halves',
      'drop halves',
      'drop pairs',
      'put-half',
      'drop shownPages',
      'drop groupPairs',
      'end-conflicts',
      'drop shownPages',
    ]);
  });
});

describe('a working set whose changes are stored', () => {
  test('has no changes left, and has its new pairs by the ids that the store assigned', () => {
    const set = setOf([ADA, BEN]);
    set.dropPair(1);
    const [one, other] = [set.putPair(null, 'kept'), set.putPair(null, 'linked')];
    set.put(pairedHalf('left', 'cid', one));
    set.put(pairedHalf('left', 'dot', other));
    set.markStored([7, 8]);
    expect(set.changes()).toEqual([]);
    expect(set.pair(7)).toMatchObject({ status: 'kept', left: { id: 'cid', pair: 7 }, right: null });
    expect(set.pair(8)).toMatchObject({ status: 'linked', left: { id: 'dot', pair: 8 } });
    expect([set.pair(one), set.pair(1), set.half('left', 'ada')]).toEqual([null, null, null]);
  });

  test('returns later changes only, against the rows as stored at that time', () => {
    const set = setOf([ADA, BEN]);
    set.put(OPEN);
    set.putPair(1, 'kept');
    set.markStored([]);
    set.put(OPEN);
    set.putPair(1, 'kept');
    expect(set.changes()).toEqual([]);
    set.put(ADA);
    set.putPair(1, 'linked');
    expect(set.changes()).toEqual([{ kind: 'put-pair', id: 1, status: 'linked', halves: [] }, keep(ADA, 'row of ada')]);
  });

  test('has the rows that it has loaded or set, deleted ones included', () => {
    const set = setOf([ADA, BEN]);
    set.drop(ADA);
    expect([set.has('left', 'ada'), set.has('right', 'ben'), set.has('right', 'ada')]).toEqual([true, true, false]);
    expect([set.hasPair(1), set.hasPair(2)]).toEqual([true, false]);
  });
});
