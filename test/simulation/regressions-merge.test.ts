import { describe, expect, test } from 'vitest';
import { EMPTY_CONTACT } from '../../src/core/contact/contact.ts';
import { bySide, otherSide, type Side, SIDES } from '../../src/core/contact/side.ts';
import { PLAIN_HABITS } from '../support/memory/book.ts';
import type { Aimed, WriteOp } from '../support/memory/process.ts';
import { BOOKS } from './hard-arbitraries.ts';
import { DEFAULT_PLAYERS, type Edit, type RunStep } from './history.ts';
import { runHistory } from './run-history.ts';
import {
  add,
  addSharedGroup,
  changeId,
  clear,
  create,
  createRich,
  drop,
  hardness,
  history,
  HOUR_MS,
  join,
  leave,
  merge,
  numbersBetween,
  remove,
  run,
  set,
  twin,
  TWO_GOOGLES,
  TWO_SERVICES,
} from './scenario.ts';
import { openWorld } from './single-world.ts';
import { liveRows } from './world.ts';

// Histories that broke a rule once, reduced to the cause: which contacts are one person.

test('R12: a one-way email address stays on a merge survivor whose counterpart was deleted (seed 5705)', async () => {
  const people = SIDES.map(createRich);
  const mergeRun = run({ before: [remove('right'), merge('left', { who: 0, into: 1 })] });
  const phases = [[run({ before: people })], [mergeRun]];
  await expect(runHistory(history(phases, { directions: { emailAddresses: 'to-right' } }))).resolves.toBeDefined();
});

test('R10, R12: an email address that a merge replaced is restored after its user added another one (seed 501199)', async () => {
  const killed = { op: 'merge', side: null, fault: 'kill', after: [] } as const;
  const phases = [
    [run({ before: [create('left'), create('left')] })],
    [
      run({ before: [merge('right', { who: 1, into: 0 })], gapMs: 7 * HOUR_MS, aims: [killed] }),
      run({ before: [add('left', 0, 'emailAddresses')] }),
    ],
  ];
  const habits = { ...PLAIN_HABITS, merge: { replaces: true, archives: false } };
  const given = { players: TWO_SERVICES, hardness: hardness({ habits }) };
  const { world } = await runHistory(history(phases, given));
  expect(world.books.left.rows.filter(({ state }) => state === 'live')[0]?.contact.emailAddresses).toHaveLength(3);
});

test('R9, R12: a computed value of a merged contact is shown on the survivor only after it is computed again (seed 840725)', async () => {
  const mergeRun = run({ before: [merge('right', { who: 1, into: 0 })], faults: [{ call: 1, fault: 'limited' }] });
  const phases = [[run({ before: [create('right'), create('left')] }), mergeRun, run({ before: [changeId()] })]];
  const another = (who: number) => ({ who, what: 'another', isStamped: true }) as const;
  const scribble = { who: 0, what: 'scribble', isStamped: true } as const;
  const given = { players: { left: 'service', right: 'google' }, shows: true } as const;
  const computing = [[another(0)], [], [scribble, another(1)]];
  await expect(runHistory(history(phases, { ...given, computing }))).resolves.toBeDefined();
});

test.each([
  ['update', twin()],
  ['create', create('right')],
] as const)(
  'R12: a computed value that the first %s wrote is not written again within a day after both ids changed (seed 25053)',
  async (_op, person) => {
    // The service shows the merged-away contact under the id of a contact without a pair; the merge drops the value.
    const bothIds: readonly Edit[] = [changeId(), create('right'), merge('right', { who: 0, into: 1 })];
    const phases = [[run({ before: [person] }), run({ before: bothIds })]];
    const computing = [[{ who: 0, what: 'another', isStamped: true }]] as const;
    await expect(runHistory(history(phases, { shows: true, computing }))).resolves.toBeDefined();
  },
);

test('R12: a one-way label that its target removed stays removed from that contact after a merge (seed 1015358)', async () => {
  const people: readonly Edit[] = [addSharedGroup('left'), create('left'), join('left', { who: 0, group: 0 })];
  const united: readonly Edit[] = [
    leave('right', { who: 0, group: 0 }),
    twin(),
    join('left', { who: 1, group: 0 }),
    merge('right', { who: 1, into: 0 }),
  ];
  const phases = [[run({ before: people })], [run({ before: united })]];
  const { world } = await runHistory(history(phases, { directions: { buckets: 'to-right' } }));
  const live = world.books.right.rows.filter(({ state }) => state === 'live');
  expect(live.map(({ groupIds }) => groupIds.size)).toEqual([0, 1]);
});

