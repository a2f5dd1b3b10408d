import fc from 'fast-check';
import { LIST_FIELDS, SCALAR_FIELDS, type ListField, type ScalarField } from '../../src/core/contact/contact.ts';
import { SIDES, type Side, type Sides } from '../../src/core/contact/side.ts';
import type { ConflictPolicy } from '../../src/core/reconcile/conflict-policy.ts';
import type { Direction, Policy } from '../../src/core/reconcile/policy.ts';
import { computing, type Computing } from './computing.ts';
import type { Habits } from '../support/memory/book.ts';
import { FAULTS, type Fault } from '../support/memory/incidents.ts';
import type { Manners } from '../support/memory/manners.ts';
import type { Aimed, WriteOp } from '../support/memory/process.ts';
import type { ProviderName } from '../support/memory/providers.ts';
import type { MergeRequest } from './merge-order.ts';
import type { PeopleEdit } from './people.ts';

/** What a user does to an address book. Contacts and groups are picked by number among those that stand there. */
export type Edit =
  | { readonly kind: 'create'; readonly side: Side; readonly rich: boolean }
  /** The same person, put into both address books by hand. */
  | { readonly kind: 'twin'; readonly differs: boolean }
  /** Two people with one email address, one at each side. */
  | { readonly kind: 'household' }
  /** A contact with an id that another link left: in this one it is somebody else's. */
  | { readonly kind: 'stale-origin'; readonly side: Side; readonly who: number; readonly scoped: boolean }
  | { readonly kind: 'set'; readonly side: Side; readonly who: number; readonly field: ScalarField }
  | { readonly kind: 'clear'; readonly side: Side; readonly who: number; readonly field: 'company' | 'title' | 'notes' }
  /** One field set to the same value on both sides. */
  | { readonly kind: 'agree'; readonly who: number; readonly field: ScalarField }
  /** The same contact edited on both sides, in different fields. */
  | { readonly kind: 'both'; readonly who: number; readonly field: ScalarField; readonly list: ListField }
  | { readonly kind: 'add'; readonly side: Side; readonly who: number; readonly field: ListField }
  | { readonly kind: 'drop'; readonly side: Side; readonly who: number; readonly field: ListField; readonly at: number }
  | { readonly kind: 'relabel'; readonly side: Side; readonly who: number; readonly field: ListField }
  | { readonly kind: 'note'; readonly side: Side; readonly who: number }
  | { readonly kind: 'delete'; readonly side: Side; readonly who: number }
  | { readonly kind: 'archive'; readonly who: number }
  | { readonly kind: 'merge'; readonly side: Side; readonly who: number; readonly into: number }
  | { readonly kind: 'new-id'; readonly who: number }
  | { readonly kind: 'join'; readonly side: Side; readonly who: number; readonly group: number }
  | { readonly kind: 'leave'; readonly side: Side; readonly who: number; readonly group: number }
  | { readonly kind: 'group'; readonly side: Side; readonly both: boolean }
  | { readonly kind: 'rename-group'; readonly side: Side; readonly group: number }
  | { readonly kind: 'delete-group'; readonly side: Side; readonly group: number }
  /** The link's owner has it sync other fields (`choices.ts`). */
  | { readonly kind: 'choose'; readonly choice: number }
  | HardEdit;

/** What only hard histories draw (`hard-history.ts`). */
export type HardEdit =
  /** A contact joins a group, or leaves it where it is a member. */
  | { readonly kind: 'flip'; readonly side: Side; readonly who: number; readonly group: number }
  /** Of one person, both sides set one field to the same, one side drops a list's first element, and the other adds one. */
  | {
      readonly kind: 'clash';
      readonly who: number;
      readonly same: ScalarField;
      readonly side: Side;
      readonly gone: ListField;
      readonly added: ListField;
    }
  /**
   * The opposite of the last membership that a user changed, at the same side. At the other one it could not be told from
   * a write that never arrived.
   */
  | { readonly kind: 'opposite' }
  /** An edit, at the other side, of the contact that a user deleted or archived last. */
  | { readonly kind: 'edit-other'; readonly field: ScalarField }
  /** A contact is deleted and added again as it was: another contact, of the same person. */
  | { readonly kind: 'again'; readonly side: Side; readonly who: number }
  /** Two groups swap their names. */
  | { readonly kind: 'swap-groups'; readonly side: Side; readonly group: number }
  /** A group is deleted, and a new group gets its name. */
  | { readonly kind: 'remake-group'; readonly side: Side; readonly group: number }
  /** A group is deleted, and another group is renamed to its name. */
  | { readonly kind: 'take-group-name'; readonly side: Side; readonly group: number }
  /** A new person with the email address of another one. */
  | { readonly kind: 'share'; readonly side: Side; readonly who: number }
  /** Five people with one email address come to a side; every second one has an address of its own besides. */
  | { readonly kind: 'family'; readonly side: Side }
  /** The side gives a contact a stamp that is ahead of its own clock. */
  | { readonly kind: 'stamp-ahead'; readonly who: number; readonly aheadMs: number }
  /** The side's clock steps back. */
  | { readonly kind: 'step-back'; readonly byMs: number }
  /** The side is backed up, and later restored from the last backup. */
  | { readonly kind: 'backup' }
  | { readonly kind: 'restore' }
  | PeopleEdit;

