import {
  listsIn,
  listsOf,
  scalarsIn,
  scalarsOf,
  textIn,
  withValue,
  type Contact,
  type ScalarField,
  type SyncedField,
} from '../contact/contact.ts';
import { isExtraField } from '../contact/fields.ts';
import { keyListsIn, withKeyed, withList } from '../contact/lists.ts';
import { otherSide, type Side } from '../contact/side.ts';
import { resembles } from '../reconcile/similar.ts';
import type { Known } from './outcome.ts';

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

/**
 * Returns the values of `found` that come from an operation without a response. For a list these are the elements that were kept,
 * those that were added, and those that were to be removed but remain. A later change of the user is not included: it is left out
 * of the base and is propagated (R5).
 */
export const writtenValues = (desired: Contact, found: Contact, before: Contact): Contact => {
  let contact = found;
  for (const field of scalarsIn(found, desired)) {
    const [now, wanted] = [textIn(found, field), textIn(desired, field)];
    contact = withValue(contact, field, now === '' || resembles(now, wanted) ? now : wanted);
  }
  for (const field of listsIn(desired, found, before)) {
    const lists = keyListsIn(field, { desired, found, before });
    const kept = [...lists.desired.keys()].flatMap((key) => lists.found.get(key) ?? lists.before.get(key) ?? []);
    const remaining = [...lists.found].filter(([key]) => lists.before.has(key) && !lists.desired.has(key));
    contact = withList(contact, field, [...kept, ...remaining.map(([, element]) => element)]);
  }
  return contact;
};

/**
 * Returns the source's base after an operation wrote the values `now`. An element that the source added and that was not
 * written is left out. An element that the source removed since `base` and that still exists stays in. Both remain
 * changes of the source (R2, R9).
 */
export const arrivedValues = (base: Contact, source: Contact, desired: Contact, now: Contact): Contact => {
  let contact = source;
  for (const field of scalarsIn(source, desired)) {
    const isMissing = textIn(now, field) === '' && textIn(source, field) === textIn(desired, field);
    if (isMissing) contact = withValue(contact, field, '');
  }
  for (const field of listsIn(base, source, desired, now)) {
    const lists = keyListsIn(field, { base, source, desired, now });
    const kept = [...lists.source].filter(([key]) => !lists.desired.has(key) || lists.now.has(key));
    const remaining = [...lists.base].filter(([key]) => !lists.source.has(key) && lists.now.has(key));
    contact = withKeyed(contact, field, [...kept, ...remaining]);
  }
  return contact;
};

/** The values that show whether an update was applied to a contact. */
type Update = {
  readonly fields: readonly SyncedField[];
  readonly before: Contact;
  readonly desired: Contact;
};

/** Returns whether the contact contains a value of the write: a text changed to the requested one, or an element was added. */
export const showsWrite = (update: Update, now: Contact): boolean => {
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
const lacksRemoved = (update: Update, now: Contact): boolean => {
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
export const tookEffect = (update: Update, now: Contact): boolean =>
  showsWrite(update, now) || lacksRemoved(update, now);

/** The memberships that a write requested, by the side's own group ids. */
export type Moves = { readonly join: readonly string[]; readonly leave: readonly string[] };

/** Returns the part of a change of membership that the current membership contains. */
export const shownMoves = ({ join, leave }: Moves, now: readonly string[]): Moves => ({
  join: join.filter((id) => now.includes(id)),
  leave: leave.filter((id) => !now.includes(id)),
});

/** Returns the same moves with the other side's group ids; groups without a half there are left out. */
export const movesAcross = (side: Side, { join, leave }: Moves, pairs: Known['groupPairs']): Moves => {
  const across = (ids: readonly string[]): readonly string[] =>
    pairs.flatMap((pair) => (ids.includes(pair[side]?.id ?? '') ? (pair[otherSide(side)]?.id ?? []) : []));
  return { join: across(join), leave: across(leave) };
};

/** Returns a base's membership after moves that both sides now agree on. */
export const withMoves = (groupIds: readonly string[], { join, leave }: Moves): readonly string[] => {
  return [...new Set([...groupIds, ...join])].filter((id) => !leave.includes(id)).toSorted();
};
