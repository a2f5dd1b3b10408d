import { describe, expect, it } from 'vitest';
import { SIDES } from '../../src/contact/side.ts';
import type { Edit, History, Players } from './history.ts';
import { runHistory, type Ending } from './run-history.ts';
import { history, run } from './scenario.ts';
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

/** What the users of one side do, for a run that lists everything again. */
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

const SCENARIOS: Readonly<Record<string, History>> = {
  'a first sync': history([[run({ before: BOOKS })]], { conflicts: 'right' }),
  'an incremental run': history([[run({ before: BOOKS }), run({ before: EVERYTHING })]], { conflicts: 'left' }),
  'a full resync': history([[run({ before: BOOKS }), run({ before: SOMETHING, full: true })]], {
    conflicts: 'left',
  }),
};

/** Both address books and the recorded conflicts, without ids and times. */
const outcome = ({ world, conflicts }: Ending) => ({
  books: SIDES.map((side) =>
    liveRows(world.books[side])
      .map((row) => [row.entity, JSON.stringify(row.extra), ...[...visibleTokens(world.books[side], row)].toSorted()])
      .toSorted((a, b) => (a.join() < b.join() ? -1 : 1)),
  ),
  groups: SIDES.map((side) =>
    world.books[side].groups
      .filter((group) => group.live)
      .map((group) => group.name)
      .toSorted(),
  ),
  conflicts: [
    ...new Set(conflicts.map((each) => `${each.field} ${each.left} ${each.right} ${each.winner}`)),
  ].toSorted(),
});

const killedAt = (reference: History, step: number, when: 'before' | 'after'): History => {
  const last = reference.phases.length - 1;
  const phases = reference.phases.map((phase, index) => {
    return index === last ? [...phase.slice(0, -1), { ...(phase.at(-1) ?? run()), crash: { step, when } }] : phase;
  });
  return { ...reference, phases };
};

/** Kills a process at each of its steps, in each scenario between two providers. */
export const describeKillPoints = (players: Players): void => {
  const title = `${players.left} and ${players.right}`;
  describe(`R9: a process killed at any step between ${title}`, () => {
    it.each(Object.entries(SCENARIOS))(
      'leaves %s as the unbroken run leaves it',
      { timeout: 300_000 },
      async (name, scenario) => {
        const reference = { ...scenario, players };
        const unbroken = await runHistory(reference);
        const expected = outcome(unbroken);
        const steps = unbroken.steps.at(-1) ?? 0;
        let equal = 0;
        for (let step = 1; step <= steps; step += 1) {
          for (const when of ['before', 'after'] as const) {
            const ending = await runHistory(killedAt(reference, step, when));
            expect(outcome(ending), `killed ${when} step ${step} of ${name}`).toEqual(expected);
            equal += 1;
          }
        }
        process.stdout.write(`kill points of ${name} between ${title}: ${equal} of ${steps * 2} equal\n`);
        expect(equal).toBe(steps * 2);
        expect(steps).toBeGreaterThan(30);
      },
    );
  });
};