/** A fault that is aimed at the first write of a kind, and what users do as soon as it has happened. */
export type Aim = {
  readonly op: WriteOp;
  readonly side: Side | null;
  readonly fault: Aimed;
  readonly after: readonly Edit[];
};

/** One run of the engine and everything that happens to it. */
export type RunStep = {
  /** What the users do beforehand. */
  readonly before: readonly Edit[];
  readonly gapMs: number;
  readonly full: boolean;
  /** What the users do meanwhile, before the call of that number. */
  readonly meanwhile: readonly { readonly call: number; readonly edit: Edit }[];
  readonly faults: readonly { readonly call: number; readonly fault: Fault }[];
  readonly crash: { readonly step: number; readonly when: 'before' | 'after' } | null;
  readonly salt: number;
  readonly aims?: readonly Aim[];
  /** Which contacts take part from this run on, by patterns; as before where left out, and everybody at first. */
  readonly contacts?: Sides<readonly string[]>;
  /** Rows that the side cannot say in this run: every so many. */
  readonly unreadable?: { readonly side: Side; readonly each: number } | null;
  /** Instead of an ordinary run a person has two contacts merged; `again` is the last such request. */
  readonly merges?: MergeRequest | 'again' | null;
};

/** Which provider plays which side of a link. */
export type Players = Sides<ProviderName>;

export const DEFAULT_PLAYERS: Players = { left: 'google', right: 'service' };

/** Of the conflicts that wait, which one is decided, and whose value is taken. */
export type Answer = { readonly which: number; readonly take: Side };

/** One history: the players, how each side behaves, and phases of runs after each of which everything must come to rest. */
export type History = {
  /** Which provider plays which side. */
  readonly players: Players;
  readonly manners: Readonly<Record<Side, Manners>>;
  readonly conflicts: ConflictPolicy;
  readonly conflictsByField?: NonNullable<Policy['conflictsByField']>;
  /** What people answer before each run, where one of them is asked about a conflict. */
  readonly answers?: readonly (Answer | null)[];
  /** The fields that go one way only. */
  readonly directions?: NonNullable<Policy['directions']>;
  /** Which contacts take part from each run on, by patterns; null: as before, and everybody at first. */
  readonly selections?: readonly (Sides<readonly string[]> | null)[];
  /** Whether Google shows what the service computes, where the link has one of each. */
  readonly shows?: boolean;
  /** What becomes of computed values before each run. */
  readonly computing?: readonly (readonly Computing[])[];
  readonly deleteCount: number;
  /** Whether runs prune nothing. Else they prune all they may: it must be missed by nothing. */
  readonly keepsAll?: boolean;
  readonly skewMs: number;
  /** How long changes stay out of the feeds, at most. */
  readonly lagMs: number;
  readonly phases: readonly (readonly RunStep[])[];
  /** How the world is harder than plain; absent in a plain history. */
  readonly hardness?: Hardness;
};

/** What is harder in a hard history. */
export type Hardness = {
  readonly direction: Direction;
  /** How long changes stay out of listings, and out of change feeds, at most. */
  readonly listingLagMs: number;
  readonly feedLagMs: number;
  /** Whether reads lag as listings do, at a side that says how long that takes. */
  readonly readsLag?: boolean;
  readonly habits: Habits;
};

const side = fc.constantFrom(...SIDES);
const who = fc.nat({ max: 7 });
const group = fc.nat({ max: 3 });
const scalar = fc.constantFrom<ScalarField[]>(...SCALAR_FIELDS, 'notes', 'custom:Budget');
const list = fc.constantFrom<ListField[]>(...LIST_FIELDS, 'tags', 'relations');

const is = <Kind extends Edit['kind']>(kind: Kind) => fc.constant(kind);

