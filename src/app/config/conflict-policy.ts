import { z } from 'zod';
import { isSyncedField, SCALAR_FIELDS, scalarsOf, type ScalarField } from '../../core/contact/contact.ts';
import { isExtraField } from '../../core/contact/fields.ts';
import type { Sides } from '../../core/contact/side.ts';
import { POLICY_NAMES, type ConflictPolicy } from '../../core/reconcile/conflict-policy.ts';
import { fail } from '../../util/values.ts';

/** The word for the fields that are not named. */
const OTHERS = 'default';

const isScalar = (word: string): word is ScalarField =>
  isSyncedField(word) && !isExtraField(word) && scalarsOf([word]).length > 0;

/** The conflict policies: of all fields, and of named fields. */
type Policies = {
  readonly usual: ConflictPolicy;
  readonly byField: Readonly<Partial<Record<ScalarField, ConflictPolicy>>>;
};

/** The name of each policy in a configuration; a side has its own name. */
export const policyWords = ({ left, right }: Sides<string>): ReadonlyMap<string, ConflictPolicy> =>
  new Map<string, ConflictPolicy>([
    ...POLICY_NAMES.map((name) => [name, name] as const),
    [left, 'left'],
    [right, 'right'],
  ]);

/**
 * From `newest`, or `newest,title=google,company=longest`; a mapping of the file is read as a list of such parts. A side is
 * called by its name.
 */
export const conflictPolicies = (names: Sides<string>) => {
  const words = policyWords(names);
  const fields = [OTHERS, ...SCALAR_FIELDS].join(', ');
  return z
    .union([z.string().transform((value) => value.split(',')), z.array(z.string())])
    .transform((parts, context) => {
      const found = new Map<string, ConflictPolicy>();
      const take = (part: string): string | null => {
        const [field, word] = part.includes('=') ? part.split('=', 2).map((each) => each.trim()) : [OTHERS, part];
        const policy = words.get(word ?? '');
        if (field === undefined || !(field === OTHERS || isScalar(field))) {
          return `"${field}" is not a text that both sides can change. Choose one of ${fields}.`;
        }
        if (policy === undefined) {
          const where = field === OTHERS ? '' : ` for ${field}`;
          return `"${word}" is not known${where}. Choose one of ${[...words.keys()].join(', ')}.`;
        }
        if (found.has(field)) return `names ${field} twice. Keep one of the two.`;
        found.set(field, policy);
        return null;
      };
      const faults = parts.flatMap((part) => take(part.trim()) ?? []);
      for (const fault of faults) fail(context, fault);
      const usual = found.get(OTHERS) ?? 'newest';
      found.delete(OTHERS);
      const policies: Policies = { usual, byField: Object.fromEntries(found) };
      return policies;
    });
};
