import { describe, expect, test } from 'vitest';
import type { Half } from '../../../../src/contact/half.ts';
import type { ContactRecord } from '../../../../src/contact/record.ts';
import type { FeedChange, FeedPage, ReadAnswer } from '../../../../src/providers/remote.ts';
import { NO_CURSOR, type Cursor } from '../../../../src/store/store.ts';
import { compareListing, observeListing, observeMissing, observePage } from '../../../../src/sync/state/observe.ts';
import type { WorkingSet } from '../../../../src/sync/state/working-set.ts';
import { record, SIDE_PAIRS, snapshot } from '../../reconcile/support.ts';
import { ADA, adaRecord, looseHalf, MODIFIED_AT_MS, pairedHalf, setOf } from '../support.ts';

const NOW = 1_000_000;
const NEVER = { confirmsAbsenceAfter: null, settlesWithinMs: 600_000 };
const TWICE = { confirmsAbsenceAfter: 2, settlesWithinMs: 0 };
const EMPTY = snapshot({});

const edited = (id: string): ContactRecord => {
  return record(id, { ...ADA, title: 'Countess' }, { modifiedAtMs: MODIFIED_AT_MS + 1 });
};
const found = (of: ContactRecord): ReadAnswer => ({ kind: 'found', record: of });

describe('[R7] a deleted contact that a lagging feed still shows', () => {
  const GONE = pairedHalf('left', 'x', 1, { state: 'gone', writtenAtMs: NOW - 1 });
  const OTHER = pairedHalf('right', 's', 1);
  const show = (half: Half = GONE) => {
    const set = setOf(half.pair === null ? [half] : [half, OTHER]);
    const changes: readonly FeedChange[] = [{ kind: 'upsert', record: edited('x'), previousIds: [] }];
    const page: FeedPage = { changes, unchanged: [], resume: null, cursor: null, total: null };
    return { set, news: observePage(set, 'left', page, NO_CURSOR, NOW) };
  };
  const read = (answer: ReadAnswer, half: Half = GONE) => {
    const { set } = show(half);
    const doubted = set.half('left', 'x');
    if (doubted === null) throw new Error('The half is missing.');
    observeMissing(set, doubted, answer, TWICE, NOW + 1);
    return set;
  };

  test('is no news: nothing of it is believed before a read', () => {
    const { set, news } = show();
    expect(news).toBe(0);
    expect(set.half('left', 'x')).toEqual({ ...GONE, state: 'doubted' });
  });

  test('is no contact that could be created at the other side where its pair has ended', () => {
    const buried = looseHalf('left', 'x', { state: 'gone' });
    const { set, news } = show(buried);
    expect(news).toBe(0);
    expect(set.half('left', 'x')).toEqual({ ...buried, state: 'doubted' });
  });

  test('is gone still where no read finds it, even if it was written a moment ago', () => {
    expect(read({ kind: 'gone' }).half('left', 'x')).toMatchObject({ state: 'gone', record: GONE.record });
    const { set } = show();
    const doubted = { ...GONE, state: 'doubted' } as const;
    observeMissing(set, doubted, { kind: 'gone' }, NEVER, NOW);
    expect(set.half('left', 'x')).toMatchObject({ state: 'gone' });
  });

  test('stands again where a read finds it, and no absence is counted', () => {
    expect(read(found(adaRecord('x'))).half('left', 'x')).toMatchObject({ state: 'settled', absences: 0 });
    expect(read(found(edited('x'))).half('left', 'x')).toMatchObject({ state: 'changed', record: edited('x') });
  });

  test('stays in doubt where the read cannot be understood', () => {
    expect(read({ kind: 'unreadable', reason: 'no shape' }).half('left', 'x')).toMatchObject({ state: 'doubted' });
  });

  test('[R12] stands under its new id where the read answers with that', () => {
    const set = read({ kind: 'moved', record: edited('y') });
    expect(set.half('left', 'x')).toBeNull();
    expect(set.pair(1)?.left).toMatchObject({ id: 'y', state: 'changed', record: edited('y') });
  });

  test('is gone again without a read where the next complete listing does not show it', () => {
    const { set } = show();
    const listing = { missed: ['x'], back: [] };
    observeListing(set, 'left', listing, { ...NO_CURSOR, listingStartedAtMs: NOW }, NOW);
    expect(set.half('left', 'x')).toMatchObject({ state: 'gone', heardAtMs: NOW });
  });
});

