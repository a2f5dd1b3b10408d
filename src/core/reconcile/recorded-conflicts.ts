import { mayBeStored } from './similar.ts';
import { type Contact, type ScalarField, scalarsOf, type SyncedField, textIn } from '../contact/contact.ts';
import type { Half } from '../contact/half.ts';
import { otherSide, type Side, SIDES, type Sides, bySide } from '../contact/side.ts';
import { type Conflict, type Decision, type Merge, type RecordedConflict, type SideWrites } from './decision.ts';
import { contactsOfDecision } from './defer.ts';
import { policyFor } from './conflict-policy.ts';
import { forField, type Policy } from './policy.ts';

/** Returns whether a conflict that has not ended waits for a decision of a user. */
export const isOpen = ({ winner, decided }: RecordedConflict): boolean => winner === null && decided === null;

/**
 * Returns a function that finds the conflicts of two contacts. One of them may have got a new id since, or may have been deleted and
 * added again.
 */
export const conflictFinder = (
  recorded: readonly RecordedConflict[],
): ((contacts: Sides<Pick<Half, 'id'> | null>) => readonly RecordedConflict[]) => {
  const byLeft = Map.groupBy(recorded, ({ leftId }) => leftId);
  const byRight = Map.groupBy(recorded, ({ rightId }) => rightId);
  return ({ left, right }) => [
    ...new Set([...(byLeft.get(left?.id ?? '') ?? []), ...(byRight.get(right?.id ?? '') ?? [])]),
  ];
};

/** A value that a user chose, its side, and the sides that it must be written to. */
export type Taken = { readonly from: Side; readonly value: string; readonly to: readonly Side[] };

/** The texts that both sides have now, and whether they are those of both bases. */
type Texts = { readonly now: Sides<string>; readonly areAgreed: boolean };

/** Returns the sides that a chosen value is written to. `isStored`: the other side has the value, or a part of it that it stored. */
const lackingSides = (from: Side, value: string, { now, areAgreed }: Texts, isStored: boolean): readonly Side[] => {
  const other = otherSide(from);
  // Nothing is repeated at a side that has stored a part of the value (R1): once both sides have agreed, and while the chosen side
  // refuses the value.
  if (now[from] === value) return now[other] === value || (isStored && areAgreed) ? [] : [other];
  return isStored ? [from] : SIDES;
};

/**
 * Returns the value that a user chose for a conflict about the field, if the field was not changed since (R4, R5). The other side
 * must still have its value of the conflict, or already have the chosen value or a part of it that it stored. The chosen side must
 * have the chosen value, or the value of its base if a rule decided the conflict before. Returns null if no value was chosen or it
 * may no longer be applied. Pure.
 */
export const takenValue = (
  field: ScalarField,
  halves: Sides<Half>,
  recorded: readonly RecordedConflict[],
): Taken | null => {
  const conflict = recorded.find((each) => each.field === field && each.decided !== null);
  const from = conflict?.decided ?? null;
  if (conflict === undefined || from === null) return null;
  const value = conflict[from];
  const other = otherSide(from);
  const now = bySide((side) => textIn(halves[side].record.contact, field));
  const isStored = now[other] === value || (now[other] !== conflict[other] && mayBeStored(now[other], value));
  const isAsInBase = (side: Side): boolean => {
    const { base } = halves[side];
    return base !== null && textIn(base.contact, field) === now[side];
  };
  if (now[other] !== conflict[other] && !isStored) return null;
  if (now[from] !== value && !(conflict.winner !== null && isAsInBase(from))) return null;
  return { from, value, to: lackingSides(from, value, { now, areAgreed: SIDES.every(isAsInBase) }, isStored) };
};

/**
 * Returns the recorded conflicts that end after the writes: another value than the one that won is written to their field, or both
 * sides have it already. A field that is in conflict again does not end. Pure.
 */
export const endingFields = (
  halves: Sides<Half>,
  writes: Sides<SideWrites>,
  conflicts: readonly Conflict[],
  recorded: readonly RecordedConflict[],
): NonNullable<Merge['ends']> =>
  recorded.flatMap(({ leftId, field, winner, left, right }) => {
    const updates = SIDES.flatMap((side) => writes[side].update ?? []);
    const own = updates.filter(({ fields }) => fields.some((each) => each === field));
    const won = winner === null ? null : { left, right }[winner];
    const texts = (contact: Contact): readonly string[] => scalarsOf([field]).map((each) => textIn(contact, each));
    const hasWon = (contact: Contact): boolean => texts(contact).some((text) => text === won);
    const [now, other] = SIDES.flatMap((side) => texts(halves[side].record.contact));
    const isAgreed = won !== null && now === other && !hasWon(halves.left.record.contact);
    const isReplaced = own.length === 0 ? isAgreed : !own.some(({ desired }) => hasWon(desired));
    return isReplaced && !conflicts.some((each) => each.field === field) ? [{ leftId, field }] : [];
  });

/**
 * Returns the conflicts that a plan must include although no side changed: a user has decided them, or they are open and the policy
 * of their field no longer asks the user. Pure.
 */
export const conflictsToPlan = (recorded: readonly RecordedConflict[], policy: Policy): readonly RecordedConflict[] =>
  recorded.filter((row) => {
    if (row.decided !== null) return true;
    return isOpen(row) && (forField(policy, row.field).direction !== 'both' || policyFor(policy, row.field) !== 'ask');
  });

/** A conflict that a plan has ended. `lapsed`: a user had decided it, but the decision was not applied. */
export type EndedConflict = { readonly row: RecordedConflict; readonly lapsed: boolean };

/** Returns whether the plan still writes the value that a user chose. */
const isStillWritten = ({ writes }: Merge, field: SyncedField): boolean =>
  SIDES.some((side) => writes[side].update?.fields.some((each) => each === field) === true);

/** Returns how a conflict ends by the decision about its contact; null if it does not end. */
const endingOf = (row: RecordedConflict, decision: Decision): 'ends' | 'lapses' | null => {
  const { field, leftId } = row;
  const merge = decision.kind === 'merge' ? decision : null;
  if (isOpen(row)) {
    // A question about the former id of a contact ends: it is asked again with the new id.
    const isAsked = merge?.pair.left.id === leftId && merge.conflicts.some((conflict) => conflict.field === field);
    return isAsked ? null : 'ends';
  }
  if (merge?.taken?.some((taken) => taken.field === field) !== true) return 'lapses';
  return isStillWritten(merge, field) ? null : 'ends';
};

/**
 * Returns the conflicts that end with the plan. An open one ends if both values became the same, one side has its former value
 * again, or one contact is deleted. One that a user decided ends if both sides have the chosen value, or if it may no longer be
 * applied. Conflicts of contacts without a decision in the plan do not end. Pure.
 */
export const conflictsEndedBy = (
  recorded: readonly RecordedConflict[],
  decisions: readonly Decision[],
): readonly EndedConflict[] => {
  const rows = recorded.filter((row) => isOpen(row) || row.decided !== null);
  if (rows.length === 0) return [];
  const byContact = new Map<string, Decision>();
  for (const decision of decisions) {
    for (const { side, id } of contactsOfDecision(decision)) byContact.set(`${side} ${id}`, decision);
  }
  return rows.flatMap((row): EndedConflict[] => {
    const decision = byContact.get(`left ${row.leftId}`) ?? byContact.get(`right ${row.rightId}`);
    const ending = decision === undefined ? null : endingOf(row, decision);
    return ending === null ? [] : [{ row, lapsed: ending === 'lapses' }];
  });
};