test.each([DEFAULT_PLAYERS, TWO_GOOGLES, TWO_SERVICES])(
  'R6, R12: a value only at the target of its field is no edit of a contact that both sides merged (seed 7002719, $left, $right)',
  async (players) => {
    const people: readonly Edit[] = [twin(), create('right'), create('right')];
    // The first contact is merged into the second one at the left, the second one into the third one at the right.
    const merges: readonly Edit[] = [merge('left', { who: 0, into: 1 }), merge('right', { who: 1, into: 2 })];
    const phases = [[run({ before: people })], [run({ before: [...merges, remove('left', 1)] })]];
    const { world } = await runHistory(history(phases, { players, directions: { emailAddresses: 'to-left' } }));
    expect([liveRows(world.books.left), liveRows(world.books.right)].map(({ length }) => length)).toEqual([1, 1]);
  },
);

test('R4, R5: the first name of a lost update to a contact that was merged into another one is in a conflict (seed 9421337)', async () => {
  const people: readonly Edit[] = [create('right'), createRich('left')];
  const edits: readonly Edit[] = [set('left', 0, 'firstName'), clear('left', 0, 'title')];
  const lost = {
    op: 'update',
    side: 'right',
    fault: 'lost-before',
    after: [merge('right', { who: 1, into: 0 })],
  } as const;
  const contacts = { left: ['*'], right: ['!*'] };
  const phases = [[run({ before: people, contacts }), run({ before: edits, aims: [lost] })]];
  const { conflicts } = await runHistory(history(phases));
  expect(conflicts.map(({ field }) => field)).toEqual(['firstName']);
});

test.each(SIDES)(
  'R4, R12: a question stays the same one after another contact was merged into its contact on the %s side',
  async (side) => {
    const people: readonly Edit[] = [twin(true), createRich(side)];
    const phases = [[run({ before: people })], [run({ before: [merge(side, { who: 1, into: 0 })] })]];
    const { conflicts } = await runHistory(history(phases, { conflicts: 'ask' }));
    const titles = conflicts.filter(({ field }) => field === 'title');
    expect(titles.map(({ winner, endedAtMs }) => [winner, endedAtMs === null])).toEqual([[null, true]]);
  },
);

test('R12: a merge survivor that is deleted shortly after an edit is deleted on the other side too (seed 90003160)', async () => {
  const merged: readonly Edit[] = [merge('left', { who: 1, into: 0 }), create('right'), set('left', 0, 'firstName')];
  for (const call of [5, 6, 7, 8]) {
    const cutOff = run({ before: merged, full: true, faults: [{ call, fault: 'limited' }] });
    const died = { crash: { step: 1, when: 'before' } } as const;
    const steps = [cutOff, run({ before: [remove('left')], ...died }), run({ full: true, ...died })];
    const { world } = await runHistory(history([[run({ before: [create('left'), create('left')] })], steps]));
    expect(liveRows(world.books.right)).toHaveLength(1);
  }
});

/** With this many contacts, one or two new ones do not cause a listing. */
const MANY = Array.from({ length: 210 }, () => create('left'));

const addAgain = (side: Side, who: number): Edit => ({ kind: 'again', side, who });

const playAmong = (others: readonly Edit[], steps: readonly RunStep[] = []) =>
  runHistory(
    history([[run({ before: [...BOOKS, ...others] })], steps], { players: TWO_SERVICES, hardness: hardness() }),
  );

test.each([
  ['few', []],
  ['many', MANY],
])(
  'R12: a contact that is added again on both sides, and a second one on the left side, exist on both, among %s contacts',
  async (_, others) => {
    const atRest = (await playAmong(others)).world.books;
    const rows = bySide((side) => liveRows(atRest[side]));
    // The contact is at a different position on each side.
    const addSecondAgain = (side: Side): Edit =>
      addAgain(
        side,
        rows[side].findIndex(({ entity }) => entity === rows.left[1]?.entity),
      );
    const count = rows.left.length;
    const steps = [run({ before: SIDES.map(addSecondAgain) }), run({ before: [addAgain('left', count - 1)] })];
    const { world } = await playAmong(others, steps);
    expect(SIDES.map((side) => liveRows(world.books[side]).length)).toEqual([count, count]);
  },
);

test.each(numbersBetween(0, 2, 3))(
  'R12: a contact that is added again after %i of the new contacts that are planned in parts stays one person',
  async (place) => {
    const count = liveRows((await playAmong([])).world.books.left).length + MANY.length;
    const edits = [0, 1, 2].map((index) => (index === place ? addAgain('left', 1) : create('left')));
    // With this salt, more than two contacts are planned in parts.
    const { world } = await playAmong(MANY, [run({ before: edits, salt: 0 }), run({ salt: 0 })]);
    expect(SIDES.map((side) => liveRows(world.books[side]).length)).toEqual([count + 2, count + 2]);
  },
);

