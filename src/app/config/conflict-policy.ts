import type { Sides } from '../../core/contact/side.ts';
import { POLICY_NAMES, type ConflictPolicy } from '../../core/reconcile/policy.ts';
import { choice, fail } from '../../util/values.ts';

/** The words for policies in a configuration. A side has its own name. */
export const policyWords = ({ left, right }: Sides<string>): readonly string[] => [...POLICY_NAMES, left, right];

/** Returns the policy of a word; null if it is unknown. */
export const policyNamed = (word: string, { left, right }: Sides<string>): ConflictPolicy | null => {
  if (word === left) return 'left';
  if (word === right) return 'right';
  return POLICY_NAMES.find((name) => name === word) ?? null;
};

/** Parses the policy of a link: `newest`, `ask` or the name of a side. */
export const conflictPolicy = (sides: Sides<string>) =>
  choice(...policyWords(sides)).transform(
    (word, context): ConflictPolicy => policyNamed(word, sides) ?? fail(context, `"${word}" is not known.`),
  );
