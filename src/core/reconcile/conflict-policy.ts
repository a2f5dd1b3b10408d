import type { SyncedField } from '../contact/contact.ts';
import type { Side, Sides } from '../contact/side.ts';
import type { Conflict } from './decision.ts';
import { forField, type Policy } from './policy.ts';

/** The policies that a configuration can name for a text that both sides changed (R4), in the order of the documentation. */
export const POLICY_NAMES = ['newest', 'ask'] as const;

/** The rule for a text that both sides changed: the newer edit or a side wins, or a person decides. */
export type ConflictPolicy = (typeof POLICY_NAMES)[number] | Side;

/** The reason why a value of a conflict won; `undecided`: the user is asked; `later change`: the conflict ended before an answer. */
type DecidedBy = 'user' | 'one-way' | 'preferred side' | 'newer edit' | 'earlier policy' | 'later change' | 'undecided';

/** The time of each side's last change: epoch milliseconds, null if the side has none. */
type ChangeTimes = Sides<number | null>;

/** Returns the side of the newer change; the left side if a side has no time. */
const newerSide = ({ left, right }: ChangeTimes): Side =>
  left !== null && right !== null && right > left ? 'right' : 'left';

/** The parts of a policy that decide conflicts. */
export type ConflictTerms = Pick<Policy, 'direction' | 'directions' | 'conflicts' | 'conflictsByField'>;

/** Returns the conflict policy of a field, in a link that writes both sides. */
export const policyFor = ({ conflicts, conflictsByField }: ConflictTerms, field: SyncedField): ConflictPolicy =>
  conflictsByField?.[field] ?? conflicts;

/** Returns the source of a one-way link; null if the link writes both sides. */
const sourceOf = ({ direction }: Pick<Policy, 'direction'>): Side | null => {
  if (direction === 'both') return null;
  return direction === 'to-left' ? 'right' : 'left';
};

/**
 * Returns the side whose value wins if both sides changed the same text (R4): the source of a one-way link, else the side that the
 * policy chooses. Returns null if a person decides.
 */
export const conflictWinner = (
  direction: Pick<Policy, 'direction'>,
  policy: ConflictPolicy,
  changedAtMs: ChangeTimes,
): Side | null => {
  const source = sourceOf(direction);
  if (source !== null) return source;
  if (policy === 'ask') return null;
  return policy === 'newest' ? newerSide(changedAtMs) : policy;
};

/**
 * Returns the reason why a side won a conflict. If the current policy would not choose the side, an earlier policy decided (R4).
 */
export const decidedBy = (
  {
    field,
    winner,
    decided,
    endedAtMs,
  }: Conflict & { readonly decided: Side | null; readonly endedAtMs: number | null },
  terms: ConflictTerms,
): DecidedBy => {
  if (decided !== null) return 'user';
  if (winner === null) return endedAtMs === null ? 'undecided' : 'later change';
  const source = sourceOf(forField(terms, field));
  if (source !== null) return source === winner ? 'one-way' : 'earlier policy';
  const policy = policyFor(terms, field);
  if (policy === 'newest') return 'newer edit';
  return policy === winner ? 'preferred side' : 'earlier policy';
};

/**
 * Returns whether a conflict about the field may be decided by the times of the changes. Then the decision is kept, because our own
 * writes change those times.
 */
export const decidesByTime = (policy: ConflictTerms, field: SyncedField): boolean =>
  forField(policy, field).direction === 'both' && policyFor(policy, field) === 'newest';
