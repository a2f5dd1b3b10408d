import { describe, expect, test } from 'vitest';
import { CLOCK_MARGIN_MS, type Half } from '../../../../src/core/contact/half.ts';
import type { ContactRecord } from '../../../../src/core/contact/record.ts';
import { snapshotOf } from '../../../../src/core/contact/snapshot.ts';
import { type HALF_TRANSITIONS, type HalfEvent, knownDigest, nextHalf } from '../../../../src/core/state/half.ts';
import { ADA, adaRecord, HEARD_AT_MS, looseHalf, MODIFIED_AT_MS, pairedHalf } from '../../engine/support.ts';
import { record, snapshot } from '../reconcile/support.ts';

const NOW = 10;
const EDITED = record('x', { ...ADA, title: 'Countess' }, { modifiedAtMs: MODIFIED_AT_MS + 1 });

/** A half in each state of the table; an existing contact has the content of its base, except in the changed one. */
const HALVES = {
  unpaired: looseHalf('left', 'x'),
  unselected: looseHalf('left', 'x', { state: 'settled' }),
  settled: pairedHalf('left', 'x', 1),
  changed: pairedHalf('left', 'x', 1, { state: 'changed', base: snapshot({ firstName: 'Augusta' }) }),
  missing: pairedHalf('left', 'x', 1, { state: 'missing', absences: 1, lastListedAtMs: 2 }),
  settling: pairedHalf('left', 'x', 1, { state: 'settling', writtenAtMs: 4 }),
  gone: pairedHalf('left', 'x', 1, { state: 'gone', mergedInto: 'survivor' }),
  doubted: pairedHalf('left', 'x', 1, { state: 'doubted', mergedInto: 'survivor' }),
} as const satisfies Record<keyof typeof HALF_TRANSITIONS, Half>;

const shown = (now: ContactRecord): HalfEvent => ({ kind: 'shown', record: now, atMs: NOW });
const found = (now: ContactRecord): HalfEvent => ({ kind: 'found', record: now, atMs: NOW });
const after = (half: Half | null, event: HalfEvent) => nextHalf('left', half, event);

const UNPAIRED_GONE = looseHalf('left', 'x', { state: 'gone' });
const UNPAIRED_DOUBTED = looseHalf('left', 'x', { state: 'doubted' });

describe('[R1] a record that is shown', () => {
  const { settled, missing } = HALVES;
  const given = adaRecord('x', { version: '2', raw: '{"birthday":1}' });

  test('with another version and the content of its base settles a half, also one that is missing', () => {
    const taken = { record: given, state: 'settled', mergedInto: null, heardAtMs: NOW };
    for (const half of [settled, missing]) expect(after(half, shown(given))).toEqual({ ...half, ...taken });
    expect(after(settled, shown(adaRecord('x')))).toBe(settled);
  });

  test('opens a half without a base, and one without a pair', () => {
    expect(after({ ...settled, base: null }, shown(given))?.state).toBe('changed');
    expect(after({ ...settled, pair: null }, shown(given))?.state).toBe('changed');
  });
});

