import type { FeedChange, FeedPage } from '../../../../src/core/contact/requests.ts';
import { NO_CURSOR, type Cursor } from '../../../../src/core/state/rows.ts';
import { describe, expect, test } from 'vitest';
import type { Half } from '../../../../src/core/contact/half.ts';
import type { ContactRecord } from '../../../../src/core/contact/record.ts';
import {
  compareListing,
  discardListing,
  hasRenames,
  idsInPage,
  observeReadAnswer,
  observeDeletion,
  observeListing,
  observePage,
  rename,
} from '../../../../src/core/state/observe.ts';
import type { WorkingSet } from '../../../../src/core/state/working-set.ts';
import {
  ADA,
  adaRecord,
  changesOf,
  linkedPair,
  looseHalf,
  MODIFIED_AT_MS,
  pairedHalf,
  setOf,
} from '../../engine/support.ts';
import { edited, stateOf } from './support.ts';

const NOW = 10;

const upsert = (of: ContactRecord, ...previousIds: readonly string[]): FeedChange => ({
  kind: 'upsert',
  record: of,
  previousIds,
});

const tombstone = (id: string): FeedChange => ({ kind: 'tombstone', id });

const page = (changes: readonly FeedChange[], given: Partial<FeedPage> = {}): FeedPage => ({
  changes,
  unchanged: [],
  resume: null,
  cursor: null,
  total: null,
  ...given,
});

/** Applies a page of the left side's change feed. */
const observe = (set: WorkingSet, ...changes: readonly FeedChange[]): ReturnType<typeof observePage> => {
  return observePage(set, 'left', page(changes), NO_CURSOR, NOW);
};

describe('a change on a page of a feed', () => {
  test('is counted only if the next plan must examine it', () => {
    const set = setOf([...linkedPair(1, 'same', 's1'), ...linkedPair(2, 'edit', 's2'), ...linkedPair(3, 'gone', 's3')]);
    const counts = observe(
      set,
      upsert(adaRecord('same')),
      upsert(edited('edit')),
      upsert(adaRecord('new')),
      tombstone('gone'),
      tombstone('never seen'),
    );
    expect(counts).toEqual({ toPlan: 3, firstSeen: 1 });
    expect(['same', 'edit', 'new', 'gone', 'never seen'].map((id) => stateOf(set, id))).toEqual([
      'settled',
      'changed',
      'changed',
      'gone',
      'gone',
    ]);
  });

  test('[R1] is ignored if only the row changed: the half stays settled, and the new digest is stored', () => {
    const set = setOf(linkedPair(1, 'x', 's'));
    const fresh = adaRecord('x', { version: '2', digest: 'the next row' });
    expect(observe(set, upsert(fresh)).toPlan).toBe(0);
    expect(changesOf(set, 'put-half')).toMatchObject([{ half: { state: 'settled' }, digest: 'the next row' }]);
  });

  test('[R1] is ignored, and nothing of the contact is stored, if nothing changed at all', () => {
    const set = setOf(linkedPair(1, 'x', 's'));
    expect(observe(set, upsert(adaRecord('x'))).toPlan).toBe(0);
    expect(changesOf(set, 'put-half')).toEqual([]);
  });

  test('is no longer counted once an edit was reverted', () => {
    const set = setOf(linkedPair(1, 'x', 's'));
    expect(observe(set, upsert(edited('x'))).toPlan).toBe(1);
    expect(observe(set, upsert(adaRecord('x', { modifiedAtMs: MODIFIED_AT_MS + 2 }))).toPlan).toBe(0);
    expect(stateOf(set, 'x')).toBe('settled');
  });

  test('counts as a deletion if the page has the contact and its tombstone, in any order', () => {
    for (const changes of [
      [upsert(edited('x')), tombstone('x')],
      [tombstone('x'), upsert(edited('x'))],
    ]) {
      const set = setOf(linkedPair(1, 'x', 's'));
      observe(set, ...changes);
      expect(stateOf(set, 'x')).toBe('gone');
    }
  });

  test('records that a contact without a pair is deleted: a listing that shows it may lag', () => {
    const set = setOf([looseHalf('left', 'x')]);
    expect(observe(set, tombstone('x')).toPlan).toBe(0);
    expect(set.half('left', 'x')).toMatchObject({ pair: null, state: 'gone' });
    expect(observe(set, upsert(adaRecord('x'))).toPlan).toBe(0);
    expect(set.half('left', 'x')?.state).toBe('doubted');
  });

  test('affects its own side only', () => {
    const set = setOf(linkedPair(1, 'x', 'x'));
    observe(set, tombstone('x'));
    expect(set.half('right', 'x')?.state).toBe('settled');
  });

  test('needs the halves of every id on the page', () => {
    const unreadable: FeedChange = { kind: 'unreadable', id: 'u', reason: 'no shape' };
    const named = page([upsert(adaRecord('x'), 'former', 'older'), tombstone('t'), unreadable], { unchanged: ['k'] });
    expect(idsInPage(named)).toEqual(['x', 'former', 'older', 't']);
    expect(hasRenames(named)).toBe(true);
    expect(hasRenames(page([upsert(adaRecord('x')), tombstone('t')]))).toBe(false);
  });
});

