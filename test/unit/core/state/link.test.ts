import { expect, test } from 'vitest';
import { type LinkEvent, nextLinkState, shownLinkState } from '../../../../src/core/state/link.ts';
import type { LinkStateName } from '../../../../src/core/state/rows.ts';

const STATES: readonly LinkStateName[] = ['active', 'paused', 'resuming', 'halted', 'failing'];

/** The states after an event, for the states in the order above. */
const AFTER: Readonly<Record<LinkEvent, readonly LinkStateName[]>> = {
  completed: ['active', 'active', 'active', 'active', 'active'],
  halted: ['halted', 'halted', 'halted', 'halted', 'halted'],
  refused: ['paused', 'paused', 'paused', 'paused', 'paused'],
  failed: ['failing', 'failing', 'failing', 'failing', 'failing'],
  connected: ['active', 'resuming', 'resuming', 'halted', 'failing'],
  replaced: ['active', 'resuming', 'resuming', 'active', 'active'],
};

const ROWS = Object.entries(AFTER).flatMap(([event, after]) =>
  STATES.map((state, index) => [state, event as LinkEvent, after[index]] as const),
);

test.each(ROWS)('[R8, R16] a link that is %s, then %s, is %s', (state, event, expected) => {
  expect(nextLinkState(state, event)).toBe(expected);
});

test.each(STATES)('a link that is %s is shown in that state, except one that resumes', (state) => {
  expect(shownLinkState(state)).toBe(state === 'resuming' ? 'active' : state);
});
