import picomatch from 'picomatch';
import type { Side } from '../contact/contact.ts';

export type Direction = 'both' | 'to-google' | 'to-service';
export type ConflictPolicy = 'newest' | 'google' | 'service';
export type DeletePolicy = 'propagate' | 'keep';

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
export const mayWrite = (policy: Policy, side: Side): boolean => {
  return policy.direction === 'both' || policy.direction === `to-${side}`;
};

/** A group's name as names are compared: NFC, trimmed, any case. */
export const foldGroupName = (name: string): string => name.normalize('NFC').trim().toLowerCase();

/** The predicate of `BUCKETS`: the last pattern that matches a name decides; names match in any case. */
export const groupFilter = (patterns: readonly string[]): ((name: string) => boolean) => {
  const rules = patterns.map((pattern) => {
    const excludes = pattern.startsWith('!');
    const glob = foldGroupName(excludes ? pattern.slice(1) : pattern);
    return { excludes, matches: picomatch(glob, { dot: true, nonegate: true, bash: true }), glob };
  });
  return (name) => {
    const folded = foldGroupName(name);
    return rules.reduce((takesPart, rule) => {
      return rule.glob === folded || rule.matches(folded) ? !rule.excludes : takesPart;
    }, false);
  };
};
