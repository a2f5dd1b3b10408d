import { type Creation, type Merge, type Restoration, writtenFields } from '../reconcile/decision.ts';
import type { SyncedField } from '../contact/contact.ts';
import { isPresent } from '../contact/half.ts';
import { type Side, type Sides, SIDES } from '../contact/side.ts';
import type { LabelledValue } from '../contact/elements.ts';
import type { ContactRecord } from '../contact/record.ts';
import type { ReadAnswer } from '../contact/requests.ts';
import {
  type CreateOperation,
  type DeleteOperation,
  type MembershipOperation,
  type UpdateOperation,
} from '../reconcile/operation.ts';
import type { Moves } from './traces.ts';

/** A decision that may write to the contacts of one pair. Its halves are those of the plan; the store has the current ones. */
export type Task = Merge | Creation | Restoration;

/** Returns the id of the pair; null for contacts that this task pairs. */
export const taskPairId = ({ pair }: Task): number | null => pair?.id ?? null;

/** Returns the contact of a side at the time of the plan; null if it did not exist. */
export const plannedRecord = (task: Task, side: Side): ContactRecord | null => {
  if (task.kind === 'create') return side === task.side ? null : task.source;
  if (task.kind === 'restore' && side === task.side) return task.existing;
  const half = task.pair?.[side] ?? null;
  return half === null || (task.kind === 'restore' && !isPresent(half)) ? null : half.record;
};

/** Returns the fields that the task writes to the existing contact of a side. */
export const fieldsOn = ({ writes }: Task, side: Side): ReadonlySet<SyncedField> =>
  new Set(writtenFields(writes[side]));

/** Returns whether the task writes nothing to an existing contact. */
export const updatesNothing = (task: Task): boolean => SIDES.every((side) => fieldsOn(task, side).size === 0);

/** One write of a decision: its operation, and what an answer to it needs. Its request is made when it is sent (`execute/request.ts`). */
export type Write =
  | {
      readonly kind: 'create';
      readonly operation: CreateOperation;
      readonly task: Task;
      /** True for a create that tests which values the side accepts (`execute/split-refused.ts`). */
      readonly isTrial: boolean;
    }
  | {
      readonly kind: 'update';
      readonly operation: UpdateOperation;
      readonly task: Task;
      /** The planned fields of the contact that this update does not write: later writes do, or its user changed them since the plan. */
      readonly otherPlanned: ReadonlySet<SyncedField>;
      /**
       * The email address of another contact of the side, if the update adds only this address
       * (`execute/shared-emails.ts`); otherwise null.
       */
      readonly sharedEmail: LabelledValue | null;
      /** True for an update of one field after a refusal (`execute/split-refused.ts`). */
      readonly isTrial: boolean;
    }
  | {
      readonly kind: 'membership';
      readonly operation: MembershipOperation;
      readonly task: Task;
      /** The planned moves. The operation has those that the contact lacks. */
      readonly moves: Moves;
    }
  | {
      readonly kind: 'delete';
      readonly operation: DeleteOperation;
      /** Whether a read directly before the request did not find the contact: then its user deleted it. */
      readonly wasGone: boolean;
    }
  /** The merge of a contact into its survivor on its own side, performed by the side. */
  | {
      readonly kind: 'merge-away';
      readonly operation: DeleteOperation & { readonly survivor: ContactRecord };
      readonly survivorTask: Task;
    };

/** Both ids of each group pair, by its key; null if that half could not be created. */
export type GroupIds = ReadonlyMap<string, Sides<string | null>>;

/** The result of a merge by the side itself. */
export type Merged = {
  /** The merge survivor after the merge. */
  readonly survivor: ContactRecord;
  /** The result of a read of the contact that was merged away. */
  readonly became: ReadAnswer;
};

export type CreateWrite = Extract<Write, { kind: 'create' }>;
export type UpdateWrite = Extract<Write, { kind: 'update' }>;
export type MembershipWrite = Extract<Write, { kind: 'membership' }>;

/** Returns the side's group ids of group pairs; pairs whose half could not be created are left out. */
export const groupIdsOf = (groupIds: GroupIds, side: Side, keys: readonly string[]): readonly string[] =>
  keys.flatMap((key) => groupIds.get(key)?.[side] ?? []);

/** Returns whether every group that the task's contact joins or leaves has a half on that side; the others wait for the next run. */
export const hasAllGroups = (groupIds: GroupIds, { writes }: Task, side: Side): boolean => {
  const { joins, leaves } = writes[side];
  const keys = [...joins, ...leaves];
  return groupIdsOf(groupIds, side, keys).length === keys.length;
};
