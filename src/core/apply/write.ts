import type { SyncedField } from '../contact/contact.ts';
import type { LabelledValue } from '../contact/elements.ts';
import type { ContactRecord } from '../contact/record.ts';
import type { CreateRequest, MembershipRequest, ReadAnswer, UpdateRequest } from '../contact/requests.ts';
import type { Side } from '../contact/side.ts';
import type { Deletion } from '../reconcile/decision.ts';
import type { CreateOperation, DeleteOperation, MembershipOperation, UpdateOperation } from '../reconcile/operation.ts';
import { membershipOn } from '../reconcile/planned.ts';
import type { Task } from './task.ts';
import type { Moves } from './traces.ts';

type Shared = {
  readonly side: Side;
  /** The key of the write in its batch. */
  readonly key: string;
};

/** One write: the operation that is journaled, and the request that is sent. */
export type Write =
  | (Shared & {
      readonly kind: 'create';
      readonly operation: CreateOperation;
      readonly task: Task;
      readonly request: CreateRequest;
      /** True for a create that tests which values the side accepts (`execute/split-refused.ts`). */
      readonly isTrial: boolean;
    })
  | (Shared & {
      readonly kind: 'update';
      readonly operation: UpdateOperation;
      readonly task: Task;
      readonly request: UpdateRequest;
      /** The fields of the contact that later writes of the task change. */
      readonly later: ReadonlySet<SyncedField>;
      /**
       * The email address of another contact of the side, if the update adds only this address
       * (`execute/shared-emails.ts`); otherwise null.
       */
      readonly sharedEmail: LabelledValue | null;
      /** True for an update of one field after a refusal (`execute/split-refused.ts`). */
      readonly isTrial: boolean;
    })
  | (Shared & {
      readonly kind: 'membership';
      readonly operation: MembershipOperation;
      readonly task: Task;
      readonly request: MembershipRequest;
      /** The planned moves. The operation has those that the contact lacks. */
      readonly moves: Moves;
    })
  | (Shared & { readonly kind: 'delete'; readonly operation: DeleteOperation; readonly deletion: Deletion })
  | (Shared & {
      readonly kind: 'merge';
      readonly operation: DeleteOperation;
      readonly deletion: Deletion;
      /** The merge of the contact into the merge survivor on its own side, performed by the side. */
      readonly merging: {
        /** The merge survivor's task. */
        readonly task: Task;
        /** The merge survivor before the merge. */
        readonly survivor: ContactRecord;
      };
    });

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
export const hasAllGroups = (groupIds: GroupIds, { operations }: Task, side: Side): boolean => {
  const { joins, leaves } = membershipOn(operations, side) ?? { joins: [], leaves: [] };
  const keys = [...joins, ...leaves];
  return groupIdsOf(groupIds, side, keys).length === keys.length;
};

/** Returns the id of the contact that a write changes; null if the contact does not exist yet. */
export const targetOf = (write: Write): string | null => {
  switch (write.kind) {
    case 'create':
      return null;
    case 'update':
      return write.request.current.id;
    case 'membership':
      return write.request.id;
    case 'delete':
    case 'merge':
      return write.deletion.record.id;
  }
};
