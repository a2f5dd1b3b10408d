import { isToBeCreated, sharedEmails, type Task, taskOf } from '../../core/apply/task.ts';
import type { LabelledValue } from '../../core/contact/elements.ts';
import type { Side } from '../../core/contact/side.ts';
import { updateOn } from '../../core/reconcile/planned.ts';
import type { Executable } from './execution.ts';

/** The tasks of a plan, one for each decision that writes to the contacts of a pair. */
export const tasksOf = ({ decisions }: Pick<Executable, 'decisions'>): readonly Task[] =>
  decisions.flatMap((decision) => (decision.kind === 'delete' || decision.kind === 'unlink' ? [] : [taskOf(decision)]));

/** The tasks whose contact is to be created on that side. */
export const creationsOn = (tasks: readonly Task[], side: Side): readonly Task[] =>
  tasks.filter((task) => isToBeCreated(task, side));

/** The tasks with fields that are to be written to their contact on that side. */
export const updatesOn = (tasks: readonly Task[], side: Side): readonly Task[] =>
  tasks.filter(({ operations }) => updateOn(operations, side) !== null);

/** An email address that is added to a contact by a write of its own. */
export type Sharing = { readonly task: Task; readonly email: LabelledValue };

/** The email addresses that are added on that side by writes of their own, in rounds: one for each contact at a time. */
export const sharingRounds = (tasks: readonly Task[], side: Side): readonly (readonly Sharing[])[] => {
  const sharings = tasks.flatMap((task) => sharedEmails(task, side).map((email, round) => ({ task, email, round })));
  return [...Map.groupBy(sharings, ({ round }) => round).values()];
};
