import { describe, expect, it } from 'vitest';
import { runHistory } from './run-history.ts';
import { history, run } from './scenario.ts';

/** The unbroken run leaves this conflict open; so must one that was broken off. */
describe('histories whose conflicts once went wrong', () => {
  it.each([
    ['by the process', { op: 'merge', side: 'left', fault: 'kill', after: [] }],
    ['by its answer', { op: 'merge', side: 'left', fault: 'lost-after', after: [] }],
  ] as const)(
    'R4: what the merge of a side put over the value that won is no change of it: the conflict stays open (lost %s)',
    async (_, aim) => {
      const books = run({
        before: [
          { kind: 'create', side: 'left', rich: false },
          { kind: 'create', side: 'left', rich: false },
        ],
      });
      const merge = run({ merges: { side: 'left', who: 0, into: 1 }, aims: [aim] });
      const players = { left: 'service', right: 'service' } as const;
      const { world, conflicts } = await runHistory(history([[books], [merge]], { players }));
      const [won, ...others] = world.books.left.rows.filter(({ state }) => state === 'live');
      expect(others).toEqual([]);
      expect(conflicts).toMatchObject([
        { field: 'firstName', right: won?.contact.firstName, winner: 'right', resolvedAtMs: null },
      ]);
    },
  );

  it('R4, R13: nobody is asked about two that are no pair, wherever the process died (seed 805609)', async () => {
    const contacts = { left: ['!*'], right: ['*'] };
    for (let step = 12; step <= 16; step += 1) {
      const met = run({
        before: [{ kind: 'twin', differs: true }],
        crash: { step, when: 'before' },
        contacts,
      });
      const gone = run({ before: [{ kind: 'delete', side: 'right', who: 0 }] });
      const { conflicts } = await runHistory(history([[met, gone]], { conflictsByField: { title: 'ask' } }));
      expect(conflicts.filter(({ resolvedAtMs }) => resolvedAtMs === null)).toEqual([]);
    }
  });
});
