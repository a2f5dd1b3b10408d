import {
  EMPTY_CONTACT,
  listsIn,
  scalarsIn,
  textIn,
  withValue,
  type Contact,
  type ListField,
  type SyncedField,
} from '../contact/contact.ts';
import type { ListElement } from '../contact/keys.ts';
import { keyLists, listOf, withList } from '../contact/lists.ts';
import type { Snapshot } from '../contact/snapshot.ts';

/** The base of a contact that has met nobody yet. */
export const EMPTY_SNAPSHOT: Snapshot = { contact: EMPTY_CONTACT, groupIds: [] };

/** One side of a pair while its writes are under way. */
export type SettlingSide = {
  readonly base: Snapshot;
  /** As the side stood when the plan was made. */
  readonly before: Snapshot;
  /** As the side last gave itself back: `before`, or the answer of a write. */
  readonly now: Snapshot;
  /** Fields that were written to this side. */
  readonly written: ReadonlySet<SyncedField>;
  /** Group ids of this side that the write joined or left. */
  readonly moved: ReadonlySet<string>;
  /** Fields whose change on this side has not arrived on the other side yet, or stays here. */
  readonly outstanding: ReadonlySet<SyncedField>;
};

/** The base's list with only that gained and lost which a write brought since the plan was made. */
const settleList = (field: ListField, base: Contact, before: Contact, now: Contact): readonly ListElement[] => {
  const keyed = keyLists(field, {
    base: listOf(base, field),
    before: listOf(before, field),
    now: listOf(now, field),
  });
  const kept = [...keyed.base].filter(([key]) => !keyed.before.has(key) || keyed.now.has(key));
  const gained = [...keyed.now].filter(([key]) => !keyed.before.has(key) && !keyed.base.has(key));
  return [...kept, ...gained].map(([, element]) => element);
};

const settleGroups = ({ base, before, now, moved, outstanding }: SettlingSide): readonly string[] => {
  const from = new Set(outstanding.has('buckets') ? base.groupIds : before.groupIds);
  const standing = new Set(now.groupIds);
  for (const id of moved) {
    if (standing.has(id)) from.add(id);
    else from.delete(id);
  }
  return [...from].toSorted();
};

/**
 * The base that a side may be given now (R2). A field that was written takes the side's own answer; a field that was not
 * stays as the plan saw it, so that an edit made in the meantime is still found as a change. What a side changed itself
 * stays out of its base until it has arrived on the other side: a process that stops in between finds it again (R5). Pure.
 */
export const settleBase = (side: SettlingSide): Snapshot => {
  const { base, before, now, written, outstanding } = side;
  const current = (field: SyncedField): Contact => (written.has(field) ? now.contact : before.contact);
  let contact = before.contact;
  for (const field of scalarsIn(base.contact, before.contact, now.contact)) {
    const value = textIn(outstanding.has(field) ? base.contact : current(field), field);
    if (value !== textIn(contact, field)) contact = withValue(contact, field, value);
  }
  for (const field of listsIn(base.contact, before.contact, now.contact)) {
    if (outstanding.has(field)) {
      contact = withList(contact, field, settleList(field, base.contact, before.contact, current(field)));
    } else if (written.has(field)) contact = withList(contact, field, listOf(now.contact, field));
  }
  return { contact, groupIds: settleGroups(side) };
};
