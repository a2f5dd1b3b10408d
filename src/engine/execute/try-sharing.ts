import { advance, type Execution, creationsOn, type Sharing } from './execution.ts';
import { creationSide, currentRecord, sharedEmails, type Task } from '../../core/apply/task.ts';
import { type Contact, EMPTY_CONTACT, filledFields } from '../../core/contact/contact.ts';
import type { LabelledValue } from '../../core/contact/elements.ts';
import { emailKey } from '../../core/contact/keys.ts';
import type { Side } from '../../core/contact/side.ts';
import { draftOf } from '../../core/reconcile/decision.ts';
import type { PlannedOperation } from '../../core/reconcile/planned.ts';
import { performBatch } from './batch.ts';
import { asTrial, createWrites } from './writes.ts';

/** The least number of contacts that is worth the additional request of a trial. */
const WORTH_TRYING = 3;

/** The addresses, by key, of contacts that were just created with one address only. */
const soleEmails = (tasks: readonly Task[], side: Side): ReadonlyMap<string, LabelledValue> => {
  const created = tasks.filter((task) => creationSide(task) === side);
  const held = created.map((task) => currentRecord(task, side)?.contact.emailAddresses ?? []);
  const sole = held.flatMap((emails) => (emails.length === 1 ? emails : []));
  return new Map(sole.map((email) => [emailKey(email.value), email]));
};

/**
 * Returns a contact to create, with one of its addresses that is the only address of another contact that was just created.
 * A create with this address alone cannot damage the other contact: if the side overwrites that with it, the values are the
 * same.
 */
const harmless = (tasks: readonly Task[], side: Side, sharing: readonly Task[]): Sharing | null => {
  const sole = soleEmails(tasks, side);
  // A contact that an undo restores is recognised by all its values, so it is no trial.
  const [found] = sharing
    .filter(({ decision }) => decision.kind === 'create')
    .flatMap((task): Sharing[] => {
      const emails = sharedEmails(task, side).flatMap(({ value }) => sole.get(emailKey(value)) ?? []);
      return emails.slice(0, 1).map((email) => ({ task, email }));
    });
  return found ?? null;
};

/** The operations of a task whose contact is created with one address only: an update adds all other values. */
const operationsOfTrial = ({ operations }: Task, side: Side, draft: Contact): readonly PlannedOperation[] => [
  ...operations.filter((each) => each.kind !== 'share' || each.side !== side),
  { kind: 'update', side, fields: filledFields(draft), desired: draft },
];

/** Creates the contact with nothing but one address of another contact, and returns the outcome. */
const tryOne = async (
  execution: Execution,
  side: Side,
  { task, email }: Sharing,
): Promise<'created' | 'refused' | 'unanswered'> => {
  const { decision, operations: former } = task;
  const [write] = createWrites(execution, side, [task]);
  if (decision.kind === 'merge' || write === undefined) return 'refused';
  const trial = asTrial(write, { ...EMPTY_CONTACT, emailAddresses: [email] });
  task.operations = operationsOfTrial(task, side, draftOf(decision));
  await (
    await performBatch(execution, [trial])
  ).stored;
  if (currentRecord(task, side) !== null) return 'created';
  task.operations = former;
  return trial.trial.refusedFor === null ? 'unanswered' : 'refused';
};

/**
 * Returns the contacts still to create on the side that share an address with another contact (`shared-emails.ts`). If there
 * are many, one create is a trial: if the side accepts it, the others are created whole, with one request each. A trial of
 * unknown outcome is settled before its contact is tried again (R9).
 */
export const trySharing = async (
  execution: Execution,
  tasks: readonly Task[],
  side: Side,
): Promise<readonly Task[]> => {
  const sharing = creationsOn(tasks, side).filter((task) => sharedEmails(task, side).length > 0);
  const found = sharing.length < WORTH_TRYING ? null : harmless(tasks, side, sharing);
  if (found === null) return sharing;
  const outcome = await tryOne(execution, side, found);
  if (outcome === 'refused') return sharing;
  const others = sharing.filter((task) => task !== found.task);
  if (outcome === 'unanswered') return others;
  for (const task of others) {
    advance(execution, side, 'update', sharedEmails(task, side).length);
    task.operations = task.operations.filter((each) => each.kind !== 'share' || each.side !== side);
  }
  return others;
};
