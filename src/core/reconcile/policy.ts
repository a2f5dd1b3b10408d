import { isSyncedField, type SyncedField } from '../contact/contact.ts';
import { globMatcher, quotedName } from '../contact/name-pattern.ts';
import type { Side, Sides } from '../contact/side.ts';
import { textKey } from '../contact/text.ts';

/** The policies that a configuration can name for a text that both sides changed (R4), in the order of the documentation. */
export const POLICY_NAMES = ['newest', 'ask'] as const;

/** The rule for a text that both sides changed: the newer edit or a side wins, or a person decides. */
export type ConflictPolicy = (typeof POLICY_NAMES)[number] | Side;

type Direction = 'both' | 'to-left' | 'to-right';

export type Policy = {
  readonly direction: Direction;
  /** The fields that are synced one way only in a link that writes both sides; left out if there are none. */
  readonly directions?: Readonly<Partial<Record<SyncedField, Direction>>>;
  readonly conflicts: ConflictPolicy;
  /** The conflict policies of fields that differ from `conflicts`; left out if there are none. */
  readonly conflictsByField?: Readonly<Partial<Record<SyncedField, ConflictPolicy>>>;
  readonly deletes: 'propagate' | 'keep';
  /** The number of contacts that a link may delete on one side within 24 hours: the greater of two bounds. Null: no bound. */
  readonly deleteLimit: {
    readonly count: number | null;
    /** A percentage of the link's pairs. */
    readonly percent: number | null;
  };
  /** `run`: a first sync starts without approval; `review`: it waits until a person accepts its plan. */
  readonly firstSync: 'run' | 'review';
  /** Names or globs of the buckets and labels that are synced; a later `!` pattern excludes. */
  readonly buckets: readonly string[];
  /** The patterns that select the contacts of each side: see `selection.ts`. */
  readonly contacts: Sides<readonly string[]>;
};

/** Returns whether the link may write to that side. */
export const mayWrite = (policy: Pick<Policy, 'direction'>, side: Side): boolean =>
  policy.direction === 'both' || policy.direction === `to-${side}`;

/** Returns the directions of a link and its fields as a text, which is equal for equal directions. */
export const directionsText = ({ direction, directions = {} }: Pick<Policy, 'direction' | 'directions'>): string =>
  JSON.stringify([direction, ...Object.entries(directions).toSorted(([one], [other]) => (one < other ? -1 : 1))]);

/** Returns the policy for one field, which may be synced one way only. */
export const forField = <Own extends Pick<Policy, 'direction' | 'directions'>>(
  policy: Own,
  field: SyncedField,
): Own => {
  const direction = policy.directions?.[field] ?? policy.direction;
  return policy.direction !== 'both' || direction === 'both' ? policy : { ...policy, direction };
};

/** Returns the fields that are never written to a side, although the link writes to the side. */
export const unwrittenFields = (
  policy: Pick<Policy, 'direction' | 'directions'>,
  side: Side,
): readonly SyncedField[] => {
  const fields = Object.keys(policy.directions ?? {}).filter(isSyncedField);
  return fields.filter((field) => mayWrite(policy, side) && !mayWrite(forField(policy, field), side));
};

/** Returns a text that is equal for group names that look the same, ignoring case. */
export const foldGroupName = textKey;

/** Returns a matcher of names for a pattern: the name itself or a glob; in double quotes, the name only. Ignores case. */
export const nameMatcher = (pattern: string): ((name: string) => boolean) => {
  const quoted = quotedName(pattern);
  const text = foldGroupName(quoted ?? pattern);
  const matches = quoted === null ? globMatcher(text) : () => false;
  return (name) => {
    const folded = foldGroupName(name);
    return text === folded || matches(folded);
  };
};

/** Returns the predicate of `BUCKETS`: the last pattern that matches a name decides. Ignores case. */
export const groupFilter = (patterns: readonly string[]): ((name: string) => boolean) => {
  const rules = patterns.flatMap((pattern) => {
    const excludes = pattern.startsWith('!');
    const glob = excludes ? pattern.slice(1) : pattern;
    return foldGroupName(glob) === '' ? [] : [{ excludes, matches: nameMatcher(glob) }];
  });
  return (name) => rules.reduce((takesPart, rule) => (rule.matches(name) ? !rule.excludes : takesPart), false);
};
