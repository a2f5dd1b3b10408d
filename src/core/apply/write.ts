import type { LabelledValue } from '../contact/elements.ts';
import type { ContactRecord } from '../contact/record.ts';
import type { CreateRequest, MembershipRequest, ReadAnswer, UpdateRequest } from '../contact/requests.ts';
import type { Side } from '../contact/side.ts';
import type { Deletion } from '../reconcile/decision.ts';
import type { CreateOperation, DeleteOperation, MembershipOperation, UpdateOperation } from '../reconcile/operation.ts';
import { membershipOn } from '../reconcile/planned.ts';
import type { Task } from './task.ts';

type Shared = {
  readonly side: Side;
  /** The write's name in its batch. */
  readonly key: string;
};

/** One write: the operation that is journaled, and the request that is sent. */
export type Write =
  | (Shared & {
      readonly kind: 'create';
      readonly operation: CreateOperation;
      readonly task: Task;
      readonly request: CreateRequest;
      /** Of a create that tries out which values the side accepts (`execute/try-sharing.ts`, `execute/split-refused.ts`); null for any other. */
      readonly trial: Trial | null;
    })
  | (Shared & {
      readonly kind: 'update';
      readonly operation: UpdateOperation;
      readonly task: Task;
      readonly request: UpdateRequest;
      /** The email address of another contact of the side which it brings, and nothing else (`execute/shared-emails.ts`). */
      readonly sharedEmail: LabelledValue | null;
      /** Of an update of one field after a refusal (`execute/split-refused.ts`); null for any other. */
      readonly trial: Trial | null;
    })
  | (Shared & {
      readonly kind: 'membership';
      readonly operation: MembershipOperation;
      readonly task: Task;
      readonly request: MembershipRequest;
    })
  | (Shared & { readonly kind: 'delete'; readonly operation: DeleteOperation; readonly deletion: Deletion })
  | (Shared & {
      readonly kind: 'merge';
      readonly operation: DeleteOperation;
      readonly deletion: Deletion;
      readonly merging: Merging;
    });

/** The result of a trial. */
export type Trial = {
  /** The side's reason, if it refused the write or answered a create with a contact that existed; null if it did not. */
  refusedFor: string | null;
};

/** How a contact that was merged away goes: into the merge survivor on its own side, by the side's own merge. */
export type Merging = {
  /** The merge survivor's task. */
  readonly task: Task;
  /** The merge survivor as it is before. */
  readonly survivor: ContactRecord;
  /** Set where the side keeps the contact that was merged away: it is deleted afterwards. */
  isKept: boolean;
};

/** Both ids of each group pair, by its key; null where creating that half failed. */
export type GroupIds = ReadonlyMap<string, { readonly left: string | null; readonly right: string | null }>;

/** The result of a merge by the side itself. */
export type Merged = {
  /** The merge survivor as it is afterwards. */
  readonly survivor: ContactRecord;
  /** The answer of a read of the contact that was merged away. */
  readonly became: ReadAnswer;
};

export type CreateWrite = Extract<Write, { kind: 'create' }>;
export type UpdateWrite = Extract<Write, { kind: 'update' }>;

/** The side's group ids for group pairs; pairs whose half could not be created are left out. */
export const groupIdsOf = (groupIds: GroupIds, side: Side, keys: readonly string[]): readonly string[] => {
  return keys.flatMap((key) => groupIds.get(key)?.[side] ?? []);
};

/** The group pairs, by their keys, that the task's contact is to join and to leave on that side. */
export const movesOf = (
  { operations }: Task,
  side: Side,
): { readonly joins: readonly string[]; readonly leaves: readonly string[] } =>
  membershipOn(operations, side) ?? { joins: [], leaves: [] };

/** Whether every group that the task moves its contact by has a half on that side; the others wait for the next run. */
export const hasAllGroups = (groupIds: GroupIds, task: Task, side: Side): boolean => {
  const { joins, leaves } = movesOf(task, side);
  const keys = [...joins, ...leaves];
  return groupIdsOf(groupIds, side, keys).length === keys.length;
};

/** The contact that a write goes to; null for one that does not stand yet. */
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
