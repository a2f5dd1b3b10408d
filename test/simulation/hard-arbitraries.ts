import fc from 'fast-check';
import { SIDES, type Side } from '../../src/core/contact/side.ts';
import { PLAIN_HABITS, type Habits } from '../support/memory/book.ts';
import type { Aim, Edit, Hardness, History, RunStep } from './history.ts';
import {
  addSharedGroup,
  create as createPlain,
  createRich,
  HOUR_MS,
  join as joinGroup,
  MINUTE_MS,
  run,
} from './scenario.ts';

export const side = fc.constantFrom(...SIDES);
export const who = fc.nat({ max: 3 });
export const anyone = fc.nat({ max: 6 });
export const group = fc.nat({ max: 1 });
const scalar = fc.constantFrom('firstName', 'lastName', 'company', 'title');
const list = fc.constantFrom('emailAddresses', 'phoneNumbers', 'addresses', 'websites');
export const flag = fc.boolean();
export const seldom = <T>(value: fc.Arbitrary<T>, otherwise: T): fc.Arbitrary<T> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(otherwise) }, { weight: 1, arbitrary: value });

export const is = <Kind extends Edit['kind']>(kind: Kind) => fc.constant(kind);

export const create = fc.record({ kind: is('create'), side, rich: flag });
export const set = fc.record({ kind: is('set'), side, who, field: scalar });
export const add = fc.record({ kind: is('add'), side, who, field: list });
export const drop = fc.record({ kind: is('drop'), side, who, field: list, at: fc.nat({ max: 2 }) });
export const addEmail = fc.record({ kind: is('add'), side, who: anyone, field: fc.constant('emailAddresses') });
export const dropEmail = fc.record({
  kind: is('drop'),
  side,
  who: anyone,
  field: fc.constant('emailAddresses'),
  at: fc.constant(0),
});
export const remove = fc.record({ kind: is('delete'), side, who });
export const again = fc.record({ kind: is('again'), side, who });
export const join = fc.record({ kind: is('join'), side, who, group });
export const leave = fc.record({ kind: is('leave'), side, who, group });
export const clash = fc.record({
  kind: is('clash'),
  who,
  same: scalar,
  side,
  gone: fc.constantFrom('emailAddresses', 'phoneNumbers'),
  added: fc.constantFrom('emailAddresses', 'phoneNumbers'),
});
export const flip = fc.record({ kind: is('flip'), side, who, group });
export const twin = fc.record({ kind: is('twin'), differs: flag });
export const opposite = fc.record({ kind: is('opposite') });
export const editOther = fc.record({ kind: is('edit-other'), field: scalar });

export const edits = (edit: fc.Arbitrary<Edit>, minLength: number, maxLength: number): fc.Arbitrary<Edit[]> =>
  fc.array(edit, { minLength, maxLength });

const gapMs = fc.constantFrom(0, 1_000, MINUTE_MS, 5 * MINUTE_MS, 7 * HOUR_MS);
export const shortGapMs = fc.constantFrom(0, 1_000, 30_000, MINUTE_MS, 3 * MINUTE_MS);
const salt = fc.nat({ max: 1_000 });
export const full = seldom(fc.constant(true), false);
export const crash = fc.record({
  step: fc.nat({ max: 31 }).map((number) => number + 1),
  when: fc.constantFrom('before' as const, 'after' as const),
});

/** A run with some drawn parts. */
export const runOf = (given: { readonly [Key in keyof RunStep]?: fc.Arbitrary<RunStep[Key]> }): fc.Arbitrary<RunStep> =>
  fc.record({ gapMs, salt, full, ...given }).map((drawn) => run(drawn));

const aimOf = (op: Aim['op'], after: fc.Arbitrary<readonly Edit[]>): fc.Arbitrary<Aim> =>
  fc.record({
    op: fc.constant(op),
    side: fc.constantFrom(null, ...SIDES),
    fault: fc.constantFrom('lost-after', 'lost-half', 'lost-before', 'kill'),
    after,
  });

export const aimsOf = (op: Aim['op'], after: fc.Arbitrary<Edit>): fc.Arbitrary<Aim[]> =>
  fc.array(aimOf(op, edits(after, 0, 1)), { minLength: 1, maxLength: 2 });

