import {
  listsIn,
  listsOf,
  scalarsIn,
  scalarsOf,
  textIn,
  withValue,
  type Contact,
  type ListField,
  type ScalarField,
  type SyncedField,
} from '../contact/contact.ts';
import { isExtraField } from '../contact/fields.ts';
import { keyLists, listOf, withList } from '../contact/lists.ts';
import { otherSide, type Side, type Sides } from '../contact/side.ts';
import { resembles } from '../reconcile/similar.ts';

/**
 * Whether a text shows that it did not arrive: it is as before, although another text was sent. An extra that differs from the one
 * that was sent did not arrive either: sending it again overwrites no value of a user.
 */
const isUntouched = (field: ScalarField, desired: Contact, found: Contact, before: Contact): boolean => {
  const now = textIn(found, field);
  return now !== textIn(desired, field) && (now === textIn(before, field) || isExtraField(field));
};

/** The fields of an operation that may have arrived, as `found` shows. A list is judged by its elements. */
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
 * Returns the values of `found` that an operation without an answer brought: of a list the elements that were to stay, those
 * that arrived, and those that were to go and did not. A later change of its user is not among them: it stays out of the base
 * and is propagated (R5).
 */
export const broughtValues = (desired: Contact, found: Contact, before: Contact): Contact => {
  let contact = found;
  for (const field of scalarsIn(found, desired)) {
    const [now, wanted] = [textIn(found, field), textIn(desired, field)];
    contact = withValue(contact, field, now === '' || resembles(now, wanted) ? now : wanted);
  }
  for (const field of listsIn(desired, found, before)) {
    const lists = keyLists(field, {
      desired: listOf(desired, field),
      found: listOf(found, field),
      before: listOf(before, field),
    });
    const kept = [...lists.desired.keys()].flatMap((key) => lists.found.get(key) ?? lists.before.get(key) ?? []);
    const remaining = [...lists.found].filter(([key]) => lists.before.has(key) && !lists.desired.has(key));
    contact = withList(contact, field, [...kept, ...remaining.map(([, element]) => element)]);
  }
  return contact;
};

/**
 * Returns the source's base after an operation brought the values `now`. An element that the source added and that did not
 * arrive stays out; an element that the source removed since `base` and that is still there stays in. Both remain changes of
 * the source (R2, R9).
 */
export const arrivedValues = (base: Contact, source: Contact, desired: Contact, now: Contact): Contact => {
  let contact = source;
  for (const field of scalarsIn(source, desired)) {
    const isMissing = textIn(now, field) === '' && textIn(source, field) === textIn(desired, field);
    if (isMissing) contact = withValue(contact, field, '');
  }
  for (const field of listsIn(base, source, desired, now)) {
    const lists = keyLists(field, {
      base: listOf(base, field),
      source: listOf(source, field),
      desired: listOf(desired, field),
      now: listOf(now, field),
    });
    const kept = [...lists.source].filter(([key]) => !lists.desired.has(key) || lists.now.has(key));
    const remaining = [...lists.base].filter(([key]) => !lists.source.has(key) && lists.now.has(key));
    contact = withList(
      contact,
      field,
      [...kept, ...remaining].map(([, element]) => element),
    );
  }
  return contact;
};

/** The values by which a contact shows whether an update was applied. */
type Update = {
  readonly fields: readonly SyncedField[];
  readonly before: Contact;
  readonly desired: Contact;
};

const listsBy = (field: ListField, { before, desired }: Update, now: Contact) =>
  keyLists(field, { before: listOf(before, field), now: listOf(now, field), desired: listOf(desired, field) });

/** Whether the contact shows some of what the write was to bring: a text is no longer as before but as asked, or an element came. */
export const showsBrought = (update: Update, now: Contact): boolean => {
  const { fields, before, desired } = update;
  const isBrought = scalarsOf(fields).some((field) => {
    const [was, is, wanted] = [textIn(before, field), textIn(now, field), textIn(desired, field)];
    return wanted !== '' && is !== was && resembles(is, wanted);
  });
  if (isBrought) return true;
  return listsOf(fields).some((field) => {
    const lists = listsBy(field, update, now);
    return [...lists.desired.keys()].some((key) => !lists.before.has(key) && lists.now.has(key));
  });
};

/** Whether a value that the operation was to remove is missing; its user may have removed it as well. */
const lacksTaken = (update: Update, now: Contact): boolean => {
  const { fields, before, desired } = update;
  const isCleared = scalarsOf(fields).some(
    (field) => textIn(desired, field) === '' && textIn(now, field) === '' && textIn(before, field) !== '',
  );
  if (isCleared) return true;
  return listsOf(fields).some((field) => {
    const lists = listsBy(field, update, now);
    return [...lists.before.keys()].some((key) => !lists.desired.has(key) && !lists.now.has(key));
  });
};

/** Whether the contact shows that the write was applied: a field is no longer as before but as it was asked for. */
export const tookEffect = (update: Update, now: Contact): boolean =>
  showsBrought(update, now) || lacksTaken(update, now);

/** The memberships that a write asked for, by the side's own group ids. */
export type Moves = { readonly join: readonly string[]; readonly leave: readonly string[] };

/** The halves of a group pair; null where it has none. */
export type GroupHalves = Sides<{ readonly id: string } | null>;

/** The part of a change of membership that the membership now shows. */
export const shownMoves = ({ join, leave }: Moves, now: readonly string[]): Moves => ({
  join: join.filter((id) => now.includes(id)),
  leave: leave.filter((id) => !now.includes(id)),
});

/** The same moves by the other side's ids of the groups; groups without a half there are left out. */
export const movesAcross = (side: Side, { join, leave }: Moves, pairs: readonly GroupHalves[]): Moves => {
  const across = (ids: readonly string[]): readonly string[] =>
    pairs.flatMap((pair) => (ids.includes(pair[side]?.id ?? '') ? (pair[otherSide(side)]?.id ?? []) : []));
  return { join: across(join), leave: across(leave) };
};

/** A base's membership after moves that both sides now agree on. */
export const withMoves = (groupIds: readonly string[], { join, leave }: Moves): readonly string[] => {
  return [...new Set([...groupIds, ...join])].filter((id) => !leave.includes(id)).toSorted();
};
