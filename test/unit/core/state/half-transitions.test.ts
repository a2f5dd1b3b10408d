import { describe, expect, test } from 'vitest';
import { CLOCK_MARGIN_MS, type Half } from '../../../../src/core/contact/half.ts';
import type { ContactRecord } from '../../../../src/core/contact/record.ts';
import { snapshotOf } from '../../../../src/core/contact/snapshot.ts';
import type { HALF_TRANSITIONS, HalfEvent } from '../../../../src/core/state/half-transitions.ts';
import { knownDigest, newHalf, nextHalf } from '../../../../src/core/state/half-transitions.ts';
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
  unseen: pairedHalf('left', 'x', 1, { state: 'unseen', writtenAtMs: 4 }),
  gone: pairedHalf('left', 'x', 1, { state: 'gone', mergedInto: 'survivor' }),
  doubted: pairedHalf('left', 'x', 1, { state: 'doubted', mergedInto: 'survivor' }),
} as const satisfies Record<keyof typeof HALF_TRANSITIONS, Half>;

const shown = (now: ContactRecord): HalfEvent => ({ kind: 'shown', record: now, atMs: NOW });
const found = (now: ContactRecord): HalfEvent => ({ kind: 'found', record: now, atMs: NOW });
const after = (half: Half | null, event: HalfEvent) => nextHalf('left', half, event);

const UNPAIRED_GONE = looseHalf('left', 'x', { state: 'gone' });
const UNPAIRED_DOUBTED = looseHalf('left', 'x', { state: 'doubted' });

const SHOWN_AGAIN = adaRecord('x', { version: '2', raw: '{"birthday":1}' });

test('R1: a half that is shown with the content of its base is settled, also one that is missing', () => {
  const taken = { record: SHOWN_AGAIN, state: 'settled', mergedInto: null, heardAtMs: NOW };
  for (const half of [HALVES.settled, HALVES.missing]) {
    expect(after(half, shown(SHOWN_AGAIN))).toEqual({ ...half, ...taken });
  }
  expect(after(HALVES.settled, shown(adaRecord('x')))).toBe(HALVES.settled);
});

test.each<[string, Partial<Half>, Partial<ContactRecord>]>([
  ['it has no base', { base: null }, {}],
  ['it has no pair', { pair: null }, {}],
  ['a mark appeared (R18)', {}, { marks: ['starred'] }],
  ['a group appeared (R18)', {}, { groupIds: ['g'] }],
])('R1: a half that is shown is planned if %s, whatever the content of its base', (_, given, news) => {
  const now = { ...SHOWN_AGAIN, ...news, modifiedAtMs: MODIFIED_AT_MS + 1 };
  expect(after({ ...HALVES.settled, base: snapshotOf(now), ...given }, shown(now))?.state).toBe('changed');
});

describe('R14: an outdated record, as an overlapping page shows it,', () => {
  const older = adaRecord('x', { modifiedAtMs: MODIFIED_AT_MS - 1, version: '0', groupIds: ['former'] });

  test.each(['unpaired', 'unselected', 'settled', 'changed'] as const)('changes nothing if it is %s', (state) => {
    // Reads lag too.
    for (const event of [shown(older), found(older)]) expect(after(HALVES[state], event)).toBe(HALVES[state]);
  });

  const FUTURE_MS = 300_000 + HEARD_AT_MS;
  // The known time, the time of the record, and the time at which it is received.
  test.each<[string, number | null, number | null, number, boolean]>([
    ['both times are the same', MODIFIED_AT_MS, MODIFIED_AT_MS, NOW, true],
    ['its side reports no time for it', MODIFIED_AT_MS, null, NOW, true],
    ['its side reported no time before', null, MODIFIED_AT_MS - 1, NOW, true],
    ['the half was received less than ten minutes ago', MODIFIED_AT_MS, 999, HEARD_AT_MS + 599_999, false],
    ['it was received ten minutes ago (a restored backup)', MODIFIED_AT_MS, 999, HEARD_AT_MS + 600_000, true],
    ['it was received by a clock that was ahead', MODIFIED_AT_MS, 999, HEARD_AT_MS - 600_000, true],
    ['the known time is within the margin of the clocks', FUTURE_MS, 999, NOW, false],
    ['the known time is further ahead of our clock', FUTURE_MS + 1, 999, NOW, true],
  ])('counts if it is not known to be older: %s', (_, knownMs, modifiedAtMs, atMs, isNews) => {
    const half = pairedHalf('left', 'x', 1, { record: adaRecord('x', { modifiedAtMs: knownMs }) });
    const next = after(half, { kind: 'shown', record: { ...older, modifiedAtMs }, atMs });
    const expected = isNews ? { state: 'changed', record: { groupIds: ['former'] } } : half;
    expect(next).toMatchObject(expected);
  });

  test.each([HALVES.missing, HALVES.unseen])('confirms on a read that a half exists that is $state', (half) => {
    expect(after(half, found(older))).toEqual({ ...half, state: 'settled' });
    expect(after(half, shown(older))).toBe(half);
  });

  test.each([HALVES.gone, HALVES.doubted, UNPAIRED_GONE, UNPAIRED_DOUBTED])('does not restore one $state', (half) => {
    expect(after(half, found(older))).toBe(half);
  });
});

