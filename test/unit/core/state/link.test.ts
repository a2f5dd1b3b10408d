import { describe, expect, test } from 'vitest';
import { afterChange, daysByHour, isWorkingHour, workingHoursOf } from '../../../../src/core/state/activity.ts';
import { JOURNAL_TRANSITIONS, type JournalEvent } from '../../../../src/core/state/journal-transitions.ts';
import { LINK_TRANSITIONS, type LinkEvent, nextLinkState, shownLinkState } from '../../../../src/core/state/link.ts';
import { type Activity, type JournalState, type LinkStateName, NO_ACTIVITY } from '../../../../src/core/state/rows.ts';

const STATES: readonly LinkStateName[] = ['active', 'paused', 'resuming', 'halted', 'failing'];

/** The states after an event, for the states in the order above. */
const AFTER: Readonly<Record<LinkEvent, readonly LinkStateName[]>> = {
  completed: ['active', 'active', 'active', 'active', 'active'],
  halted: ['halted', 'halted', 'halted', 'halted', 'halted'],
  refused: ['paused', 'paused', 'paused', 'paused', 'paused'],
  failed: ['failing', 'failing', 'failing', 'failing', 'failing'],
  interrupted: ['active', 'paused', 'resuming', 'halted', 'failing'],
  connected: ['active', 'resuming', 'resuming', 'halted', 'failing'],
  replaced: ['active', 'resuming', 'resuming', 'active', 'active'],
};

const EVENTS = Object.keys(AFTER) as LinkEvent[];

const ROWS = EVENTS.flatMap((event) => {
  return STATES.map((state, index) => [state, event, AFTER[event][index]] as const);
});

describe('the table of a link', () => {
  test('covers every state and every event', () => {
    expect(Object.keys(LINK_TRANSITIONS).toSorted()).toEqual(STATES.toSorted());
    for (const state of STATES) expect(Object.keys(LINK_TRANSITIONS[state]).toSorted()).toEqual(EVENTS.toSorted());
  });

  test.each(ROWS)('%s, then %s: %s', (state, event, expected) => {
    expect(nextLinkState(state, event)).toBe(expected);
  });

  test.each(STATES)(
    '[R16] a link that was %s and whose credential is refused recovers after a sign-in and a run',
    (state) => {
      const connected = nextLinkState(nextLinkState(state, 'refused'), 'connected');
      expect(connected).toBe('resuming');
      expect(nextLinkState(connected, 'completed')).toBe('active');
    },
  );

  test('[R16] a link that is paused stays paused after every interruption of a run', () => {
    expect(nextLinkState('paused', 'interrupted')).toBe('paused');
  });

  test('[R8] a link that was halted is active again after a run within the limit', () => {
    expect(nextLinkState(nextLinkState('active', 'halted'), 'completed')).toBe('active');
  });

  test.each(STATES)('a link that is %s is shown in that state, except one that resumes', (state) => {
    expect(shownLinkState(state)).toBe(state === 'resuming' ? 'active' : state);
  });
});

const JOURNAL_EVENTS: Readonly<Record<JournalEvent, JournalState>> = {
  answered: 'done',
  refused: 'failed',
  unanswered: 'intended',
  found: 'done',
  'not-found': 'abandoned',
};

describe('[R9] the table of a journal entry', () => {
  test.each(Object.entries(JOURNAL_EVENTS))('an intended write that is %s is %s', (event, expected) => {
    expect(JOURNAL_TRANSITIONS.intended[event as JournalEvent]).toBe(expected);
  });

  test.each(['done', 'failed', 'abandoned'] as const)(
    'an entry that is %s does not change after any event',
    (state) => {
      const after = Object.keys(JOURNAL_EVENTS).map((event) => JOURNAL_TRANSITIONS[state][event as JournalEvent]);
      expect(after).toEqual(Object.keys(JOURNAL_EVENTS).map(() => state));
    },
  );
});

const HOUR_MS = 3_600_000;

const DAY_MS = 24 * HOUR_MS;

/** Midnight in UTC. */
const MIDNIGHT_MS = 20_000 * DAY_MS;

const changedAt = (...timesMs: readonly number[]): Activity => timesMs.reduce(afterChange, NO_ACTIVITY);

/** Changes at these hours, on this number of days in a row. */
const habit = (days: number, hours: readonly number[]): Activity =>
  changedAt(
    ...Array.from({ length: days }, (_, day) =>
      hours.map((hour) => MIDNIGHT_MS + day * DAY_MS + hour * HOUR_MS),
    ).flat(),
  );

test('without a change there is no result', () => {
  expect(workingHoursOf(NO_ACTIVITY, MIDNIGHT_MS)).toEqual([]);
  expect(isWorkingHour(NO_ACTIVITY, MIDNIGHT_MS)).toBe(false);
  expect(daysByHour(NO_ACTIVITY, MIDNIGHT_MS)).toEqual(Array.from({ length: 24 }, () => 0));
});

test('a day counts once for an hour, however many changes it has', () => {
  const at = MIDNIGHT_MS + 9 * HOUR_MS;
  const activity = changedAt(at, at + 10_000, at + HOUR_MS - 1, at + HOUR_MS);
  const days = daysByHour(activity, at + HOUR_MS);
  expect([days[8], days[9], days[10], days[11]]).toEqual([0, 0.998, 1, 0]);
  expect(activity.lastChangeAtMs).toBe(at + HOUR_MS);
});

test('a day counts half after two weeks, even if nothing was changed in the meantime', () => {
  const at = MIDNIGHT_MS + 9 * HOUR_MS;
  const fortnight = 14 * DAY_MS;
  expect(daysByHour(changedAt(at), at + fortnight)[9]).toBe(0.5);
  expect(daysByHour(changedAt(at, at + fortnight), at + fortnight)[9]).toBe(1.5);
  expect(daysByHour(changedAt(at), at - DAY_MS)[9]).toBe(1);
});

test('hours in which changes are usual are working hours; a single day at another hour does not make one', () => {
  const usual = habit(20, [8, 9, 10, 14]);
  const activity = afterChange(usual, MIDNIGHT_MS + 19 * DAY_MS + 23 * HOUR_MS);
  const nowMs = MIDNIGHT_MS + 20 * DAY_MS;
  expect(workingHoursOf(activity, nowMs)).toEqual([8, 9, 10, 14]);
  expect(isWorkingHour(activity, nowMs + 9 * HOUR_MS)).toBe(true);
  expect(isWorkingHour(activity, nowMs + 11 * HOUR_MS)).toBe(false);
});

test('the first change makes its hour a working hour for a fortnight', () => {
  const at = MIDNIGHT_MS + 9 * HOUR_MS;
  expect(workingHoursOf(changedAt(at), at + 14 * DAY_MS)).toEqual([9]);
  expect(workingHoursOf(changedAt(at), at + 15 * DAY_MS)).toEqual([]);
});
