import { describe, expect, test } from 'vitest';
import type { Half } from '../../../../src/core/contact/half.ts';
import type { ContactRecord } from '../../../../src/core/contact/record.ts';
import { snapshotOf } from '../../../../src/core/contact/snapshot.ts';
import { knownDigest, newHalf, nextHalf } from '../../../../src/core/state/half.ts';
import { record, snapshot } from '../reconcile/support.ts';
import { ADA, adaRecord, HEARD_AT_MS, MODIFIED_AT_MS, pairedHalf } from '../../engine/support.ts';
import { EDITED, HALVES, NOW } from './half-support.ts';

describe('[R1] a record that is shown', () => {
  const shown = (half: Half | null, given: Half['record']) =>
    nextHalf('left', half, { kind: 'shown', record: given, atMs: NOW });
  const { settled, changed, missing, settling } = HALVES;

  test('changes nothing where the half is settled by that very record', () => {
    expect(shown(settled, adaRecord('x'))).toBe(settled);
  });

  test.each([
    ['another version', adaRecord('x', { version: '2' })],
    ['another digest', adaRecord('x', { digest: 'the next row' })],
    ['other data that is not synced', adaRecord('x', { raw: '{"birthday":1}' })],
    ['no digest', record('x', ADA, { modifiedAtMs: MODIFIED_AT_MS })],
  ])('with %s that says what the base says leaves the half settled', (_, given) => {
    expect(shown(settled, given)).toEqual({ ...settled, record: given, heardAtMs: NOW });
  });

  test.each([
    ['changed', changed],
    ['missing', missing],
    ['settling', settling],
  ])('settles a half that is %s where it says what the base says', (_, half) => {
    const base = snapshotOf(adaRecord('x'));
    const given = adaRecord('x', { version: '2' });
    const expected = { record: given, base, state: 'settled', mergedInto: null, heardAtMs: NOW };
    expect(shown({ ...half, base }, given)).toEqual({ ...half, ...expected });
  });

  test.each([
    ['a value', record('x', { firstName: 'Augusta' })],
    ['the membership', record('x', ADA, { groupIds: ['g'] })],
  ])('opens the half where %s is not that of the base', (_, given) => {
    expect(shown(settled, given)).toMatchObject({ state: 'changed', record: given });
  });

  test('opens a half without a base, and one without a pair', () => {
    expect(shown({ ...settled, base: null }, adaRecord('x', { version: '2' }))?.state).toBe('changed');
    expect(shown({ ...settled, pair: null }, adaRecord('x', { version: '2' }))?.state).toBe('changed');
  });

  test('is looked at again where it differs from the base although the half was settled: what is held stays held', () => {
    const held: Half = { ...settled, base: snapshot({ ...ADA, title: 'Countess' }) };
    expect(shown(held, held.record)).toEqual({ ...held, state: 'changed', heardAtMs: NOW });
  });

  test('keeps how often the half was missing, and when it was written', () => {
    const half: Half = { ...missing, absences: 1, writtenAtMs: 3 };
    expect(shown(half, EDITED)).toMatchObject({ absences: 1, writtenAtMs: 3 });
  });
});

