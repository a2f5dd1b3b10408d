import { expect, test } from 'vitest';
import { runHistory } from './run-history.ts';
import { history, run } from './scenario.ts';

// Histories that once went wrong, cut down to what matters: merges that a person asked for.

test('[R12] an address that goes one way stays with the survivor whose counterpart is gone (seed 5705)', async () => {
  const people = (['left', 'right'] as const).map((side) => ({ kind: 'create', side, rich: true }) as const);
  const merge = run({
    before: [{ kind: 'delete', side: 'right', who: 0 }],
    merges: { side: 'left', who: 0, into: 1 },
  });
  const phases = [[run({ before: people })], [merge]];
  await expect(runHistory(history(phases, { directions: { emailAddresses: 'to-right' } }))).resolves.toBeDefined();
});
