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

/** A trial takes one request more; so many spared ones are worth it. */
const WORTH_TRYING = 3;

/** The addresses, by key, that contacts were just created with as their only one. */
const soleEmails = (tasks: readonly Task[], side: Side): ReadonlyMap<string, LabelledValue> => {
  const created = tasks.filter((task) => creationSide(task) === side);
  const held = created.map((task) => currentRecord(task, side)?.contact.emailAddresses ?? []);
  const sole = held.flatMap((emails) => (emails.length === 1 ? emails : []));
  return new Map(sole.map((email) => [emailKey(email.value), email]));
};

/**
 * A contact to be created, and an address of it that another contact was just created with as its only one. Whatever the side
 * makes of a create that carries this address alone, it does nothing to the other contact: written over that one, it says
 * what stands there already.
 */
const harmless = (tasks: readonly Task[], side: Side, sharing: readonly Task[]): Sharing | null => {
  const sole = soleEmails(tasks, side);
  // What an undo brings back is known again by the whole of it.
  const [found] = sharing
    .filter(({ decision }) => decision.kind === 'create')
    .flatMap((task): Sharing[] => {
      const emails = sharedEmails(task, side).flatMap(({ value }) => sole.get(emailKey(value)) ?? []);
      return emails.slice(0, 1).map((email) => ({ task, email }));
    });
  return found ?? null;
};

/** The operations of a task whose contact is created with one address alone: an update adds all other values. */
const operationsOfTrial = ({ operations }: Task, side: Side, draft: Contact): readonly PlannedOperation[] => [
  ...operations.filter((each) => each.kind !== 'share' || each.side !== side),
  { kind: 'update', side, fields: filledFields(draft), desired: draft },
];

/** Creates the contact with one address of another one, and nothing else; what came of it. */
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
 * The contacts that are still to be created on the side and have an address of another one (`shared-emails.ts`). Where many
 * have, one of them tries out whether the side creates such a contact: then the others are created whole, with one request
 * each. A trial of which nobody knows what came of it is settled before its contact is tried again (R9).
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
