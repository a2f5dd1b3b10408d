import fc from 'fast-check';
import { PLAIN_MANNERS } from '../support/memory/manners.ts';
import {
  again,
  add,
  addEmail,
  aimsOf,
  atSide,
  BOOKS,
  clash,
  contacts,
  crash,
  create,
  drop,
  type Drawn,
  dropEmail,
  editOther,
  edits,
  flag,
  flip,
  full,
  group,
  habitsOf,
  is,
  join,
  lagMs,
  leave,
  longLagMs,
  lostOf,
  opposite,
  refusalOf,
  remove,
  runOf,
  seldom,
  selectiveRun,
  set,
  settledBooks,
  shortGapMs,
  side,
  twin,
  who,
} from './hard-arbitraries.ts';
import { deciding, type Edit, type Hardness, type History, type Players, type RunStep } from './history.ts';
import { PEOPLE, PEOPLE_VALUES } from './people-history.ts';
import { hardness, HOUR_MS, MINUTE_MS, run } from './scenario.ts';

/** The topics of hard histories. */
export const TOPICS = [
  /** The answer to a membership write is lost, and the user reverts it. */
  'membership',
  /** Listings, reads and feeds lag behind deletions and edits. */
  'lag',
  /** The answer to a batch is lost while the edit of the other side is not visible yet. */
  'hidden-edit',
  /** A contact is archived, and the other side edits it. */
  'archive',
  /** One-way links. */
  'one-way',
  /** The link is one-way for a time, between times in which it goes both ways. */
  'turning',
  /** Stamps in the future, clocks that step back, restored backups. */
  'stamps',
  /** Two people with one email address, where a create returns the existing contact. */
  'shared-email',
  /** Many new people with one email address. */
  'family',
  /** The first run is interrupted, and edits follow. */
  'first-run',
  /** Rows cannot be read for a while. */
  'unreadable',
  /** A user merges two contacts. The other side merges them by itself, or fails to. */
  'merge',
  /** Contacts are deleted and added again, as by an import. */
  'again',
  /** The selection changes, by labels and by configuration. */
  'selection',
  /** The names of groups are swapped and reused. */
  'group-names',
  /** Similar people. */
  'people',
  /** Similar values. */
  'people-values',
  /** The answer to a create is lost, and listings show the new contact up to ten minutes later. */
  'late-create',
  /** Feeds leave changes out, and name existing contacts as deleted. */
  'odd-feed',
  /** A side stores new contacts under ids of its own, and answers are lost. */
  'renamed-cards',
  /** A side loses many contacts for the time of a run, which halts. */
  'outage',
] as const;
export type Topic = (typeof TOPICS)[number];

/** The books come to rest, then runs follow each other in one phase. */
const afterRest = (more: fc.Arbitrary<Edit>, runs: fc.Arbitrary<RunStep[]>): Drawn['phases'] =>
  fc.tuple(settledBooks(more), runs).map((phases) => phases);

const GROUP_EDITS = ['swap-groups', 'remake-group', 'take-group-name', 'rename-group'] as const;

const groupNamesRun = runOf({
  before: edits(
    fc.oneof(
      { weight: 3, arbitrary: fc.record({ kind: is('swap-groups'), side, group }) },
      { weight: 1, arbitrary: fc.record({ kind: is('remake-group'), side, group }) },
      { weight: 1, arbitrary: fc.record({ kind: is('take-group-name'), side, group }) },
      { weight: 1, arbitrary: fc.record({ kind: is('rename-group'), side, group }) },
      { weight: 2, arbitrary: join },
    ),
    1,
    3,
  ),
  crash: seldom<RunStep['crash']>(crash, null),
});

/** Runs with edits of all kinds on both sides. */
const turningRuns = fc.array(
  runOf({
    before: edits(
      fc.oneof(
        { weight: 3, arbitrary: set },
        { weight: 2, arbitrary: add },
        { weight: 2, arbitrary: drop },
        { weight: 2, arbitrary: create },
        { weight: 1, arbitrary: twin },
        { weight: 1, arbitrary: remove },
        { weight: 2, arbitrary: fc.oneof(join, leave) },
      ),
      1,
      4,
    ),
    crash: seldom<RunStep['crash']>(crash, null),
  }),
  { minLength: 1, maxLength: 3 },
);

