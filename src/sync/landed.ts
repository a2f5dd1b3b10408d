import { LIST_FIELDS, SCALAR_FIELDS, type Contact } from '../contact/contact.ts';
import { keyLists, listOf, withList } from '../contact/lists.ts';
import { resembles } from '../reconcile/similar.ts';

/**
 * What a write whose answer was lost left on the side, as far as `found` shows. What a user changed there since is kept out:
 * it is no part of the base, and so still travels (R5).
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
