import { expect, test } from 'vitest';
import { PLAIN_HABITS, type Habits } from '../support/memory/book.ts';
import { BOOKS } from './hard-arbitraries.ts';
import type { RunStep } from './history.ts';
import { runHistory } from './run-history.ts';
import { history, run } from './scenario.ts';

// Histories that once went wrong, cut down to what matters: people who share an email address.

const play = (steps: readonly RunStep[], knownEmail: Habits['knownEmail']) =>
  runHistory(
    history([[run({ before: BOOKS })], steps], {
      hardness: { direction: 'both', listingLagMs: 0, feedLagMs: 0, habits: { ...PLAIN_HABITS, knownEmail } },
    }),
  );

test.each(['existing', 'existing-updated', 'refused', 'duplicate'] as const)(
  'R9: a later part takes no contact for its own that a create made whose answer was lost (%s, family 2793)',
  async (knownEmail) => {
    const lost = { op: 'create', side: 'right', fault: 'lost-after', after: [] } as const;
    // With this salt, the family is planned in parts of two.
    const first = run({ before: [{ kind: 'family', side: 'left' }], salt: 0, aims: [lost, { ...lost }] });
    await expect(play([first, run({ full: true })], knownEmail)).resolves.toBeDefined();
  },
);
