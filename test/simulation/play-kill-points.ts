import { describe, expect, it } from 'vitest';
import { textIn } from '../../src/core/contact/contact.ts';
import { SIDES, type Side } from '../../src/core/contact/side.ts';
import { SHOWN } from './computing.ts';
import { reportExtent, sampled } from '../support/extent.ts';
import type { Edit, History, Players } from './history.ts';
import { runHistory, type Ending } from './run-history.ts';
import { history, pairIndex, run } from './scenario.ts';
import { liveRows, visibleTokens } from './world.ts';

const BOOKS: readonly Edit[] = [
  { kind: 'group', side: 'left', both: true },
  { kind: 'group', side: 'right', both: false },
  { kind: 'twin', differs: true },
  { kind: 'twin', differs: false },
  ...SIDES.flatMap((side): Edit[] => [
    { kind: 'create', side, rich: true },
    { kind: 'create', side, rich: false },
    { kind: 'create', side, rich: true },
    { kind: 'create', side, rich: true },
    { kind: 'join', side, who: 2, group: 0 },
    { kind: 'add', side, who: 0, field: 'websites' },
  ]),
];

const join = (side: Side, who: number, group: number): Edit => ({ kind: 'join', side, who, group });

/** Edits for a run that lists everything again. */
const SOMETHING: readonly Edit[] = [
  { kind: 'create', side: 'left', rich: true },
  { kind: 'join', side: 'left', who: 1, group: 0 },
  { kind: 'set', side: 'right', who: 1, field: 'title' },
  { kind: 'drop', side: 'left', who: 3, field: 'emailAddresses', at: 0 },
  { kind: 'delete', side: 'right', who: 4 },
];

/** Creates, updates, a conflict, deletions, memberships and groups, on both sides. */
const EVERYTHING: readonly Edit[] = [
  ...SIDES.flatMap((side): Edit[] => [
    { kind: 'create', side, rich: true },
    { kind: 'create', side, rich: false },
    { kind: 'group', side, both: false },
    { kind: 'join', side, who: 1, group: 2 },
    { kind: 'join', side, who: 0, group: 1 },
    { kind: 'set', side, who: 1, field: 'title' },
    { kind: 'set', side, who: 2, field: 'lastName' },
    { kind: 'add', side, who: 3, field: 'phoneNumbers' },
    { kind: 'drop', side, who: 3, field: 'emailAddresses', at: 0 },
    { kind: 'set', side, who: 0, field: 'company' },
  ]),
  { kind: 'rename-group', side: 'left', group: 0 },
  { kind: 'delete', side: 'left', who: 5 },
  { kind: 'delete', side: 'right', who: 5 },
  { kind: 'delete-group', side: 'right', group: 1 },
];

/** The link syncs further fields from its first run on. */
const FURTHER: readonly Edit[] = [
  { kind: 'choose', choice: 1 },
  ...SIDES.flatMap((side): Edit[] => [
    { kind: 'set', side, who: 0, field: 'notes' },
    { kind: 'set', side, who: 1, field: 'custom:Budget' },
    { kind: 'add', side, who: 1, field: 'tags' },
    { kind: 'add', side, who: 2, field: 'relations' },
  ]),
];

/** The left side selects the first group of both sides; the right side selects no contact. */
const SELECTED = { left: ['Group 1'], right: ['!*'] };

/** Some contacts are selected. Then labels change, and contacts of unlinked pairs are edited and deleted too. */
const SELECTED_BOOKS: readonly Edit[] = [...BOOKS, ...[0, 1, 2, 3, 4].map((who) => join('left', who, 0))];
const LABELS: readonly Edit[] = [
  { kind: 'leave', side: 'left', who: 0, group: 0 },
  { kind: 'leave', side: 'left', who: 2, group: 0 },
  join('left', 5, 0),
  { kind: 'add', side: 'right', who: 0, field: 'phoneNumbers' },
  { kind: 'delete', side: 'left', who: 1 },
  // With the other edits the guard would halt the run.
  ...EVERYTHING.filter(({ kind }) => !['delete', 'delete-group', 'rename-group'].includes(kind)),
];

/** Computed values of the first people, independent of the order of their contacts. */
const COMPUTED = [0, 1, 2, 3, 4, 5].map(
  (who) => ({ who, countsPeople: true, what: 'another', isStamped: true }) as const,
);

