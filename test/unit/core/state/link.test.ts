import { describe, expect, test } from 'vitest';
import { LINK_TRANSITIONS, type LinkEvent, nextLinkState, shownLinkState } from '../../../../src/core/state/link.ts';
import type { LinkStateName } from '../../../../src/core/state/rows.ts';

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
