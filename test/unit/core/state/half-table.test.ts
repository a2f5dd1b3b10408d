import { describe, expect, test } from 'vitest';
import { CLOCK_MARGIN_MS, type Half } from '../../../../src/core/contact/half.ts';
import { HALF_TRANSITIONS, nextHalf, type HalfEvent } from '../../../../src/core/state/half.ts';
import { record } from '../reconcile/support.ts';
import { ADA, HEARD_AT_MS, looseHalf } from '../../engine/support.ts';
import { EDITED, HALVES, NOW } from './half-support.ts';

const LISTED_AT_MS = 7;

const EVENTS: Readonly<Record<HalfEvent['kind'], HalfEvent>> = {
  shown: { kind: 'shown', record: EDITED, atMs: NOW },
  found: { kind: 'found', record: EDITED, atMs: NOW },
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
const FOUND_NEW: Effect = { ...looseHalf('left', 'x'), record: EDITED, heardAtMs: NOW };

type Effects = Readonly<Record<HalfEvent['kind'], Effect>>;

/** A contact that exists, in any known state. */
const STANDING = { shown: TAKEN_IN, found: TAKEN_IN, deleted: GONE, merged: MERGED, unsettled: SETTLING };
/** A contact that is known to be deleted: a feed or a listing may show it late, so it does not count. */
const AWAY: Effects = {
  shown: DOUBTED,
  found: TAKEN_IN,
  deleted: GONE,
  merged: MERGED,
  missed: SAME,
  unsettled: SAME,
  unknown: SAME,
};
const AWAY_BUT_SHOWN: Effects = { ...AWAY, shown: SAME, missed: GONE, unsettled: GONE };

const EFFECTS: Readonly<Record<State, Effects>> = {
  new: {
    shown: FOUND_NEW,
    found: FOUND_NEW,
    deleted: FORGOTTEN,
    merged: FORGOTTEN,
    missed: FORGOTTEN,
    unsettled: FORGOTTEN,
    unknown: FORGOTTEN,
  },
  unpaired: {
    shown: TAKEN_IN,
    found: TAKEN_IN,
    deleted: STANDING.deleted,
    merged: STANDING.merged,
    missed: FORGOTTEN,
    unsettled: SAME,
    unknown: SAME,
  },
  unselected: { ...STANDING, missed: MISSING, unsettled: SAME, unknown: SAME },
  settled: { ...STANDING, missed: MISSING, unknown: SAME },
  changed: { ...STANDING, missed: MISSING, unknown: SAME },
  // It was last listed before its first absence.
  missing: { ...STANDING, missed: { heardAtMs: NOW }, unknown: { state: 'settled' } },
  settling: { ...STANDING, missed: MISSING, unknown: { state: 'settled' } },
  gone: AWAY,
  doubted: AWAY_BUT_SHOWN,
  unpairedGone: AWAY,
  unpairedDoubted: AWAY_BUT_SHOWN,
};

const missedAt = (atMs: number, endedAtMs = Math.max(atMs, HEARD_AT_MS)): HalfEvent => ({
  kind: 'missed',
  atMs,
  endedAtMs,
  lastListedAtMs: null,
});

const ROWS = (Object.keys(HALVES) as State[]).flatMap((state) => {
  const kinds = Object.keys(EVENTS) as HalfEvent['kind'][];
  return kinds.map((kind) => [state, kind, EFFECTS[state][kind]] as const);
});

describe('[R7] the table of a half', () => {
  test('covers every state and every event', () => {
    expect(ROWS).toHaveLength(77);
    const covered = Object.entries(HALF_TRANSITIONS).flatMap(([state, events]) => {
      return Object.keys(events).map((event) => `${state} ${event}`);
    });
    expect(covered.toSorted()).toEqual(ROWS.map(([state, kind]) => `${state} ${kind}`).toSorted());
  });

  test.each(ROWS)('a half that is %s and then %s', (state, kind, effect) => {
    const half = HALVES[state];
    const next = nextHalf('left', half, EVENTS[kind]);
    expect(next).toEqual(effect === null ? null : { ...half, ...effect });
    // If nothing changes the same value is returned, so that nothing is stored.
    if (effect === SAME) expect(next).toBe(half);
  });

  test.each(['unpaired', 'changed'] as const)(
    'a half that is %s and was received since the listing that missed it began does not change',
    (state) => {
      const half = HALVES[state];
      for (const atMs of [HEARD_AT_MS, HEARD_AT_MS - 1]) {
        expect(nextHalf('left', half, missedAt(atMs))).toBe(half);
      }
      expect(nextHalf('left', half, missedAt(HEARD_AT_MS + 1))).not.toBe(half);
    },
  );

  test('a half that was received by a clock that was far ahead is missed as if it was received before', () => {
    const ahead = { ...HALVES.changed, heardAtMs: NOW + 2 * CLOCK_MARGIN_MS };
    expect(nextHalf('left', ahead, missedAt(NOW, NOW + 1))?.state).toBe('missing');
    expect(nextHalf('left', { ...HALVES.unpaired, ...ahead, pair: null }, missedAt(NOW, NOW + 1))).toBeNull();
    // Not if the clock was set back during the listing, or by a small time.
    expect(nextHalf('left', ahead, missedAt(NOW + CLOCK_MARGIN_MS, NOW + 1))).toBe(ahead);
    const slewed = { ...ahead, heardAtMs: NOW + CLOCK_MARGIN_MS };
    expect(nextHalf('left', slewed, missedAt(NOW, NOW + 1))).toBe(slewed);
  });

  test('a half that is settled and was received since is read nevertheless', () => {
    expect(nextHalf('left', HALVES.settled, missedAt(HEARD_AT_MS))?.state).toBe('missing');
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
  ])('[R7] that was missed late keeps the time at which it was last seen: %s', (_, given, lastListedAtMs, expected) => {
    const half = { ...HALVES.settled, absences: 0, lastListedAtMs: 500, writtenAtMs: 1_000, ...given };
    expect(nextHalf('left', half, { kind: 'missed', atMs: NOW, endedAtMs: NOW, lastListedAtMs })).toMatchObject({
      state: 'missing',
      lastListedAtMs: expected,
    });
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
    expect(nextHalf('left', half, { kind: 'missed', atMs: NOW, endedAtMs: NOW, lastListedAtMs })?.lastListedAtMs).toBe(
      lastListedAtMs,
    );
  });

  test('[R7] that was missed before keeps the time at which it was last seen', () => {
    const half = { ...HALVES.settled, absences: 1, lastListedAtMs: 500, writtenAtMs: null };
    expect(
      nextHalf('left', half, { kind: 'missed', atMs: NOW, endedAtMs: NOW, lastListedAtMs: 900 })?.lastListedAtMs,
    ).toBe(500);
  });

  test('[R12] that was merged into another one stays merged, however often its deletion is reported', () => {
    const merged = nextHalf('left', HALVES.settled, { kind: 'merged', into: 'survivor', atMs: NOW });
    expect(nextHalf('left', merged, { kind: 'deleted', atMs: NOW + 1 })?.mergedInto).toBe('survivor');
    expect(nextHalf('left', merged, { kind: 'merged', into: 'another', atMs: NOW + 1 })?.mergedInto).toBe('another');
  });

  test.each(['missing', 'settling'] as const)('a change of a half that was %s is still to be planned', (state) => {
    const half: Half = { ...HALVES.changed, state };
    expect(nextHalf('left', half, { kind: 'unknown' })).toEqual({ ...half, state: 'changed' });
  });
});
