import { SIDES } from '../../src/core/contact/side.ts';
import { describe, expect, it } from 'vitest';
import { PLAIN_MANNERS } from '../support/memory/manners.ts';
import type { Edit, History } from './history.ts';
import { noCounts, runHistory } from './run-history.ts';
import {
  add,
  addGroup,
  addSharedGroup,
  archive,
  changeId,
  clear,
  create,
  drop,
  history,
  HOUR_MS,
  join,
  leave,
  merge,
  MINUTE_MS,
  remove,
  run,
  set,
  twin,
  TWO_SERVICES,
} from './scenario.ts';

/** Each of these histories broke a rule once. The simulation found it, and it is reduced to the cause. */
describe('histories that broke a rule once', () => {
  it('R5: an edit of a field is kept that the answer to a write of another field shows (seed 402749)', async () => {
    const during = [{ call: 3, edit: add('left', 0, 'emailAddresses') }];
    const before = [set('right', 0, 'firstName'), add('right', 0, 'emailAddresses')];
    const phases = [
      [run({ before: [create('left')] })],
      [run({ before, during, faults: [{ call: 5, fault: 'invalid' }] })],
    ];
    await runHistory(history(phases, { players: TWO_SERVICES }));
  });

  it('R6: a contact edited between the plan and its deletion stays', async () => {
    const counts = noCounts();
    await runHistory(
      history([
        [run({ before: [create('left')] })],
        [run({ before: [remove('left')], during: [{ call: 3, edit: set('right', 0, 'firstName') }] })],
      ]),
      counts,
    );
    expect(counts.raced).toBe(0);
  });

  it.each<[string, History]>([
    [
      'R7: a listing is completed, and sweeps continue, after a process died with the last page stored',
      history([
        [
          run({ before: [twin()] }),
          run({ before: [archive()], gapMs: 7 * HOUR_MS, crash: { step: 8, when: 'after' } }),
        ],
      ]),
    ],
    [
      'R12: a contact whose id changes before its update is neither deleted nor created again',
      history([
        [run({ before: [create('left')] })],
        [run({ before: [set('right', 0, 'lastName')], during: [{ call: 5, edit: changeId() }] })],
      ]),
    ],
    [
      'R4: the losing value of a conflict stays recorded after the answer to the update was lost',
      history([
        [
          run(),
          run({
            before: [twin(true), set('left', 0, 'firstName')],
            full: true,
            faults: [{ call: 9, fault: 'lost-half' }],
          }),
        ],
      ]),
    ],
    [
      'R8: the deletion of all linked contacts of a side can be accepted while that side has a new contact',
      history([
        [
          run({ before: [create('right'), create('right')] }),
          run({ before: [remove('left'), remove('left')] }),
          run({ before: [create('left')], gapMs: 7 * HOUR_MS }),
        ],
      ]),
    ],
    [
      'R5: an address that a user adds to a contact is propagated after the process died before the answer to its create',
      history([
        [
          run({ before: [create('right')], crash: { step: 19, when: 'before' } }),
          run({ before: [add('left', 0, 'emailAddresses')] }),
        ],
      ]),
    ],
    [
      'R13: two contacts that were paired before a crash, with one side written, stay one person',
      history(
        [
          [
            run({
              before: [create('right'), twin(), set('left', 0, 'lastName'), set('left', 0, 'firstName')],
              full: true,
              crash: { step: 18, when: 'after' },
            }),
          ],
        ],
        { conflicts: 'right' },
      ),
    ],
    [
      'R7: the deletion of a contact shortly after its create is detected by a later run',
      history([
        [
          run({ before: [create('right')], crash: { step: 19, when: 'after' } }),
          run({ before: [remove('left')], faults: [{ call: 1, fault: 'expired' }] }),
        ],
      ]),
    ],
    [
      'R12: a contact keeps its pair after its counterpart was merged into a contact that is being created (seed 701636)',
      history([
        [run({ before: [create('left')] })],
        [
          run({
            before: [create('right'), merge('right', { who: 0, into: 1 }), set('left', 0, 'title')],
            gapMs: MINUTE_MS,
            faults: [{ call: 7, fault: 'lost-after' }],
          }),
        ],
      ]),
    ],
    [
      'R13: a contact whose id changes while it is paired and updated stays one person (seed 706736)',
      history([
        [
          run({ during: [{ call: 1, edit: addGroup('left') }] }),
          run({ before: [twin()], faults: [{ call: 4, fault: 'limited' }] }),
          run({
            before: [
              join('left', { who: 0, group: 0 }),
              { kind: 'both', who: 0, field: 'company', list: 'emailAddresses' },
            ],
            during: [{ call: 2, edit: changeId() }],
          }),
        ],
      ]),
    ],
  ])('%s', async (_, played) => {
    await expect(runHistory(played)).resolves.toBeDefined();
  });

  it('R1: a listing that shows a contact as it was before our update does not revert the update', async () => {
    const counts = noCounts();
    await runHistory(
      history(
        [[run({ before: [twin()] })], [run({ before: [set('left', 0, 'firstName')], gapMs: 5 * MINUTE_MS }), run()]],
        {
          lagMs: 90_000,
        },
      ),
      counts,
    );
    expect(counts.writes).toBe(1);
  });

  it('R11: a bucket that a user adds to a contact during the run that creates it survives the run that adds another bucket', async () => {
    const { world } = await runHistory(
      history([
        [run({ before: [addGroup('left')] })],
        [
          run({
            before: [create('left'), join('left', { who: 0, group: 0 }), addGroup('left')],
            during: [{ call: 8, edit: join('right', { who: 0, group: 1 }) }],
          }),
        ],
      ]),
    );
    expect(world.books.left.rows.map((row) => row.groupIds.size)).toEqual([2]);
  });

  it('R11: a membership that one side adds stays where the other side adds and removes it between two runs (seed 25947)', async () => {
    const who = { who: 0, group: 0 };
    const deleteGroup: Edit = { kind: 'delete-group', side: 'right', group: 0 };
    const { world } = await runHistory(
      history(
        [
          [run({ before: [create('right'), addSharedGroup('left'), join('right', who), deleteGroup] })],
          [run({ before: [join('right', who), join('left', who), leave('left', who)] })],
        ],
        { players: TWO_SERVICES },
      ),
    );
    for (const side of SIDES) expect(world.books[side].rows.map((row) => row.groupIds.size)).toEqual([1]);
  });

  it('R9: an update that was not applied does not count as applied because the user entered the same first name', async () => {
    const { world } = await runHistory(
      history([
        [run({ before: [create('left')] })],
        [
          run({
            before: [add('left', 0, 'emailAddresses'), drop('right', 0, 'emailAddresses')],
            during: [{ call: 2, edit: { kind: 'agree', who: 0, field: 'firstName' } }],
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
    'R12: websites that Google dropped from two contacts stay at the service after a merge and a new id at Google (faults of row %#)',
    async (...faults) => {
      const websites = [0, 0, 0, 1, 1, 1].map((who) => add('right', who, 'websites'));
      const before = [create('right'), create('right'), ...websites];
      const merged = [merge('left', { who: 1, into: 0 }), changeId()];
      const left = { ...PLAIN_MANNERS, dropsWebsitesBy: 3 };
      const { world } = await runHistory(
        history([[run({ before })], [run({ before: merged, faults })]], { manners: { left, right: PLAIN_MANNERS } }),
      );
      const live = world.books.right.rows.filter((row) => row.state === 'live');
      expect(live.map((row) => row.contact.websites.length)).toEqual([6]);
    },
  );

  it('R4: a conflict is recorded once, and both titles become equal, after the winning title was refused and then cleared', async () => {
    const { world, conflicts } = await runHistory(
      history(
        [
          [
            run({ before: [twin(true)] }),
            run({ before: [add('left', 0, 'emailAddresses'), set('right', 0, 'lastName')], gapMs: 5 * MINUTE_MS }),
          ],
          [run({ before: [clear('right', 0, 'title')] })],
        ],
        {
          conflicts: 'right',
          keepsAll: true,
          manners: { left: { ...PLAIN_MANNERS, refusesTitlesBy: 1 }, right: PLAIN_MANNERS },
        },
      ),
    );
    const titles = Object.values(world.books).flatMap((book) => book.rows.map((row) => row.contact.title));
    expect(new Set(titles).size).toBe(1);
    // The update was tried and refused a second time.
    expect(conflicts).toHaveLength(1);
  });

  it('R7: a recently created contact that two listings do not show yet is not created again (two services, seed 518)', async () => {
    const { world } = await runHistory(
      history(
        [
          [
            run({
              before: [
                create('left'),
                { kind: 'both', who: 0, field: 'firstName', list: 'emailAddresses' },
                addGroup('left'),
              ],
              gapMs: MINUTE_MS,
              during: [{ call: 1, edit: create('left') }],
              faults: [{ call: 8, fault: 'lost-half' }],
              crash: { step: 19, when: 'after' },
            }),
            run({ before: [add('left', 0, 'emailAddresses')], crash: { step: 13, when: 'before' } }),
            run({
              before: [set('left', 0, 'firstName')],
              faults: [{ call: 1, fault: 'invalid' }],
              crash: { step: 16, when: 'after' },
            }),
          ],
        ],
        { players: TWO_SERVICES, lagMs: 90_000, deleteCount: 1 },
      ),
    );
    expect(world.books.right.rows).toHaveLength(2);
  });

  it('R13: two people who share an email address stay two contacts', async () => {
    const { world } = await runHistory(history([[run({ before: [{ kind: 'household' }] })]]));
    expect(world.books.left.rows).toHaveLength(2);
    expect(world.books.right.rows).toHaveLength(2);
  });

  it.each([true, false])(
    'R9: an origin id that another link wrote pairs no unrelated contacts (with the account in the origin: %s)',
    async (scoped) => {
      const { world } = await runHistory(
        history([[run({ before: [create('right'), { kind: 'stale-origin', side: 'left', who: 0, scoped }] })]]),
      );
      expect(world.books.right.rows).toHaveLength(2);
    },
  );

  it.each([
    ['adds', add('right', 0, 'emailAddresses')],
    ['removes', drop('right', 0, 'emailAddresses', 1)],
  ] as const)(
    'R5: an email address that a user %s during the write of a shared address is propagated (seed 10147)',
    async (_, edit) => {
      const first = run({
        before: [twin(), { kind: 'household' }, add('left', 0, 'emailAddresses')],
        crash: { step: 1, when: 'before' },
      });
      const merged = run({
        before: [
          merge('left', { who: 0, into: 4 }),
          changeId(),
          { kind: 'stale-origin', side: 'left', who: 0, scoped: false },
        ],
        crash: { step: 1, when: 'before' },
      });
      const cleared = run({ before: [clear('left', 0, 'company')], during: [{ call: 3, edit }] });
      await runHistory(history([[first], [merged, cleared]]));
    },
  );

  it('R2: a first name that both sides have is in no conflict after one side refused the first update (seed 1935)', async () => {
    const { conflicts } = await runHistory(
      history([[run({ before: [twin(true)] })], [run({ before: [set('left', 0, 'firstName')] })]], {
        conflicts: 'right',
        keepsAll: true,
        manners: { left: { ...PLAIN_MANNERS, refusesTitlesBy: 4 }, right: PLAIN_MANNERS },
      }),
    );
    expect(conflicts.map(({ field }) => field)).toEqual(['title']);
  });

  it('R7, R12: a contact that a listing shows under its former id is the same contact (seed 2949)', async () => {
    const edited = run({
      before: [set('right', 0, 'company')],
      gapMs: 30_000,
      during: [{ call: 1, edit: changeId() }],
    });
    const { world } = await runHistory(
      history([[run({ before: [twin()] })], [edited, run({ full: true })]], { lagMs: 30_000 }),
    );
    expect(world.books.right.rows).toHaveLength(1);
  });
});
