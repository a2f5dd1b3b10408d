import { describe, it } from 'vitest';
import { SIDES, type Side } from '../../src/core/contact/side.ts';
import { sampled } from '../support/extent.ts';
import { PLAIN_HABITS, type Habits } from '../support/memory/book.ts';
import { BOOKS } from './hard-arbitraries.ts';
import type { Edit, Hardness, History, RunStep } from './history.ts';
import { runHistory } from './run-history.ts';
import { history, run } from './scenario.ts';

const MINUTE_MS = 60_000;

/** `npm test` cuts one step of so many off. */
const SAMPLE_EACH = 4;

const stepsBetween = (first: number, last: number): readonly number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** A history that plays after the books, with these edits of their own, have come to rest. */
const hard = (
  steps: readonly RunStep[],
  hardness: Partial<Hardness> = {},
  given: Partial<Omit<History, 'phases' | 'hardness'>> = {},
  own: readonly Edit[] = [],
): History =>
  history([[run({ before: [...BOOKS, ...own] })], steps], {
    ...given,
    hardness: { direction: 'both', listingLagMs: 0, feedLagMs: 0, habits: PLAIN_HABITS, ...hardness },
  });

const createPlain: Edit = { kind: 'create', side: 'left', rich: false };
const editOther: Edit = { kind: 'edit-other', field: 'firstName' };
const email: Edit = { kind: 'add', side: 'left', who: 0, field: 'emailAddresses' };

const remove = (side: 'left' | 'right', who = 0): Edit => ({ kind: 'delete', side, who });