const DRAWN: Readonly<Record<Topic, Drawn>> = {
  people: PEOPLE,
  'people-values': PEOPLE_VALUES,
  selection: {
    phases: fc
      .tuple(
        settledBooks(fc.oneof(create, twin, join)),
        contacts,
        fc.array(
          fc.array(selectiveRun(seldom<RunStep['contacts']>(contacts, undefined)), { minLength: 1, maxLength: 3 }),
          { minLength: 1, maxLength: 3 },
        ),
      )
      .map(([[first, ...others], chosen, phases]) => [
        first === undefined ? others : [{ ...first, contacts: chosen }, ...others],
        ...phases,
      ]),
  },
  membership: {
    phases: afterRest(
      fc.oneof(join, create),
      fc
        .tuple(
          runOf({
            before: fc.tuple(edits(fc.oneof(flip, set), 0, 1), flip).map(([some, one]) => [...some, one]),
            aims: aimsOf('changeMembership', opposite),
          }),
          runOf({ before: edits(fc.oneof({ weight: 3, arbitrary: opposite }, { weight: 1, arbitrary: set }), 0, 2) }),
          runOf({ before: edits(fc.oneof(opposite, flip), 0, 1) }),
        )
        .map((runs) => runs),
    ),
  },
  lag: {
    phases: afterRest(
      fc.oneof(create, twin),
      fc.array(
        runOf({
          gapMs: shortGapMs,
          full: flag,
          before: edits(
            fc.oneof(
              { weight: 3, arbitrary: remove },
              { weight: 2, arbitrary: set },
              { weight: 1, arbitrary: editOther },
              { weight: 1, arbitrary: create },
              { weight: 1, arbitrary: drop },
            ),
            0,
            3,
          ),
        }),
        { minLength: 2, maxLength: 4 },
      ),
    ),
    hardness: { listingLagMs: lagMs, feedLagMs: lagMs, readsLag: flag },
  },
  again: {
    phases: afterRest(
      fc.oneof(create, add),
      fc.array(
        runOf({
          // Edits come first: the identity of a contact that is edited right after it was added again is not defined.
          before: fc
            .tuple(edits(fc.oneof(set, add, drop, remove, flip), 0, 2), edits(again, 1, 3))
            .map((parts) => parts.flat()),
        }),
        { minLength: 1, maxLength: 3 },
      ),
    ),
  },
  'late-create': {
    phases: afterRest(
      create,
      fc.array(
        runOf({
          gapMs: shortGapMs,
          before: edits(
            fc.oneof({ weight: 3, arbitrary: create }, { weight: 1, arbitrary: fc.oneof(twin, set) }),
            1,
            2,
          ),
          aims: fc.oneof({ weight: 3, arbitrary: lostOf('create') }, { weight: 1, arbitrary: fc.constant([]) }),
        }),
        { minLength: 2, maxLength: 4 },
      ),
    ),
    hardness: { listingLagMs: longLagMs, feedLagMs: longLagMs },
  },
  'odd-feed': {
    phases: afterRest(
      fc.oneof(create, add),
      fc.array(
        runOf({
          before: edits(
            fc.oneof({ weight: 2, arbitrary: fc.oneof(remove, set) }, { weight: 1, arbitrary: fc.oneof(add, create) }),
            1,
            4,
          ),
        }),
        { minLength: 1, maxLength: 4 },
      ),
    ),
    hardness: {
      oddFeed: fc.record({ leavesOutEach: fc.constantFrom(0, 2, 3), replaysEach: fc.constantFrom(0, 1, 2) }),
    },
  },
  'renamed-cards': {
    phases: afterRest(
      create,
      fc.array(
        runOf({
          before: edits(
            fc.oneof({ weight: 2, arbitrary: create }, { weight: 1, arbitrary: fc.oneof(set, remove) }),
            1,
            3,
          ),
          aims: seldom(aimsOf('create', fc.oneof(set, add)), []),
          crash: seldom<RunStep['crash']>(crash, null),
        }),
        { minLength: 1, maxLength: 3 },
      ),
    ),
    hardness: { habits: habitsOf({ renamesNew: fc.constant(true) }) },
  },
  outage: {
    // Edits come to rest before an outage, and no question is open: a contact with an edit is created again where it is
    // missing (R6), so fewer contacts are deleted than the guard counts here.
    phases: fc
      .tuple(
        settledBooks(create),
        fc.array(runOf({ full: fc.constant(true), lost: fc.record({ side, each: fc.constantFrom(1, 2) }) }), {
          minLength: 1,
          maxLength: 1,
        }),
        fc.array(runOf({ before: edits(fc.oneof(set, add, create), 0, 2) }), { maxLength: 1 }),
        fc.array(runOf({ full: flag, lost: fc.record({ side, each: fc.constantFrom(1, 2) }) }), { maxLength: 1 }),
      )
      .map((phases) => phases.filter((runs) => runs.length > 0)),
  },
  'hidden-edit': {
    phases: afterRest(
      fc.oneof(create, add),
      fc
        .tuple(
          runOf({
            gapMs: shortGapMs,
            before: fc.tuple(clash, edits(fc.oneof(set, add, clash), 0, 2)).map(([one, some]) => [one, ...some]),
            aims: aimsOf('update', fc.oneof(set, drop)),
          }),
          runOf({ gapMs: shortGapMs, before: edits(fc.oneof(drop, set, add), 0, 1), full }),
          runOf({ gapMs: shortGapMs, before: edits(fc.oneof(drop, set), 0, 1) }),
        )
        .map((runs) => runs),
    ),
    hardness: { listingLagMs: lagMs, feedLagMs: lagMs },
  },
  archive: {
    phases: afterRest(
      create,
      fc
        .tuple(
          runOf({
            before: fc
              .tuple(fc.record({ kind: is('archive'), who }), edits(fc.oneof(editOther, set), 0, 2))
              .map((parts) => parts.flat()),
          }),
          runOf({ before: edits(fc.oneof(editOther, set, join), 0, 2) }),
          runOf({ before: edits(fc.oneof(editOther, set), 0, 1) }),
        )
        .map((runs) => runs),
    ),
    hardness: { habits: habitsOf({ writesUnarchive: flag }) },
  },
  turning: {
    phases: fc.tuple(settledBooks(fc.oneof(create, join, twin)), turningRuns, turningRuns),
    hardness: { turns: fc.constantFrom('to-left', 'to-right') },
    goesBothWays: true,
  },
  'one-way': {
    phases: fc
      .tuple(
        edits(
          fc.oneof({ weight: 3, arbitrary: twin }, { weight: 3, arbitrary: addEmail }, { weight: 1, arbitrary: join }),
          1,
          5,
        ),
        fc.array(
          runOf({
            before: edits(
              fc.oneof(
                { weight: 4, arbitrary: dropEmail },
                { weight: 2, arbitrary: drop },
                { weight: 2, arbitrary: add },
                { weight: 2, arbitrary: set },
                { weight: 1, arbitrary: remove },
                { weight: 1, arbitrary: create },
                { weight: 1, arbitrary: fc.oneof(join, leave) },
              ),
              1,
              4,
            ),
          }),
          { minLength: 1, maxLength: 3 },
        ),
      )
      .map(([own, runs]) => [[run({ before: [...BOOKS, ...own] })], runs]),
    hardness: { direction: fc.constantFrom('to-left', 'to-right') },
  },
  stamps: {
    phases: afterRest(
      create,
      fc.array(
        runOf({
          before: edits(
            fc.oneof(
              fc.record({
                kind: is('stamp-ahead'),
                who,
                aheadMs: fc.constantFrom(MINUTE_MS, HOUR_MS, 30 * HOUR_MS, 10_000 * HOUR_MS),
              }),
              fc.record({ kind: is('step-back'), byMs: fc.constantFrom(1_000, 10 * MINUTE_MS, 30 * HOUR_MS) }),
              fc.record({ kind: is('backup') }),
              fc.record({ kind: is('restore') }),
              set,
              add,
              drop,
            ),
            1,
            4,
          ),
        }),
        { minLength: 2, maxLength: 4 },
      ),
    ),
  },
  'shared-email': {
    phases: afterRest(
      create,
      fc
        .tuple(
          runOf({
            before: fc
              .tuple(edits(fc.record({ kind: is('share'), side, who }), 1, 3), edits(fc.oneof(create, set), 0, 2))
              .map(([shares, some]) => [...shares, ...some]),
            aims: seldom(fc.oneof(aimsOf('create', set), lostOf('update')), []),
          }),
          runOf({
            before: edits(fc.oneof(set, add, drop, remove), 0, 2),
            aims: seldom(fc.oneof(lostOf('update'), refusalOf('update')), []),
          }),
        )
        .map((runs) => runs),
    ),
    hardness: { habits: habitsOf({ knownEmail: fc.constantFrom('existing', 'existing-updated', 'refused') }) },
  },
  family: {
    phases: afterRest(
      create,
      fc
        .tuple(
          runOf({
            before: fc
              .tuple(fc.record({ kind: is('family'), side }), edits(set, 0, 1))
              .map(([family, some]) => [family, ...some]),
            crash: seldom<RunStep['crash']>(crash, null),
            faults: fc.array(
              fc.record({ call: fc.integer({ min: 4, max: 14 }), fault: fc.constantFrom('lost-after', 'lost-before') }),
              { maxLength: 2 },
            ),
          }),
          runOf({ before: edits(fc.oneof(set, drop, remove), 0, 2), aims: seldom(lostOf('update'), []) }),
        )
        .map((runs) => runs),
    ),
    hardness: {
      habits: habitsOf({ knownEmail: fc.constantFrom('duplicate', 'existing', 'existing-updated', 'refused') }),
    },
  },
  'first-run': {
    phases: fc
      .tuple(
        runOf({
          before: edits(fc.oneof(create, twin), 1, 5).map((own) => [...own, { kind: 'twin', differs: true } as const]),
          crash,
        }),
        runOf({ before: edits(fc.oneof(set, remove, add, drop), 1, 4), crash: seldom<RunStep['crash']>(crash, null) }),
        runOf({ before: edits(fc.oneof(set, remove), 0, 2) }),
      )
      .map((runs) => [runs]),
  },
  'group-names': {
    // Group edits are on one side: two groups that get one name on two sides are a conflict that stays.
    phases: fc
      .tuple(settledBooks(fc.oneof(create, join)), side, fc.array(groupNamesRun, { minLength: 1, maxLength: 3 }))
      .map(([books, at, runs]) => [books, runs.map((each) => atSide(each, at, GROUP_EDITS))]),
  },
  unreadable: {
    phases: afterRest(
      fc.oneof(create, twin),
      fc.array(
        runOf({
          full: flag,
          before: edits(fc.oneof(set, add, drop, remove, create), 0, 3),
          unreadable: fc.record({ side, each: fc.constantFrom(1, 2, 3) }),
        }),
        { minLength: 1, maxLength: 3 },
      ),
    ),
  },
  merge: {
    phases: afterRest(
      fc.oneof(create, add, join),
      fc
        .tuple(
          runOf({
            before: fc
              .tuple(edits(fc.oneof(set, add, join), 0, 2), fc.record({ kind: is('merge'), side, who, into: who }))
              .map(([some, one]) => [...some, one]),
            aims: seldom(fc.oneof(lostOf('merge'), lostOf('update'), refusalOf('merge')), []),
            crash: seldom<RunStep['crash']>(crash, null),
          }),
          runOf({ before: edits(fc.oneof(set, add), 0, 2), aims: seldom(lostOf('merge'), []) }),
        )
        .map((runs) => runs),
    ),
    hardness: { habits: habitsOf({ merge: fc.record({ replaces: flag, archives: flag }) }) },
  },
};