test('R7: a deleted contact without a pair is unconfirmed while it is shown, and planned once a read finds it', () => {
  expect(after(UNPAIRED_GONE, shown(EDITED))).toEqual(UNPAIRED_DOUBTED);
  expect(after(UNPAIRED_DOUBTED, shown(EDITED))).toBe(UNPAIRED_DOUBTED);
  expect(after(UNPAIRED_DOUBTED, found(EDITED))).toMatchObject({ state: 'changed', pair: null, record: EDITED });
  const settled = { state: 'settled', record: SHOWN_AGAIN, mergedInto: null, heardAtMs: NOW };
  expect(after(HALVES.doubted, found(SHOWN_AGAIN))).toEqual({ ...HALVES.doubted, ...settled });
});

describe('R1: the digest that identifies a row', () => {
  const { settled } = HALVES;

  test.each<[string, Partial<Half>, boolean]>([
    ['the half is settled', {}, true],
    ['its side does not select it', { pair: null, base: null }, true],
    ['a plan still has to examine it', { pair: null, base: null, state: 'changed' }, false],
    ['the record is not that of one row', { record: record('x', ADA) }, false],
    ['the next plan has to examine the half', { state: 'changed' }, false],
    ['the half is deleted', { state: 'gone' }, false],
    ['the half is shown although it was deleted', { state: 'doubted' }, false],
    ['the half has no base', { base: null }, false],
    ['the base has another value', { base: snapshot({ ...ADA, title: 'Countess' }) }, false],
    ['the base has another membership', { base: snapshot(ADA, ['g']) }, false],
  ])('exists only if the half agrees with it: %s', (_, given, exists) => {
    expect(knownDigest({ ...settled, ...given })).toBe(exists ? 'row of x' : null);
  });

  test('follows the row: it exists again once the outstanding change is settled, and after a read of another row', () => {
    const { digest: _, ...bare } = settled.record;
    const digestAfter = (half: Half, now: ContactRecord) => {
      const next = after(half, shown(now));
      return next === null ? null : knownDigest(next);
    };
    const open: Half = { ...settled, state: 'changed', record: EDITED };
    expect(digestAfter(open, { ...settled.record, modifiedAtMs: MODIFIED_AT_MS + 2 })).toBe('row of x');
    expect(digestAfter(settled, { ...bare, digest: 'the next row' })).toBe('the next row');
    expect(digestAfter(settled, bare)).toBeNull();
  });

  test('lets a contact that its side does not select stay the same', () => {
    const unselected: Half = { ...settled, pair: null, base: null };
    expect(after(unselected, shown(settled.record))).toBe(unselected);
    expect(after({ ...settled, state: 'changed' }, shown(settled.record))?.state).toBe('changed');
  });
});

test.each(['settled', 'changed'] as const)(
  'R18: a half of an unlinked pair that is %s is read if not listed',
  (state) => {
    const half: Half = { ...pairedHalf('left', 'x', 1), state, pair: null, base: null, formerPair: 1, heardAtMs: 1 };
    const missed = { kind: 'missed', atMs: NOW, endedAtMs: NOW, lastListedAtMs: null } as const;
    expect(after(half, missed)).toMatchObject({ state: 'missing', formerPair: 1 });
    const back = after(after(half, { kind: 'deleted', atMs: NOW }), found(half.record));
    expect(back).toMatchObject({ state: 'changed', formerPair: 1 });
  },
);

test('R4: a half with a value left on its side is planned if a listing shows it, or a feed with its former values', () => {
  const waiting = pairedHalf('left', 'x', 1, { record: EDITED, base: snapshot(ADA) });
  const shownBy = (byFeed: boolean, own: ContactRecord) =>
    after(waiting, { kind: 'shown', record: own, atMs: NOW, byFeed });
  expect(shownBy(true, EDITED)).toBe(waiting);
  expect(shownBy(false, EDITED)?.state).toBe('changed');
  // It has its former values again: the other side may have waited for them.
  expect(shownBy(true, adaRecord('x', { modifiedAtMs: MODIFIED_AT_MS + 2 }))?.state).toBe('changed');
});

const MINUTE_MS = 60_000;