describe('[R14] the position of the feed after a page', () => {
  const LISTING: Cursor = { ...NO_CURSOR, cursor: 'before', readAtMs: 1, listingStartedAtMs: 2, listedAtMs: 3 };
  const cursorAfter = (given: Partial<FeedPage>, cursor: Cursor) => {
    const set = setOf([]);
    observePage(set, 'left', page([], given), cursor, NOW);
    return changesOf(set, 'put');
  };

  test('is the next page while the walk is not at its end', () => {
    const cursor = { ...LISTING, resume: 'page 2' };
    expect(cursorAfter({ resume: 'page 2' }, LISTING)).toEqual([
      { kind: 'put', table: 'cursors', row: { side: 'left', ...cursor } },
    ]);
  });

  test('is the cursor of the last page, read now', () => {
    const cursor = { ...LISTING, resume: null, cursor: 'after', readAtMs: NOW };
    expect(cursorAfter({ cursor: 'after' }, { ...LISTING, resume: 'page 2' })).toEqual([
      { kind: 'put', table: 'cursors', row: { side: 'left', ...cursor } },
    ]);
  });

  const SHOWING = page([
    upsert(adaRecord('x'), 'former'),
    tombstone('t'),
    { kind: 'unreadable', id: 'u', reason: 'no shape' },
    { kind: 'unreadable', id: null, reason: 'no shape' },
  ]);

  test('records the ids that a listing in progress shows: readable or not, changed or known', () => {
    const set = setOf([]);
    observePage(set, 'left', { ...SHOWING, unchanged: ['k'] }, LISTING, NOW);
    expect(changesOf(set, 'shown')).toEqual([{ kind: 'shown', side: 'left', ids: ['x', 'u', 'k'] }]);
  });

  test('records no id if the page shows none, or outside a listing', () => {
    const set = setOf([]);
    observePage(set, 'left', page([tombstone('t')]), LISTING, NOW);
    observePage(set, 'left', SHOWING, { ...LISTING, listingStartedAtMs: null }, NOW);
    expect(changesOf(set, 'shown')).toEqual([]);
  });
});

