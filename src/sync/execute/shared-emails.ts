import type { Contact } from '../../contact/contact.ts';
import { stands } from '../../contact/half.ts';
import { emailKey } from '../../contact/keys.ts';
import { SIDES, type Side } from '../../contact/side.ts';
import { desiredOf, targetIdOf } from '../../reconcile/operation.ts';
import type { JournalRow } from '../../store/store.ts';
import type { Session } from '../context.ts';
import type { Task } from './task.ts';
import type { Work } from './work.ts';

type Emails = Contact['emailAddresses'];

const keysOf = (emails: Emails): ReadonlySet<string> => new Set(emails.map(({ value }) => emailKey(value)));

/** The contact without some email addresses. */
export const withoutEmails = (contact: Contact, emails: Emails): Contact => {
  if (emails.length === 0) return contact;
  const keys = keysOf(emails);
  return { ...contact, emailAddresses: contact.emailAddresses.filter(({ value }) => !keys.has(emailKey(value))) };
};

/** The contact with those email addresses that it lacks. */
export const withEmails = (contact: Contact, emails: Emails): Contact => {
  const held = keysOf(contact.emailAddresses);
  const missing = emails.filter(({ value }) => !held.has(emailKey(value)));
  return { ...contact, emailAddresses: [...contact.emailAddresses, ...missing] };
};

const isCreatedOn = ({ creation, halves }: Task, side: Side): boolean => {
  return creation?.side === side && halves[side] === null;
};

/** The email addresses that the task brings to a contact of the side. */
const newEmails = (task: Task, side: Side): Emails => {
  if (isCreatedOn(task, side)) return task.creation?.draft.emailAddresses ?? [];
  const [write, half] = [task.writes[side], task.halves[side]];
  if (half === null || write?.fields.includes('emailAddresses') !== true) return [];
  return withoutEmails(write.desired, half.record.contact.emailAddresses).emailAddresses;
};

/** The task with these addresses deferred: they go by a write of their own. */
const setAside = (task: Task, side: Side, shared: Emails): Task => {
  if (shared.length === 0) return task;
  const { halves, pending, writes } = task;
  const sharedEmails = { ...task.sharedEmails, [side]: shared };
  if (isCreatedOn(task, side)) {
    const own = new Set([...pending[side], 'emailAddresses' as const]);
    return { ...task, sharedEmails, pending: { ...pending, [side]: own } };
  }
  const [write, half] = [writes[side], halves[side]];
  if (write === null || half === null) return task;
  const desired = withoutEmails(write.desired, shared);
  const isRest = JSON.stringify(desired.emailAddresses) === JSON.stringify(half.record.contact.emailAddresses);
  const fields = isRest ? write.fields.filter((field) => field !== 'emailAddresses') : write.fields;
  const rest = fields.length === 0 ? null : { ...write, fields, desired };
  return { ...task, sharedEmails, writes: { ...writes, [side]: rest } };
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
  const keys = [...new Set(tasks.flatMap((task) => [...keysOf(newEmails(task, side))]))];
  if (keys.length === 0) return tasks;
  const taken = new Map<string, Set<Holder['holder'] | Task>>(keys.map((key) => [key, new Set()]));
  for (const { holder, emails } of await holdersOf(session, side, keys)) {
    for (const key of keysOf(emails)) taken.get(key)?.add(holder);
  }
  return tasks.map((task) => {
    const self = task.halves[side]?.record.id ?? task;
    const shared = newEmails(task, side).filter(({ value }) => {
      const holdersOfKey = taken.get(emailKey(value));
      const isShared = [...(holdersOfKey ?? [])].some((holder) => holder !== self);
      holdersOfKey?.add(self);
      return isShared;
    });
    return setAside(task, side, shared);
  });
};

/**
 * The work of which no create, and no update that carries anything else, brings a contact an email address that another
 * one of its side holds. A side that keeps addresses apart may answer such a create with the other contact, and write the
 * draft over it; or it may refuse the write as a whole. So these addresses follow by a write of their own, and all that a
 * side can do with that is to refuse it.
 */
export const withSharedEmails = async (session: Session, work: Work): Promise<Work> => {
  let { tasks } = work;
  for (const side of SIDES) {
    if (session.remotes[side].capabilities.mayForbidSharedEmails) tasks = await splitOn(session, tasks, side);
  }
  return { ...work, tasks };
};
