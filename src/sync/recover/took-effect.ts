import { listsOf, scalarsOf, textIn, type Contact, type SyncedField } from '../../contact/contact.ts';
import { keyLists, listOf } from '../../contact/lists.ts';
import { resembles } from '../../reconcile/similar.ts';

const tookScalar = (before: string, now: string, desired: string): boolean => {
  return now !== before && (desired === '' ? now === '' : resembles(now, desired));
};

/** What of an update can be told from how the contact stands now. */
type Update = {
  readonly fields: readonly SyncedField[];
  readonly before: Contact;
  readonly desired: Contact;
};

/** Whether the contact shows that the write was applied: a field is no longer as before but as it was asked for. */
export const tookEffect = ({ fields, before, desired }: Update, now: Contact): boolean => {
  const isTaken = scalarsOf(fields).some((field) =>
    tookScalar(textIn(before, field), textIn(now, field), textIn(desired, field)),
  );
  if (isTaken) return true;
  return listsOf(fields).some((field) => {
    const lists = keyLists(field, {
      before: listOf(before, field),
      now: listOf(now, field),
      desired: listOf(desired, field),
    });
    const gained = [...lists.desired.keys()].some((key) => !lists.before.has(key) && lists.now.has(key));
    const lost = [...lists.before.keys()].some((key) => !lists.desired.has(key) && !lists.now.has(key));
    return gained || lost;
  });
};
