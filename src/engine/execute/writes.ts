import type { Sharing } from './execution.ts';
import { type Deletion, draftOf, idsOn } from '../../core/reconcile/decision.ts';
import {
  currentRecord,
  plannedHalf,
  sharedEmails,
  type Task,
  taskIds,
  taskPairId,
  wasWritten,
} from '../../core/apply/task.ts';
import { comesFrom } from '../../core/apply/settle.ts';
import {
  type CreateWrite,
  type GroupIds,
  groupIdsOf,
  movesOf,
  type UpdateWrite,
  type Write,
} from '../../core/apply/write.ts';
import {
  type Contact,
  type ContactField,
  EMPTY_CONTACT,
  type SyncedField,
  valueIn,
  withValue,
} from '../../core/contact/contact.ts';
import type { LabelledValue } from '../../core/contact/elements.ts';
import { withEmails, withoutEmails } from '../../core/contact/lists.ts';
import type { ContactRecord } from '../../core/contact/record.ts';
import type { UpdateRequest } from '../../core/contact/requests.ts';
import { otherSide, type Side, type Sides } from '../../core/contact/side.ts';
import { equalIn } from '../../core/contact/snapshot.ts';
import { emptiedFields, leavesEveryGroup } from '../../core/reconcile/losses.ts';
import type {
  CreateOperation,
  DeleteOperation,
  MembershipOperation,
  Operation,
  UpdateOperation,
} from '../../core/reconcile/operation.ts';
import { membershipOn, operationsOn, updateOn } from '../../core/reconcile/planned.ts';

/** The values of a pass that its operations carry. */
export type Pass = {
  readonly groupIds: GroupIds;
  /** The names of both accounts in the origin ids that are written to the other side (R9). */
  readonly scopes: Sides<string>;
  readonly cause: Operation['cause'];
  /** The fields that the link has just started to sync; empty in an undo, which restores former edits. */
  readonly joining: ReadonlySet<SyncedField>;
};

/** The creates of a batch. */
export const createWrites = (
  { groupIds, scopes, cause }: Pass,
  side: Side,
  tasks: readonly Task[],
): readonly CreateWrite[] =>
  tasks.flatMap((task, index): CreateWrite[] => {
    const { decision } = task;
    if (decision.kind === 'merge') return [];
    const key = String(index);
    const image = decision.kind === 'restore' ? decision.image : null;
    const draft = withoutEmails(draftOf(decision), sharedEmails(task, side));
    const join = groupIdsOf(groupIds, side, movesOf(task, side).joins);
    // A restored contact is journaled and marked with its own former id, by which its history is found.
    const ids = { ...taskIds(task), ...(image !== null && { [`${side}Id`]: image.id }) };
    const shared = { side, cause, pairId: taskPairId(task), ...ids };
    const operation: CreateOperation = { ...shared, kind: 'create', desired: draft, join, image };
    const originId = decision.kind === 'restore' ? decision.image.id : decision.source.id;
    const originScope = scopes[image === null ? otherSide(side) : side];
    const request = { key, draft, groupIds: join, originId, originScope };
    return [{ kind: 'create', side, key, task, operation, request, isTrial: false }];
  });

/** The create as a trial, with another draft. */
export const withDraft = (write: CreateWrite, draft: Contact): CreateWrite => ({
  ...write,
  operation: { ...write.operation, desired: draft },
  request: { ...write.request, draft },
  isTrial: true,
});

/** The source record of an update of the side as of the plan, without the addresses that other writes add; null for an undo. */
const sourceOf = ({ cause }: Pass, task: Task, side: Side, own?: LabelledValue): ContactRecord | null => {
  const source = cause === 'undo' ? null : (plannedHalf(task, otherSide(side))?.record ?? null);
  const others = sharedEmails(task, side).filter((email) => email !== own);
  return source === null ? null : { ...source, contact: withoutEmails(source.contact, others) };
};

/** The written fields that the link has just started to sync. */
const joiningOf = (
  { joining }: Pass,
  fields: readonly SyncedField[],
  isOfOther: (field: SyncedField) => boolean = () => true,
) => {
  const joined = fields.filter((field) => joining.has(field) && isOfOther(field));
  return joined.length > 0 ? { joining: joined } : {};
};

const updateOperation = (
  pass: Pass,
  task: Task,
  side: Side,
  { current, desired, fields }: UpdateRequest,
  source: ContactRecord | null,
): UpdateOperation => {
  const empties = emptiedFields(current.contact, desired, fields);
  const isOfOther = comesFrom(source?.contact ?? desired, current.contact, desired);
  const marks = { empties, ...joiningOf(pass, fields, isOfOther) };
  const shared = { side, cause: pass.cause, pairId: taskPairId(task), ...taskIds(task), before: current };
  return { ...shared, kind: 'update', fields, desired, source, ...marks };
};

