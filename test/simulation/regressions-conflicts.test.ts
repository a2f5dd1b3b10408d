import { describe, expect, it } from 'vitest';
import { PLAIN_MANNERS } from '../support/memory/manners.ts';
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

  it('R4: what a person is asked about is nothing that both sides agreed on (seed 1001411)', async () => {
    const met = run({
      before: [
        { kind: 'twin', differs: false },
        { kind: 'agree', who: 0, field: 'title' },
      ],
    });
    const edited = run({ before: [{ kind: 'set', side: 'left', who: 0, field: 'title' }] });
    const manners = { left: { ...PLAIN_MANNERS, titleLength: 8 }, right: PLAIN_MANNERS };
    const { conflicts } = await runHistory(history([[met], [edited]], { manners, conflictsByField: { title: 'ask' } }));
    expect(conflicts.map(({ winner, resolvedAtMs }) => [winner, resolvedAtMs !== null])).toEqual([
      [null, true],
      [null, false],
    ]);
  });
});
