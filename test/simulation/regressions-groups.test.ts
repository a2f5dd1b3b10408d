import { test } from 'vitest';
import { SIDES } from '../../src/core/contact/side.ts';
import { BOOKS } from './hard-arbitraries.ts';
import type { Edit } from './history.ts';
import { runHistory } from './run-history.ts';
import { GOOGLE_CARDDAV, hardness, history, numbersBetween, run } from './scenario.ts';

// Histories that broke a rule once, reduced to the cause: names of groups on a side whose groups are words on their members.

test.each(SIDES)(
  'R11: groups whose names a user exchanges keep their members after a rename from %s that was interrupted at any step (seeds 984005288, 1100009162)',
  async (side) => {
    for (const step of numbersBetween(6, 26, 5)) {
      const renamed: Edit = { kind: 'rename-group', side, group: 1 };
      const exchanged: Edit = { kind: 'swap-groups', side, group: 0 };
      for (const before of [[renamed], [exchanged]]) {
        const killed = run({ before, crash: { step, when: 'after' } });
        const phases = [[run({ before: BOOKS })], [killed, run({ before: [exchanged], full: true })]];
        await runHistory(history(phases, { players: GOOGLE_CARDDAV, hardness: hardness() }));
      }
    }
  },
);