describe('[R12] a contact that has another id', () => {
  test('moves its half to that id, which is planned', () => {
    const set = setOf(linkedPair(1, 'old', 's'));
    expect(observe(set, upsert(edited('new'), 'old')).toPlan).toBe(1);
    expect(set.half('left', 'old')).toMatchObject({ pair: null, base: null, state: 'gone', heardAtMs: NOW });
    expect(set.pair(1)?.left).toMatchObject({ id: 'new', pair: 1, state: 'changed', record: edited('new') });
  });

  test('is ignored if only the id changed', () => {
    const set = setOf(linkedPair(1, 'old', 's'));
    expect(observe(set, upsert(adaRecord('new'), 'old')).toPlan).toBe(0);
    expect(set.pair(1)?.left).toMatchObject({ id: 'new', state: 'settled' });
  });

  test('keeps its base: an edit made at the same time is still found', () => {
    const [left] = linkedPair(1, 'old', 's');
    const set = setOf(linkedPair(1, 'old', 's'));
    rename(set, 'left', 'old', 'new', NOW);
    expect(set.half('left', 'new')).toMatchObject({ base: left?.base, state: 'changed', record: { id: 'new' } });
  });

  test('replaces the contact without a pair that was found under the new id', () => {
    const found = looseHalf('left', 'new', { record: edited('new') });
    const set = setOf([...linkedPair(1, 'old', 's'), found]);
    rename(set, 'left', 'old', 'new', NOW);
    expect(set.pair(1)?.left).toMatchObject({ id: 'new', pair: 1, record: edited('new') });
    expect(stateOf(set, 'old')).toBe('gone');
  });

  test.each(['kept', 'dormant'] as const)(
    'does not move to a known contact if its half is the only one in a pair that is %s',
    (status) => {
      const found = looseHalf('left', 'new', { record: edited('new') });
      const set = setOf([pairedHalf('left', 'old', 1), found], { 1: status });
      rename(set, 'left', 'old', 'new', NOW);
      expect(set.half('left', 'new')).toBe(found);
      expect(set.half('left', 'old')).toMatchObject({ state: 'gone', mergedInto: 'new' });
    },
  );

  test.each(['kept', 'dormant'] as const)('is the only half under its new id in a pair that is %s', (status) => {
    const set = setOf([pairedHalf('left', 'old', 1)], { 1: status });
    rename(set, 'left', 'old', 'new', NOW);
    expect(set.pair(1)?.left).toMatchObject({ id: 'new', pair: 1 });
  });

  test('is deleted under the old id if it has no pair, and that is recorded once', () => {
    const set = setOf([looseHalf('left', 'old')]);
    rename(set, 'left', 'old', 'new', NOW);
    rename(set, 'left', 'old', 'new', NOW + 1);
    expect(set.halves()).toMatchObject([{ id: 'old', pair: null, state: 'gone', heardAtMs: NOW }]);
  });

  test('is named by the deleted halves of its former ids, also after its id changed again', () => {
    const set = setOf(linkedPair(1, 'first', 's'));
    rename(set, 'left', 'first', 'second', NOW);
    expect(set.half('left', 'first')).toMatchObject({ state: 'gone', pair: null, mergedInto: 'second' });
    rename(set, 'left', 'second', 'third', NOW);
    expect(set.halves().flatMap(({ id, mergedInto }) => (mergedInto === 'third' ? [id] : []))).toEqual([
      'first',
      'second',
    ]);
  });

  describe('[R18] of a pair that was unlinked', () => {
    const unlinked: Half = { ...looseHalf('left', 'old'), state: 'settled', formerPair: 7 };

    test('keeps the former pair under its new id, also if that was shown before', () => {
      const set = setOf([unlinked]);
      observe(set, upsert(adaRecord('new'), 'old'));
      expect(set.half('left', 'old')).toMatchObject({ state: 'gone', formerPair: null });
      expect(set.half('left', 'new')).toMatchObject({ state: 'changed', pair: null, formerPair: 7 });
      const shown = setOf([unlinked, looseHalf('left', 'new')]);
      rename(shown, 'left', 'old', 'new', NOW);
      expect(shown.half('left', 'new')).toMatchObject({ pair: null, formerPair: 7 });
    });

    test('has no former pair any more if it was merged into a linked contact', () => {
      const set = setOf([unlinked, ...linkedPair(1, 'survivor', 's')]);
      rename(set, 'left', 'old', 'survivor', NOW);
      expect(set.half('left', 'old')).toMatchObject({ state: 'gone', formerPair: null });
      expect(set.half('left', 'survivor')).toMatchObject({ pair: 1, formerPair: null });
    });
  });

  test('changes nothing if the old id is unknown, or is the new one', () => {
    const set = setOf(linkedPair(1, 'x', 's'));
    rename(set, 'left', 'never seen', 'x', NOW);
    rename(set, 'left', 'x', 'x', NOW);
    expect(set.changes()).toEqual([]);
  });

  test('exists again under the new id if it was deleted under the old one', () => {
    const deleted = pairedHalf('left', 'old', 1, { state: 'gone', mergedInto: 'somebody' });
    const set = setOf([deleted, pairedHalf('right', 's', 1)]);
    rename(set, 'left', 'old', 'new', NOW);
    expect(set.pair(1)?.left).toMatchObject({ id: 'new', state: 'changed', mergedInto: null });
  });
});