/** The updates of a batch. */
export const updateWrites = (pass: Pass, side: Side, tasks: readonly Task[]): readonly Write[] =>
  tasks.flatMap((task, index): Write[] => {
    const current = currentRecord(task, side);
    const planned = updateOn(task.operations, side);
    if (current === null || planned === null) return [];
    const key = String(index);
    const request = { key, current, desired: planned.desired, fields: planned.fields };
    const operation = updateOperation(pass, task, side, request, sourceOf(pass, task, side));
    return [{ kind: 'update', side, key, task, operation, request, sharedEmail: null, isTrial: false }];
  });

/**
 * The update of one field of the contact, after the side refused it with others; null if the contact does not exist, or if its user
 * changed the field since the plan: the write of another field may have shown that, and the planned value would overwrite it (R5).
 */
export const fieldWrite = (pass: Pass, task: Task, side: Side, field: ContactField): UpdateWrite | null => {
  const current = currentRecord(task, side);
  const planned = operationsOn(task.operations, side, 'update').find(({ fields }) => fields.includes(field));
  if (current === null || planned === undefined) return null;
  const known = plannedHalf(task, side)?.record.contact ?? EMPTY_CONTACT;
  if (!equalIn(field, current.contact, known)) return null;
  const key = '0';
  const desired = withValue(current.contact, field, valueIn(planned.desired, field));
  const request = { key, current, desired, fields: [field] };
  const operation = updateOperation(pass, task, side, request, sourceOf(pass, task, side));
  return { kind: 'update', side, key, task, operation, request, sharedEmail: null, isTrial: true };
};

/** The updates of a batch that add one shared address each, and nothing else. */
export const sharingWrites = (pass: Pass, side: Side, sharings: readonly Sharing[]): readonly Write[] =>
  sharings.flatMap(({ task, email }, index): Write[] => {
    const current = currentRecord(task, side);
    if (current === null) return [];
    const key = String(index);
    const desired = withEmails(current.contact, [email]);
    const request = { key, current, desired, fields: ['emailAddresses' as const] };
    const operation = updateOperation(pass, task, side, request, sourceOf(pass, task, side, email));
    return [{ kind: 'update', side, key, task, operation, request, sharedEmail: email, isTrial: false }];
  });

/** The membership changes of a batch; none for a task that needs no request. */
export const membershipWrites = (pass: Pass, side: Side, tasks: readonly Task[]): readonly Write[] =>
  tasks.flatMap((task, index): Write[] => {
    const before = currentRecord(task, side);
    if (before === null || membershipOn(task.operations, side) === null) return [];
    const { joins, leaves } = movesOf(task, side);
    const add = groupIdsOf(pass.groupIds, side, joins).filter((id) => !before.groupIds.includes(id));
    const remove = groupIdsOf(pass.groupIds, side, leaves).filter((id) => before.groupIds.includes(id));
    if (add.length + remove.length === 0) return [];
    const key = String(index);
    const fields = ['buckets' as const];
    const empties = leavesEveryGroup(before.groupIds, add, remove) ? fields : [];
    const marks = { empties, ...joiningOf(pass, fields) };
    const shared = { side, cause: pass.cause, pairId: taskPairId(task), ...taskIds(task), before };
    const operation: MembershipOperation = { ...shared, kind: 'membership', join: add, leave: remove, ...marks };
    const heldGroupIds = before.groupIds;
    const knownGroupIds = wasWritten(task, side) ? heldGroupIds : null;
    const request = { key, id: before.id, add, remove, knownGroupIds, heldGroupIds };
    return [{ kind: 'membership', side, key, task, operation, request }];
  });

const deleteOperation = (
  { cause }: Pass,
  { side, record, pair }: Deletion,
  survivor: ContactRecord | null,
): DeleteOperation => ({
  side,
  cause,
  kind: 'delete',
  pairId: pair.id,
  ...idsOn(side, record.id),
  before: record,
  survivor,
});

/** The deletes of a batch. */
export const deleteWrites = (pass: Pass, deletions: readonly Deletion[]): readonly Write[] =>
  deletions.map((deletion): Write => {
    const { side, record } = deletion;
    return { kind: 'delete', side, key: record.id, operation: deleteOperation(pass, deletion, null), deletion };
  });

/** The deletion of a contact by merging it into another one. */
export const mergeWrite = (
  pass: Pass,
  deletion: Deletion,
  merging: Extract<Write, { kind: 'merge' }>['merging'],
): Write => {
  const { side, record } = deletion;
  const operation = deleteOperation(pass, deletion, merging.survivor);
  return { kind: 'merge', side, key: record.id, operation, deletion, merging };
};
