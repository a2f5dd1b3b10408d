import picomatch from 'picomatch';
import type { Side } from '../contact/side.ts';

export type Direction = 'both' | 'to-left' | 'to-right';
export type ConflictPolicy = 'newest' | 'left' | 'right';
type DeletePolicy = 'propagate' | 'keep';

/** How many contacts a run may delete on one side: the greater of the two bounds; null where a bound is not set. */
export type DeleteLimit = {
  readonly count: number | null;
  /** Of the link's pairs. */
  readonly percent: number | null;
};

export type Policy = {
  readonly direction: Direction;
  readonly conflicts: ConflictPolicy;
  readonly deletes: DeletePolicy;
  readonly deleteLimit: DeleteLimit;
  /** Names or globs of the buckets and labels that take part; a later `!` pattern excludes. */
  readonly buckets: readonly string[];
};

/** Whether the link may write to that side at all. */
export const mayWrite = (policy: Pick<Policy, 'direction'>, side: Side): boolean => {
  return policy.direction === 'both' || policy.direction === `to-${side}`;
};

/** The side whose value stands when both changed the same thing (R4): a one-way link's source, else the policy's. */
export const conflictWinner = (policy: Policy, modifiedAtMs: Readonly<Record<Side, number | null>>): Side => {
  if (policy.direction === 'to-left') return 'right';
  if (policy.direction === 'to-right') return 'left';
  if (policy.conflicts !== 'newest') return policy.conflicts;
  const { left, right } = modifiedAtMs;
  return left !== null && right !== null && right > left ? 'right' : 'left';
};

/** Whether the policy goes by when a side was changed: then what it decided is kept, for our own writes move those times. */
export const decidesByTime = (policy: Policy): boolean => policy.direction === 'both' && policy.conflicts === 'newest';

/** A group's name as names are compared: NFC, trimmed, any case. */
export const foldGroupName = (name: string): string => name.normalize('NFC').trim().toLowerCase();

/** The predicate of `BUCKETS`: the last pattern that matches a name decides; names match in any case. */
export const groupFilter = (patterns: readonly string[]): ((name: string) => boolean) => {
  const rules = patterns.flatMap((pattern) => {
    const excludes = pattern.startsWith('!');
    const glob = foldGroupName(excludes ? pattern.slice(1) : pattern);
    return glob === '' ? [] : [{ excludes, matches: picomatch(glob, { dot: true, nonegate: true, bash: true }), glob }];
  });
  return (name) => {
    const folded = foldGroupName(name);
    return rules.reduce((takesPart, rule) => {
      return rule.glob === folded || rule.matches(folded) ? !rule.excludes : takesPart;
    }, false);
  };
};
