import { listsOf, scalarsOf, textIn, type Contact, type ScalarField, type SyncedField } from '../contact/contact.ts';
import { isExtraField } from '../contact/fields.ts';
import { keyListsIn } from '../contact/lists.ts';
import { otherSide, type Side } from '../contact/side.ts';
import { resembles } from '../reconcile/similar.ts';
import type { GroupHalves } from './outcome.ts';

/**
 * Returns whether a text was not written: it has the value of before the write, although another text was sent. An extra that
 * differs from the sent text was not written either: sending it again overwrites no value of a user.
 */
const isUntouched = (field: ScalarField, desired: Contact, found: Contact, before: Contact): boolean => {
  const now = textIn(found, field);
  return now !== textIn(desired, field) && (now === textIn(before, field) || isExtraField(field));
};

/**
 * Returns the fields of an operation that may have been written, according to `found`. Lists always count: their
 * elements are compared separately.
 */
export const shownFields = (
  fields: readonly SyncedField[],
  desired: Contact,
  found: Contact,
  before: Contact,
): ReadonlySet<SyncedField> => {
  const untouched = new Set<SyncedField>(
    scalarsOf(fields).filter((field) => isUntouched(field, desired, found, before)),
  );
  return new Set(fields.filter((field) => !untouched.has(field)));
};

/** The values that show whether an update was applied to a contact. */
type WrittenValues = {
  readonly fields: readonly SyncedField[];
  readonly before: Contact;
  readonly desired: Contact;
};

/** Returns whether the contact contains a value of the write: a text changed to the requested one, or an element was added. */
export const showsWrite = (update: WrittenValues, now: Contact): boolean => {
  const { fields, before, desired } = update;
  const isBrought = scalarsOf(fields).some((field) => {
    const [was, is, wanted] = [textIn(before, field), textIn(now, field), textIn(desired, field)];
    return wanted !== '' && is !== was && resembles(is, wanted);
  });
  if (isBrought) return true;
  return listsOf(fields).some((field) => {
    const lists = keyListsIn(field, { before, desired, now });
    return [...lists.desired.keys()].some((key) => !lists.before.has(key) && lists.now.has(key));
  });
};

/** Returns whether a value that the operation was to remove is missing; its user may also have removed it. */
const lacksRemoved = (update: WrittenValues, now: Contact): boolean => {
  const { fields, before, desired } = update;
  const isCleared = scalarsOf(fields).some(
    (field) => textIn(desired, field) === '' && textIn(now, field) === '' && textIn(before, field) !== '',
  );
  if (isCleared) return true;
  return listsOf(fields).some((field) => {
    const lists = keyListsIn(field, { before, desired, now });
    return [...lists.before.keys()].some((key) => !lists.desired.has(key) && !lists.now.has(key));
  });
};

/** Returns whether the contact shows that the write was applied: a field changed to the requested value. */
export const tookEffect = (update: WrittenValues, now: Contact): boolean =>
  showsWrite(update, now) || lacksRemoved(update, now);

/** The memberships that a write requested, by the side's own group ids. */
export type Moves = { readonly join: readonly string[]; readonly leave: readonly string[] };

/** Returns the part of a change of membership that the current membership contains. */
export const shownMoves = ({ join, leave }: Moves, now: readonly string[]): Moves => ({
  join: join.filter((id) => now.includes(id)),
  leave: leave.filter((id) => !now.includes(id)),
});

/** Returns the same moves with the other side's group ids; groups without a half there are left out. */
export const movesAcross = (side: Side, { join, leave }: Moves, pairs: GroupHalves): Moves => {
  const across = (ids: readonly string[]): readonly string[] =>
    pairs.flatMap((pair) => (ids.includes(pair[side]?.id ?? '') ? (pair[otherSide(side)]?.id ?? []) : []));
  return { join: across(join), leave: across(leave) };
};