describe('[R14] an outdated record, as an overlapping page shows it,', () => {
  const older = adaRecord('x', { modifiedAtMs: MODIFIED_AT_MS - 1, version: '0', groupIds: ['former'] });

  test.each(['unpaired', 'unselected', 'settled', 'changed'] as const)('changes nothing if it is %s', (state) => {
    // Reads lag too.
    for (const event of [shown(older), found(older)]) expect(after(HALVES[state], event)).toBe(HALVES[state]);
  });

  test.each<[string, number | null, number | null]>([
    ['both times are the same', MODIFIED_AT_MS, MODIFIED_AT_MS],
    ['its side reports no time for it', null, MODIFIED_AT_MS],
    ['its side reported no time before', MODIFIED_AT_MS - 1, null],
  ])('is ignored if %s', (_, modifiedAtMs, knownMs) => {
    const half = pairedHalf('left', 'x', 1, { record: adaRecord('x', { modifiedAtMs: knownMs }) });
    const next = after(half, shown({ ...older, modifiedAtMs }));
    expect(next).toMatchObject({ state: 'changed', record: { groupIds: ['former'] } });
  });

  const isApplied = (half: Half, atMs: number) => {
    const next = after(half, { kind: 'shown', record: older, atMs });
    return next !== half && next?.record === older;
  };

  test.each<[string, number, boolean]>([
    ['less than ten minutes ago', HEARD_AT_MS + 600_000 - 1, false],
    ['ten minutes ago, as after the side was restored from a backup', HEARD_AT_MS + 600_000, true],
    ['by a clock that was ahead', HEARD_AT_MS - 600_000, true],
  ])('is compared with the time at which the half was last received: %s', (_, atMs, expected) => {
    expect(isApplied(HALVES.settled, atMs)).toBe(expected);
  });

  test.each<[string, number, boolean]>([
    ['within the margin of the clocks counts', HEARD_AT_MS + 300_000, false],
    ['further ahead of our clock is ignored: later edits are still found', HEARD_AT_MS + 300_001, true],
  ])('is measured by the known stamp: one %s', (_, modifiedAtMs, expected) => {
    expect(isApplied(pairedHalf('left', 'x', 1, { record: adaRecord('x', { modifiedAtMs }) }), NOW)).toBe(expected);
  });

  test.each([HALVES.missing, HALVES.settling])('confirms on a read that a half exists that is $state', (half) => {
    expect(after(half, found(older))).toEqual({ ...half, state: 'settled' });
    expect(after(half, shown(older))).toBe(half);
  });

  test.each([HALVES.gone, HALVES.doubted, UNPAIRED_GONE, UNPAIRED_DOUBTED])('does not restore one $state', (half) => {
    expect(after(half, found(older))).toBe(half);
  });
});

describe('[R7] a deleted contact that a feed or a listing shows', () => {
  test.each([
    [HALVES.gone, HALVES.doubted],
    [UNPAIRED_GONE, UNPAIRED_DOUBTED],
  ])('is and stays unconfirmed, and keeps its known values, of the pair $0.pair', (gone, doubted) => {
    expect(after(gone, shown(EDITED))).toEqual({ ...gone, state: 'doubted' });
    expect(after(doubted, shown(EDITED))).toBe(doubted);
    expect(knownDigest(doubted)).toBeNull();
  });

  test('is confirmed once a read finds it: settled with the content of its base, planned without a pair', () => {
    const given = adaRecord('x', { version: '2' });
    const settled = { state: 'settled', record: given, mergedInto: null, heardAtMs: NOW };
    expect(after(HALVES.doubted, found(given))).toEqual({ ...HALVES.doubted, ...settled });
    const planned = { state: 'changed', pair: null, record: EDITED };
    expect(after(UNPAIRED_DOUBTED, found(EDITED))).toMatchObject(planned);
  });
});

