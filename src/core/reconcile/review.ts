import { type ScalarField, scalarsOf, type SyncedField, textIn } from '../contact/contact.ts';
import type { Half } from '../contact/half.ts';
import { otherSide, type Side, SIDES, type Sides } from '../contact/side.ts';
import type { Decision, OpenConflict } from './decision.ts';
import { contactsOfDecision } from './defer.ts';
import { type PlannedOperation, updateOn } from './planned.ts';
import { forField, mayWrite, type Policy, policyFor } from './policy.ts';

/** The value of a conflict that a person took, and the side that it was of. */
export type TakenValue = { readonly from: Side; readonly value: string };

/** The side whose value a person took of a conflict that it had not won; null where nobody did. */
export const takenSide = ({ review = null, winner }: OpenConflict): Side | null => {
  return review === winner || review === 'dismissed' ? null : review;
};

/**
 * What a person took of a conflict about the field, as long as nobody has changed the field since (R4, R5): the other side
 * still holds the value that won or waits, or the taken one already; the side that it is of the taken one, or, where the
 * conflict was decided before, what its base holds. Null where nothing was taken, or it may not be taken any more. Pure.
 */
export const takenValue = (
  field: ScalarField,
  halves: Sides<Half>,
  open: readonly OpenConflict[],
): TakenValue | null => {
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

/** The sides that a value which was taken has still to be written to. Pure. */
export const sidesToTake = (
  field: ScalarField,
  halves: Sides<Half>,
  { value }: TakenValue,
  policy: Policy,
): readonly Side[] =>
  SIDES.filter(
    (side) => mayWrite(forField(policy, field), side) && textIn(halves[side].record.contact, field) !== value,
  );

/**
 * The fields in which a write gives a side the value that an open conflict was decided for: nobody has changed the field
 * since, so the write leaves the conflict open (R4). Pure.
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

/** Whether the conflict still waits for a person, as far as is stored. */
const isAsked = ({ winner, review = null }: OpenConflict): boolean => winner === null && review === null;

/** The conflicts that wait for a person although the policy of their field asks nobody any more. Pure. */
export const noLongerAsked = <Row extends OpenConflict>(open: readonly Row[], policy: Policy): readonly Row[] =>
  open.filter(
    (row) =>
      isAsked(row) && (forField(policy, row.field).direction !== 'both' || policyFor(policy, row.field) !== 'ask'),
  );

/**
 * The conflicts that wait for a person and are none any more by what the plan decided: both values became the same, one side
 * has its former value again, or one contact is gone. Of contacts that the plan does not decide about they stay. Pure.
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
