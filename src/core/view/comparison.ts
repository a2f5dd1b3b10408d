import type { SyncedField } from '../contact/contact.ts';
import { emailKey, phoneKey, websiteKey } from '../contact/keys.ts';
import { otherSide, type Side, SIDES } from '../contact/side.ts';
import type { FieldComparison } from './views.ts';

/** Returns the value in one spelling for comparison, as a run compares values: it may be spelled differently on the two sides. */
const keyOf = (field: SyncedField, value: string): string => {
  if (field === 'emailAddresses') return emailKey(value);
  if (field === 'phoneNumbers') return phoneKey(value);
  return field === 'websites' ? websiteKey(value) : value;
};

/** Returns the values of one side that the other side does not have. */
export const missingAt = ({ field, ...values }: FieldComparison, side: Side): ReadonlySet<string> => {
  const theirs = new Set(values[otherSide(side)].map((value) => keyOf(field, value)));
  return new Set(values[side].filter((value) => !theirs.has(keyOf(field, value))));
};

/** Returns whether both sides have the same values, in any order and spelling. */
export const isSame = (compared: FieldComparison): boolean =>
  SIDES.every((side) => missingAt(compared, side).size === 0);

/** The relation of the values of both sides. */
type Relation = 'identical' | 'other order' | 'other spelling' | 'different';

/** Returns the relation of the values of both sides. Pure. */
export const relationOf = (compared: FieldComparison): Relation => {
  const [left, right] = [compared.left, compared.right].map((values) => values.join('\n'));
  if (left === right) return 'identical';
  const [sortedLeft, sortedRight] = [compared.left, compared.right].map((values) => values.toSorted().join('\n'));
  if (sortedLeft === sortedRight) return 'other order';
  return isSame(compared) ? 'other spelling' : 'different';
};
