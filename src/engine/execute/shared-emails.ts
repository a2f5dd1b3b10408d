import { currentRecord, isToBeCreated, type Task } from '../../core/apply/task.ts';
import type { Contact } from '../../core/contact/contact.ts';
import { stands } from '../../core/contact/half.ts';
import { emailKey } from '../../core/contact/keys.ts';
import { emailKeys, withoutEmails } from '../../core/contact/lists.ts';
import { type Side, SIDES } from '../../core/contact/side.ts';
import { draftOf } from '../../core/reconcile/decision.ts';
import { desiredOf, targetIdOf } from '../../core/reconcile/operation.ts';
import { type PlannedOperation, updateOn } from '../../core/reconcile/planned.ts';
import type { JournalRow } from '../../core/state/rows.ts';
import type { Session } from '../context.ts';

type Emails = Contact['emailAddresses'];

/** The email addresses that the task brings to a contact of the side. */
const newEmails = (task: Task, side: Side): Emails => {
  const { decision } = task;
  if (decision.kind !== 'merge' && isToBeCreated(task, side)) return draftOf(decision).emailAddresses;
  const update = updateOn(task.operations, side);
  const record = currentRecord(task, side);
  if (record === null || update?.fields.includes('emailAddresses') !== true) return [];
  return withoutEmails(update.desired, record.contact.emailAddresses).emailAddresses;
};

/** The task with an operation of its own for each of these addresses. */
const withShares = (task: Task, side: Side, shared: Emails): Task => {
  if (shared.length === 0) return task;
  const shares = shared.map((email): PlannedOperation => ({ kind: 'share', side, email }));
  if (isToBeCreated(task, side)) return { ...task, operations: [...task.operations, ...shares] };
  const current = currentRecord(task, side)?.contact.emailAddresses;
  const operations = task.operations.flatMap((operation): readonly PlannedOperation[] => {
    if (operation.kind !== 'update' || operation.side !== side) return [operation];
    const desired = withoutEmails(operation.desired, shared);
    const isRest = JSON.stringify(desired.emailAddresses) === JSON.stringify(current);
    const fields = isRest ? operation.fields.filter((field) => field !== 'emailAddresses') : operation.fields;
    return fields.length === 0 ? [] : [{ ...operation, fields, desired }];
  });
  return { ...task, operations: [...operations, ...shares] };
};

/** A contact that holds email addresses, by its id; what a create of unknown outcome may have made goes by the create. */
type Holder = { readonly holder: string | JournalRow; readonly emails: Emails };

/** Who holds one of these email addresses on the side, or may hold it: a write of unknown outcome was to bring it (R9). */
const holdersOf = async ({ store, link }: Session, side: Side, keys: readonly string[]): Promise<readonly Holder[]> => {
  const known = await store.halves(link, { by: 'email', side, keys });
  const open = (await store.journal(link, { open: true })).filter((row) => row.side === side);
  return [
    ...known.filter(stands).map(({ id, record }) => ({ holder: id, emails: record.contact.emailAddresses })),
    ...open.map((row) => ({
      holder: targetIdOf(row) ?? row,
      emails: desiredOf(row)?.emailAddresses ?? [],
    })),
  ];
};

/** Sets aside, on a side, the addresses that another contact of it holds, may hold, or is given before. */
const splitOn = async (session: Session, tasks: readonly Task[], side: Side): Promise<readonly Task[]> => {
  const keys = [...new Set(tasks.flatMap((task) => [...emailKeys(newEmails(task, side))]))];
  if (keys.length === 0) return tasks;
  const taken = new Map<string, Set<Holder['holder'] | Task>>(keys.map((key) => [key, new Set()]));
  for (const { holder, emails } of await holdersOf(session, side, keys)) {
    for (const key of emailKeys(emails)) taken.get(key)?.add(holder);
  }
  return tasks.map((task) => {
    const self = currentRecord(task, side)?.id ?? task;
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
 * The tasks of which no create, and no update that carries anything else, brings a contact an email address that another
 * one of its side holds. A side that keeps addresses apart may answer such a create with the other contact, and write the
 * draft over it; or it may refuse the write as a whole. So these addresses follow by a write of their own, and all that a
 * side can do with that is to refuse it.
 */
export const withSharedEmails = async (session: Session, planned: readonly Task[]): Promise<readonly Task[]> => {
  let tasks = planned;
  for (const side of SIDES) {
    if (session.remotes[side].capabilities.mayForbidSharedEmails) tasks = await splitOn(session, tasks, side);
  }
  return tasks;
};
