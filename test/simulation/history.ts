import fc from 'fast-check';
import { LIST_FIELDS, SCALAR_FIELDS, type ListField, type ScalarField } from '../../src/core/contact/contact.ts';
import { SIDES, type Side, type Sides } from '../../src/core/contact/side.ts';
import type { ConflictPolicy } from '../../src/core/reconcile/policy.ts';
import type { Policy } from '../../src/core/reconcile/policy.ts';
import { computing, type Computing } from './computing.ts';
import type { Habits, OddFeed } from '../support/memory/book.ts';
import { FAULTS, type Fault } from '../support/memory/incidents.ts';
import type { Manners } from '../support/memory/manners.ts';
import type { Aimed, WriteOp } from '../support/memory/process.ts';
import type { ProviderName } from '../support/memory/providers.ts';
import type { PeopleEdit } from './people.ts';

/** Edits of users. `who` and `group` are positions among the current contacts and groups of a side. */
export type Edit =
  | { readonly kind: 'create'; readonly side: Side; readonly rich: boolean }
  /** The same person, entered in both address books. */
  | { readonly kind: 'twin'; readonly differs: boolean }
  /** Two people with one email address, one on each side. */
  | { readonly kind: 'household' }
  /** A contact with an origin id that another link wrote. In this link the id belongs to another contact. */
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

/** Edits that occur only in hard histories (`hard-history.ts`). */
export type HardEdit =
  /** Toggles a membership. */
  | { readonly kind: 'flip'; readonly side: Side; readonly who: number; readonly group: number }
  /** Both sides set one field of a person to the same value. One side removes the first element of a list, and the other adds one. */
  | {
      readonly kind: 'clash';
      readonly who: number;
      readonly same: ScalarField;
      readonly side: Side;
      readonly gone: ListField;
      readonly added: ListField;
    }
  /**
   * Reverts the last membership that a user changed, on the same side. On the other side it would be indistinguishable from
   * a lost write.
   */
  | { readonly kind: 'opposite' }
  /** An edit, on the other side, of the contact that a user deleted or archived last. */
  | { readonly kind: 'edit-other'; readonly field: ScalarField }
  /** A contact is deleted and added again unchanged: a new contact of the same person. */
  | { readonly kind: 'again'; readonly side: Side; readonly who: number }
  /** Two groups swap their names. */
  | { readonly kind: 'swap-groups'; readonly side: Side; readonly group: number }
  /** A group is deleted, and a new group gets its name. */
  | { readonly kind: 'remake-group'; readonly side: Side; readonly group: number }
  /** A group is deleted, and another group is renamed to its name. */
  | { readonly kind: 'take-group-name'; readonly side: Side; readonly group: number }
  /** A new person with the email address of another one. */
  | { readonly kind: 'share'; readonly side: Side; readonly who: number }
  /** Five new people with one email address on a side. Every second one also has an address of its own. */
  | { readonly kind: 'family'; readonly side: Side }
  /** A contact gets a modification time ahead of the clock of its side. */
  | { readonly kind: 'stamp-ahead'; readonly who: number; readonly aheadMs: number }
  /** The side's clock steps back. */
  | { readonly kind: 'step-back'; readonly byMs: number }
  /** The side is backed up, and later restored from the last backup. */
  | { readonly kind: 'backup' }
  | { readonly kind: 'restore' }
  | PeopleEdit;

/** A fault in the first write of a kind, and the edits that follow at once. */
export type Aim = {
  readonly op: WriteOp;
  readonly side: Side | null;
  readonly fault: Aimed;
  readonly after: readonly Edit[];
};

/** One run of the engine, with its edits and faults. */
export type RunStep = {
  /** Edits before the run. */
  readonly before: readonly Edit[];
  readonly gapMs: number;
  readonly full: boolean;
  /** Edits during the run, each before the call with that number. */
  readonly during: readonly { readonly call: number; readonly edit: Edit }[];
  readonly faults: readonly { readonly call: number; readonly fault: Fault }[];
  readonly crash: { readonly step: number; readonly when: 'before' | 'after' } | null;
  readonly salt: number;
  readonly aims?: readonly Aim[];
  /** The selection of contacts from this run on; unchanged where absent. At first all contacts are selected. */
  readonly contacts?: Sides<readonly string[]>;
  /** Rows that cannot be read in this run: every `each`-th. */
  readonly unreadable?: { readonly side: Side; readonly each: number } | null;
  /** Linked contacts that the side loses for the time of this run: every `each`-th, if these are more than the guard allows. */
  readonly lost?: { readonly side: Side; readonly each: number } | null;
};

/** The provider of each side. */
export type Players = Sides<ProviderName>;

export const DEFAULT_PLAYERS: Players = { left: 'google', right: 'service' };

/** The decision of one open conflict: its position, and the side whose value is used. */
export type Answer = { readonly which: number; readonly take: Side };

/** One history: the providers, the behaviour of each side, and phases of runs. After each phase everything must come to rest. */
export type History = {
  /** The provider of each side. */
  readonly players: Players;
  readonly manners: Readonly<Record<Side, Manners>>;
  readonly conflicts: ConflictPolicy;
  readonly conflictsByField?: NonNullable<Policy['conflictsByField']>;
  /** The answer to an open conflict before each run. */
  readonly answers?: readonly (Answer | null)[];
  /** The fields that are synced in one direction. */
  readonly directions?: NonNullable<Policy['directions']>;
  /** The selection of contacts from each run on; null means unchanged. At first all contacts are selected. */
  readonly selections?: readonly (Sides<readonly string[]> | null)[];
  /** Whether Google shows the values that the service computes, in a link of both. */
  readonly shows?: boolean;
  /** Changes of computed values before each run. */
  readonly computing?: readonly (readonly Computing[])[];
  readonly deleteCount: number;
  /** Whether runs prune nothing. Otherwise they prune everything that they may. */
  readonly keepsAll?: boolean;
  readonly skewMs: number;
  /** Maximum time until the feeds show a change. */
  readonly lagMs: number;
  readonly phases: readonly (readonly RunStep[])[];
  /** Additional difficulties; absent in a plain history. */
  readonly hardness?: Hardness;
};

/** The additional difficulties of a hard history. */
export type Hardness = {
  readonly direction: Policy['direction'];
  /** The direction of the link in the second of three phases; the others go both ways. */
  readonly turns?: Exclude<Policy['direction'], 'both'>;
  /** Maximum time until listings, and until change feeds, show a change. */
  readonly listingLagMs: number;
  readonly feedLagMs: number;
  /** Whether reads lag like listings, on a side with a known delay. */
  readonly readsLag?: boolean;
  /** The faults of a feed that reports deletions and whose side is swept. */
  readonly oddFeed?: OddFeed;
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
  during: fc.array(fc.record({ call, edit: editArbitrary }), { maxLength: 3 }),
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

const POLICIES = ['newest', 'newest', 'ask', 'ask', 'left', 'right'] as const satisfies readonly ConflictPolicy[];

/** Histories identify people by their first names. */
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

/** Drawn last, so that a seed gives the same edits with and without these. */
export const deciding = {
  conflictsByField: fc.dictionary(scalar, fc.constantFrom(...POLICIES), { maxKeys: 4 }),
  answers: fc.array(fc.option(fc.record({ which: fc.nat({ max: 5 }), take: side })), { maxLength: 6 }),
  ...computing,
  directions: fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: ways }),
};

/** Patterns for about half of the numbered groups. */
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

/** Histories between two providers. A seed gives the same history for any two. */
export const historyArbitrary = (players: Players): fc.Arbitrary<History> =>
  drawn.map((history) => ({ players, ...history }));