const SCENARIOS: Readonly<Record<string, History>> = {
  'a first sync': history([[run({ before: BOOKS })]], { conflicts: 'right' }),
  'an incremental run': history([[run({ before: BOOKS }), run({ before: EVERYTHING })]], { conflicts: 'left' }),
  'a full resync': history([[run({ before: BOOKS }), run({ before: SOMETHING, full: true })]], { conflicts: 'left' }),
  'a run with further fields': history([[run({ before: [...BOOKS, ...FURTHER] })]], { conflicts: 'left' }),
  'a run that shows what the service computed': history(
    [[run({ before: [...BOOKS, ...FURTHER] }), run({ before: EVERYTHING })]],
    { conflicts: 'left', shows: true, computing: [COMPUTED.slice(0, 3), COMPUTED] },
  ),
  'a run with other fields than the last': history(
    [[run({ before: [...BOOKS, ...FURTHER] }), run({ before: [...SOMETHING, { kind: 'choose', choice: 2 }] })]],
    { conflicts: 'left' },
  ),
  'a first sync of some': history([[run({ before: SELECTED_BOOKS, contacts: SELECTED })]], { conflicts: 'left' }),
  'a run after labels came and went': history(
    [[run({ before: SELECTED_BOOKS, contacts: SELECTED })], [run({ before: LABELS })]],
    { conflicts: 'left' },
  ),
  'a run with another selection than the last': history(
    [
      [run({ before: SELECTED_BOOKS, contacts: SELECTED })],
      [run({ before: LABELS })],
      [run({ before: SOMETHING, contacts: { left: ['*', '!Group 1'], right: ['Group*'] } })],
    ],
    { conflicts: 'left' },
  ),
  'a run that selects everybody again': history(
    [
      [run({ before: BOOKS })],
      [run({ before: [], contacts: { left: ['!*'], right: ['!*'] } })],
      [run({ before: SOMETHING, contacts: { left: ['*'], right: ['*'] } })],
    ],
    { conflicts: 'left' },
  ),
  'a run that asks about conflicts': history([[run({ before: BOOKS }), run({ before: EVERYTHING })]], {
    conflicts: 'ask',
    answers: [null, { which: 0, take: 'right' }],
  }),
};

/** Both address books and all recorded conflicts, without ids and times. */
const outcome = ({ world, conflicts }: Ending) => ({
  books: SIDES.map((side) =>
    liveRows(world.books[side])
      .map((row) => [
        row.entity,
        JSON.stringify(row.extra),
        textIn(row.contact, SHOWN),
        ...[...visibleTokens(world.books[side], row)].toSorted(),
      ])
      .toSorted((a, b) => (a.join() < b.join() ? -1 : 1)),
  ),
  groups: SIDES.map((side) =>
    world.books[side].groups
      .filter((group) => group.live)
      .map((group) => group.name)
      .toSorted(),
  ),
  conflicts: conflicts
    .map(({ field, left, right, winner, endedAtMs }) =>
      [field, left, right, winner, endedAtMs === null ? 'open' : 'settled'].join(' '),
    )
    .toSorted(),
});

/** The history with its last run killed. */
const killedAt = (reference: History, step: number, when: 'before' | 'after'): History => {
  const last = reference.phases.at(-1) ?? [];
  const killed = { ...(last.at(-1) ?? run()), crash: { step, when } };
  return { ...reference, phases: [...reference.phases.slice(0, -1), [...last.slice(0, -1), killed]] };
};

/** `npm test` kills at one of this many points; with an even number all points would be before or all after a step. */
const SAMPLE_EACH = 45;

/** The points at which a process is killed: before and after the first of each `stride` steps. */
const killPoints = (steps: number, stride: number) =>
  Array.from({ length: Math.ceil(steps / stride) }, (_, index) => 1 + index * stride).flatMap((step) =>
    (['before', 'after'] as const).map((when) => ({ step, when })),
  );

/**
 * Kills a process before and after each of its steps, in each scenario between two providers. On a database server a run
 * takes far longer, so the process is killed at every seventh step: the stored state differs by commit, not by step.
 * There contacts are created in a different order each time, so no check may depend on that order. `npm test` plays half of
 * the scenarios between each pair, a quarter on a database server.
 */
export const describeKillPoints = (players: Players, store: string | null = null): void => {
  const stride = store === null ? 1 : 7;
  const title = `${players.left} and ${players.right}${store === null ? '' : ` on ${store}`}`;
  describe(`R9: a process killed at any step between ${title}`, () => {
    it.each(sampled(Object.entries(SCENARIOS), store === null ? 2 : 4, pairIndex(players)))(
      'leaves %s as the unbroken run leaves it',
      async (name, scenario) => {
        // A killed process has one more run before rest, so nothing that is compared may be pruned.
        const reference = { ...scenario, players, keepsAll: true };
        const unbroken = await runHistory(reference);
        const expected = outcome(unbroken);
        const steps = unbroken.steps.at(-1) ?? 0;
        let equal = 0;
        for (const { step, when } of sampled(killPoints(steps, stride), SAMPLE_EACH)) {
          const ending = await runHistory(killedAt(reference, step, when));
          expect(outcome(ending), `killed ${when} step ${step} of ${name}`).toEqual(expected);
          equal += 1;
        }
        reportExtent(`kill points of ${name} between ${title}: ${equal} of ${steps * 2} steps played, all equal`);
        expect(steps).toBeGreaterThanOrEqual(25);
      },
    );
  });
};