describe('[R14] an outdated record, as an overlapping page shows it,', () => {
  const older = adaRecord('x', { modifiedAtMs: MODIFIED_AT_MS - 1, version: '0', groupIds: ['former'] });

  test.each(['unpaired', 'settled', 'changed', 'missing', 'settling'] as const)(
    'does not change a half that is %s',
    (state) => {
      const half = HALVES[state];
      expect(nextHalf('left', half, { kind: 'shown', record: older, atMs: NOW })).toBe(half);
    },
  );

  test.each<[string, number | null, number | null]>([
    ['both times are the same', MODIFIED_AT_MS, MODIFIED_AT_MS],
    ['its side names no time for it', null, MODIFIED_AT_MS],
    ['its side named no time before', MODIFIED_AT_MS - 1, null],
  ])('is none where %s', (_, modifiedAtMs, knownMs) => {
    const half = pairedHalf('left', 'x', 1, { record: adaRecord('x', { modifiedAtMs: knownMs }) });
    const next = nextHalf('left', half, { kind: 'shown', record: { ...older, modifiedAtMs }, atMs: NOW });
    expect(next).toMatchObject({ state: 'changed', record: { groupIds: ['former'] } });
  });

  const takenIn = (half: Half, atMs: number) => {
    const next = nextHalf('left', half, { kind: 'shown', record: older, atMs });
    return next !== half && next?.record === older;
  };

  test.each<[string, number, boolean]>([
    ['a moment ago, as a feed that lags', HEARD_AT_MS, false],
    ['less than ten minutes ago', HEARD_AT_MS + 600_000 - 1, false],
    ['ten minutes ago, as where the side was restored from a backup', HEARD_AT_MS + 600_000, true],
    ['an hour ago', HEARD_AT_MS + 3_600_000, true],
    ['by a clock that was ahead', HEARD_AT_MS - 600_000, true],
  ])('that comes where the half was last heard of %s', (_, atMs, expected) => {
    expect(takenIn(HALVES.settled, atMs)).toBe(expected);
  });

  test.each<[string, number, boolean]>([
    ['within the margin of the clocks counts', HEARD_AT_MS + 300_000, false],
    ['further ahead of our clock says nothing: later edits are still seen', HEARD_AT_MS + 300_001, true],
    ['years ahead says nothing', 4_000_000_000_000, true],
  ])('is measured by the known stamp: one %s', (_, modifiedAtMs, expected) => {
    expect(takenIn(pairedHalf('left', 'x', 1, { record: adaRecord('x', { modifiedAtMs }) }), NOW)).toBe(expected);
  });

  test.each(['unpaired', 'unselected', 'settled', 'changed'] as const)(
    'does not change a half that is %s where a read shows it: reads lag too',
    (state) => {
      const half = HALVES[state];
      expect(nextHalf('left', half, { kind: 'found', record: older, atMs: NOW })).toBe(half);
    },
  );

  test.each(['missing', 'settling'] as const)('that a read finds of a half that is %s says that it stands', (state) => {
    const half = HALVES[state];
    const next = nextHalf('left', half, { kind: 'found', record: older, atMs: NOW });
    expect(next).toEqual({ ...half, state: 'settled' });
  });

  test.each(['gone', 'doubted', 'buried', 'exhumed'] as const)('does not bring back a half that is %s', (state) => {
    const half = HALVES[state];
    expect(nextHalf('left', half, { kind: 'found', record: older, atMs: NOW })).toBe(half);
  });

  test('that a read finds ten minutes later is what stands there', () => {
    const atMs = HEARD_AT_MS + 600_000;
    const next = nextHalf('left', HALVES.settled, { kind: 'found', record: older, atMs });
    expect(next).toMatchObject({ state: 'changed', record: older, heardAtMs: atMs });
  });
});

describe('[R7] a deleted contact that a feed or a listing shows', () => {
  const shown = (half: Half) => nextHalf('left', half, { kind: 'shown', record: EDITED, atMs: NOW });

  test.each(['gone', 'buried'] as const)('is in doubt, and keeps what is known of it: %s', (state) => {
    const half = HALVES[state];
    expect(shown(half)).toEqual({ ...half, state: 'doubted' });
    expect(knownDigest({ ...half, state: 'doubted' })).toBeNull();
  });

  test.each(['doubted', 'exhumed'] as const)('is still in doubt however often it is shown: %s', (state) => {
    expect(shown(HALVES[state])).toBe(HALVES[state]);
  });

  test('is believed again, settled, once a read finds what its base says', () => {
    const given = adaRecord('x', { version: '2' });
    const next = nextHalf('left', HALVES.doubted, { kind: 'found', record: given, atMs: NOW });
    expect(next).toEqual({
      ...HALVES.doubted,
      state: 'settled',
      record: given,
      mergedInto: null,
      heardAtMs: NOW,
    });
  });

  test('is a contact that the next plan looks at once a read finds it where it has no pair', () => {
    const next = nextHalf('left', HALVES.exhumed, { kind: 'found', record: EDITED, atMs: NOW });
    expect(next).toMatchObject({ state: 'changed', pair: null, record: EDITED });
  });
});

test('a contact that nothing is known of is a half of no pair that the next plan looks at', () => {
  expect(newHalf('right', EDITED, NOW)).toEqual({
    side: 'right',
    id: 'x',
    pair: null,
    state: 'changed',
    record: EDITED,
    base: null,
    mergedInto: null,
    absences: 0,
    lastListedAtMs: null,
    writtenAtMs: null,
    heardAtMs: NOW,
  });
});

