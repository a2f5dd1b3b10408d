import {
  LIST_FIELDS,
  SCALAR_FIELDS,
  type Contact,
  type ListField,
  type ScalarField,
  type SyncedField,
} from '../../contact/contact.ts';
import { keyLists, listOf, withList } from '../../contact/lists.ts';
import { resembles } from '../../reconcile/similar.ts';

/** Whether a scalar stands as it did before although something else was to be written: that much did not arrive. */
const isUntouched = (field: ScalarField, desired: Contact, found: Contact, before: Contact): boolean => {
  return found[field] === before[field] && found[field] !== desired[field];
};

const sameKeys = (one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): boolean => {
  return one.size === other.size && [...one.keys()].every((key) => other.has(key));
};

/** Whether a list holds what it held before although something else was to be written. */
const isListUntouched = (field: ListField, desired: Contact, found: Contact, before: Contact): boolean => {
  const lists = keyLists(field, {
    desired: listOf(desired, field),
    found: listOf(found, field),
    before: listOf(before, field),
  });
  return sameKeys(lists.found, lists.before) && !sameKeys(lists.found, lists.desired);
};

/** The fields of a write of which `found` does not show that they did not arrive. */
export const landedFields = (
  fields: readonly SyncedField[],
  desired: Contact,
  found: Contact,
  before: Contact,
): ReadonlySet<SyncedField> => {
  const untouched = new Set<SyncedField>([
    ...SCALAR_FIELDS.filter((field) => isUntouched(field, desired, found, before)),
    ...LIST_FIELDS.filter((field) => isListUntouched(field, desired, found, before)),
  ]);
  return new Set(fields.filter((field) => !untouched.has(field)));
};

/**
 * What a write whose answer was lost left on the side, as far as `found` shows. What a user changed there since is kept out:
 * it is no part of the base, and so is still propagated (R5).
 */
export const landed = (desired: Contact, found: Contact, before: Contact): Contact => {
  let contact = found;
  for (const field of SCALAR_FIELDS) {
    const isAnswer = found[field] === '' || resembles(found[field], desired[field]);
    contact = { ...contact, [field]: isAnswer ? found[field] : desired[field] };
  }
  for (const field of LIST_FIELDS) {
    const lists = keyLists(field, {
      desired: listOf(desired, field),
      found: listOf(found, field),
      before: listOf(before, field),
    });
    const elements = [...lists.desired.keys()].flatMap((key) => lists.found.get(key) ?? lists.before.get(key) ?? []);
    contact = withList(contact, field, elements);
  }
  return contact;
};

/** The source's base without what did not land: it is sent once more (R2). */
export const arrived = (source: Contact, desired: Contact, now: Contact): Contact => {
  let contact = source;
  for (const field of SCALAR_FIELDS) {
    if (now[field] === '' && source[field] === desired[field]) contact = { ...contact, [field]: '' };
  }
  for (const field of LIST_FIELDS) {
    const lists = keyLists(field, {
      source: listOf(source, field),
      desired: listOf(desired, field),
      now: listOf(now, field),
    });
    const kept = [...lists.source].filter(([key]) => !lists.desired.has(key) || lists.now.has(key));
    contact = withList(
      contact,
      field,
      kept.map(([, element]) => element),
    );
  }
  return contact;
};
