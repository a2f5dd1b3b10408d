import type { SyncedField } from '../contact/contact.ts';
import type { Side, Sides } from '../contact/side.ts';
import { forField, type Policy } from './policy.ts';

/** Two values of one text, and the time of each side's last change: epoch milliseconds, null if the side has none. */
type Dispute = { readonly values: Sides<string>; readonly changedAtMs: Sides<number | null> };

/** The reason why a value of a conflict won. */
type DecidedBy = 'one-way' | 'preferred side' | 'newer edit' | 'longer value' | 'earlier policy' | 'nobody yet';

type ConflictRule = {
  /** The rule, within a sentence. */
  readonly words: string;
  /** Returns the side whose value wins; null where a person decides. */
  readonly winner: (dispute: Dispute) => Side | null;
  /** Returns the reason for that winner; null where the rule would not choose it for these values. */
  readonly reason: (values: Sides<string>, winner: Side) => DecidedBy | null;
  /** True if the result may depend on the times. Our own writes change them, so the decision is then kept. */
  readonly usesTimes: boolean;
};

/** Returns the side of the newer change; the left side if a side has no time. */
const newerSide = ({ left, right }: Sides<number | null>): Side =>
  left !== null && right !== null && right > left ? 'right' : 'left';

/** Returns the length of a normalised text in code points. */
const lengthOf = (text: string): number => [...text].length;

/** Returns the side of the longer text; null if both have the same length. */
const longerSide = ({ left, right }: Sides<string>): Side | null => {
  const [ofLeft, ofRight] = [lengthOf(left), lengthOf(right)];
  if (ofLeft === ofRight) return null;
  return ofLeft > ofRight ? 'left' : 'right';
};

/** The policies that a configuration can name for a text that both sides changed (R4). The name of a side is also a policy. */
const NAMED = {
  newest: {
    words: 'the newer edit wins',
    winner: ({ changedAtMs }) => newerSide(changedAtMs),
    reason: () => 'newer edit',
    usesTimes: true,
  },
  longest: {
    words: 'the longer value wins',
    winner: ({ values, changedAtMs }) => longerSide(values) ?? newerSide(changedAtMs),
    reason: (values, winner) => {
      const longer = longerSide(values);
      if (longer === null) return 'newer edit';
      return longer === winner ? 'longer value' : null;
    },
    usesTimes: true,
  },
  ask: { words: 'a person decides', winner: () => null, reason: () => null, usesTimes: false },
} as const satisfies Readonly<Record<string, ConflictRule>>;

type NamedPolicy = keyof typeof NAMED;
/** The rule for a text that both sides changed: a named one, or the side that wins. */
export type ConflictPolicy = NamedPolicy | Side;

/** The names of the policies, in the order of the documentation. */
export const POLICY_NAMES = Object.keys(NAMED) as readonly NamedPolicy[];

/** Returns the rule of a policy; `place` returns the name of a side within a sentence. */
export const ruleOf = (policy: ConflictPolicy, place: (side: Side) => string = (side) => side): ConflictRule => {
  if (policy !== 'left' && policy !== 'right') return NAMED[policy];
  return {
    words: `${place(policy)} wins`,
    winner: () => policy,
    reason: (_values, winner) => (winner === policy ? 'preferred side' : null),
    usesTimes: false,
  };
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
  dispute: Dispute,
): Side | null => sourceOf(direction) ?? ruleOf(policy).winner(dispute);

/**
 * Returns the reason why that side won a conflict. If the current policy would not choose the side, an earlier policy decided (R4).
 */
export const decidedBy = (
  field: SyncedField,
  values: Sides<string>,
  winner: Side | null,
  terms: ConflictTerms,
): DecidedBy => {
  if (winner === null) return 'nobody yet';
  const source = sourceOf(forField(terms, field));
  if (source !== null) return source === winner ? 'one-way' : 'earlier policy';
  return ruleOf(policyFor(terms, field)).reason(values, winner) ?? 'earlier policy';
};

/**
 * Returns whether a conflict about the field may be decided by the times of the changes. Then the decision is kept, because our own
 * writes change those times. For the same two values, the result of `longest` can only change with the times.
 */
export const decidesByTime = (policy: ConflictTerms, field: SyncedField): boolean =>
  forField(policy, field).direction === 'both' && ruleOf(policyFor(policy, field)).usesTimes;
