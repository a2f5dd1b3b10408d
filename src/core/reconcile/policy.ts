import { isSyncedField, type SyncedField } from '../contact/contact.ts';
import { globMatcher, quotedName } from '../contact/name-pattern.ts';
import type { Side, Sides } from '../contact/side.ts';
import { textKey } from '../contact/text.ts';
import { type ConflictPolicy, type DecidedBy, type Dispute, ruleOf } from './conflict-policy.ts';

export type Direction = 'both' | 'to-left' | 'to-right';
/** The fields that go one way only in a link that writes both sides. */
type FieldDirections = Readonly<Partial<Record<SyncedField, Direction>>>;
/** The fields that have a policy of their own. */
type FieldPolicies = Readonly<Partial<Record<SyncedField, ConflictPolicy>>>;
type DeletePolicy = 'propagate' | 'keep';

/** How many contacts a run may delete on one side: the greater of the two bounds; null where a bound is not set. */
export type DeleteLimit = {
  readonly count: number | null;
  /** Of the link's pairs. */
  readonly percent: number | null;
};

export type Policy = {
  readonly direction: Direction;
  /** Left out where every field goes the ways of the link. */
  readonly directions?: FieldDirections;
  readonly conflicts: ConflictPolicy;
  /** The texts of which conflicts are decided otherwise; left out where there are none. */
  readonly conflictsByField?: FieldPolicies;
  readonly deletes: DeletePolicy;
  readonly deleteLimit: DeleteLimit;
  /** Whether a first sync runs by itself, or waits until a person has accepted its plan. */
  readonly firstSync: 'run' | 'review';
  /** Names or globs of the buckets and labels that take part; a later `!` pattern excludes. */
  readonly buckets: readonly string[];
  /** Which contacts each side selects, by patterns: see `selection.ts`. */
  readonly contacts: Sides<readonly string[]>;
};

/** Whether the link may write to that side at all. */
export const mayWrite = (policy: Pick<Policy, 'direction'>, side: Side): boolean => {
  return policy.direction === 'both' || policy.direction === `to-${side}`;
};

/** The policy as it is for one field, which may go one way only. */
export const forField = <Own extends Pick<Policy, 'direction' | 'directions'>>(
  policy: Own,
  field: SyncedField,
): Own => {
  const direction = policy.directions?.[field] ?? policy.direction;
  return policy.direction !== 'both' || direction === 'both' ? policy : { ...policy, direction };
};

/** The fields that are never written to a side, although the link writes it. */
export const unwrittenFields = (
  policy: Pick<Policy, 'direction' | 'directions'>,
  side: Side,
): readonly SyncedField[] => {
  const fields = Object.keys(policy.directions ?? {}).filter(isSyncedField);
  return fields.filter((field) => mayWrite(policy, side) && !mayWrite(forField(policy, field), side));
};

/** What decides conflicts. */
export type Deciding = Pick<Policy, 'direction' | 'directions' | 'conflicts' | 'conflictsByField'>;

/** What decides conflicts about that field of a link that writes both sides. */
export const policyFor = ({ conflicts, conflictsByField }: Deciding, field: SyncedField): ConflictPolicy =>
  conflictsByField?.[field] ?? conflicts;

/** The only side whose values are copied in a one-way link; null where both are. */
const sourceOf = ({ direction }: Pick<Policy, 'direction'>): Side | null => {
  if (direction === 'both') return null;
  return direction === 'to-left' ? 'right' : 'left';
};

/**
 * The side whose value wins if both changed the same text (R4): a one-way link's source, else the policy's. Null where a
 * person decides.
 */
export const conflictWinner = (
  direction: Pick<Policy, 'direction'>,
  policy: ConflictPolicy,
  dispute: Dispute,
): Side | null => sourceOf(direction) ?? ruleOf(policy).winner(dispute);

/** The reason why that side won a conflict, by the current policy. A policy that would not choose it was changed since (R4). */
export const decidedBy = (
  field: SyncedField,
  values: Sides<string>,
  winner: Side | null,
  deciding: Deciding,
): DecidedBy => {
  if (winner === null) return 'nobody yet';
  const source = sourceOf(forField(deciding, field));
  if (source !== null) return source === winner ? 'one-way' : 'earlier policy';
  return ruleOf(policyFor(deciding, field)).reason(values, winner) ?? 'earlier policy';
};

/**
 * Whether a conflict about the field may be decided by the times of the changes: then the decision is kept, because our own
 * writes move those times. Of the same two values, `longest` depends on nothing else.
 */
export const decidesByTime = (policy: Deciding, field: SyncedField): boolean =>
  forField(policy, field).direction === 'both' && ruleOf(policyFor(policy, field)).usesTimes;

/** Equal for group names that a reader cannot tell apart, in any case. */
export const foldGroupName = textKey;

/** Whether a name is that of a pattern, or matches it as a glob; in double quotes, the name only. Case is ignored. */
export const nameMatcher = (pattern: string): ((name: string) => boolean) => {
  const quoted = quotedName(pattern);
  const text = foldGroupName(quoted ?? pattern);
  const matches = quoted === null ? globMatcher(text) : () => false;
  return (name) => {
    const folded = foldGroupName(name);
    return text === folded || matches(folded);
  };
};

/** The predicate of `BUCKETS`: the last pattern that matches a name decides; names match in any case. */
export const groupFilter = (patterns: readonly string[]): ((name: string) => boolean) => {
  const rules = patterns.flatMap((pattern) => {
    const excludes = pattern.startsWith('!');
    const glob = excludes ? pattern.slice(1) : pattern;
    return foldGroupName(glob) === '' ? [] : [{ excludes, matches: nameMatcher(glob) }];
  });
  return (name) => rules.reduce((takesPart, rule) => (rule.matches(name) ? !rule.excludes : takesPart), false);
};