/** Writes of a kind are lost, and no edit follows. */
export const lostOf = (op: Aim['op']): fc.Arbitrary<Aim[]> =>
  fc.array(aimOf(op, fc.constant([])), { minLength: 1, maxLength: 2 });

/** The first write of a kind is refused once. */
export const refusalOf = (op: Aim['op']): fc.Arbitrary<Aim[]> =>
  fc.constant([{ op, side: null, fault: 'invalid' as const, after: [] }]);

/** Two selected groups and three people; the first person of each side is a member of one group. */
export const BOOKS: readonly Edit[] = [
  addSharedGroup('left'),
  addSharedGroup('left'),
  createRich('left'),
  createRich('right'),
  createPlain('left'),
  joinGroup('left', { who: 0, group: 0 }),
  joinGroup('right', { who: 0, group: 1 }),
];

export const settledBooks = (more: fc.Arbitrary<Edit>): fc.Arbitrary<RunStep[]> =>
  edits(more, 0, 3).map((own) => [run({ before: [...BOOKS, ...own] })]);

export const lagMs = fc.constantFrom(0, 30_000, 2 * MINUTE_MS, 5 * MINUTE_MS, 9 * MINUTE_MS);

export const longLagMs = fc.constantFrom(30_000, 5 * MINUTE_MS, 10 * MINUTE_MS);

export const habitsOf = (given: { readonly [Key in keyof Habits]?: fc.Arbitrary<Habits[Key]> }): fc.Arbitrary<Habits> =>
  fc.record(given).map((drawn) => ({ ...PLAIN_HABITS, ...drawn }));

const patterns = fc.constantFrom<readonly string[]>(
  ['*'],
  ['Group 1'],
  ['Group 1'],
  ['Group 2'],
  ['Group 1', 'Group 2'],
  ['*', '!Group 2'],
  ['Group*', '!Group 2'],
  ['!*'],
);
export const contacts = fc.record({ left: patterns, right: patterns });

/** Edits while contacts are deselected and selected again. */
const selective: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: is('flip'), side, who: anyone, group }) },
  { weight: 3, arbitrary: set },
  { weight: 2, arbitrary: fc.oneof(add, drop) },
  { weight: 2, arbitrary: create },
  { weight: 2, arbitrary: twin },
  { weight: 2, arbitrary: remove },
  { weight: 1, arbitrary: fc.record({ kind: is('group'), side, both: flag }) },
  { weight: 1, arbitrary: fc.record({ kind: is('archive'), who: anyone }) },
  { weight: 1, arbitrary: fc.record({ kind: is('merge'), side, who: anyone, into: anyone }) },
  { weight: 1, arbitrary: fc.record({ kind: is('choose'), choice: fc.nat({ max: 3 }) }) },
  {
    weight: 1,
    arbitrary: fc.oneof(
      fc.record({ kind: is('rename-group'), side, group }),
      fc.record({ kind: is('delete-group'), side, group }),
    ),
  },
);

export const selectiveRun = (chosen: fc.Arbitrary<RunStep['contacts']>): fc.Arbitrary<RunStep> =>
  fc
    .tuple(
      runOf({
        before: edits(selective, 0, 4),
        crash: seldom<RunStep['crash']>(crash, null),
        aims: seldom(fc.oneof(lostOf('changeMembership'), lostOf('create'), lostOf('update')), []),
      }),
      chosen,
    )
    .map(([drawn, chosenNow]) => (chosenNow === undefined ? drawn : { ...drawn, contacts: chosenNow }));

/** The arbitraries of a topic. */
export type Drawn = {
  readonly phases: fc.Arbitrary<readonly (readonly RunStep[])[]>;
  readonly hardness?: { readonly [Key in keyof Hardness]?: fc.Arbitrary<Hardness[Key]> };
  /** Plain manners where left out. */
  readonly manners?: fc.Arbitrary<History['manners']>;
  /** Whether all fields go both ways and no computed value is shown. */
  readonly goesBothWays?: true;
};

/** The run with edits of these kinds on one side. */
export const atSide = (step: RunStep, at: Side, kinds: readonly Edit['kind'][]): RunStep => ({
  ...step,
  before: step.before.map((edit) => (kinds.includes(edit.kind) && 'side' in edit ? { ...edit, side: at } : edit)),
});
