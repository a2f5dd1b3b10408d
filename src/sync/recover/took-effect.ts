import { listsOf, scalarsOf, textIn, type Contact, type ListField, type SyncedField } from '../../contact/contact.ts';
import { keyLists, listOf } from '../../contact/lists.ts';
import { resembles } from '../../reconcile/similar.ts';

/** What of an update can be told from how the contact stands now. */
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

/** Whether nothing is left of something that the write was to take away; its user may have removed it as well. */
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