describe('[R12] a contact that was merged into the one of another pair', () => {
  const merged = () => {
    const set = setOf([...linkedPair(1, 'survivor', 's1'), ...linkedPair(2, 'away', 's2')]);
    observe(set, upsert(edited('survivor'), 'away'));
    return set;
  };
  const AWAY = { state: 'gone', mergedInto: 'survivor', pair: 2 };

  test('is deleted, and its survivor is planned with it', () => {
    const set = merged();
    expect(set.half('left', 'away')).toMatchObject(AWAY);
    expect(stateOf(set, 'survivor')).toBe('changed');
    expect(set.pair(2)?.right?.state).toBe('settled');
  });

  test('keeps the last values of its side: values that its other half never received are found by them', () => {
    expect(merged().half('left', 'away')).toMatchObject({ record: adaRecord('away'), base: { contact: ADA } });
  });

  test('stays marked as merged if its deletion is reported again', () => {
    const set = merged();
    observe(set, tombstone('away'));
    observeDeletion(set, 'left', 'away', NOW + 1);
    expect(set.half('left', 'away')).toMatchObject(AWAY);
  });

  test('is merged into the survivor under its new id, if the survivor is renamed', () => {
    const set = merged();
    observe(set, upsert(edited('renamed'), 'survivor'));
    expect(set.half('left', 'away')).toMatchObject({ ...AWAY, mergedInto: 'renamed' });
    expect(stateOf(set, 'renamed')).toBe('changed');
  });

  test('is merged into the last survivor, if the survivor is merged away itself', () => {
    const set = merged();
    set.load(linkedPair(3, 'last', 's3'), [{ id: 3, status: 'linked' }]);
    observe(set, upsert(edited('last'), 'survivor'));
    expect(set.half('left', 'away')).toMatchObject({ ...AWAY, mergedInto: 'last' });
    expect(set.half('left', 'survivor')).toMatchObject({ state: 'gone', mergedInto: 'last' });
  });

  test('is not followed on the other side, if another contact has the same id there', () => {
    const other = pairedHalf('right', 'x', 4, { state: 'gone', mergedInto: 'survivor' });
    const set = setOf([...linkedPair(1, 'survivor', 's1'), pairedHalf('left', 'l', 4), other]);
    rename(set, 'left', 'survivor', 'renamed', NOW);
    expect(set.half('right', 'x')).toBe(other);
  });

  test('was not merged if a read finds it again, even if it is deleted afterwards', () => {
    const set = merged();
    const again = { ...adaRecord('away'), groupIds: ['g'] };
    observe(set, upsert(again));
    expect(set.half('left', 'away')).toMatchObject({ ...AWAY, state: 'doubted' });
    observeReadAnswer(set, 'left', 'away', { kind: 'found', record: again }, NOW);
    expect(set.half('left', 'away')).toMatchObject({ state: 'changed', mergedInto: null });
    observe(set, tombstone('away'));
    expect(set.half('left', 'away')).toMatchObject({ state: 'gone', mergedInto: null });
  });
});