/** Complete listings of the left side, each at its time, of which every absence is confirmed by a read. */
const listed = (set: WorkingSet, listings: readonly { readonly atMs: number; readonly shows: boolean }[]) => {
  let cursor: Cursor = NO_CURSOR;
  for (const { atMs, shows } of listings) {
    const index = set.halves().filter(({ side }) => side === 'left');
    const listing = compareListing(index, shows ? ['x'] : []);
    observeListing(set, 'left', listing, { ...cursor, listingStartedAtMs: atMs }, atMs);
    cursor = { ...NO_CURSOR, listedAtMs: atMs };
    const half = set.half('left', 'x');
    if (half?.state === 'missing') observeMissing(set, half, found(half.record), TWICE, atMs);
  }
  return set;
};

describe('[R7] when a listing last showed a contact', () => {
  const there = { atMs: 100, shows: true };
  const missed = (atMs: number) => ({ atMs, shows: false });
  const after = (...listings: Parameters<typeof listed>[1]) => {
    return listed(setOf([pairedHalf('left', 'x', 1), pairedHalf('right', 's', 1)]), listings).half('left', 'x');
  };

  test('is noted at its first absence, and kept at the next ones', () => {
    expect(after(there, missed(200))).toMatchObject({ absences: 1, lastListedAtMs: 100 });
    expect(after(there, missed(200), missed(300))).toMatchObject({ state: 'gone', lastListedAtMs: 100 });
  });

  test('is not kept once a listing shows it again', () => {
    expect(after(there, missed(200), { atMs: 300, shows: true })).toMatchObject({ absences: 0, lastListedAtMs: null });
    expect(after(there, missed(200), { atMs: 300, shows: true }, missed(400))).toMatchObject({ lastListedAtMs: 300 });
  });

  test('is unknown where there was no complete listing before', () => {
    expect(after(missed(200))).toMatchObject({ absences: 1, lastListedAtMs: null });
  });
});

describe('[R6] a contact that its side archived instead of deleting', () => {
  const archive = (given: Partial<Half>, other: Half | null = pairedHalf('right', 's', 1)) => {
    const half = pairedHalf('left', 'x', 1, { state: 'missing', absences: 1, ...given });
    const set = setOf(other === null ? [half] : [half, other]);
    observeMissing(set, half, found(half.record), TWICE, NOW);
    expect(set.half('left', 'x')).toMatchObject({ state: 'gone', heardAtMs: NOW });
    return set.pair(1);
  };

  test.each<[string, Partial<Half>, boolean]>([
    ['was written after a listing last showed it', { writtenAtMs: 101, lastListedAtMs: 100 }, true],
    ['was written when a listing last showed it', { writtenAtMs: 100, lastListedAtMs: 100 }, true],
    ['was written before a listing last showed it', { writtenAtMs: 99, lastListedAtMs: 100 }, false],
    ['was never written', { writtenAtMs: null, lastListedAtMs: 100 }, false],
    ['was never listed before', { writtenAtMs: 101, lastListedAtMs: null }, false],
  ])('and that %s', (_, given, beats) => {
    const kept = pairedHalf('right', 's', 1);
    const expected = beats ? { ...kept, state: 'changed', base: EMPTY } : kept;
    expect(archive(given)?.right).toEqual(expected);
  });

  const WRITTEN = { writtenAtMs: 101, lastListedAtMs: 100 };

  test.each(['changed', 'missing', 'settling', 'gone', 'doubted'] as const)(
    'leaves the other half to its own evidence where that one is %s',
    (state) => {
      expect(archive(WRITTEN, pairedHalf('right', 's', 1, { state }))?.right).toMatchObject({ state, base: EMPTY });
    },
  );

  test('is all that there is where it has no other half', () => {
    expect(archive(WRITTEN, null)).toMatchObject({ left: { state: 'gone' }, right: null });
  });

  test.each(SIDE_PAIRS)(
    'counts against an edit from %s that was written to it in the archive, at %s',
    (other, side) => {
      const half = pairedHalf(side, 'x', 1, { state: 'missing', absences: 1, ...WRITTEN });
      const set = setOf([half, pairedHalf(other, 's', 1)]);
      observeMissing(set, half, found(half.record), TWICE, NOW);
      expect(set.pair(1)).toMatchObject({ [side]: { state: 'gone' }, [other]: { state: 'changed', base: EMPTY } });
    },
  );

  test('is compared with the listing before its first absence, not with the last one', () => {
    const set = setOf([pairedHalf('left', 'x', 1), pairedHalf('right', 's', 1)]);
    listed(set, [
      { atMs: 100, shows: true },
      { atMs: 200, shows: false },
    ]);
    const half = set.half('left', 'x');
    if (half === null) throw new Error('The half is missing.');
    set.put({ ...half, state: 'missing', writtenAtMs: 150 });
    const missing = set.half('left', 'x');
    if (missing !== null) observeMissing(set, missing, found(missing.record), TWICE, NOW);
    expect(set.pair(1)).toMatchObject({ left: { state: 'gone' }, right: { state: 'changed', base: EMPTY } });
  });
});
