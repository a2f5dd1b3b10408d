import type { SyncedField } from '../contact/contact.ts';
import type { Side, Sides } from '../contact/side.ts';
import type { Conflict } from './decision.ts';
import { type ConflictPolicy, forField, type Policy } from './policy.ts';

/** The reason why a value of a conflict won; `undecided`: the user is asked; `later change`: the conflict ended before an answer. */
type DecidedBy = 'user' | 'one-way' | 'preferred side' | TimeOrder | 'earlier policy' | 'later change' | 'undecided';

/** Whether the times of two edits show which one is newer. Otherwise a side wins by default. */
type TimeOrder = 'newer edit' | 'same second' | 'time missing' | 'times unknown';

/** The time of each side's last change: epoch milliseconds, null if the side has none. */
export type ChangeTimes = Sides<number | null>;

const SECOND_MS = 1000;

/**
 * Returns whether the times show the newer edit. A time without milliseconds may be any time within its second, because some sides
 * store only seconds. Two times are unknown if no side reports one, or if the write with them is no longer stored.
 */
export const timeOrder = ({ left, right }: ChangeTimes): TimeOrder => {
  if (left === null || right === null) return left === right ? 'times unknown' : 'time missing';
  const isWhole = left % SECOND_MS === 0 || right % SECOND_MS === 0;
  const isSameSecond = Math.floor(left / SECOND_MS) === Math.floor(right / SECOND_MS);
  return isWhole && isSameSecond ? 'same second' : 'newer edit';
};

/** Returns the side of the newer change; the left side if a side has no time. */
const newerSide = ({ left, right }: ChangeTimes): Side =>
  left !== null && right !== null && right > left ? 'right' : 'left';

/** The rule of a policy: the side that wins, or null if a person decides, and whether the times of the changes decide that. */
type Rule = { readonly winnerOf: (changedAtMs: ChangeTimes) => Side | null; readonly isByTime: boolean };

const RULES: Readonly<Record<ConflictPolicy, Rule>> = {
  newest: { winnerOf: newerSide, isByTime: true },
  ask: { winnerOf: () => null, isByTime: false },
  left: { winnerOf: () => 'left', isByTime: false },
  right: { winnerOf: () => 'right', isByTime: false },
};

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
): Side | null => sourceOf(direction) ?? RULES[policy].winnerOf(changedAtMs);

/**
 * Returns the reason why a side won a conflict. If the current policy would not choose the side, an earlier policy decided (R4).
 */
export const decidedBy = (
  conflict: Conflict & { readonly decided: Side | null; readonly endedAtMs: number | null },
  terms: ConflictTerms,
  changedAtMs: ChangeTimes,
): DecidedBy => {
  const { field, winner, decided, endedAtMs } = conflict;
  if (decided !== null) return 'user';
  if (winner === null) return endedAtMs === null ? 'undecided' : 'later change';
  const source = sourceOf(forField(terms, field));
  if (source !== null) return source === winner ? 'one-way' : 'earlier policy';
  const { winnerOf, isByTime } = RULES[policyFor(terms, field)];
  const isOfPolicy = winnerOf(changedAtMs) === winner;
  if (!isByTime) return isOfPolicy ? 'preferred side' : 'earlier policy';
  const order = timeOrder(changedAtMs);
  return order === 'newer edit' && !isOfPolicy ? 'earlier policy' : order;
};

/**
 * Returns whether a conflict about the field may be decided by the times of the changes. Then the decision is kept, because our own
 * writes change those times.
 */
export const decidesByTime = (policy: ConflictTerms, field: SyncedField): boolean =>
  forField(policy, field).direction === 'both' && RULES[policyFor(policy, field)].isByTime;

/** Returns the times of both edits if they decided a conflict about the field; null if another rule did. */
export const decidingTimes = (
  { field, winner }: Pick<Conflict, 'field'> & { readonly winner: Side },
  terms: ConflictTerms,
  changedAtMs: ChangeTimes,
): ChangeTimes | null => {
  const isKnown = changedAtMs.left !== null || changedAtMs.right !== null;
  const { winnerOf } = RULES[policyFor(terms, field)];
  return isKnown && decidesByTime(terms, field) && winnerOf(changedAtMs) === winner ? changedAtMs : null;
};
