import { plannedRecord, type Task } from '../../core/apply/task.ts';
import type { Contact } from '../../core/contact/contact.ts';
import { isPresent } from '../../core/contact/half.ts';
import { emailKey } from '../../core/contact/keys.ts';
import { emailKeys, withoutEmails } from '../../core/contact/lists.ts';
import { type Side, SIDES } from '../../core/contact/side.ts';
import { draftOf, isCreatedOn, type SideWrites } from '../../core/reconcile/decision.ts';
import { desiredOf, targetIdOf } from '../../core/reconcile/operation.ts';
import type { JournalRow } from '../../core/state/rows.ts';
import type { Session } from '../session.ts';

type Emails = Contact['emailAddresses'];

/** The email addresses that the task adds to a contact of the side. */
const newEmails = (task: Task, side: Side): Emails => {
  if (task.kind !== 'merge' && isCreatedOn(task, side)) return draftOf(task).emailAddresses;
  const { update } = task.writes[side];
  const record = plannedRecord(task, side);
  if (record === null || update?.fields.includes('emailAddresses') !== true) return [];
  return withoutEmails(update.desired, record.contact.emailAddresses).emailAddresses;
};

/** Returns the update of a task's contact without these addresses; null if nothing of it remains. */
const updateWithout = (task: Task, side: Side, shared: Emails): SideWrites['update'] => {
  const { update } = task.writes[side];
  if (update === null) return null;
  const desired = withoutEmails(update.desired, shared);
  const current = plannedRecord(task, side)?.contact.emailAddresses;
  const isRest = JSON.stringify(desired.emailAddresses) === JSON.stringify(current);
  const fields = isRest ? update.fields.filter((field) => field !== 'emailAddresses') : update.fields;
  return fields.length === 0 ? null : { fields, desired };
};

/** Returns the task with these addresses in operations of their own. */
const withShares = (task: Task, side: Side, shares: Emails): Task => {
  if (shares.length === 0) return task;
  const own = { ...task.writes[side], update: updateWithout(task, side, shares), shares };
  return { ...task, writes: { ...task.writes, [side]: own } };
};

/** A contact with email addresses, by its id. A contact that a create of unknown outcome may have made has the journal row. */
type Holder = { readonly holder: string | JournalRow; readonly emails: Emails };

/** The contacts of the side that have one of these email addresses, or may have it by a write of unknown outcome (R9). */
const holdersOf = async ({ store, link }: Session, side: Side, keys: readonly string[]): Promise<readonly Holder[]> => {
  const known = await store.halves(link, { by: 'email', side, keys });
  const open = (await store.journal(link, { open: true })).filter((row) => row.side === side);
  return [
    ...known.filter(isPresent).map(({ id, record }) => ({ holder: id, emails: record.contact.emailAddresses })),
    ...open.map((row) => ({ holder: targetIdOf(row) ?? row, emails: desiredOf(row)?.emailAddresses ?? [] })),
  ];
};

/** Moves the addresses that another contact of the side has, may have, or gets by an earlier task to separate operations. */
const splitOn = async (session: Session, tasks: readonly Task[], side: Side): Promise<readonly Task[]> => {
  const keys = [...new Set(tasks.flatMap((task) => [...emailKeys(newEmails(task, side))]))];
  if (keys.length === 0) return tasks;
  const taken = new Map<string, Set<Holder['holder'] | Task>>(keys.map((key) => [key, new Set()]));
  for (const { holder, emails } of await holdersOf(session, side, keys)) {
    for (const key of emailKeys(emails)) taken.get(key)?.add(holder);
  }
  return tasks.map((task) => {
    const self = plannedRecord(task, side)?.id ?? task;
    const shared = newEmails(task, side).filter(({ value }) => {
      const holdersOfKey = taken.get(emailKey(value));
      const isShared = [...(holdersOfKey ?? [])].some((holder) => holder !== self);
      holdersOfKey?.add(self);
      return isShared;
    });
    return withShares(task, side, shared);
  });
};

/**
 * Returns the tasks with each email address that another contact of the side has in a separate write. A side that forbids
 * shared addresses may answer a create with the other contact and overwrite that with the draft, or refuse the whole write.
 * A separate update of the address can only be refused.
 */
export const withSharedEmails = async (session: Session, planned: readonly Task[]): Promise<readonly Task[]> => {
  let tasks = planned;
  for (const side of SIDES) {
    if (session.remotes[side].capabilities.mayForbidSharedEmails) tasks = await splitOn(session, tasks, side);
  }
  return tasks;
};