describe('[R1] the digest that identifies a row', () => {
  const { settled } = HALVES;

  test.each<[string, Partial<Half>]>([
    ['the record is not that of one row', { record: record('x', ADA) }],
    ['the next plan has to examine the half', { state: 'changed' }],
    ['the half is deleted', { state: 'gone' }],
    ['the half has no base', { base: null }],
    ['the base has another value', { base: snapshot({ ...ADA, title: 'Countess' }) }],
    ['the base has another membership', { base: snapshot(ADA, ['g']) }],
  ])('does not exist if %s', (_, given) => {
    expect(knownDigest(settled)).toBe('row of x');
    expect(knownDigest({ ...settled, ...given })).toBeNull();
  });

  test('exists again once the outstanding change is found settled', () => {
    const open: Half = { ...settled, state: 'changed', record: EDITED };
    expect(knownDigest(open)).toBeNull();
    const restored = { ...settled.record, modifiedAtMs: MODIFIED_AT_MS + 2 };
    const next = after(open, shown(restored));
    expect(next === null ? null : knownDigest(next)).toBe('row of x');
  });

  test('exists for a contact that its side does not select, and not for one that a plan still has to examine', () => {
    const unselected: Half = { ...settled, pair: null, base: null };
    expect(knownDigest(unselected)).toBe('row of x');
    expect(knownDigest({ ...unselected, state: 'changed' })).toBeNull();
    expect(after(unselected, shown(settled.record))).toBe(unselected);
    expect(after({ ...settled, state: 'changed' }, shown(settled.record))?.state).toBe('changed');
  });

  test.each([
    ['a mark', { marks: ['starred'] }],
    ['a group', { groupIds: ['g'] }],
  ])('[R18] a half is planned for %s that appeared, whatever the content of its base', (_, given) => {
    const now = { ...settled.record, ...given, modifiedAtMs: MODIFIED_AT_MS + 1 };
    expect(after({ ...settled, base: snapshotOf(now) }, shown(now))?.state).toBe('changed');
  });

  test('follows the row: after a read with another digest, or with none, the former one is unknown', () => {
    const { digest: _, ...bare } = settled.record;
    const digestAfter = (now: ContactRecord) => {
      const next = after(settled, shown(now));
      return next === null ? null : knownDigest(next);
    };
    expect(digestAfter({ ...bare, digest: 'the next row' })).toBe('the next row');
    expect(digestAfter(bare)).toBeNull();
  });
});

describe('[R18] a half of a pair that was unlinked', () => {
  const half: Half = { ...pairedHalf('left', 'x', 1), pair: null, base: null, formerPair: 1, heardAtMs: 1 };
  const missed = { kind: 'missed', atMs: NOW, endedAtMs: NOW, lastListedAtMs: null } as const;

  test('is read if a listing misses it, also when its side selects it again', () => {
    expect(after(half, missed)).toMatchObject({ state: 'missing', formerPair: 1 });
    expect(after({ ...half, state: 'changed' }, missed)).toMatchObject({ state: 'missing', formerPair: 1 });
  });

  test('has the same former pair after its deletion was found to be wrong', () => {
    const gone = after(half, { kind: 'deleted', atMs: NOW });
    const back = gone && after(gone, { kind: 'found', record: half.record, atMs: NOW + 1 });
    expect([gone?.state, back?.state, back?.formerPair]).toEqual(['gone', 'changed', 1]);
  });
});

describe('[R4] a half with a value left on its side', () => {
  const base = { contact: adaRecord('x').contact, groupIds: [] };
  const waiting = pairedHalf('left', 'x', 1, { record: EDITED, base });
  const shownBy = (byFeed: boolean, given: ContactRecord) =>
    after(waiting, { kind: 'shown', record: given, atMs: NOW, byFeed });

  test('is unchanged if a feed shows it again, and is planned if a listing does, or with its former values', () => {
    expect(shownBy(true, EDITED)).toBe(waiting);
    expect(shownBy(false, EDITED)?.state).toBe('changed');
    // It has its former values again: the other side may have waited for them.
    expect(shownBy(true, adaRecord('x', { modifiedAtMs: MODIFIED_AT_MS + 2 }))?.state).toBe('changed');
  });
});

const LISTED_AT_MS = 7;

const EVENTS: Readonly<Record<HalfEvent['kind'], HalfEvent>> = {
  shown: shown(EDITED),
  found: found(EDITED),
  deleted: { kind: 'deleted', atMs: NOW },
  merged: { kind: 'merged', into: 'other', atMs: NOW },
  missed: { kind: 'missed', atMs: NOW, endedAtMs: NOW, lastListedAtMs: LISTED_AT_MS },
  unsettled: { kind: 'unsettled', atMs: NOW },
  unknown: { kind: 'unknown' },
};

type State = keyof typeof HALVES;