const hardnessOf = (given: Drawn['hardness'] = {}): fc.Arbitrary<Hardness> =>
  fc.record(given).map((drawn) => hardness(drawn));

const topicArbitrary = (topic: Topic): fc.Arbitrary<Omit<History, 'players'>> =>
  fc.record({
    manners: DRAWN[topic].manners ?? fc.constant<History['manners']>({ left: PLAIN_MANNERS, right: PLAIN_MANNERS }),
    conflicts: fc.constantFrom('newest', 'left', 'right'),
    deleteCount: fc.constant(topic === 'outage' ? 1 : 50),
    skewMs: fc.constantFrom(0, -180_000, 180_000),
    lagMs: fc.constant(0),
    phases: DRAWN[topic].phases,
    hardness: hardnessOf(DRAWN[topic].hardness),
    ...deciding,
  });

/** Hard histories about one topic. A seed gives the same history for any two providers. */
export const hardHistoryArbitrary = (players: Players, topic: Topic): fc.Arbitrary<History> =>
  topicArbitrary(topic).map((history) => ({
    players,
    ...history,
    ...(DRAWN[topic].goesBothWays === true && { directions: {}, shows: false }),
  }));

/** The topic of a seed. */
export const topicOf = (seed: number): Topic => TOPICS[seed % TOPICS.length] ?? 'membership';

/** The topic of that name. @throws {Error} where there is none. */
export const topicNamed = (name: string): Topic => {
  const topic = TOPICS.find((each) => each === name);
  if (topic === undefined) throw new Error(`There is no topic ${name}. Known are ${TOPICS.join(', ')}.`);
  return topic;
};
