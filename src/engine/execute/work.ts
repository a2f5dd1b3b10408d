import type { LinkState } from '../../core/state/rows.ts';
import type { LabelledValue } from '../../core/contact/elements.ts';
import type { Half } from '../../core/contact/half.ts';
import type { Side } from '../../core/contact/side.ts';
import type { Deletion, Unlink } from '../../core/reconcile/decision.ts';
import type { GroupPlan } from '../../core/reconcile/groups.ts';
import type { Plan } from '../../core/reconcile/plan.ts';
import { creationTask, isToBeCreated, mergeTask, sharedEmails, stepsOf, type Task } from '../../core/apply/task.ts';
import type { Removal } from '../../core/apply/write.ts';

/** What a run performs: a plan of the core, or of an undo, in the same terms. */
export type Work = {
  readonly groups: GroupPlan;
  readonly tasks: readonly Task[];
  readonly removals: readonly Removal[];
  readonly unlinks: readonly Unlink[];
  /** Contacts of no pair as they are to be stored before anything is written. */
  readonly rest?: readonly Half[];
  /** What to store of the selection that it was planned by; left out where the plan was not of everything. */
  readonly selection?: LinkState['selection'];
};

const removalOf = (decision: Deletion): Removal => {
  const { side, record, pair } = decision;
  return { side, record, pair, pairAfter: 'drop-pair', decision };
};

/** The work of a plan of the core. */
export const workOf = (plan: Plan): Work => ({
  groups: plan.groups,
  tasks: plan.decisions.flatMap((decision) => {
    if (decision.kind === 'merge') return [mergeTask(decision)];
    return decision.kind === 'create' ? [creationTask(decision)] : [];
  }),
  removals: plan.decisions.flatMap((decision) => (decision.kind === 'delete' ? [removalOf(decision)] : [])),
  unlinks: plan.decisions.filter((decision) => decision.kind === 'unlink'),
  rest: plan.rest,
});

/** The tasks whose contact is to be created on that side. */
export const creationsOn = ({ tasks }: Work, side: Side): readonly Task[] =>
  tasks.filter((task) => isToBeCreated(task, side));

/** The tasks with fields that are to be written to their contact on that side. */
export const updatesOn = ({ tasks }: Work, side: Side): readonly Task[] =>
  tasks.filter((task) => stepsOf(task, side, 'update').length > 0);

/** An email address that is added to a contact by a write of its own. */
export type Sharing = { readonly task: Task; readonly email: LabelledValue };

/** The email addresses that are added on that side by writes of their own, in rounds: one for each contact at a time. */
export const sharingRounds = ({ tasks }: Work, side: Side): readonly (readonly Sharing[])[] => {
  const sharings = tasks.flatMap((task) => sharedEmails(task, side).map((email, round) => ({ task, email, round })));
  return [...Map.groupBy(sharings, ({ round }) => round).values()];
};