/** The changes of the half; null if the store is to contain none. */
type Effect = Partial<Half> | null;

const SAME: Effect = {};
const FORGOTTEN: Effect = null;
const TAKEN_IN: Effect = { record: EDITED, state: 'changed', mergedInto: null, heardAtMs: NOW };
const GONE: Effect = { state: 'gone', heardAtMs: NOW };
const MERGED: Effect = { state: 'gone', mergedInto: 'other', heardAtMs: NOW };
const MISSING: Effect = { state: 'missing', heardAtMs: NOW, lastListedAtMs: LISTED_AT_MS };
const SETTLING: Effect = { state: 'settling', heardAtMs: NOW };
const DOUBTED: Effect = { state: 'doubted' };

type Effects = Readonly<Record<HalfEvent['kind'], Effect>>;

/** A contact that exists, in any known state. */
const STANDING = { shown: TAKEN_IN, found: TAKEN_IN, deleted: GONE, merged: MERGED, unsettled: SETTLING };

/** A contact that is known to be deleted: a feed or a listing may show it late, so it does not count. */
const AWAY: Effects = { ...STANDING, shown: DOUBTED, missed: SAME, unsettled: SAME, unknown: SAME };

const AWAY_BUT_SHOWN: Effects = { ...AWAY, shown: SAME, missed: GONE, unsettled: GONE };

const EFFECTS: Readonly<Record<State, Effects>> = {
  unpaired: { ...STANDING, missed: FORGOTTEN, unsettled: SAME, unknown: SAME },
  unselected: { ...STANDING, missed: MISSING, unsettled: SAME, unknown: SAME },
  settled: { ...STANDING, missed: MISSING, unknown: SAME },
  changed: { ...STANDING, missed: MISSING, unknown: SAME },
  // It was last listed before its first absence.
  missing: { ...STANDING, missed: { heardAtMs: NOW }, unknown: { state: 'settled' } },
  settling: { ...STANDING, missed: MISSING, unknown: { state: 'settled' } },
  gone: AWAY,
  doubted: AWAY_BUT_SHOWN,
};

const missedAt = (atMs: number, endedAtMs = Math.max(atMs, HEARD_AT_MS)): HalfEvent => {
  return { kind: 'missed', atMs, endedAtMs, lastListedAtMs: null };
};

const ROWS = (Object.keys(HALVES) as State[]).flatMap((state) => {
  const kinds = Object.keys(EVENTS) as HalfEvent['kind'][];
  return kinds.map((kind) => [state, kind, EFFECTS[state][kind]] as const);
});

