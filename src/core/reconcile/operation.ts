import { idAt, type PairIds } from '../contact/pair.ts';
import type { Contact, ContactField, SyncedField } from '../contact/contact.ts';
import type { ContactRecord } from '../contact/record.ts';
import type { CreateRequest } from '../contact/requests.ts';
import { otherSide, type Side, type Sides } from '../contact/side.ts';

export const OPERATION_KINDS = ['create', 'update', 'membership', 'delete', 'group-delete'] as const;
export type OperationKind = (typeof OPERATION_KINDS)[number];
/** A kind of operation on one contact. */
export type ContactOperationKind = Exclude<OperationKind, 'group-delete'>;

/** A deleted group and its members on its side: sufficient to restore the group. */
export type DeletedGroup = {
  readonly id: string;
  readonly name: string;
  readonly members: readonly string[];
  /** The side's own details of the group (`GroupRecord.details`). */
  readonly details?: string;
};

/** The side that an operation writes to, and the ids of its contacts on both sides. */
type Addressed = PairIds & {
  readonly side: Side;
  readonly pairId: number | null;
  /** The reason for the operation. An undo reverts an earlier write on one side and propagates nothing. */
  readonly cause: 'sync' | 'undo';
};

/** Properties of the fields that an operation writes to an existing contact. */
type FieldMarks = {
  /** Fields that have a value before the operation and none after it. */
  readonly empties: readonly SyncedField[];
  /** False if no user edited the fields: the link has just started to sync them, or the other side computes them (R6). */
  readonly isEdit: boolean;
};

export type CreateOperation = Addressed & {
  readonly kind: 'create';
  readonly desired: Contact;
  /** The side's ids of the groups that the contact joins. */
  readonly join: readonly string[];
  /** The last record of a deleted contact that an undo restores; null for a contact that is copied from the other side. */
  readonly image: ContactRecord | null;
};

export type UpdateOperation = Addressed &
  FieldMarks & {
    readonly kind: 'update';
    readonly fields: readonly ContactField[];
    readonly desired: Contact;
    readonly before: ContactRecord;
    /** The contact of the other side that the update is computed from; null for an undo. */
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
  /** The contact of the same side that this contact is merged into, as it was before; null for a plain deletion. */
  readonly survivor: ContactRecord | null;
};

type GroupDeleteOperation = Addressed & { readonly kind: 'group-delete'; readonly group: DeletedGroup };

/**
 * One change to a remote. It is made from a task, journaled before its request is sent, recognised at the remote after
 * a crash, displayed, and reverted by an undo. Plain data.
 */
export type Operation =
  | CreateOperation
  | UpdateOperation
  | MembershipOperation
  | DeleteOperation
  | GroupDeleteOperation;

/** Returns the id of the contact that is written, if known before the response; null for a create that is not an undo. */
export const targetIdOf = (operation: Addressed): string | null => idAt(operation, operation.side);

/** Returns the id of the contact of the other side. */
export const sourceIdOf = (operation: Addressed): string | null => idAt(operation, otherSide(operation.side));

/**
 * Returns the request of a create. A restored contact is marked with its own former id, a copied one with the id of the contact that it
 * is copied from (R9). `scopes` are the names of both accounts in these marks.
 */
export const createRequest = (operation: CreateOperation, scopes: Sides<string>, key: string): CreateRequest => {
  const { desired, image, join, side } = operation;
  const origin =
    image === null
      ? { originId: sourceIdOf(operation) ?? '', originScope: scopes[otherSide(side)] }
      : { originId: image.id, originScope: scopes[side] };
  return { key, draft: desired, groupIds: join, ...origin };
};

/** Returns the fields of an existing contact that an operation writes; none for a create or a deletion. */
export const fieldsOf = (operation: Operation): readonly SyncedField[] => {
  switch (operation.kind) {
    case 'update':
      return operation.fields;
    case 'membership':
      return ['buckets'];
    case 'create':
    case 'delete':
    case 'group-delete':
      return [];
  }
};

/** Returns the contact that an operation writes; null if it writes none, or only changes groups. */
export const desiredOf = (operation: Operation): Contact | null =>
  operation.kind === 'create' || operation.kind === 'update' ? operation.desired : null;

/** Returns the record that an operation replaces or deletes, or null. */
export const beforeOf = (operation: Operation): ContactRecord | null =>
  operation.kind === 'update' || operation.kind === 'membership' || operation.kind === 'delete'
    ? operation.before
    : null;

/** Returns the further record that an operation was computed from: its source, the image of an undo, or a merge survivor. */
export const originOf = (operation: Operation): ContactRecord | null => {
  switch (operation.kind) {
    case 'create':
      return operation.image;
    case 'update':
      return operation.source;
    case 'delete':
      return operation.survivor;
    case 'membership':
    case 'group-delete':
      return null;
  }
};

/** Returns the fields that an operation empties. */
export const emptiesOf = (operation: Operation): readonly SyncedField[] =>
  'empties' in operation ? operation.empties : [];

/** Returns whether an operation removes something that the deletion guard counts (R8). */
export const destroys = (operation: Operation): boolean => {
  const { kind } = operation;
  return kind === 'delete' || kind === 'group-delete' || emptiesOf(operation).length > 0;
};
