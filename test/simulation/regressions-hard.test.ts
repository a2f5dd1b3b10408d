import { describe, expect, it } from 'vitest';
import { otherSide, type Side, SIDES } from '../../src/core/contact/side.ts';
import { sampled } from '../support/extent.ts';
import { type Habits, PLAIN_HABITS } from '../support/memory/book.ts';
import { BOOKS } from './hard-arbitraries.ts';
import { DEFAULT_PLAYERS, type Edit, type Hardness, type History, type RunStep } from './history.ts';
import { runHistory } from './run-history.ts';
import {
  add,
  addSharedGroup,
  archive,
  create,
  createRich,
  drop,
  editOther,
  hardness,
  history,
  join,
  merge,
  MINUTE_MS,
  numbersBetween,
  remove,
  run,
  set,
  twin,
  TWO_GOOGLES,
  TWO_SERVICES,
} from './scenario.ts';

/** The first three contacts, each with each of the first two groups. */
const MEMBERS = [0, 1, 2].flatMap((who) => [0, 1].map((group) => ({ who, group })));

/** A history whose steps follow after `BOOKS` and the edits of `own` have come to rest. */
const hard = (
  steps: readonly RunStep[],
  harder: Partial<Hardness> = {},
  given: Partial<Omit<History, 'phases' | 'hardness'>> = {},
  own: readonly Edit[] = [],
): History =>
  history([[run({ before: [...BOOKS, ...own] })], steps], {
    ...given,
    hardness: hardness(harder),
  });

const flip = (side: Side, who: number, group: number): Edit => ({ kind: 'flip', side, who, group });
const editName = editOther('firstName');
const email = add('left', 0, 'emailAddresses');

