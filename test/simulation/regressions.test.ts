import { describe, expect, it } from 'vitest';
import { PLAIN_MANNERS } from '../support/memory/manners.ts';
import { noCounts, runHistory } from './run-history.ts';
import type { Edit } from './history.ts';
import { history, run } from './scenario.ts';

/** Each of these histories, found by the simulation and cut down to what matters, once broke a promise. */
describe('histories that once went wrong', () => {
  it('R6: a contact edited between the plan and its deletion stays', async () => {
    const counts = noCounts();
    await runHistory(
      history([
        [run({ before: [{ kind: 'create', side: 'left', rich: false }] })],
        [
          run({
            before: [{ kind: 'delete', side: 'left', who: 0 }],
            meanwhile: [{ call: 3, edit: { kind: 'set', side: 'right', who: 0, field: 'firstName' } }],
          }),
        ],
      ]),
      counts,
    );
    expect(counts.raced).toBe(0);
  });

  it('R7: a listing whose last page was stored by a process that then died is finished, and sweeps go on', async () => {
    await runHistory(
      history([
        [
          run({ before: [{ kind: 'twin', differs: false }] }),
          run({
            before: [{ kind: 'archive', who: 0 }],
            gapMs: 7 * 3_600_000,
            crash: { step: 8, when: 'after' },
          }),
        ],
      ]),
    );
  });

  it('R1: a listing that shows what stood there before a write of ours undoes nothing', async () => {
    const counts = noCounts();
    await runHistory(
      history(
        [
          [run({ before: [{ kind: 'twin', differs: false }] })],
          [run({ before: [{ kind: 'set', side: 'left', who: 0, field: 'firstName' }], gapMs: 300_000 }), run()],
        ],
        { lagMs: 90_000 },
      ),
      counts,
    );
    expect(counts.writes).toBe(1);
  });

  it('R12: a contact that has a new name when it is written is neither deleted nor made again', async () => {
    await runHistory(
      history([
        [run({ before: [{ kind: 'create', side: 'left', rich: false }] })],
        [
          run({
            before: [{ kind: 'set', side: 'right', who: 0, field: 'lastName' }],
            meanwhile: [{ call: 5, edit: { kind: 'new-id', who: 0 } }],
          }),
        ],
      ]),
    );
  });

  it('R4: the losing value of a conflict stays readable where the answer of the write was lost', async () => {
    await runHistory(
      history([
        [
          run(),
          run({
            before: [
              { kind: 'twin', differs: true },
              { kind: 'set', side: 'left', who: 0, field: 'firstName' },
            ],
            full: true,
            faults: [{ call: 9, fault: 'lost-half' }],
          }),
        ],
      ]),
    );
  });

  it('R8: a side whose linked contacts were all deleted and that holds a new one can be let pass', async () => {
    await runHistory(
      history([
        [
          run({
            before: [
              { kind: 'create', side: 'right', rich: false },
              { kind: 'create', side: 'right', rich: false },
            ],
          }),
          run({
            before: [
              { kind: 'delete', side: 'left', who: 0 },
              { kind: 'delete', side: 'left', who: 0 },
            ],
          }),
          run({ before: [{ kind: 'create', side: 'left', rich: false }], gapMs: 7 * 3_600_000 }),
        ],
      ]),
    );
  });

  it('R5: what a user adds to a contact whose create was never answered is propagated', async () => {
    await runHistory(
      history([
        [
          run({
            before: [{ kind: 'create', side: 'right', rich: false }],
            crash: { step: 19, when: 'before' },
          }),
          run({ before: [{ kind: 'add', side: 'left', who: 0, field: 'emailAddresses' }] }),
        ],
      ]),
    );
  });

  it('R13: two contacts that were paired and only half written are still one person after a crash', async () => {
    await runHistory(
      history(
        [
          [
            run({
              before: [
                { kind: 'create', side: 'right', rich: false },
                { kind: 'twin', differs: false },
                { kind: 'set', side: 'left', who: 0, field: 'lastName' },
                { kind: 'set', side: 'left', who: 0, field: 'firstName' },
              ],
              full: true,
              crash: { step: 18, when: 'after' },
            }),
          ],
        ],
        { conflicts: 'right' },
      ),
    );
  });

  it('R7: a contact deleted minutes after it was written is found deleted in a later run', async () => {
    await runHistory(
      history([
        [
          run({
            before: [{ kind: 'create', side: 'right', rich: false }],
            crash: { step: 19, when: 'after' },
          }),
          run({
            before: [{ kind: 'delete', side: 'left', who: 0 }],
            faults: [{ call: 1, fault: 'expired' }],
          }),
        ],
      ]),
    );
  });

  it('R11: a bucket added to a contact that the run created a moment ago survives the run that adds another', async () => {
    const { world } = await runHistory(
      history([
        [run({ before: [{ kind: 'group', side: 'left', both: false }] })],
        [
          run({
            before: [
              { kind: 'create', side: 'left', rich: false },
              { kind: 'join', side: 'left', who: 0, group: 0 },
              { kind: 'group', side: 'left', both: false },
            ],
            meanwhile: [{ call: 8, edit: { kind: 'join', side: 'right', who: 0, group: 1 } }],
          }),
        ],
      ]),
    );
    expect(world.books.left.rows.map((row) => row.groupIds.size)).toEqual([2]);
  });

  it('R9: a refused write whose answer was lost is not taken for applied because the user typed the same name', async () => {
    const { world } = await runHistory(
      history([
        [run({ before: [{ kind: 'create', side: 'left', rich: false }] })],
        [
          run({
            before: [
              { kind: 'add', side: 'left', who: 0, field: 'emailAddresses' },
              { kind: 'drop', side: 'right', who: 0, field: 'emailAddresses', at: 0 },
            ],
            meanwhile: [{ call: 2, edit: { kind: 'agree', who: 0, field: 'firstName' } }],
            faults: [{ call: 7, fault: 'lost-after' }],
            salt: 613,
          }),
        ],
      ]),
    );
    for (const book of Object.values(world.books))
      expect(book.rows.map((row) => row.contact.emailAddresses.length)).toEqual([1]);
  });

  it.each([[], [{ call: 7, fault: 'invalid' as const }], [{ call: 7, fault: 'lost-before' as const }]])(
    'R12: what Google dropped of two contacts stands at the service after a merge and a new id at Google %#',
    async (...faults) => {
      const add = { kind: 'add', side: 'right', field: 'websites' } as const;
      const before: readonly Edit[] = [
        { kind: 'create', side: 'right', rich: false },
        { kind: 'create', side: 'right', rich: false },
        ...[0, 0, 0, 1, 1, 1].map((who) => ({ ...add, who })),
      ];
      const merge: readonly Edit[] = [
        { kind: 'merge', side: 'left', who: 1, into: 0 },
        { kind: 'new-id', who: 0 },
      ];
      const left = { ...PLAIN_MANNERS, dropsWebsitesBy: 3 };
      const { world } = await runHistory(
        history([[run({ before })], [run({ before: merge, faults })]], { manners: { left, right: PLAIN_MANNERS } }),
      );
      const live = world.books.right.rows.filter((row) => row.state === 'live');
      expect(live.map((row) => row.contact.websites.length)).toEqual([6]);
    },
  );

  it('R4: the value that lost a conflict comes back where the one that won was refused and then cleared', async () => {
    const { world, conflicts } = await runHistory(
      history(
        [
          [
            run({ before: [{ kind: 'twin', differs: true }] }),
            run({
              before: [
                { kind: 'add', side: 'left', who: 0, field: 'emailAddresses' },
                { kind: 'set', side: 'right', who: 0, field: 'lastName' },
              ],
              gapMs: 300_000,
            }),
          ],
          [run({ before: [{ kind: 'clear', side: 'right', who: 0, field: 'title' }] })],
        ],
        {
          conflicts: 'right',
          manners: { left: { ...PLAIN_MANNERS, refusesTitlesBy: 1 }, right: PLAIN_MANNERS },
        },
      ),
    );
    const titles = Object.values(world.books).flatMap((book) => book.rows.map((row) => row.contact.title));
    expect(new Set(titles).size).toBe(1);
    // Tried again and refused again, it is one conflict still.
    expect(conflicts).toHaveLength(1);
  });

  it('R12: a contact whose partner was merged into one that is just being made is not forgotten (seed 701636)', async () => {
    await runHistory(
      history([
        [run({ before: [{ kind: 'create', side: 'left', rich: false }] })],
        [
          run({
            before: [
              { kind: 'create', side: 'right', rich: false },
              { kind: 'merge', side: 'right', who: 0, into: 1 },
              { kind: 'set', side: 'left', who: 0, field: 'title' },
            ],
            gapMs: 60_000,
            faults: [{ call: 7, fault: 'lost-after' }],
          }),
        ],
      ]),
    );
  });

  it('R13: a contact that gets a new name while it is paired and written stays one person (seed 706736)', async () => {
    await runHistory(
      history([
        [
          run({ meanwhile: [{ call: 1, edit: { kind: 'group', side: 'left', both: false } }] }),
          run({ before: [{ kind: 'twin', differs: false }], faults: [{ call: 4, fault: 'limited' }] }),
          run({
            before: [
              { kind: 'join', side: 'left', who: 0, group: 0 },
              { kind: 'both', who: 0, field: 'company', list: 'emailAddresses' },
            ],
            meanwhile: [{ call: 2, edit: { kind: 'new-id', who: 0 } }],
          }),
        ],
      ]),
    );
  });

  it('R7: a contact made a moment ago that two listings do not show yet is not made again (service, seed 518)', async () => {
    const { world } = await runHistory(
      history(
        [
          [
            run({
              before: [
                { kind: 'create', side: 'left', rich: false },
                { kind: 'both', who: 0, field: 'firstName', list: 'emailAddresses' },
                { kind: 'group', side: 'left', both: false },
              ],
              gapMs: 60_000,
              meanwhile: [{ call: 1, edit: { kind: 'create', side: 'left', rich: false } }],
              faults: [{ call: 8, fault: 'lost-half' }],
              crash: { step: 19, when: 'after' },
            }),
            run({
              before: [{ kind: 'add', side: 'left', who: 0, field: 'emailAddresses' }],
              crash: { step: 13, when: 'before' },
            }),
            run({
              before: [{ kind: 'set', side: 'left', who: 0, field: 'firstName' }],
              faults: [{ call: 1, fault: 'invalid' }],
              crash: { step: 16, when: 'after' },
            }),
          ],
        ],
        { players: { left: 'service', right: 'service' }, lagMs: 90_000, deleteCount: 1 },
      ),
    );
    expect(world.books.right.rows).toHaveLength(2);
  });

  it('R13: two people of one household stay two', async () => {
    const { world } = await runHistory(history([[run({ before: [{ kind: 'household' }] })]]));
    expect(world.books.left.rows).toHaveLength(2);
    expect(world.books.right.rows).toHaveLength(2);
  });

  it.each([true, false])(
    'R9: an id that another link left pairs no strangers (it names its account: %s)',
    async (scoped) => {
      const { world } = await runHistory(
        history([
          [
            run({
              before: [
                { kind: 'create', side: 'right', rich: false },
                { kind: 'stale-origin', side: 'left', who: 0, scoped },
              ],
            }),
          ],
        ]),
      );
      expect(world.books.right.rows).toHaveLength(2);
    },
  );

  it.each([
    ['adds', { kind: 'add', side: 'right', who: 0, field: 'emailAddresses' }],
    ['removes', { kind: 'drop', side: 'right', who: 0, field: 'emailAddresses', at: 1 }],
  ] as const)(
    'R5: an address that a user %s while a shared one is on its way arrives (seed 10147)',
    async (_, edit) => {
      const first = run({
        before: [
          { kind: 'twin', differs: false },
          { kind: 'household' },
          { kind: 'add', side: 'left', who: 0, field: 'emailAddresses' },
        ],
        crash: { step: 1, when: 'before' },
      });
      const merge = run({
        before: [
          { kind: 'merge', side: 'left', who: 0, into: 4 },
          { kind: 'new-id', who: 0 },
          { kind: 'stale-origin', side: 'left', who: 0, scoped: false },
        ],
        crash: { step: 1, when: 'before' },
      });
      const clear: Edit = { kind: 'clear', side: 'left', who: 0, field: 'company' };
      await runHistory(history([[first], [merge, run({ before: [clear], meanwhile: [{ call: 3, edit }] })]]));
    },
  );

  it('R2: what both sides agreed on is in no conflict, although one refused the first write (seed 1935)', async () => {
    const rename: Edit = { kind: 'set', side: 'left', who: 0, field: 'firstName' };
    const { conflicts } = await runHistory(
      history([[run({ before: [{ kind: 'twin', differs: true }] })], [run({ before: [rename] })]], {
        conflicts: 'right',
        manners: { left: { ...PLAIN_MANNERS, refusesTitlesBy: 4 }, right: PLAIN_MANNERS },
      }),
    );
    expect(conflicts.map(({ field }) => field)).toEqual(['title']);
  });

  it('R7, R12: a contact that a listing shows by its former id is no other one (seed 2949)', async () => {
    const twin: Edit = { kind: 'twin', differs: false };
    const edit: Edit = { kind: 'set', side: 'right', who: 0, field: 'company' };
    const renamed = { call: 1, edit: { kind: 'new-id', who: 0 } } as const;
    const runs = [run({ before: [edit], gapMs: 30_000, meanwhile: [renamed] }), run({ full: true })];
    const { world } = await runHistory(history([[run({ before: [twin] })], runs], { lagMs: 30_000 }));
    expect(world.books.right.rows).toHaveLength(1);
  });
});