test.each([
  ['a time ahead of the clock counts as five minutes after it was received', NOW + 30 * MINUTE_MS, NOW + 5 * MINUTE_MS],
  ['a time a little ahead of the clock counts', NOW + 4 * MINUTE_MS, NOW + 4 * MINUTE_MS],
])('R4: of an edit, %s', (_, modifiedAtMs, expected) => {
  expect(newHalf('left', adaRecord('x', { modifiedAtMs }), NOW).editedAtMs).toBe(expected);
  expect(after(pairedHalf('left', 'x', 1), shown({ ...EDITED, modifiedAtMs }))?.editedAtMs).toBe(expected);
});

const SAME_VALUES = adaRecord('x', { modifiedAtMs: MODIFIED_AT_MS + 1 });

test.each<[string, Partial<Half>, ContactRecord, boolean]>([
  ['a new value is', {}, EDITED, true],
  ['a new value after a write of this link is', { writtenAtMs: NOW }, EDITED, true],
  ['another version with the same values is', {}, SAME_VALUES, true],
  ['that version after a write of this link is not', { writtenAtMs: NOW }, SAME_VALUES, false],
  ['a value that was not read before is not', {}, { ...EDITED, modifiedAtMs: MODIFIED_AT_MS }, false],
])('R4: of what a side shows, %s an edit', (_, given, now, isEdit) => {
  const half: Half = { ...pairedHalf('left', 'x', 1), ...given, editedAtMs: 1 };
  expect(after(half, shown(now))?.editedAtMs).toBe(isEdit ? now.modifiedAtMs : 1);
});

const LISTED_AT_MS = 7;

const EVENTS: Readonly<Record<HalfEvent['kind'], HalfEvent>> = {
  shown: shown(EDITED),
  found: found(EDITED),
  deleted: { kind: 'deleted', atMs: NOW },
  missed: { kind: 'missed', atMs: NOW, endedAtMs: NOW, lastListedAtMs: LISTED_AT_MS },
  unseen: { kind: 'unseen', atMs: NOW },
  unknown: { kind: 'unknown' },
};

type State = keyof typeof HALVES;

/** The changes of the half; null if the store is to contain none. */
type Effect = Partial<Half> | null;

const SAME: Effect = {};
const FORGOTTEN: Effect = null;
const TAKEN_IN: Effect = {
  record: EDITED,
  state: 'changed',
  mergedInto: null,
  editedAtMs: EDITED.modifiedAtMs,
  heardAtMs: NOW,
};
const GONE: Effect = { state: 'gone', heardAtMs: NOW };
const MERGED: Effect = { state: 'gone', mergedInto: 'other', heardAtMs: NOW };
const MISSING: Effect = { state: 'missing', heardAtMs: NOW, lastListedAtMs: LISTED_AT_MS };
const UNSEEN: Effect = { state: 'unseen', heardAtMs: NOW };
const DOUBTED: Effect = { state: 'doubted' };

type Effects = Readonly<Record<HalfEvent['kind'], Effect>>;

/** A contact that exists, in any known state. */
const EXISTING = { shown: TAKEN_IN, found: TAKEN_IN, deleted: GONE, merged: MERGED, unseen: UNSEEN };

/** A contact that is known to be deleted: a feed or a listing may show it late, so it does not count. */
const AWAY: Effects = { ...EXISTING, shown: DOUBTED, missed: SAME, unseen: SAME, unknown: SAME };

const AWAY_BUT_SHOWN: Effects = { ...AWAY, shown: SAME, missed: GONE, unseen: GONE };

