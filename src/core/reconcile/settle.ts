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
import { keyListsIn, listOf, withList } from '../contact/lists.ts';
import { withDeclined, type Snapshot } from '../contact/snapshot.ts';

/** The base of a contact without a counterpart so far. */
export const EMPTY_SNAPSHOT: Snapshot = { contact: EMPTY_CONTACT, groupIds: [] };

/** One side of a pair while its writes are in progress. */
type SettlingSide = {
  readonly base: Snapshot;
  /** The state of the side when the plan was made. */
  readonly before: Snapshot;
  /** The state that the side last returned: `before`, or the response to a write. */
  readonly now: Snapshot;
  /** Fields that were written to this side. */
  readonly written: ReadonlySet<SyncedField>;
  /** Group ids of this side that the write joined or left. */
  readonly moved: ReadonlySet<string>;
  /** Fields whose change on this side is not written to the other side yet, or stays on this side. */
  readonly outstanding: ReadonlySet<SyncedField>;
  /** The contact of the other side when the plan was made; null if there was none. */
  readonly other: Contact | null;
  /** Group ids of this side in which both contacts were members, or neither, when the plan was made. */
  readonly agreedGroups: ReadonlySet<string>;
};

/**
 * Returns the list of the base after a write. An element that both sides had, or that both sides lacked, when the plan was made
 * is settled: otherwise only one base would contain it, and its later removal would be lost. Any other element enters or leaves
 * the base only by the write.
 */
const settleList = (field: ListField, { base, before, other }: SettlingSide, now: Contact): readonly ListElement[] => {
  const keyed = keyListsIn(field, {
    base: base.contact,
    before: before.contact,
    now,
    other: other ?? EMPTY_CONTACT,
  });
  const isAgreed = (key: string): boolean => other !== null && keyed.before.has(key) === keyed.other.has(key);
  const isInBase = (key: string): boolean => {
    const planned = keyed.before.has(key);
    if (planned !== keyed.now.has(key)) return !planned;
    return isAgreed(key) ? planned : keyed.base.has(key);
  };
  const elements = new Map([...keyed.base, ...[...keyed.before, ...keyed.now].filter(([key]) => !keyed.base.has(key))]);
  return [...elements].flatMap(([key, element]) => (isInBase(key) ? [element] : []));
};

const settleGroups = ({ base, before, now, moved, outstanding, agreedGroups }: SettlingSide): readonly string[] => {
  const from = new Set(outstanding.has('buckets') ? base.groupIds : before.groupIds);
  const planned = new Set(before.groupIds);
  const current = new Set(now.groupIds);
  const place = (id: string, isMember: boolean): void => {
    if (isMember) from.add(id);
    else from.delete(id);
  };
  for (const id of agreedGroups) place(id, planned.has(id));
  for (const id of moved) place(id, current.has(id));
  return [...from].toSorted();
};

/**
 * Returns the new base of a side (R2). A field that was written gets the value of the side's own response. Any other field gets the
 * value of the plan, so that an edit made in the meantime is still detected as a change. A change made on the side itself is left
 * out of its base until it is written to the other side: after a crash it is detected again (R5). Pure.
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
      contact = withList(contact, field, settleList(field, side, current(field)));
    } else if (written.has(field)) contact = withList(contact, field, listOf(now.contact, field));
  }
  return withDeclined({ contact, groupIds: settleGroups(side) }, base.declined ?? {});
};
