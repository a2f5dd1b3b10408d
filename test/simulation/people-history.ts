import fc from 'fast-check';
import { PLAIN_MANNERS, type Manners } from '../support/memory/manners.ts';
import { SYNCS_TYPED_LISTS } from './choices.ts';
import {
  anyone,
  atSide,
  crash,
  edits,
  flag,
  group,
  is,
  join,
  lostOf,
  remove,
  runOf,
  seldom,
  side,
  type Drawn,
} from './hard-arbitraries.ts';
import type { Edit, RunStep } from './history.ts';
import { CAST_SIZE, LOOKALIKES } from './people.ts';

const which = fc.nat({ max: 11 });

const person = fc.record({
  kind: is('person'),
  at: fc.oneof({ weight: 1, arbitrary: side }, { weight: 1, arbitrary: fc.constant('both' as const) }),
  who: fc.nat({ max: CAST_SIZE - 1 }),
  household: fc.constantFrom(0, 0, 0, 1),
  hasOwn: flag,
  hasJobs: seldom(fc.constant(true), false),
  which,
});
/** Two similar people, one on each side, before a first sync. */
const lookalikes = fc
  .tuple(fc.constantFrom(...LOOKALIKES), fc.boolean(), person, person)
  .map(([pair, isTurned, one, other]) => {
    const [who, rival] = isTurned ? pair.toReversed() : pair;
    const household = 0;
    return [
      { ...one, who: who ?? 0, at: 'left' as const, household },
      { ...other, who: rival ?? 0, at: 'right' as const, household },
    ];
  });
const successor = fc.record({ kind: is('successor'), side, who: anyone, isNamed: flag });
const takeOver = fc.record({ kind: is('take-over'), side, who: anyone, by: anyone });
const readd = fc.record({ kind: is('readd'), side, who: anyone, isRetitled: flag });
const honorific = fc.record({ kind: is('honorific'), side, who: anyone });
const value = fc.record({
  kind: is('value'),
  side,
  who: anyone,
  field: fc.constantFrom('tags', 'relations', 'instantMessengers'),
  which,
});
const job = fc.record({ kind: is('job'), side, who: anyone, clears: flag });
const signGroup = fc.record({ kind: is('sign-group'), side, both: flag, which });
const detail = fc.record({
  kind: is('detail'),
  side,
  who: anyone,
  field: fc.constantFrom('company', 'title', 'emailAddresses', 'phoneNumbers'),
});

const CHOICE: Edit = { kind: 'choose', choice: SYNCS_TYPED_LISTS };

const lost = seldom(fc.oneof(lostOf('create'), lostOf('update'), lostOf('delete')), []);

const broken = { crash: seldom<RunStep['crash']>(crash, null), aims: lost };

/** The first run between books that hold these contacts, and later runs in phases. */
const phasesOf = (
  first: fc.Arbitrary<readonly Edit[]>,
  later: fc.Arbitrary<RunStep>,
): fc.Arbitrary<readonly (readonly RunStep[])[]> =>
  fc
    .tuple(
      runOf({ before: first.map((own) => [CHOICE, ...own]), ...broken }),
      fc.array(fc.array(later, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 2 }),
    )
    .map(([run, phases]) => [[run], ...phases]);

const manners: fc.Arbitrary<Manners> = fc.constantFrom(PLAIN_MANNERS, { ...PLAIN_MANNERS, titleLength: 8 });

/** Similar people: families, namesakes, cards of companies, and successors. */
export const PEOPLE: Drawn = {
  goesBothWays: true,
  phases: phasesOf(
    fc.tuple(lookalikes, edits(person, 1, 6)).map((parts) => parts.flat()),
    runOf({
      before: edits(
        fc.oneof(
          { weight: 4, arbitrary: person },
          { weight: 4, arbitrary: successor },
          { weight: 2, arbitrary: takeOver },
          { weight: 3, arbitrary: readd },
          { weight: 1, arbitrary: remove },
          { weight: 1, arbitrary: honorific },
          { weight: 1, arbitrary: value },
          { weight: 2, arbitrary: detail },
        ),
        1,
        4,
      ),
      ...broken,
    }),
  ),
};

/** Similar values: signs, networks, types, further organizations and long texts. */
export const PEOPLE_VALUES: Drawn = {
  goesBothWays: true,
  manners: fc.record({ left: manners, right: manners }),
  phases: fc
    .tuple(
      phasesOf(
        fc.tuple(edits(signGroup, 1, 4), edits(person, 1, 4), edits(join, 0, 2)).map((parts) => parts.flat()),
        runOf({
          before: edits(
            fc.oneof(
              { weight: 6, arbitrary: value },
              { weight: 3, arbitrary: job },
              { weight: 2, arbitrary: join },
              { weight: 1, arbitrary: fc.record({ kind: is('flip'), side, who: anyone, group }) },
              { weight: 1, arbitrary: fc.record({ kind: is('swap-groups'), side, group }) },
              { weight: 1, arbitrary: detail },
              { weight: 1, arbitrary: honorific },
              { weight: 1, arbitrary: person },
            ),
            1,
            5,
          ),
          ...broken,
        }),
      ),
      side,
    )
    // Two groups that get one name on two sides are a conflict that is reported and stays.
    .map(([phases, at]) => phases.map((runs) => runs.map((step) => atSide(step, at, ['swap-groups'])))),
};