const editArbitrary: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: is('create'), side, rich: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: is('twin'), differs: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: is('household') }) },
  { weight: 1, arbitrary: fc.record({ kind: is('stale-origin'), side, who, scoped: fc.boolean() }) },
  { weight: 6, arbitrary: fc.record({ kind: is('set'), side, who, field: scalar }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: is('clear'), side, who, field: fc.constantFrom('company', 'title', 'notes') }),
  },
  { weight: 1, arbitrary: fc.record({ kind: is('agree'), who, field: scalar }) },
  { weight: 2, arbitrary: fc.record({ kind: is('both'), who, field: scalar, list }) },
  { weight: 5, arbitrary: fc.record({ kind: is('add'), side, who, field: list }) },
  { weight: 4, arbitrary: fc.record({ kind: is('drop'), side, who, field: list, at: fc.nat({ max: 2 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: is('relabel'), side, who, field: list }) },
  { weight: 1, arbitrary: fc.record({ kind: is('note'), side, who }) },
  { weight: 4, arbitrary: fc.record({ kind: is('delete'), side, who }) },
  { weight: 1, arbitrary: fc.record({ kind: is('archive'), who }) },
  { weight: 1, arbitrary: fc.record({ kind: is('merge'), side, who, into: who }) },
  { weight: 1, arbitrary: fc.record({ kind: is('new-id'), who }) },
  { weight: 4, arbitrary: fc.record({ kind: is('join'), side, who, group }) },
  { weight: 2, arbitrary: fc.record({ kind: is('leave'), side, who, group }) },
  { weight: 2, arbitrary: fc.record({ kind: is('group'), side, both: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: is('rename-group'), side, group }) },
  { weight: 1, arbitrary: fc.record({ kind: is('delete-group'), side, group }) },
  { weight: 2, arbitrary: fc.record({ kind: is('choose'), choice: fc.nat({ max: 3 }) }) },
);

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const call = fc.nat({ max: 9 }).map((number) => number + 1);

const runArbitrary: fc.Arbitrary<RunStep> = fc.record({
  before: fc.array(editArbitrary, { minLength: 1, maxLength: 8 }),
  gapMs: fc.constantFrom(0, 1_000, MINUTE_MS, 5 * MINUTE_MS, 7 * HOUR_MS),
  full: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  meanwhile: fc.array(fc.record({ call, edit: editArbitrary }), { maxLength: 3 }),
  faults: fc.oneof(
    { weight: 1, arbitrary: fc.constant([]) },
    {
      weight: 2,
      arbitrary: fc.array(fc.record({ call, fault: fc.constantFrom(...FAULTS) }), { minLength: 1, maxLength: 4 }),
    },
  ),
  crash: fc.oneof(
    { weight: 1, arbitrary: fc.constant(null) },
    {
      weight: 2,
      arbitrary: fc.record({
        step: fc.nat({ max: 31 }).map((number) => number + 1),
        when: fc.constantFrom('before', 'after'),
      }),
    },
  ),
  salt: fc.nat({ max: 1_000 }),
});

const mannersArbitrary: fc.Arbitrary<Manners> = fc.record({
  lowersEmails: fc.boolean(),
  formatsPhones: fc.boolean(),
  titleLength: fc.constantFrom(8, 1_000),
  dropsWebsitesBy: fc.constantFrom(0, 0, 3),
  refusesTitlesBy: fc.constantFrom(0, 0, 0, 5),
});

const POLICIES = ['newest', 'longest', 'ask', 'ask', 'left', 'right'] as const satisfies readonly ConflictPolicy[];

/** By the first name, histories know who is who. */
const oneWayScalar = scalar.filter((field) => field !== 'firstName');
const ways = fc.dictionary(
  fc.oneof(
    { weight: 2, arbitrary: oneWayScalar },
    { weight: 2, arbitrary: list },
    { weight: 1, arbitrary: fc.constant('buckets') },
  ),
  fc.constantFrom('to-left' as const, 'to-right' as const),
  { minKeys: 1, maxKeys: 3 },
);

/** Drawn after everything else, so that a seed draws the same edits with and without them. */
export const deciding = {
  conflictsByField: fc.dictionary(scalar, fc.constantFrom(...POLICIES), { maxKeys: 4 }),
  answers: fc.array(fc.option(fc.record({ which: fc.nat({ max: 5 }), take: side })), { maxLength: 6 }),
  ...computing,
  directions: fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: ways }),
};

/** Groups are numbered: these are about half of them. */
const ODD = ['*1', '*3', '*5', '*7', '*9'];
const patterns = fc.constantFrom<readonly string[]>(
  ['*'],
  ['*'],
  ODD,
  ['*', ...ODD.map((pattern) => `!${pattern}`)],
  ['Group*', '!*0', '!*2'],
  ['!*'],
);
const selections = fc.array(fc.option(fc.record({ left: patterns, right: patterns })), { maxLength: 6 });

const drawn: fc.Arbitrary<Omit<History, 'players'>> = fc.record({
  manners: fc.record({ left: mannersArbitrary, right: mannersArbitrary }),
  conflicts: fc.constantFrom('newest', 'left', 'right'),
  deleteCount: fc.constantFrom(1, 50),
  skewMs: fc.constantFrom(0, -180_000, 180_000),
  lagMs: fc.constantFrom(0, 0, 90_000),
  phases: fc.array(fc.array(runArbitrary, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 2 }),
  ...deciding,
  selections: fc.oneof({ weight: 1, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: selections }),
});

/** Histories between two providers; a seed draws the same one between any two. */
export const historyArbitrary = (players: Players): fc.Arbitrary<History> =>
  drawn.map((history) => ({ players, ...history }));
