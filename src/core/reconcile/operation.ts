import type { PairIds } from './decision.ts';
import type { Contact, SyncedField } from '../contact/contact.ts';
import type { ContactRecord } from '../contact/record.ts';
import type { Side } from '../contact/side.ts';

export const OPERATION_KINDS = ['create', 'update', 'membership', 'delete', 'group-delete'] as const;
export type OperationKind = (typeof OPERATION_KINDS)[number];
/** A kind of operation on one contact. */
export type ContactOperationKind = Exclude<OperationKind, 'group-delete'>;

/** A group that is deleted, and the contacts of its side that belong to it: enough to restore it. */
export type DeletedGroup = {
  readonly id: string;
  readonly name: string;
  readonly members: readonly string[];
  /** The side's own details of the group (`GroupRecord.details`). */
  readonly details?: string;
};

/** The reason for an operation. An undo reverts an earlier write on one side and propagates nothing. */
export type Cause = 'sync' | 'undo';

/** The side that an operation writes to, and the contacts that it names by the ids of both sides. */
type Addressed = PairIds & {
  readonly side: Side;
  readonly pairId: number | null;
  readonly cause: Cause;
};

/** The fields of an operation on an existing contact that need care afterwards. */
type FieldMarks = {
  /** Fields that hold a value before the operation and none after it. */
  readonly empties: readonly SyncedField[];
  /** Fields that get a value which the other half does not hold: they stay out of the base (R12). */
  readonly given: readonly SyncedField[];
  /** Fields that the link had only started to sync: their values are not edits (R6); left out where there are none. */
  readonly joining?: readonly SyncedField[];
};

export type CreateOperation = Addressed & {
  readonly kind: 'create';
  readonly desired: Contact;
  /** The side's ids of the groups that the contact joins. */
  readonly join: readonly string[];
  /** Of an undo that restores a deleted contact: its last record. Null for a contact that follows from the other side. */
  readonly image: ContactRecord | null;
};

export type UpdateOperation = Addressed &
  FieldMarks & {
    readonly kind: 'update';
    readonly fields: readonly SyncedField[];
    readonly desired: Contact;
    readonly before: ContactRecord;
    /** The contact of the other side that the update follows from; null for an undo. */
    readonly source: ContactRecord | null;
  };

export type MembershipOperation = Addressed &
  FieldMarks & {
    readonly kind: 'membership';
    /** The side's ids of the groups that the contact joins and leaves. */
    readonly join: readonly string[];
    readonly leave: readonly string[];
    readonly before: ContactRecord;
  };

export type DeleteOperation = Addressed & {
  readonly kind: 'delete';
  readonly before: ContactRecord;
  /** The contact of the same side that this one is merged into, as it was before; null for a plain deletion. */
  readonly survivor: ContactRecord | null;
};

type GroupDeleteOperation = Addressed & { readonly kind: 'group-delete'; readonly group: DeletedGroup };

/**
 * One change to a remote: made of a planned operation, journaled before its request is sent, recognised at the remote after a
 * crash, shown, and reverted by an undo. Plain data.
 */
export type Operation =
  | CreateOperation
  | UpdateOperation
  | MembershipOperation
  | DeleteOperation
  | GroupDeleteOperation;

/**
 * A stored operation without the values of its kind: they were erased with a forgotten contact, or are damaged. It counts for
 * the deletion guard, and its outcome can no longer be determined.
 */
type IncompleteOperation = Addressed & {
  readonly kind: 'incomplete';
  readonly was: OperationKind;
  readonly fields: readonly SyncedField[];
  readonly empties: readonly SyncedField[];
  /** The missing value, in words. */
  readonly lacks: string;
};

/** An operation as it is read from the journal. */
export type StoredOperation = Operation | IncompleteOperation;

/** The kind of a stored operation; of an incomplete one the kind that it had. */
export const operationKind = (operation: StoredOperation): OperationKind =>
  operation.kind === 'incomplete' ? operation.was : operation.kind;

/** The id of the contact that is written, as known before the answer; null for a create that is not an undo. */
export const targetIdOf = ({ side, leftId, rightId }: Addressed): string | null => (side === 'left' ? leftId : rightId);

/** The id of the contact of the other side. */
export const sourceIdOf = ({ side, leftId, rightId }: Addressed): string | null => (side === 'left' ? rightId : leftId);

/** The fields of an existing contact that an operation writes; none for a create or a deletion. */
export const fieldsOf = (operation: StoredOperation): readonly SyncedField[] => {
  switch (operation.kind) {
    case 'update':
    case 'incomplete':
      return operation.fields;
    case 'membership':
      return ['buckets'];
    case 'create':
    case 'delete':
    case 'group-delete':
      return [];
  }
};

/** The contact that an operation writes; null where it writes none, or only changes groups. */
export const desiredOf = (operation: StoredOperation): Contact | null =>
  operation.kind === 'create' || operation.kind === 'update' ? operation.desired : null;

/** The record that an operation replaces or deletes; null where it has none. */
export const beforeOf = (operation: StoredOperation): ContactRecord | null =>
  operation.kind === 'update' || operation.kind === 'membership' || operation.kind === 'delete'
    ? operation.before
    : null;

/** The further record that an operation was computed from: its source, the image of an undo, or a merge survivor. */
export const originOf = (operation: StoredOperation): ContactRecord | null => {
  switch (operation.kind) {
    case 'create':
      return operation.image;
    case 'update':
      return operation.source;
    case 'delete':
      return operation.survivor;
    case 'membership':
    case 'group-delete':
    case 'incomplete':
      return null;
  }
};

/** The fields that an operation empties. */
export const emptiesOf = (operation: StoredOperation): readonly SyncedField[] =>
  'empties' in operation ? operation.empties : [];

/** Whether an operation removes something that the deletion guard counts (R8). */
export const destroys = (operation: StoredOperation): boolean => {
  const kind = operationKind(operation);
  return kind === 'delete' || kind === 'group-delete' || emptiesOf(operation).length > 0;
};
