import { describe, expect, it, test } from 'vitest';
import { PLAIN_HABITS } from '../support/memory/book.ts';
import { SIDES } from '../../src/core/contact/side.ts';
import { PLAIN_MANNERS } from '../support/memory/manners.ts';
import type { Edit } from './history.ts';
import { runHistory } from './run-history.ts';
import { history, run } from './scenario.ts';
import { liveRows } from './world.ts';

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

  it('R4, R5: that a user removed what a lost write was to remove proves no other text of it (seed 4010540)', async () => {
    const edits = (side: 'left' | 'right') =>
      [
        { kind: 'set', side, who: 0, field: 'lastName' },
        { kind: 'drop', side, who: 0, field: 'emailAddresses', at: 0 },
      ] as const;
    const lost = { op: 'update', side: 'left', fault: 'lost-before', after: edits('left') } as const;
    const phases = [
      [run({ before: [{ kind: 'create', side: 'left', rich: true }] })],
      [run({ before: edits('right'), aims: [lost] })],
    ];
    const { conflicts } = await runHistory(history(phases));
    expect(conflicts.map(({ field }) => field)).toEqual(['lastName']);
  });
});

test('[R9] what is computed is shown once to a contact that was paired a moment ago (seed 3101951)', async () => {
  const people: Edit[] = [
    { kind: 'twin', differs: false },
    { kind: 'twin', differs: false },
    { kind: 'create', side: 'right', rich: false },
    { kind: 'twin', differs: true },
  ];
  const rename: Edit = { kind: 'set', side: 'left', who: 0, field: 'lastName' };
  const gapMs = 7 * 3_600_000;
  const phases = [
    [
      run({ before: people, gapMs, crash: { step: 5, when: 'before' }, salt: 939 }),
      run({ before: [rename], gapMs, salt: 309 }),
      run({ before: [rename, { kind: 'delete', side: 'right', who: 2 }], gapMs: 60_000, full: true, salt: 841 }),
    ],
  ];
  const others = (whos: readonly number[], isStamped: boolean) =>
    whos.map((who) => ({ who, what: 'another', isStamped }) as const);
  const given = {
    players: { left: 'google', right: 'service' },
    skewMs: 180_000,
    conflictsByField: { notes: 'longest' },
    answers: [{ which: 4, take: 'left' }],
    shows: true,
    computing: [
      [{ who: 5, what: 'none', isStamped: false }, ...others([2], false)],
      others([7, 4], false),
      others([2, 3], true),
      [],
    ],
    hardness: { direction: 'both', listingLagMs: 0, feedLagMs: 0, habits: PLAIN_HABITS },
  } as const;
  await expect(runHistory(history(phases, given))).resolves.toBeDefined();
});

test('[R4, R9] an answer stands where its write was lost and a user then emptied the field, as before it may have been (seed 4400176)', async () => {
  const twin: Edit = { kind: 'twin', differs: true };
  const clear: Edit = { kind: 'clear', side: 'left', who: 0, field: 'title' };
  const lost = run({ aims: [{ op: 'update', side: 'left', fault: 'lost-after', after: [clear] }] });
  const answers = [null, { which: 0, take: 'right' } as const];
  const { world } = await runHistory(history([[run({ before: [twin] })], [lost]], { conflicts: 'ask', answers }));
  expect(liveRows(world.books.left).map(({ contact }) => contact.title)).toEqual(
    liveRows(world.books.right).map(({ contact }) => contact.title),
  );
});

test('[R3] a membership that a user takes back before anybody looks goes with the removal at the other side (seed 31416301)', async () => {
  const move = (kind: 'join' | 'leave', side: 'left' | 'right'): Edit => ({ kind, side, who: 0, group: 0 });
  const group: Edit = { kind: 'group', side: 'left', both: true };
  const before: readonly Edit[] = [group, { kind: 'twin', differs: false }, move('join', 'left')];
  const unseen = [move('leave', 'right'), move('leave', 'left'), move('join', 'left')];
  const { world } = await runHistory(history([[run({ before })], [run({ before: unseen })]]));
  expect(SIDES.map((side) => liveRows(world.books[side]).map(({ groupIds }) => groupIds.size))).toEqual([[0], [0]]);
});