test.each(
  [DEFAULT_PLAYERS, TWO_GOOGLES, TWO_SERVICES].flatMap((players) => SIDES.map((side) => ({ ...players, side }))),
)(
  'R12: a deleted contact that is added again on the $side side as the other side has it by now stays one person ($left, $right)',
  async ({ side, ...players }) => {
    const { sync, world } = openWorld({ players });
    const [own, other] = [world.books[side], world.books[otherSide(side)]];
    const reached = (value: string) => ({ firstName: 'Ann', emailAddresses: [{ value, label: null }] });
    const enter = (contact: ReturnType<typeof reached>) =>
      own.add({ contact: { ...EMPTY_CONTACT, ...contact }, extra: null, originId: null, entity: 1 });
    enter(reached('old@example.com'));
    await sync({ kind: 'full' });
    for (const row of liveRows(other)) other.write(row, { ...row.contact, ...reached('new@example.com') });
    for (const row of liveRows(own)) own.remove(row, 'deleted');
    enter(reached('new@example.com'));
    await sync({ kind: 'full' });
    expect(SIDES.map((each) => liveRows(world.books[each]).length)).toEqual([1, 1]);
  },
);

test.each(['existing', 'existing-updated', 'refused', 'duplicate'] as const)(
  'R9: a later part does not pair a contact that a create with a lost answer made (%s, family 2793)',
  async (knownEmail) => {
    const lost = { op: 'create', side: 'right', fault: 'lost-after', after: [] } as const;
    // With this salt, the family is planned in parts of two.
    const first = run({ before: [{ kind: 'family', side: 'left' }], salt: 0, aims: [lost, { ...lost }] });
    const given = { hardness: hardness({ habits: { ...PLAIN_HABITS, knownEmail } }) };
    const phases = [[run({ before: BOOKS })], [first, run({ full: true })]];
    await expect(runHistory(history(phases, given))).resolves.toBeDefined();
  },
);

const FAULTS = ['limited', 'lost-before', 'lost-after', 'kill'] as const satisfies readonly Aimed[];

type Interrupted = {
  /** The edits before the first run. */
  readonly setUp: readonly Edit[];
  readonly before: readonly Edit[];
  readonly op: WriteOp;
  readonly to: Side;
  readonly fault: Aimed;
  /** The edit after the interrupted run. */
  readonly edit: Edit;
};

/** Plays a run whose first write to a side fails, then an edit. */
const playInterrupted = async ({ setUp, before, op, to, fault, edit }: Interrupted): Promise<void> => {
  const aims = [{ op, side: to, fault, after: [] }];
  await runHistory(history([[run({ before: setUp }), run({ before, aims }), run({ before: [edit] })]]));
};

const CASES = SIDES.flatMap((to) => FAULTS.map((fault) => ({ to, fault })));

describe('after the first write of a first match was interrupted', () => {
  test.each(CASES)(
    'R5: a later removal of an email address that both sides had is propagated ($fault at $to)',
    ({ to, fault }) => {
      const from = otherSide(to);
      return playInterrupted({
        setUp: [],
        before: [twin(), add(from, 0, 'emailAddresses')],
        op: 'update',
        to,
        fault,
        edit: drop(from, 0, 'emailAddresses'),
      });
    },
  );

  test.each(CASES)(
    'R11: a later end of a membership that both contacts had is propagated ($fault at $to)',
    ({ to, fault }) => {
      const from = otherSide(to);
      return playInterrupted({
        setUp: [addSharedGroup('left'), addSharedGroup('left')],
        before: [
          twin(),
          join('left', { who: 0, group: 0 }),
          join('right', { who: 0, group: 0 }),
          join(from, { who: 0, group: 1 }),
        ],
        op: 'changeMembership',
        to,
        fault,
        edit: leave(from, { who: 0, group: 0 }),
      });
    },
  );
});

test('R12: a merge survivor whose other half was deleted is paired with that of the merged contact (seed 21500728)', async () => {
  const phases = [
    [run({ before: [{ kind: 'household' }] })],
    [run({ before: [merge('left', { who: 0, into: 1 }), remove('right')] })],
  ];
  const { world } = await runHistory(history(phases, { players: TWO_SERVICES }));
  expect(SIDES.map((side) => liveRows(world.books[side]).length)).toEqual([1, 1]);
  expect((await world.store.counts(world.link)).pairs).toBe(1);
});
