import { LIST_FIELDS, SCALAR_FIELDS } from '../contact/contact.ts';
import { keyLists, listOf } from '../contact/lists.ts';
import type { ContactRecord } from '../contact/record.ts';
import { resembles } from '../reconcile/similar.ts';
import type { JournalRow } from '../store/store.ts';

const tookScalar = (before: string, now: string, desired: string): boolean => {
  return now !== before && (desired === '' ? now === '' : resembles(now, desired));
};

/** Whether the record shows that the write was applied: a field is no longer as before but as it was asked for. */
export const tookEffect = (row: JournalRow, now: ContactRecord): boolean => {
  const { before, intent } = row;
  const { desired } = intent;
  if (before === null || desired === null) return false;
  const scalars = SCALAR_FIELDS.filter((field) => intent.fields.includes(field));
  if (scalars.some((field) => tookScalar(before.contact[field], now.contact[field], desired[field]))) return true;
  return LIST_FIELDS.filter((field) => intent.fields.includes(field)).some((field) => {
    const lists = keyLists(field, {
      before: listOf(before.contact, field),
      now: listOf(now.contact, field),
      desired: listOf(desired, field),
    });
    const gained = [...lists.desired.keys()].some((key) => !lists.before.has(key) && lists.now.has(key));
    const lost = [...lists.before.keys()].some((key) => !lists.desired.has(key) && !lists.now.has(key));
    return gained || lost;
  });
};
