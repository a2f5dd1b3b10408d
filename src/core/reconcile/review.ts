import { type ScalarField, scalarsOf, type SyncedField, textIn } from '../contact/contact.ts';
import type { Half } from '../contact/half.ts';
import { otherSide, type Side, SIDES, type Sides } from '../contact/side.ts';
import type { Decision, OpenConflict } from './decision.ts';
import { contactsOfDecision } from './defer.ts';
import { type PlannedOperation, updateOn } from './planned.ts';
import { policyFor } from './conflict-policy.ts';
import { forField, mayWrite, type Policy } from './policy.ts';

/** Returns the side that did not win a conflict and whose value a person chose; null if no person chose such a value. */
export const takenSide = ({ review = null, winner }: OpenConflict): Side | null => {
  return review === winner || review === 'dismissed' ? null : review;
};

/**
 * Returns the value that a person chose for a conflict about the field, if the field was not changed since (R4, R5). The other side
 * must still have its value of the conflict, or already have the chosen value. The chosen side must have the chosen value, or the
 * value of its base if the conflict was decided before. Returns null if no value was chosen or it may no longer be applied, else
 * the value and its side. Pure.
 */
export const takenValue = (
  field: ScalarField,
  halves: Sides<Half>,
  open: readonly OpenConflict[],
): { readonly from: Side; readonly value: string } | null => {
  const conflict = open.find((each) => each.field === field && takenSide(each) !== null);
  const from = conflict === undefined ? null : takenSide(conflict);
  if (conflict === undefined || from === null) return null;
  const value = conflict[from];
  const other = otherSide(from);
  const atOther = textIn(halves[other].record.contact, field);
  const { record, base } = halves[from];
  const own = textIn(record.contact, field);
  const isAsDecided = atOther === conflict[other] || atOther === value;
  const hasLost = conflict.winner !== null && base !== null && own === textIn(base.contact, field);
  return isAsDecided && (own === value || hasLost) ? { from, value } : null;
};

/** Returns the sides that the chosen value must still be written to. Pure. */
export const sidesToTake = (field: ScalarField, halves: Sides<Half>, value: string, policy: Policy): readonly Side[] =>
  SIDES.filter(
    (side) => mayWrite(forField(policy, field), side) && textIn(halves[side].record.contact, field) !== value,
  );

/**
 * Returns the fields in which a write restores the winning value of an open conflict on a side. The field was not changed since, so
 * the conflict stays open after the write (R4). Pure.
 */
export const restoredFields = (
  writes: readonly PlannedOperation[],
  open: readonly OpenConflict[],
): readonly SyncedField[] =>
  open.flatMap((conflict) => {
    const won = conflict.winner === null ? null : conflict[conflict.winner];
    const isRestored = scalarsOf([conflict.field]).some((field) =>
      SIDES.some((side) => {
        const update = updateOn(writes, side);
        return update !== null && update.fields.includes(field) && textIn(update.desired, field) === won;
      }),
    );
    return isRestored ? [conflict.field] : [];
  });

/** Returns whether the stored conflict still waits for a person's decision. */
const isAsked = ({ winner, review = null }: OpenConflict): boolean => winner === null && review === null;

/** Returns the conflicts that wait for a person although the policy of their field no longer asks a person. Pure. */
export const noLongerAsked = <Row extends OpenConflict>(open: readonly Row[], policy: Policy): readonly Row[] =>
  open.filter(
    (row) =>
      isAsked(row) && (forField(policy, row.field).direction !== 'both' || policyFor(policy, row.field) !== 'ask'),
  );

/**
 * Returns the conflicts that wait for a person and are resolved by the plan: both values became the same, one side has its former
 * value again, or one contact is deleted. Conflicts of contacts without a decision in the plan are not returned. Pure.
 */
export const pastQuestions = <Row extends OpenConflict>(
  open: readonly Row[],
  decisions: readonly Decision[],
): readonly Row[] => {
  const asked = open.filter(isAsked);
  if (asked.length === 0) return [];
  const decided = new Map<string, Decision>();
  for (const decision of decisions) {
    for (const { side, id } of contactsOfDecision(decision)) decided.set(`${side} ${id}`, decision);
  }
  return asked.filter(({ field, leftId, rightId }) => {
    const decision = decided.get(`left ${leftId}`) ?? decided.get(`right ${rightId}`);
    if (decision?.kind !== 'merge' || decision.pair.left.id !== leftId) return decision !== undefined;
    return !decision.conflicts.some((conflict) => conflict.field === field);
  });
};
