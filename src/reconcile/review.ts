import type { ScalarField } from '../contact/contact.ts';
import type { Half } from '../contact/half.ts';
import { otherSide, SIDES, type Side, type Sides } from '../contact/side.ts';
import type { OpenConflict } from './decision.ts';
import { mayWrite, type Policy } from './policy.ts';

/** The value of a conflict that a person took, and the side that it was of. */
export type TakenValue = { readonly from: Side; readonly value: string };

/** The side whose value a person took of a conflict that the other one had won; null where nobody did. */
export const takenSide = ({ review, winner }: OpenConflict): Side | null => {
  return review === otherSide(winner) ? review : null;
};

/**
 * What a person took of a conflict about the field, as long as nobody has changed the field since (R4, R5): the winner's side
 * still holds the value that won, or the taken one already; the other side the taken one, or what its base holds. Null where
 * nothing was taken, or it may not be taken any more. Pure.
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
  const atWinner = halves[conflict.winner].record.contact[field];
  const { record, base } = halves[from];
  const atLoser = record.contact[field];
  const isAsDecided = atWinner === conflict[conflict.winner] || atWinner === value;
  return isAsDecided && (atLoser === value || atLoser === base?.contact[field]) ? { from, value } : null;
};

/** The sides that a value which was taken has still to be written to. Pure. */
export const sidesToTake = (
  field: ScalarField,
  halves: Sides<Half>,
  { value }: TakenValue,
  policy: Policy,
): readonly Side[] => SIDES.filter((side) => mayWrite(policy, side) && halves[side].record.contact[field] !== value);