describe('[R7] the table of a half', () => {
  test.each(Object.values(EVENTS))('a contact that is not stored is stored only if shown or found: $kind', (event) => {
    const isSeen = event.kind === 'shown' || event.kind === 'found';
    const stored = { ...looseHalf('left', 'x'), record: EDITED, heardAtMs: NOW };
    expect(after(null, event)).toEqual(isSeen ? stored : null);
  });

  test.each(ROWS)('a half that is %s and then %s', (state, kind, effect) => {
    const half = HALVES[state];
    const next = after(half, EVENTS[kind]);
    expect(next).toEqual(effect === null ? null : { ...half, ...effect });
    // If nothing changes the same value is returned, so that nothing is stored.
    if (effect === SAME) expect(next).toBe(half);
  });

  test.each(['unpaired', 'changed'] as const)('a half that is %s and was received since stays the same', (state) => {
    const half = HALVES[state];
    for (const atMs of [HEARD_AT_MS, HEARD_AT_MS - 1]) {
      expect(after(half, missedAt(atMs))).toBe(half);
    }
    expect(after(half, missedAt(HEARD_AT_MS + 1))).not.toBe(half);
  });

  test('a half that was received by a clock that was far ahead is missed as if it was received before', () => {
    const ahead = { ...HALVES.changed, heardAtMs: NOW + 2 * CLOCK_MARGIN_MS };
    expect(after(ahead, missedAt(NOW, NOW + 1))?.state).toBe('missing');
    expect(after({ ...HALVES.unpaired, ...ahead, pair: null }, missedAt(NOW, NOW + 1))).toBeNull();
    // Not if the clock was set back during the listing, or by a small time.
    expect(after(ahead, missedAt(NOW + CLOCK_MARGIN_MS, NOW + 1))).toBe(ahead);
    const slewed = { ...ahead, heardAtMs: NOW + CLOCK_MARGIN_MS };
    expect(after(slewed, missedAt(NOW, NOW + 1))).toBe(slewed);
  });

  test('a half that is settled and was received since is read nevertheless', () => {
    expect(after(HALVES.settled, missedAt(HEARD_AT_MS))?.state).toBe('missing');
  });

  const LAG_MS = 10 * 60_000;
  const TIMELESS = { record: record('x', ADA, { modifiedAtMs: null }) };
  const CHANGED_THEN = { record: record('x', ADA, { modifiedAtMs: 1_000 }) };

  /** Written at 1000; its last listing ended at 500, and the listing before at the time given. */
  test.each<[string, Partial<Half>, number | null, number | null]>([
    ['a listing that ended right after the write and missed it', {}, 1_001, 500],
    ['a listing that ended just before ten minutes after the write', {}, 1_000 + LAG_MS - 1, 500],
    ['a listing that ended at the time of the write', { lastListedAtMs: 1_000 }, 1_001, 1_000],
    ['a listing too soon after the time that its side reports for the write', CHANGED_THEN, 1_000 + LAG_MS, 500],
    ['an earlier absence', { absences: 1, writtenAtMs: null }, 900, 500],
  ])('[R7] that was missed late keeps the time at which it was last seen: %s', (_, given, lastListedAtMs, expected) => {
    const half = { ...HALVES.settled, absences: 0, lastListedAtMs: 500, writtenAtMs: 1_000, ...given };
    const missed = after(half, { kind: 'missed', atMs: NOW, endedAtMs: NOW, lastListedAtMs });
    expect(missed).toMatchObject({ state: 'missing', lastListedAtMs: expected });
  });

  test.each<[string, Partial<Half>, number | null]>([
    ['a listing that ended ten minutes after a write without a time, and showed it', TIMELESS, 1_000 + LAG_MS],
    ['a listing that ended fifteen minutes after the write, and showed it', CHANGED_THEN, 1_000 + 1.5 * LAG_MS],
    ['it was seen since the write', { lastListedAtMs: 1_001 }, 1_002],
    ['this link never wrote it', { writtenAtMs: null }, 1_001],
    ['no listing has missed it', { lastListedAtMs: null }, 1_001],
    ['there was no earlier listing', {}, null],
  ])('[R7] was last seen by the previous listing if %s', (_, given, lastListedAtMs) => {
    const half = { ...HALVES.settled, absences: 0, lastListedAtMs: 500, writtenAtMs: 1_000, ...given };
    const missed = after(half, { kind: 'missed', atMs: NOW, endedAtMs: NOW, lastListedAtMs });
    expect(missed?.lastListedAtMs).toBe(lastListedAtMs);
  });

  test('[R12] that was merged into another one stays merged, however often its deletion is reported', () => {
    const merged = after(HALVES.settled, { kind: 'merged', into: 'survivor', atMs: NOW });
    expect(after(merged, { kind: 'deleted', atMs: NOW + 1 })?.mergedInto).toBe('survivor');
    expect(after(merged, { kind: 'merged', into: 'another', atMs: NOW + 1 })?.mergedInto).toBe('another');
  });

  test.each(['missing', 'settling'] as const)('a change of a half that was %s is still to be planned', (state) => {
    const half: Half = { ...HALVES.changed, state };
    expect(after(half, { kind: 'unknown' })).toEqual({ ...half, state: 'changed' });
  });
});