const EFFECTS: Readonly<Record<State, Effects>> = {
  unpaired: { ...EXISTING, missed: FORGOTTEN, unseen: SAME, unknown: SAME },
  unselected: { ...EXISTING, missed: MISSING, unseen: SAME, unknown: SAME },
  settled: { ...EXISTING, missed: MISSING, unknown: SAME },
  changed: { ...EXISTING, missed: MISSING, unknown: SAME },
  // It was last listed before its first absence.
  missing: { ...EXISTING, missed: { heardAtMs: NOW }, unknown: { state: 'settled' } },
  unseen: { ...EXISTING, missed: MISSING, unknown: { state: 'settled' } },
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

describe('R7: the table of a half', () => {
  test.each(Object.values(EVENTS))('a contact that is not stored is stored only if shown or found: $kind', (event) => {
    const isSeen = event.kind === 'shown' || event.kind === 'found';
    const stored = { ...looseHalf('left', 'x'), record: EDITED, editedAtMs: EDITED.modifiedAtMs, heardAtMs: NOW };
    expect(after(null, event)).toEqual(isSeen ? stored : null);
  });

  test.each(ROWS)('a half that is %s and then %s', (state, kind, effect) => {
    const half = HALVES[state];
    const next = after(half, EVENTS[kind]);
    expect(next).toEqual(effect === null ? null : { ...half, ...effect });
    // If nothing changes the same value is returned, so that nothing is stored.
    if (effect === SAME) expect(next).toBe(half);
  });

  const AHEAD_MS = NOW + 2 * CLOCK_MARGIN_MS;
  const AHEAD = { ...HALVES.changed, heardAtMs: AHEAD_MS };
  test.each<[string, Half, HalfEvent, 'same' | 'missing' | 'forgotten']>([
    ['a changed half was received at its start', HALVES.changed, missedAt(HEARD_AT_MS), 'same'],
    ['a changed half was received since its start', HALVES.changed, missedAt(HEARD_AT_MS - 1), 'same'],
    ['a changed half was received before', HALVES.changed, missedAt(HEARD_AT_MS + 1), 'missing'],
    ['one without a pair was received at its start', HALVES.unpaired, missedAt(HEARD_AT_MS), 'same'],
    ['one without a pair was received since its start', HALVES.unpaired, missedAt(HEARD_AT_MS - 1), 'same'],
    ['one without a pair was received before', HALVES.unpaired, missedAt(HEARD_AT_MS + 1), 'forgotten'],
    ['a settled half was received since', HALVES.settled, missedAt(HEARD_AT_MS), 'missing'],
    ['a clock was far ahead', AHEAD, missedAt(NOW, NOW + 1), 'missing'],
    ['it was ahead, without a pair', { ...HALVES.unpaired, heardAtMs: AHEAD_MS }, missedAt(NOW, NOW + 1), 'forgotten'],
    ['it was then set back', AHEAD, missedAt(NOW + CLOCK_MARGIN_MS, NOW + 1), 'same'],
    ['it was a little ahead', { ...HALVES.changed, heardAtMs: NOW + CLOCK_MARGIN_MS }, missedAt(NOW, NOW + 1), 'same'],
  ])('a listing that misses a contact has an effect unless that was reported since: %s', (_, half, event, effect) => {
    const next = after(half, event);
    if (effect === 'same') expect(next).toBe(half);
    else expect(next?.state).toBe(effect === 'missing' ? 'missing' : undefined);
  });

  const LAG_MS = 10 * 60_000;
  const TIMELESS = { record: record('x', ADA, { modifiedAtMs: null }) };
  const CHANGED_THEN = { record: record('x', ADA, { modifiedAtMs: 1_000 }) };

  /** Written at 1000; its last listing ended at 500, and the listing before at the given time. */
  test.each<[string, Partial<Half>, number | null, number | null]>([
    ['the last one, right after the write, missed it', {}, 1_001, 500],
    ['the last one, less than ten minutes after the write, missed it', {}, 1_000 + LAG_MS - 1, 500],
    ['the last one ended at the time of the write', { lastListedAtMs: 1_000 }, 1_001, 1_000],
    ['the last one was too soon after the time that its side reports', CHANGED_THEN, 1_000 + LAG_MS, 500],
    ['it was absent before', { absences: 1, writtenAtMs: null }, 900, 500],
    ['it showed it ten minutes after a write without a time', TIMELESS, 1_000 + LAG_MS, 1_000 + LAG_MS],
    ['it showed it fifteen minutes after the write', CHANGED_THEN, 1_000 + 1.5 * LAG_MS, 1_000 + 1.5 * LAG_MS],
    ['it was seen since the write', { lastListedAtMs: 1_001 }, 1_002, 1_002],
    ['this link never wrote it', { writtenAtMs: null }, 1_001, 1_001],
    ['no listing has missed it', { lastListedAtMs: null }, 1_001, 1_001],
    ['there was no earlier listing', {}, null, null],
  ])('R7: a missing half was last seen by a listing that had to show it: %s', (_, given, lastListedAtMs, expected) => {
    const half = { ...HALVES.settled, absences: 0, lastListedAtMs: 500, writtenAtMs: 1_000, ...given };
    const missed = after(half, { kind: 'missed', atMs: NOW, endedAtMs: NOW, lastListedAtMs });
    expect(missed).toMatchObject({ state: 'missing', lastListedAtMs: expected });
  });

  test('R12: a half that was merged into another one stays merged, however often its deletion is reported', () => {
    const merged = after(HALVES.settled, { kind: 'deleted', into: 'survivor', atMs: NOW });
    expect(after(merged, { kind: 'deleted', atMs: NOW + 1 })?.mergedInto).toBe('survivor');
    expect(after(merged, { kind: 'deleted', into: 'another', atMs: NOW + 1 })?.mergedInto).toBe('another');
  });

  test.each(['missing', 'unseen'] as const)('a change of a half that was %s is still to be planned', (state) => {
    const half: Half = { ...HALVES.changed, state };
    expect(after(half, { kind: 'unknown' })).toEqual({ ...half, state: 'changed' });
  });
});
