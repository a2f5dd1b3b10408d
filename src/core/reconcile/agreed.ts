import { type Contact, listsIn, scalarsIn, type SyncedField, textIn, withValue } from '../contact/contact.ts';
import { keyListsIn, withKeyed } from '../contact/lists.ts';
import { type Snapshot, withDeclined } from '../contact/snapshot.ts';

/** One half of a pair when its plan is made. */
type PlannedSide = {
  readonly base: Snapshot;
  readonly record: Snapshot;
  /** The contact of the other half. A value that both have, or both lack, is agreed on. */
  readonly other: Contact;
  /** Fields that are still to be written to either side, or whose change stays on this side. */
  readonly outstanding: ReadonlySet<SyncedField>;
  /** Group ids of this side in which both contacts are members, or neither, although a base differs. */
  readonly agreedGroups: ReadonlySet<string>;
};

const agreedGroupIds = ({ base, record, outstanding, agreedGroups }: PlannedSide): readonly string[] => {
  if (!outstanding.has('buckets')) return record.groupIds;
  const groupIds = new Set(base.groupIds);
  for (const id of agreedGroups) {
    if (record.groupIds.includes(id)) groupIds.add(id);
    else groupIds.delete(id);
  }
  return [...groupIds].toSorted();
};

/**
 * Returns the base of a half with everything that both sides agree on when the plan is made. A change that is still to be written
 * stays out of it: after a crash it is found again (R5). Of a list in which something is to be written, the elements are agreed on
 * that both sides have or lack: otherwise only one base would contain them, and their later removal would be lost. Pure.
 */
export const agreedBase = (side: PlannedSide): Snapshot => {
  const { base, record, other, outstanding } = side;
  let { contact } = record;
  for (const field of scalarsIn(base.contact, contact)) {
    if (outstanding.has(field)) contact = withValue(contact, field, textIn(base.contact, field));
  }
  for (const field of listsIn(base.contact, contact)) {
    if (!outstanding.has(field)) continue;
    const lists = keyListsIn(field, { base: base.contact, own: record.contact, other });
    const isAgreed = (key: string): boolean => lists.own.has(key) === lists.other.has(key);
    const elements = new Map([...lists.base, ...[...lists.own].filter(([key]) => !lists.base.has(key))]);
    const kept = [...elements].filter(([key]) => (isAgreed(key) ? lists.own.has(key) : lists.base.has(key)));
    contact = withKeyed(contact, field, kept);
  }
  return withDeclined({ contact, groupIds: agreedGroupIds(side) }, base.declined ?? {});
};
