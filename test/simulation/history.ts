import fc from 'fast-check';
import { LIST_FIELDS, SCALAR_FIELDS, type ListField, type ScalarField } from '../../src/contact/contact.ts';
import { SIDES, type Side, type Sides } from '../../src/contact/side.ts';
import type { ConflictPolicy } from '../../src/reconcile/policy.ts';
import { FAULTS, type Fault } from '../support/memory/incidents.ts';
import type { Manners } from '../support/memory/manners.ts';
import type { ProviderName } from '../support/memory/providers.ts';

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
  | { readonly kind: 'clear'; readonly side: Side; readonly who: number; readonly field: 'company' | 'title' }
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
  | { readonly kind: 'delete-group'; readonly side: Side; readonly group: number };

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
};

/** Which provider plays which side of a link. */
export type Players = Sides<ProviderName>;

export const DEFAULT_PLAYERS: Players = { left: 'google', right: 'service' };

/** One history: the players, how each side behaves, and phases of runs after each of which everything must come to rest. */
export type History = {
  /** Which provider plays which side. */
  readonly players: Players;
  readonly manners: Readonly<Record<Side, Manners>>;
  readonly conflicts: ConflictPolicy;
  readonly deleteCount: number;
  readonly skewMs: number;
  /** How long changes stay out of the feeds, at most. */
  readonly lagMs: number;
  readonly phases: readonly (readonly RunStep[])[];
};

const side = fc.constantFrom(...SIDES);
const who = fc.nat({ max: 7 });
const group = fc.nat({ max: 3 });
const scalar = fc.constantFrom(...SCALAR_FIELDS);
const list = fc.constantFrom(...LIST_FIELDS);

const is = <Kind extends Edit['kind']>(kind: Kind) => fc.constant(kind);

const editArbitrary: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: is('create'), side, rich: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: is('twin'), differs: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: is('household') }) },
  { weight: 1, arbitrary: fc.record({ kind: is('stale-origin'), side, who, scoped: fc.boolean() }) },
  { weight: 6, arbitrary: fc.record({ kind: is('set'), side, who, field: scalar }) },
  { weight: 2, arbitrary: fc.record({ kind: is('clear'), side, who, field: fc.constantFrom('company', 'title') }) },
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

const drawn: fc.Arbitrary<Omit<History, 'players'>> = fc.record({
  manners: fc.record({ left: mannersArbitrary, right: mannersArbitrary }),
  conflicts: fc.constantFrom('newest', 'left', 'right'),
  deleteCount: fc.constantFrom(1, 50),
  skewMs: fc.constantFrom(0, -180_000, 180_000),
  lagMs: fc.constantFrom(0, 0, 90_000),
  phases: fc.array(fc.array(runArbitrary, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 2 }),
});

/** Histories between two providers; a seed draws the same one between any two. */
export const historyArbitrary = (players: Players): fc.Arbitrary<History> =>
  drawn.map((history) => ({ players, ...history }));
