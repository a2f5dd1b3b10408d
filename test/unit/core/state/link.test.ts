import { describe, expect, test } from 'vitest';
import { JOURNAL_TRANSITIONS, type JournalEvent } from '../../../../src/core/state/journal-transitions.ts';
import { LINK_TRANSITIONS, type LinkEvent, nextLinkState, shownLinkState } from '../../../../src/core/state/link.ts';
import type { JournalState, LinkStateName } from '../../../../src/core/state/rows.ts';

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