describe('[R7] a complete listing', () => {
  const INDEX = [
    pairedHalf('left', 'there', 1),
    pairedHalf('left', 'missed', 2),
    pairedHalf('left', 'back', 3, { absences: 1 }),
    pairedHalf('left', 'absent again', 4, { absences: 1 }),
    looseHalf('left', 'alone'),
    looseHalf('left', 'lost'),
  ];

  test('is compared with the known halves of its side', () => {
    expect(compareListing(INDEX, ['there', 'back', 'alone', 'new'])).toEqual({
      seen: 4,
      paired: 4,
      pairedSeen: 2,
      missed: ['missed', 'absent again', 'lost'],
      reappeared: ['back'],
    });
  });

  test('without any contact misses every contact', () => {
    expect(compareListing(INDEX, [])).toMatchObject({ seen: 0, paired: 4, pairedSeen: 0, reappeared: [] });
    expect(compareListing([], [])).toEqual({ seen: 0, paired: 0, pairedSeen: 0, missed: [], reappeared: [] });
  });

  const CURSOR: Cursor = { cursor: 'c', readAtMs: 1, resume: 'page 2', listingStartedAtMs: NOW, listedAtMs: 2 };

  test('marks missed contacts to be read, clears shown ones, and drops missed contacts without a pair', () => {
    const set = setOf(INDEX);
    const listing = { missed: ['missed', 'absent again', 'lost'], reappeared: ['back'] };
    observeListing(set, 'left', listing, new Set(), CURSOR, NOW + 5);
    expect(set.half('left', 'missed')).toMatchObject({ state: 'missing', heardAtMs: NOW, absences: 0 });
    expect(set.half('left', 'absent again')).toMatchObject({ state: 'missing', absences: 1 });
    expect(set.half('left', 'back')).toMatchObject({ state: 'settled', absences: 0 });
    expect(set.half('left', 'lost')).toBeNull();
    expect(set.half('left', 'there')).toBe(INDEX[0]);
    expect(set.half('left', 'alone')).toBe(INDEX[4]);
  });

  test('does not affect a contact that changed since it began', () => {
    const changed = pairedHalf('left', 'x', 1, { state: 'changed', heardAtMs: NOW });
    const found = looseHalf('left', 'y', { heardAtMs: NOW });
    const set = setOf([changed, found]);
    observeListing(set, 'left', { missed: ['x', 'y'], reappeared: [] }, new Set(), CURSOR, NOW + 5);
    expect(set.halves()).toEqual([changed, found]);
  });

  test('R9: keeps the source of a create of unknown outcome, which a read decides about', () => {
    const set = setOf([looseHalf('left', 'source', { heardAtMs: NOW - 1 })]);
    observeListing(set, 'left', { missed: ['source'], reappeared: [] }, new Set(['source']), CURSOR, NOW + 5);
    expect(set.half('left', 'source')).toMatchObject({ state: 'missing' });
  });

  test('ends at the position of the feed, without a page to resume at', () => {
    const set = setOf([]);
    observeListing(set, 'left', { missed: [], reappeared: [] }, new Set(), CURSOR, NOW + 5);
    const cursor = { ...CURSOR, resume: null, listingStartedAtMs: null, listedAtMs: NOW + 5 };
    expect(set.changes()).toEqual([
      { kind: 'drop', table: 'shownPages', where: { side: 'left' } },
      { kind: 'put', table: 'cursors', row: { side: 'left', ...cursor } },
    ]);
  });

  test('that is discarded has missed no contact, and the next run lists the whole side', () => {
    const changed = pairedHalf('left', 'edited', 2, { state: 'missing', record: edited('edited') });
    const missing: Half = { ...changed, base: pairedHalf('left', 'x', 2).base };
    const settling = pairedHalf('left', 'settling', 3, { state: 'settling' });
    const deleted = pairedHalf('left', 'gone', 4, { state: 'gone' });
    const elsewhere = pairedHalf('right', 'elsewhere', 1, { state: 'missing' });
    const set = setOf([pairedHalf('left', 'same', 1, { state: 'missing' }), missing, settling, deleted, elsewhere]);
    discardListing(set, 'left', CURSOR);
    expect(['same', 'edited', 'settling', 'gone'].map((id) => stateOf(set, id))).toEqual([
      'settled',
      'changed',
      'settling',
      'gone',
    ]);
    expect(set.half('right', 'elsewhere')).toBe(elsewhere);
    const cursor = { cursor: null, readAtMs: 1, resume: null, listingStartedAtMs: null, listedAtMs: 2 };
    expect(set.changes().slice(-2)).toEqual([
      { kind: 'drop', table: 'shownPages', where: { side: 'left' } },
      { kind: 'put', table: 'cursors', row: { side: 'left', ...cursor } },
    ]);
  });
});

test('evidence of a deletion is counted once for a contact of a pair, and never for another one', () => {
  const set = setOf([...linkedPair(1, 'x', 's'), looseHalf('left', 'alone')]);
  expect(observeDeletion(set, 'left', 'x', NOW)).toBe(true);
  expect(observeDeletion(set, 'left', 'alone', NOW)).toBe(false);
  expect(observeDeletion(set, 'left', 'never seen', NOW)).toBe(false);
});
