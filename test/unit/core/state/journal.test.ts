import type { JournalState } from '../../../../src/core/state/rows.ts';
import { describe, expect, test } from 'vitest';
import { JOURNAL_TRANSITIONS, type JournalEvent } from '../../../../src/core/state/journal.ts';

const EVENTS: Readonly<Record<JournalEvent, JournalState>> = {
  answered: 'done',
  refused: 'failed',
  unanswered: 'intended',
  found: 'done',
  'not-found': 'abandoned',
};

describe('[R9] the table of a journal entry', () => {
  test.each(Object.entries(EVENTS))('an intended write that is %s is %s', (event, expected) => {
    expect(JOURNAL_TRANSITIONS.intended[event as JournalEvent]).toBe(expected);
  });

  test.each(['done', 'failed', 'abandoned'] as const)(
    'an entry that is %s does not change after any event',
    (state) => {
      const after = Object.keys(EVENTS).map((event) => JOURNAL_TRANSITIONS[state][event as JournalEvent]);
      expect(after).toEqual(Object.keys(EVENTS).map(() => state));
    },
  );
});