describe('[R1] the digest by which a row is known', () => {
  const { settled } = HALVES;

  test('is that of the record where the half is settled and says what its base says', () => {
    expect(knownDigest(settled)).toBe('row of x');
  });

  test.each<[string, Partial<Half>]>([
    ['the record is not what one row says', { record: record('x', ADA) }],
    ['the next plan has to look at the half', { state: 'changed' }],
    ['the half is missing', { state: 'missing' }],
    ['the half is settling', { state: 'settling' }],
    ['the half is gone', { state: 'gone' }],
    ['the half has no base', { base: null }],
    ['the base holds another value', { base: snapshot({ ...ADA, title: 'Countess' }) }],
    ['the base holds another membership', { base: snapshot(ADA, ['g']) }],
  ])('is none where %s', (_, given) => {
    expect(knownDigest({ ...settled, ...given })).toBeNull();
  });

  test('is there again once what was outstanding is found settled', () => {
    const open: Half = { ...settled, state: 'changed', record: EDITED };
    expect(knownDigest(open)).toBeNull();
    const restored = { ...settled.record, modifiedAtMs: MODIFIED_AT_MS + 2 };
    const next = nextHalf('left', open, { kind: 'shown', record: restored, atMs: NOW });
    expect(next === null ? null : knownDigest(next)).toBe('row of x');
  });

  test('is there of a contact that its side does not select, and not of one that a plan has yet to look at', () => {
    const unselected: Half = { ...settled, pair: null, base: null };
    expect(knownDigest(unselected)).toBe('row of x');
    expect(knownDigest({ ...unselected, state: 'changed' })).toBeNull();
    const shown = { kind: 'shown', record: settled.record, atMs: NOW } as const;
    expect(nextHalf('left', unselected, shown)).toBe(unselected);
    const open: Half = { ...settled, state: 'changed' };
    expect(nextHalf('left', open, shown)?.state).toBe('changed');
  });

  test.each([
    ['a mark', { marks: ['starred'] }],
    ['a group', { groupIds: ['g'] }],
  ])('[R18] %s that came makes a half be looked at, whatever its base says', (_, given) => {
    const shown = { ...settled.record, ...given, modifiedAtMs: MODIFIED_AT_MS + 1 };
    const half: Half = { ...settled, base: snapshotOf(shown) };
    expect(nextHalf('left', half, { kind: 'shown', record: shown, atMs: NOW })?.state).toBe('changed');
  });

  test('follows the row: read again with another digest, or with none, the former one is unknown', () => {
    const digestAfter = (digest: string | undefined) => {
      const { digest: _, ...bare } = settled.record;
      const given = digest === undefined ? bare : { ...bare, digest };
      const next = nextHalf('left', settled, { kind: 'shown', record: given, atMs: NOW });
      return next === null ? null : knownDigest(next);
    };
    expect(digestAfter('the next row')).toBe('the next row');
    expect(digestAfter(undefined)).toBeNull();
  });

  test('is there for the first time when a half that was stored without one is read once more', () => {
    const stored = pairedHalf('left', 'x', 1, { record: record('x', ADA, { modifiedAtMs: MODIFIED_AT_MS }) });
    expect(knownDigest(stored)).toBeNull();
    const next = nextHalf('left', stored, { kind: 'shown', record: adaRecord('x'), atMs: NOW });
    expect(next).toMatchObject({ state: 'settled' });
    expect(next === null ? null : knownDigest(next)).toBe('row of x');
  });
});

describe('[R4] a half of which something was left on its side', () => {
  const base = { contact: adaRecord('x').contact, groupIds: [] };
  const waiting = pairedHalf('left', 'x', 1, { record: EDITED, base });
  const shownBy = (byFeed: boolean, given: ContactRecord) =>
    nextHalf('left', waiting, { kind: 'shown', record: given, atMs: NOW, byFeed });

  test('is no news where a feed shows it again, and is looked at where a listing does', () => {
    expect(shownBy(true, EDITED)).toBe(waiting);
    expect(shownBy(false, EDITED)?.state).toBe('changed');
  });

  test('is looked at where it has its former values again, since the other side may have waited for that', () => {
    expect(shownBy(true, adaRecord('x', { modifiedAtMs: MODIFIED_AT_MS + 2 }))?.state).toBe('changed');
  });
});