/** Each of these histories broke a rule once. The hard simulation found most of them. */
describe('hard histories that broke a rule once', () => {
  it.each(['lost-after', 'lost-before', 'kill'] as const)(
    'R9: a create that ended with %s is made once while listings show new contacts ten minutes late',
    async (fault) => {
      const lag = { listingLagMs: 10 * MINUTE_MS, feedLagMs: 10 * MINUTE_MS };
      const later = Array.from({ length: 6 }, () => run({ gapMs: 2 * MINUTE_MS }));
      // The delay of a change depends on the number of changes before it.
      for (const earlier of numbersBetween(1, 5, 3)) {
        const before = Array.from({ length: earlier }, () => create('right'));
        const aims = [{ op: 'create', side: 'left', fault, after: [] }] as const;
        await runHistory(hard([run({ before, gapMs: 10 * MINUTE_MS, aims }), ...later], lag));
      }
    },
  );

  it.each([
    { side: 'left', fault: 'lost-after' },
    { side: 'right', fault: 'lost-after' },
    { side: 'left', fault: 'kill' },
    { side: 'right', fault: 'kill' },
  ] as const)(
    'R9: a user can revert a membership on the $side side whose write ended with $fault',
    async ({ side, fault }) => {
      for (const { who, group } of sampled(MEMBERS, 3, side.length + fault.length)) {
        const aims = [{ op: 'changeMembership', side: null, fault, after: [{ kind: 'opposite' }] }] as const;
        await runHistory(hard([run({ before: [flip(side, who, group)], aims }), run()]));
      }
    },
  );

  it.each([-180_000, 0, 180_000])(
    'R11: a membership that its user changes back right after a write is propagated, the clock %d ms ahead (seed 300062)',
    async (skewMs) => {
      const given = { players: TWO_GOOGLES, skewMs };
      for (const { who, group } of sampled(MEMBERS, 3, Math.sign(skewMs) + 1)) {
        const back = [0, 1, 2].map((other) => flip('right', other, group));
        await runHistory(hard([run({ before: [flip('left', who, group)] }), run({ before: back }), run()], {}, given));
      }
    },
  );

  it.each(SIDES)(
    'R3: a membership that %s restores stays if the other side adds and removes it before the next run (seed 1411589293)',
    async (side) => {
      const [own, other] = [flip(side, 0, 0), flip(otherSide(side), 0, 0)];
      const first = run({ before: [addSharedGroup('left'), create('left'), join('left', { who: 0, group: 0 })] });
      const { world } = await runHistory(
        history([[first], [run({ before: [other] }), run({ before: [own, other, other] })]], { hardness: hardness() }),
      );
      for (const { rows } of Object.values(world.books)) expect(rows.map((row) => row.groupIds.size)).toEqual([1]);
    },
  );

  it.each<[string, History]>([
    [
      'R7: a deleted contact that a lagging listing still shows is not created again',
      hard([run({ before: [remove('left')] }), run({ gapMs: MINUTE_MS }), run({ full: true })], {
        listingLagMs: 5 * MINUTE_MS,
      }),
    ],
    [
      'R7: a contact that the link deleted and that a lagging delta still shows is not created again',
      hard([run({ before: [remove('left')], gapMs: 30_000 }), run()], { feedLagMs: 30_000 }),
    ],
    [
      'R14: edits on a side whose clock steps back are synced',
      hard([
        run({
          before: [
            { kind: 'step-back', byMs: 30 * 60 * MINUTE_MS },
            set('right', 0, 'firstName'),
            add('right', 1, 'emailAddresses'),
          ],
        }),
      ]),
    ],
    [
      'R14: a side that is restored from a backup is synced, and later edits are not lost',
      hard([
        run({ before: [{ kind: 'backup' }, set('right', 0, 'firstName')] }),
        run({ before: [{ kind: 'restore' }, add('right', 1, 'emailAddresses')], gapMs: MINUTE_MS }),
      ]),
    ],
  ])('%s', async (_, played) => {
    await expect(runHistory(played)).resolves.toBeDefined();
  });

  it('R7: a new contact on a side whose listings lag is not deleted on the other side', async () => {
    const steps = [
      run({ before: [create('right'), create('right'), create('right')] }),
      run({ full: true }),
      run({ full: true }),
    ];
    await runHistory(hard(steps, { listingLagMs: 9 * MINUTE_MS }));
  });

  it.each([false, true])(
    'R6: an archived contact that is edited on the other side is restored (writes unarchive: %s)',
    async (writes) => {
      const harder = { habits: { ...PLAIN_HABITS, writesUnarchive: writes } };
      await runHistory(hard([run({ before: [archive(), editName] })], harder));
      await runHistory(hard([run({ before: [archive()] }), run({ before: [editName] })], harder));
      await runHistory(hard([run({ before: [archive()] }), run(), run({ before: [editName] })], harder));
    },
  );

  it.each([MINUTE_MS, 10_000 * 60 * MINUTE_MS])('R2: a stamp %i ms ahead hides no later edit', async (aheadMs) => {
    for (const who of [0, 1, 2]) {
      await runHistory(
        hard([
          run({ before: [{ kind: 'stamp-ahead', who, aheadMs }] }),
          run({ before: [set('right', who, 'firstName')] }),
          run({ before: [set('left', who, 'title')] }),
        ]),
      );
    }
  });

  it.each<Habits['knownEmail']>(['existing', 'existing-updated', 'refused'])(
    'R2: two people with one email address stay two contacts where the remote answers a create with %s',
    async (knownEmail) => {
      for (const who of [0, 1, 2]) {
        const share: Edit = { kind: 'share', side: 'left', who };
        await runHistory(hard([run({ before: [share] })], { habits: { ...PLAIN_HABITS, knownEmail } }));
      }
    },
  );

  it('R5: a restored contact keeps its own email address where its shared address is refused', async () => {
    const share: Edit = { kind: 'share', side: 'left', who: 0 };
    const aims = [{ op: 'update', side: 'right', fault: 'kill', after: [] }] as const;
    for (const players of [DEFAULT_PLAYERS, TWO_SERVICES])
      await runHistory(
        hard(
          [run({ before: [share], aims }), run({ before: [remove('right', 3)], full: true })],
          { habits: { ...PLAIN_HABITS, knownEmail: 'refused' } },
          { players },
        ),
      );
  });

  it.each([
    { replaces: false, archives: false },
    { replaces: true, archives: false },
    { replaces: false, archives: true },
    { replaces: true, archives: true },
  ])(
    'R12: a merge that is interrupted at any step is completed (replaces $replaces, archives $archives)',
    async ({ replaces, archives }) => {
      const habits: Habits = { ...PLAIN_HABITS, merge: { replaces, archives } };
      const before = [merge('left', { who: 1, into: 0 })];
      for (const fault of ['lost-after', 'lost-before', 'kill', 'invalid'] as const) {
        const aims = [{ op: 'merge', side: 'right', fault, after: [] }] as const;
        await runHistory(hard([run({ before, aims }), run()], { habits }));
      }
      for (const step of numbersBetween(14, 34, 8, Number(replaces) + 2 * Number(archives))) {
        await runHistory(hard([run({ before, crash: { step, when: 'after' } }), run()], { habits }));
      }
    },
  );

  it.each(SIDES)('R5: a row of the %s side that could not be read once is read again', async (side) => {
    await runHistory(hard([run({ before: [set(side, 0, 'firstName')], unreadable: { side, each: 1 } })]));
  });

  it.each(SIDES)('R5: a new contact of the %s side whose first row could not be read is synced', async (side) => {
    const unreadable = { side, each: 1 };
    const before = [createRich(side)];
    for (const full of [false, true]) await runHistory(hard([run({ before, unreadable, full })]));
    await runHistory(hard([run({ before, unreadable }), run({ unreadable }), run({ unreadable })]));
  });

  it.each(SIDES)(
    'R9: a write to the %s side with an unknown outcome stays open while its contact cannot be read',
    async (side) => {
      const other = otherSide(side);
      const unreadable = { side, each: 1 };
      const writes = [
        ['update', set(other, 0, 'firstName')],
        ['changeMembership', flip(other, 0, 1)],
        ['delete', remove(other)],
      ] as const;
      for (const fault of ['lost-after', 'lost-before'] as const) {
        for (const [op, edit] of sampled(writes, 2, fault.length)) {
          const lost = run({ before: [edit], aims: [{ op, side, fault, after: [] }], unreadable });
          const edited = run({ before: [set(other, 0, 'title')], unreadable });
          await runHistory(hard([lost, edited, run()]));
        }
      }
    },
  );

  it.each([
    { source: 'left', target: 'right', direction: 'to-right' },
    { source: 'right', target: 'left', direction: 'to-left' },
  ] as const)(
    'R3: an email address that the source of a one-way link removed is removed from a target with more addresses (source $source)',
    async ({ source, target, direction }) => {
      for (const at of [0, 1]) {
        const setup: Edit[] = [twin(), add(target, 0, 'emailAddresses'), add(source, 0, 'emailAddresses')];
        const gone = run({ before: [drop(source, 0, 'emailAddresses', at)] });
        await runHistory(history([[run({ before: setup })], [gone]], { hardness: hardness({ direction }) }));
      }
    },
  );

  it.each(SIDES)(
    'R9: an email address removed on the %s side stays removed when an update is lost after an unseen edit of its list',
    async (side) => {
      const list = 'emailAddresses';
      const clash: Edit = { kind: 'clash', who: 0, same: 'firstName', side, gone: list, added: list };
      const lags = [{ listingLagMs: 9 * MINUTE_MS }, { feedLagMs: 5 * MINUTE_MS }];
      const cases = lags.flatMap((lag) => [false, true].map((full) => ({ lag, full })));
      for (const [index, fault] of (['lost-after', 'lost-before', 'lost-half', 'kill'] as const).entries()) {
        const aims = [{ op: 'update', side: null, fault, after: [] }] as const;
        for (const { lag, full } of sampled(cases, 4, index + side.length))
          await runHistory(hard([run({ before: [clash], aims, full }), run(), run()], lag));
      }
    },
  );

  it.each(SIDES)(
    'R4: a contact that was read before an interrupted first run and then deleted wins no conflict (%s)',
    async (conflicts) => {
      const other = otherSide(conflicts);
      for (const step of numbersBetween(3, 20, 5)) {
        const first = run({ before: [twin(true), twin(true)], crash: { step, when: 'after' } });
        const second = run({ before: [remove(conflicts), set(other, 0, 'title')] });
        await runHistory(
          history([[first, second]], {
            conflicts,
            hardness: hardness(),
          }),
        );
      }
    },
  );

  it('R6: an edit that was written to an archived contact survives the next listings (seed 10706)', async () => {
    const first = run({ before: [archive(), editOther('firstName')] });
    await runHistory(hard([first, run({ gapMs: 5 * MINUTE_MS }), run({ gapMs: 5 * MINUTE_MS, full: true })]));
  });

  it('R12: a first name that a user sets right after a merge is kept (seed 9481)', async () => {
    const before = [
      set('left', 2, 'firstName'),
      join('right', { who: 0, group: 0 }),
      merge('left', { who: 0, into: 1 }),
    ];
    const habits: Habits = { ...PLAIN_HABITS, merge: { replaces: true, archives: false } };
    const first = run({ before, crash: { step: 24, when: 'before' } });
    const second = run({ before: [set('right', 1, 'firstName'), add('left', 0, 'phoneNumbers')] });
    await runHistory(hard([first, second], { habits }, {}, [join('left', { who: 1, group: 0 })]));
  });

  it('R11, R12: a membership that a user adds while two contacts are merged is kept (seed 7670)', async () => {
    const before = [merge('left', { who: 0, into: 1 })];
    for (const who of [0, 1, 2]) {
      for (const call of numbersBetween(6, 11, 4, who)) {
        const edit: Edit = join('right', { who, group: 1 });
        await runHistory(hard([run({ before, during: [{ call, edit }] }), run()]));
      }
    }
  });

  it('R7: an unpaired contact is not created from a listing that lags behind its deletion (seed 18910)', async () => {
    const steps = [
      run({ before: [remove('left'), editName] }),
      run({ before: [editName, editName] }),
      run({ before: [create('left'), remove('left')] }),
      run({ before: [create('left'), remove('left', 3)], gapMs: 30_000, full: true }),
    ];
    await runHistory(hard(steps, { listingLagMs: 5 * MINUTE_MS }));
  });

  it('R7, R8: recently created contacts that a listing does not show are not deleted (seed 18910)', async () => {
    const steps = [
      run({ before: [remove('left'), editName] }),
      run({ before: [editName, editName] }),
      run({ before: [create('left'), remove('left')] }),
      run({ before: [remove('left', 3)], gapMs: 30_000, full: true }),
    ];
    await runHistory(hard(steps, { listingLagMs: 5 * MINUTE_MS }));
  });

  it('R8: a phone number that a lost update did not remove does not count as removed (seed 50543)', async () => {
    const clash: Edit = {
      kind: 'clash',
      who: 0,
      same: 'firstName',
      side: 'left',
      gone: 'phoneNumbers',
      added: 'emailAddresses',
    };
    const first = run({
      before: [clash],
      gapMs: MINUTE_MS,
      aims: [{ op: 'update', side: null, fault: 'lost-before', after: [] }],
    });
    const rest = [run({ full: true, gapMs: 0 }), run({ gapMs: 0 })];
    await runHistory(hard([first, ...rest], { feedLagMs: 2 * MINUTE_MS }, {}, [email]));
  });

  it('R5: a lagging feed restores no email address of a contact that recovery has read (seed 120255)', async () => {
    const clash = (who: number): Edit => {
      return { kind: 'clash', who, same: 'company', side: 'left', gone: 'emailAddresses', added: 'emailAddresses' };
    };
    const first = run({
      before: [clash(0), set('left', 0, 'firstName'), clash(1)],
      gapMs: 0,
      aims: [{ op: 'update', side: null, fault: 'lost-after', after: [] }],
    });
    const players = { left: 'service', right: 'google' } as const;
    const rest = [run({ gapMs: 0 }), run({ gapMs: 0 })];
    await runHistory(hard([first, ...rest], { feedLagMs: 5 * MINUTE_MS }, { players }, [email, email]));
  });

  it('R7: a contact that an interrupted listing showed and that was deleted since wins no conflict (seed 20138)', async () => {
    for (const step of numbersBetween(8, 12, 3)) {
      const first = run({
        before: [twin(), create('right'), twin(true)],
        full: true,
        gapMs: 0,
        crash: { step, when: 'before' },
      });
      const second = run({ before: [remove('right', 2), remove('right')], full: true, gapMs: 0 });
      await runHistory(history([[first, second, run()]], { conflicts: 'right', hardness: hardness() }));
    }
  });
});
