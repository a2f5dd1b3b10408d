import type { SyncedField } from '../contact/contact.ts';
import type { LabelledValue } from '../contact/elements.ts';
import type { ContactRecord } from '../contact/record.ts';
import type { ReadAnswer } from '../contact/requests.ts';
import type { Side } from '../contact/side.ts';
import {
  beforeOf,
  type CreateOperation,
  type DeleteOperation,
  type MembershipOperation,
  type UpdateOperation,
} from '../reconcile/operation.ts';
import { membershipOn } from '../reconcile/planned.ts';
import type { Task } from './task.ts';
import type { Moves } from './traces.ts';

/** One write of a decision: its operation, and what an answer to it needs. Its request is made when it is sent (`execute/send.ts`). */
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
      /** Other planned fields of the contact: later writes change them, or its user changed them since the plan. */
      readonly later: ReadonlySet<SyncedField>;
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
      /** Whether an earlier write of the run was answered with the contact, so that its current groups are known. */
      readonly wasWritten: boolean;
    }
  | { readonly kind: 'delete'; readonly operation: DeleteOperation }
  /** The merge of a contact into its survivor on its own side, performed by the side. */
  | {
      readonly kind: 'merge';
      readonly operation: DeleteOperation & { readonly survivor: ContactRecord };
      readonly survivorTask: Task;
    };

/** Both ids of each group pair, by its key; null if that half could not be created. */
export type GroupIds = ReadonlyMap<string, { readonly left: string | null; readonly right: string | null }>;

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
export const groupIdsOf = (groupIds: GroupIds, side: Side, keys: readonly string[]): readonly string[] => {
  return keys.flatMap((key) => groupIds.get(key)?.[side] ?? []);
};

/** Returns whether every group that the task's contact joins or leaves has a half on that side; the others wait for the next run. */
export const hasAllGroups = (groupIds: GroupIds, { writes }: Task, side: Side): boolean => {
  const { joins, leaves } = membershipOn(writes, side) ?? { joins: [], leaves: [] };
  const keys = [...joins, ...leaves];
  return groupIdsOf(groupIds, side, keys).length === keys.length;
};

/** Returns the id of the contact that a write changes; null if the contact does not exist yet. */
export const targetOf = ({ operation }: Write): string | null => beforeOf(operation)?.id ?? null;