/** Each of these histories was found by the hard simulation or by histories of another origin, and broke a promise. */
describe('hard histories that once went wrong', () => {
  it.each([
    ['left', 'lost-after'],
    ['right', 'lost-after'],
    ['left', 'kill'],
    ['right', 'kill'],
  ] as const)(
    'R9: a membership changed at the %s whose write met with %s is changed back there by its user',
    async (side, fault) => {
      for (const who of [0, 1, 2]) {
        for (const group of [0, 1]) {
          const flip: Edit = { kind: 'flip', side, who, group };
          const aims = [{ op: 'changeMembership', side: null, fault, after: [{ kind: 'opposite' }] }] as const;
          await runHistory(hard([run({ before: [flip], aims }), run()]));
        }
      }
    },
  );

  it.each([-180_000, 0, 180_000])(
    'R11: a membership that its user changes back right after a write is propagated, the clock %d ms ahead (seed 300062)',
    async (skewMs) => {
      const players = { left: 'google', right: 'google' } as const;
      for (const who of [0, 1, 2]) {
        for (const group of [0, 1]) {
          const flip: Edit = { kind: 'flip', side: 'left', who, group };
          const back = [0, 1, 2].map((other): Edit => ({ kind: 'flip', side: 'right', who: other, group }));
          await runHistory(hard([run({ before: [flip] }), run({ before: back }), run()], {}, { players, skewMs }));
        }
      }
    },
  );

  it('R7: a deleted contact that a lagging listing still shows is not made again', async () => {
    await runHistory(
      hard([run({ before: [remove('left')] }), run({ gapMs: MINUTE_MS }), run({ full: true })], {
        listingLagMs: 5 * MINUTE_MS,
      }),
    );
  });

  it('R7: a contact that is new at a side whose listings lag is not deleted at the other one', async () => {
    const create: Edit = { kind: 'create', side: 'right', rich: false };
    const steps = [run({ before: [create, create, create] }), run({ full: true }), run({ full: true })];
    await runHistory(hard(steps, { listingLagMs: 9 * MINUTE_MS }));
  });

  it('R7: a contact that the link deleted and that a lagging delta still shows is not made again', async () => {
    await runHistory(hard([run({ before: [remove('left')], gapMs: 30_000 }), run()], { feedLagMs: 30_000 }));
  });

  it.each([false, true])('R6: an archived contact that is edited at the other side comes back (%s)', async (writes) => {
    const archive: Edit = { kind: 'archive', who: 0 };
    const edit: Edit = { kind: 'edit-other', field: 'firstName' };
    const hardness = { habits: { ...PLAIN_HABITS, writesUnarchive: writes } };
    await runHistory(hard([run({ before: [archive, edit] })], hardness));
    await runHistory(hard([run({ before: [archive] }), run({ before: [edit] })], hardness));
    await runHistory(hard([run({ before: [archive] }), run(), run({ before: [edit] })], hardness));
  });

  it.each([MINUTE_MS, 10_000 * 60 * MINUTE_MS])('R2: a stamp %i ms ahead hides no later edit', async (aheadMs) => {
    for (const who of [0, 1, 2]) {
      await runHistory(
        hard([
          run({ before: [{ kind: 'stamp-ahead', who, aheadMs }] }),
          run({ before: [{ kind: 'set', side: 'right', who, field: 'firstName' }] }),
          run({ before: [{ kind: 'set', side: 'left', who, field: 'title' }] }),
        ]),
      );
    }
  });

  it('R14: a side whose clock steps back is followed', async () => {
    await runHistory(
      hard([
        run({
          before: [
            { kind: 'step-back', byMs: 30 * 60 * MINUTE_MS },
            { kind: 'set', side: 'right', who: 0, field: 'firstName' },
            { kind: 'add', side: 'right', who: 1, field: 'emailAddresses' },
          ],
        }),
      ]),
    );
  });

  it('R14: a side restored from a backup is followed, and edits made after it are not lost', async () => {
    await runHistory(
      hard([
        run({ before: [{ kind: 'backup' }, { kind: 'set', side: 'right', who: 0, field: 'firstName' }] }),
        run({
          before: [{ kind: 'restore' }, { kind: 'add', side: 'right', who: 1, field: 'emailAddresses' }],
          gapMs: MINUTE_MS,
        }),
      ]),
    );
  });

  it.each<Habits['knownEmail']>(['existing', 'existing-updated', 'refused'])(
    'R2: two people with one email address stay two where a create is answered with %s',
    async (knownEmail) => {
      for (const who of [0, 1, 2]) {
        const share: Edit = { kind: 'share', side: 'left', who };
        await runHistory(hard([run({ before: [share] })], { habits: { ...PLAIN_HABITS, knownEmail } }));
      }
    },
  );

  it('R5: a contact that comes back keeps its own address where one that it shares is refused', async () => {
    const share: Edit = { kind: 'share', side: 'left', who: 0 };
    const aims = [{ op: 'update', side: 'right', fault: 'kill', after: [] }] as const;
    for (const players of [
      { left: 'google', right: 'service' } as const,
      { left: 'service', right: 'service' } as const,
    ])
      await runHistory(
        hard(
          [run({ before: [share], aims }), run({ before: [remove('right', 3)], full: true })],
          { habits: { ...PLAIN_HABITS, knownEmail: 'refused' } },
          { players },
        ),
      );
  });

  it.each([
    [false, false],
    [true, false],
    [false, true],
    [true, true],
  ])('R12: a merge that is cut off anywhere is finished (replaces %s, archives %s)', async (replaces, archives) => {
    const habits: Habits = { ...PLAIN_HABITS, merge: { replaces, archives } };
    const merge: Edit = { kind: 'merge', side: 'left', who: 1, into: 0 };
    for (const fault of ['lost-after', 'lost-before', 'kill', 'invalid'] as const) {
      const aims = [{ op: 'merge', side: 'right', fault, after: [] }] as const;
      await runHistory(hard([run({ before: [merge], aims }), run()], { habits }));
    }
    for (const step of sampled(stepsBetween(14, 34), SAMPLE_EACH, Number(replaces) + 2 * Number(archives))) {
      await runHistory(hard([run({ before: [merge], crash: { step, when: 'after' } }), run()], { habits }));
    }
  });

  const readAgain = async (side: Side): Promise<void> => {
    await runHistory(
      hard([run({ before: [{ kind: 'set', side, who: 0, field: 'firstName' }], unreadable: { side, each: 1 } })]),
    );
  };
  it('R5: a row of the right side that could not be read once is read again', () => readAgain('right'));
  it('R5: a row of the left side that could not be read once is read again', () => readAgain('left'));

  it.each(['left', 'right'] as const)(
    'R5: a new contact of the %s side whose first row could not be read arrives',
    async (side) => {
      const unreadable = { side, each: 1 };
      const create: Edit = { kind: 'create', side, rich: true };
      for (const full of [false, true]) await runHistory(hard([run({ before: [create], unreadable, full })]));
      await runHistory(hard([run({ before: [create], unreadable }), run({ unreadable }), run({ unreadable })]));
    },
  );

  it.each(['left', 'right'] as const)(
    'R9: a write at the %s side of which nobody knows stays open while its contact cannot be read',
    async (side) => {
      const other = side === 'left' ? 'right' : 'left';
      const unreadable = { side, each: 1 };
      for (const fault of ['lost-after', 'lost-before'] as const) {
        for (const [op, edit] of [
          ['update', { kind: 'set', side: other, who: 0, field: 'firstName' }],
          ['changeMembership', { kind: 'flip', side: other, who: 0, group: 1 }],
          ['delete', { kind: 'delete', side: other, who: 0 }],
        ] as const) {
          const lost = run({ before: [edit], aims: [{ op, side, fault, after: [] }], unreadable });
          const edited = run({ before: [{ kind: 'set', side: other, who: 0, field: 'title' }], unreadable });
          await runHistory(hard([lost, edited, run()]));
        }
      }
    },
  );

  it.each([
    ['left', 'right', 'to-right'],
    ['right', 'left', 'to-left'],
  ] as const)(
    'R3: what the source of a one-way link removed goes while the target holds more (source %s)',
    async (source, target, direction) => {
      for (const at of [0, 1]) {
        const setup: Edit[] = [
          { kind: 'twin', differs: false },
          { kind: 'add', side: target, who: 0, field: 'emailAddresses' },
          { kind: 'add', side: source, who: 0, field: 'emailAddresses' },
        ];
        const gone = run({ before: [{ kind: 'drop', side: source, who: 0, field: 'emailAddresses', at }] });
        const hardness: Hardness = { direction, listingLagMs: 0, feedLagMs: 0, habits: PLAIN_HABITS };
        await runHistory(history([[run({ before: setup })], [gone]], { hardness }));
      }
    },
  );

  const staysAway = async (side: Side): Promise<void> => {
    for (const fault of ['lost-after', 'lost-before', 'lost-half', 'kill'] as const) {
      for (const [listingLagMs, feedLagMs] of [
        [9 * MINUTE_MS, 0],
        [0, 5 * MINUTE_MS],
      ] as const) {
        const list = 'emailAddresses';
        const clash: Edit = { kind: 'clash', who: 0, same: 'firstName', side, gone: list, added: list };
        const aims = [{ op: 'update', side: null, fault, after: [] }] as const;
        for (const full of [false, true]) {
          const lost = run({ before: [clash], aims, full });
          await runHistory(hard([lost, run(), run()], { feedLagMs, listingLagMs }));
        }
      }
    }
  };
  it('R9: an email removed at the right stays away where a write is lost behind a hidden edit of its list', () =>
    staysAway('right'));
  it('R9: an email removed at the left stays away where a write is lost behind a hidden edit of its list', () =>
    staysAway('left'));

  it.each(['left', 'right'] as const)(
    'R4: what was read before an interrupted first run wins no conflict once it was deleted (%s)',
    async (conflicts) => {
      const other = conflicts === 'left' ? 'right' : 'left';
      for (let step = 3; step <= 20; step += 1) {
        const first = run({
          before: [
            { kind: 'twin', differs: true },
            { kind: 'twin', differs: true },
          ],
          crash: { step, when: 'after' },
        });
        const second = run({ before: [remove(conflicts), { kind: 'set', side: other, who: 0, field: 'title' }] });
        await runHistory(
          history([[first, second]], {
            conflicts,
            hardness: { direction: 'both', listingLagMs: 0, feedLagMs: 0, habits: PLAIN_HABITS },
          }),
        );
      }
    },
  );

  it('R6: an edit that was written into an archived contact survives listings soon after it (seed 10706)', async () => {
    const first = run({
      before: [
        { kind: 'archive', who: 0 },
        { kind: 'edit-other', field: 'firstName' },
      ],
    });
    await runHistory(hard([first, run({ gapMs: 5 * MINUTE_MS }), run({ gapMs: 5 * MINUTE_MS, full: true })]));
  });

  it('R12: a name that the user gives to a contact right after its merge stands (seed 9481)', async () => {
    const merge: Edit = { kind: 'merge', side: 'left', who: 0, into: 1 };
    const join: Edit = { kind: 'join', side: 'right', who: 0, group: 0 };
    const set = (side: 'left' | 'right', who: number): Edit => ({ kind: 'set', side, who, field: 'firstName' });
    const habits: Habits = { ...PLAIN_HABITS, merge: { replaces: true, archives: false } };
    const first = run({ before: [set('left', 2), join, merge], crash: { step: 24, when: 'before' } });
    const second = run({ before: [set('right', 1), { kind: 'add', side: 'left', who: 0, field: 'phoneNumbers' }] });
    await runHistory(hard([first, second], { habits }, {}, [{ kind: 'join', side: 'left', who: 1, group: 0 }]));
  });

  it('R11, R12: a group that the user joins while two contacts are merged stays (seed 7670)', async () => {
    const merge: Edit = { kind: 'merge', side: 'left', who: 0, into: 1 };
    for (const who of [0, 1, 2]) {
      for (const call of [6, 7, 8, 9, 10, 11]) {
        const edit: Edit = { kind: 'join', side: 'right', who, group: 1 };
        await runHistory(hard([run({ before: [merge], meanwhile: [{ call, edit }] }), run()]));
      }
    }
  });

  it('R5, R9, R12: what a merge by request gives to a contact reaches both sides, wherever the process dies', async () => {
    for (const side of ['left', 'right'] as const) {
      for (const step of sampled(stepsBetween(8, 23), SAMPLE_EACH)) {
        const merges = { side, who: 0, into: 0 };
        await runHistory(hard([run({ merges, crash: { step, when: 'after' } }), run()]));
      }
    }
  });

  it('R5, R9, R12: what a merge by request gives to a contact reaches both sides, whichever write is lost', async () => {
    for (const fault of ['lost-before', 'lost-after'] as const) {
      for (const op of ['update', 'merge', 'changeMembership', 'delete'] as const) {
        const aims = [{ op, side: null, fault, after: [] }];
        const merges = SIDES.map((side) => run({ merges: { side, who: 0, into: 0 }, aims }));
        for (const first of merges) await runHistory(hard([first, run({ merges: 'again' })]));
      }
    }
  });

  it('R7: a contact that nobody paired is not made of a listing that lags behind its deletion (seed 18910)', async () => {
    const steps = [
      run({ before: [remove('left'), editOther] }),
      run({ before: [editOther, editOther] }),
      run({ before: [createPlain, remove('left')] }),
      run({ before: [createPlain, remove('left', 3)], gapMs: 30_000, full: true }),
    ];
    await runHistory(hard(steps, { listingLagMs: 5 * MINUTE_MS }));
  });

  it('R7, R8: contacts that came a moment ago may be missing from a listing (seed 18910)', async () => {
    const steps = [
      run({ before: [remove('left'), editOther] }),
      run({ before: [editOther, editOther] }),
      run({ before: [createPlain, remove('left')] }),
      run({ before: [remove('left', 3)], gapMs: 30_000, full: true }),
    ];
    await runHistory(hard(steps, { listingLagMs: 5 * MINUTE_MS }));
  });

  it('R8: what a lost write did not empty is not counted as emptied (seed 50543)', async () => {
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

  it('R5: a lagging feed restores nothing of a contact that recovery has read (seed 120255)', async () => {
    const clash = (who: number): Edit => {
      return { kind: 'clash', who, same: 'company', side: 'left', gone: 'emailAddresses', added: 'emailAddresses' };
    };
    const first = run({
      before: [clash(0), { kind: 'set', side: 'left', who: 0, field: 'firstName' }, clash(1)],
      gapMs: 0,
      aims: [{ op: 'update', side: null, fault: 'lost-after', after: [] }],
    });
    const players = { left: 'service', right: 'google' } as const;
    const rest = [run({ gapMs: 0 }), run({ gapMs: 0 })];
    await runHistory(hard([first, ...rest], { feedLagMs: 5 * MINUTE_MS }, { players }, [email, email]));
  });

  it('R7: what an interrupted listing showed and was deleted since wins no conflict (seed 20138)', async () => {
    for (let step = 8; step <= 12; step += 1) {
      const first = run({
        before: [
          { kind: 'twin', differs: false },
          { kind: 'create', side: 'right', rich: false },
          { kind: 'twin', differs: true },
        ],
        full: true,
        gapMs: 0,
        crash: { step, when: 'before' },
      });
      const second = run({ before: [remove('right', 2), remove('right')], full: true, gapMs: 0 });
      await runHistory(
        history([[first, second, run()]], {
          conflicts: 'right',
          hardness: { direction: 'both', listingLagMs: 0, feedLagMs: 0, habits: PLAIN_HABITS },
        }),
      );
    }
  });
});
