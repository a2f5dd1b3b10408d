import { isSyncedField, type SyncedField } from '../contact/contact.ts';
import { globMatcher, quotedName } from '../contact/name-pattern.ts';
import type { Side, Sides } from '../contact/side.ts';
import { textKey } from '../contact/visible-text.ts';

export type Direction = 'both' | 'to-left' | 'to-right';
/** The fields that go one way only in a link that writes both sides. */
type FieldDirections = Readonly<Partial<Record<SyncedField, Direction>>>;
/** Who wins a text that both sides changed: the newer edit, the longer text, a side, or whom a person names who is asked. */
export type ConflictPolicy = 'newest' | 'longest' | 'ask' | Side;
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

/** The side of the newer change; the left one where a side does not say when. */
const newerSide = ({ left, right }: Sides<number | null>): Side =>
  left !== null && right !== null && right > left ? 'right' : 'left';

/** How long a normalised text is, in code points. */
const lengthOf = (text: string): number => [...text].length;

/** The side of the longer text; null where both are of one length. */
export const longerSide = ({ left, right }: Sides<string>): Side | null => {
  const [ofLeft, ofRight] = [lengthOf(left), lengthOf(right)];
  if (ofLeft === ofRight) return null;
  return ofLeft > ofRight ? 'left' : 'right';
};

/** Two values of one text, and when each side was last changed: epoch milliseconds, null where it does not say. */
export type Dispute = { readonly values: Sides<string>; readonly changedAtMs: Sides<number | null> };

/**
 * The side whose value stands when both changed the same text (R4): a one-way link's source, else the policy's. Null where a
 * person is asked.
 */
export const conflictWinner = (
  { direction }: Pick<Policy, 'direction'>,
  policy: ConflictPolicy,
  { values, changedAtMs }: Dispute,
): Side | null => {
  if (direction === 'to-left') return 'right';
  if (direction === 'to-right') return 'left';
  switch (policy) {
    case 'left':
    case 'right':
      return policy;
    case 'newest':
      return newerSide(changedAtMs);
    case 'longest':
      return longerSide(values) ?? newerSide(changedAtMs);
    case 'ask':
      return null;
  }
};

/**
 * Whether it may matter when a side was changed: then what was decided is kept, for our own writes move those times. The
 * same two values are of the same lengths, so that nothing else is kept of `longest` than what the times decided.
 */
export const decidesByTime = (policy: Deciding, field: SyncedField): boolean => {
  const own = policyFor(policy, field);
  return forField(policy, field).direction === 'both' && (own === 'newest' || own === 'longest');
};

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
