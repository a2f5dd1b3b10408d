import { addressOf, currentHalf, type Sharing, type Writing } from './execution.ts';
import { idsOf, idsOn } from '../../core/contact/pair.ts';
import { type Deletion, draftOf, isMoved } from '../../core/reconcile/decision.ts';
import {
  type CreateWrite,
  fieldsOn,
  groupIdsOf,
  type MembershipWrite,
  plannedRecord,
  type Task,
  taskPairId,
  type UpdateWrite,
  type Write,
} from '../../core/apply/task.ts';
import { comesFrom } from '../../core/apply/settle.ts';
import {
  type Contact,
  type ContactField,
  EMPTY_CONTACT,
  type SyncedField,
  valueIn,
  withValue,
} from '../../core/contact/contact.ts';
import type { LabelledValue } from '../../core/contact/elements.ts';
import { isExtraField } from '../../core/contact/fields.ts';
import type { Half } from '../../core/contact/half.ts';
import { withEmails, withoutEmails } from '../../core/contact/lists.ts';
import type { ContactRecord } from '../../core/contact/record.ts';
import { otherSide, type Side } from '../../core/contact/side.ts';
import { equalIn } from '../../core/contact/snapshot.ts';
import { emptiedFields, leavesEveryGroup } from '../../core/reconcile/losses.ts';
import type {
  CreateOperation,
  DeleteOperation,
  MembershipOperation,
  UpdateOperation,
} from '../../core/reconcile/operation.ts';
import type { WorkingSet } from '../../core/state/working-set.ts';

/** The creates of a batch. */
export const createWrites = (writing: Writing, side: Side, tasks: readonly Task[]): readonly CreateWrite[] =>
  tasks.flatMap((task): CreateWrite[] => {
    const { groupIds, cause } = writing;
    if (task.kind === 'merge') return [];
    const image = task.kind === 'restore' ? task.image : null;
    const desired = withoutEmails(draftOf(task), task.writes[side].shares);
    const join = groupIdsOf(groupIds, side, task.writes[side].joins);
    // A restored contact is journaled and marked with its own former id, by which its history is found.
    const ids = idsOn(side, image?.id ?? null);
    const sourceId = plannedRecord(task, otherSide(side))?.id ?? null;
    const address = { ...ids, ...(side === 'left' ? { rightId: sourceId } : { leftId: sourceId }) };
    const shared = { side, cause, pairId: taskPairId(task), ...address };
    const operation: CreateOperation = { ...shared, kind: 'create', desired, join, image };
    return [{ kind: 'create', task, operation, isTrial: false }];
  });

/** The create as a trial, with another draft. */
export const withDraft = (write: CreateWrite, desired: Contact): CreateWrite => ({
  ...write,
  operation: { ...write.operation, desired },
  isTrial: true,
});

/** The other side's record at the plan, without the addresses that other writes add; null for an undo. */
const sourceOf = ({ cause }: Writing, task: Task, side: Side, own?: LabelledValue): ContactRecord | null => {
  const source = cause === 'undo' ? null : plannedRecord(task, otherSide(side));
  const others = task.writes[side].shares.filter((email) => email !== own);
  return source === null ? null : { ...source, contact: withoutEmails(source.contact, others) };
};

/** Returns whether a user may have edited one of the written fields. `isOfOther`: whether its values are those of the other half. */
const mayBeEdit = (
  { joining }: Writing,
  fields: readonly SyncedField[],
  isOfOther: (field: SyncedField) => boolean = () => true,
): boolean => fields.some((field) => !isExtraField(field) && !(joining.has(field) && isOfOther(field)));

/** The change that an update makes to a contact, with the contact as it is now. */
type FieldChange = Pick<UpdateOperation, 'before' | 'desired' | 'fields'>;
type UpdateParts = Pick<UpdateWrite, 'sharedEmail' | 'isTrial' | 'otherPlanned'>;

const updateWrite = (
  writing: Writing,
  side: Side,
  task: Task,
  { before, desired, fields }: FieldChange,
  { sharedEmail, isTrial, otherPlanned }: UpdateParts,
): UpdateWrite => {
  const source = sourceOf(writing, task, side, sharedEmail ?? undefined);
  const empties = emptiedFields(before.contact, desired, fields);
  const isOfOther = comesFrom(source?.contact ?? desired, before.contact, desired);
  const marks = { empties, isEdit: mayBeEdit(writing, fields, isOfOther) };
  const shared = { side, cause: writing.cause, ...addressOf(writing, task), before };
  const operation: UpdateOperation = { ...shared, kind: 'update', fields, desired, source, ...marks };
  return { kind: 'update', task, operation, sharedEmail, isTrial, otherPlanned };
};

/**
 * Returns the fields that the contact still has as at the plan. A user changed the others since then, which the answer to an earlier
 * write may have shown: the planned values would overwrite them (R5).
 */
const unchangedFields = (
  task: Task,
  { side, record }: Half,
  fields: readonly ContactField[],
): readonly ContactField[] => {
  const known = plannedRecord(task, side)?.contact ?? EMPTY_CONTACT;
  return fields.filter((field) => equalIn(field, record.contact, known));
};

/** The updates of a batch. */
export const updateWrites = (
  writing: Writing,
  set: WorkingSet,
  side: Side,
  tasks: readonly Task[],
): readonly UpdateWrite[] =>
  tasks.flatMap((task): UpdateWrite[] => {
    const half = currentHalf(writing, set, task, side);
    const planned = task.writes[side].update;
    if (half === null || planned === null) return [];
    const fields = unchangedFields(task, half, planned.fields);
    if (fields.length === 0) return [];
    const update = { before: half.record, desired: planned.desired, fields };
    const otherPlanned = fieldsOn(task, side).difference(new Set<SyncedField>(fields));
    return [updateWrite(writing, side, task, update, { sharedEmail: null, isTrial: false, otherPlanned })];
  });

/** One field of a contact that is written separately, after the side refused it with others. */
type LoneField = {
  readonly field: ContactField;
  /** The contact with the value. */
  readonly desired: Contact;
  /** The fields that are written after it. */
  readonly later: readonly ContactField[];
};

/** The update of one field of a task's contact; null if the contact does not exist, or if its user changed the field since the plan. */
export const fieldWrite = (
  writing: Writing,
  set: WorkingSet,
  side: Side,
  task: Task,
  { field, desired, later }: LoneField,
): UpdateWrite | null => {
  const half = currentHalf(writing, set, task, side);
  if (half === null || unchangedFields(task, half, [field]).length === 0) return null;
  const { record } = half;
  const update = {
    before: record,
    desired: withValue(record.contact, field, valueIn(desired, field)),
    fields: [field],
  };
  const otherPlanned = new Set<SyncedField>([
    ...later,
    ...(task.writes[side].shares.length > 0 ? ['emailAddresses' as const] : []),
  ]);
  return updateWrite(writing, side, task, update, { sharedEmail: null, isTrial: true, otherPlanned });
};

/** The updates of a batch that add one shared address each, and nothing else. */
export const sharingWrites = (
  writing: Writing,
  set: WorkingSet,
  side: Side,
  sharings: readonly Sharing[],
): readonly UpdateWrite[] =>
  sharings.flatMap(({ task, email }): UpdateWrite[] => {
    const half = currentHalf(writing, set, task, side);
    if (half === null) return [];
    const { record } = half;
    const desired = withEmails(record.contact, [email]);
    const update = { before: record, desired, fields: ['emailAddresses' as const] };
    return [updateWrite(writing, side, task, update, { sharedEmail: email, isTrial: false, otherPlanned: new Set() })];
  });

/** The membership changes of a batch. The operation of a contact that already has the membership moves nothing. */
export const membershipWrites = (
  writing: Writing,
  set: WorkingSet,
  side: Side,
  tasks: readonly Task[],
): readonly MembershipWrite[] =>
  tasks.flatMap((task): MembershipWrite[] => {
    const before = currentHalf(writing, set, task, side)?.record ?? null;
    const planned = task.writes[side];
    if (before === null || !isMoved(planned)) return [];
    const join = groupIdsOf(writing.groupIds, side, planned.joins);
    const leave = groupIdsOf(writing.groupIds, side, planned.leaves);
    const add = join.filter((id) => !before.groupIds.includes(id));
    const remove = leave.filter((id) => before.groupIds.includes(id));
    const fields = ['buckets' as const];
    const empties = leavesEveryGroup(before.groupIds, add, remove) ? fields : [];
    const marks = { empties, isEdit: mayBeEdit(writing, fields) };
    const shared = { side, cause: writing.cause, ...addressOf(writing, task), before };
    const operation: MembershipOperation = { ...shared, kind: 'membership', join: add, leave: remove, ...marks };
    return [{ kind: 'membership', task, operation, moves: { join, leave } }];
  });

const deleteOperation = ({ cause }: Writing, { side, record, pair }: Deletion): DeleteOperation => ({
  side,
  cause,
  kind: 'delete',
  pairId: pair.id,
  ...idsOf(pair),
  ...(side === 'left' ? { leftId: record.id } : { rightId: record.id }),
  before: record,
  survivor: null,
});

/** The deletes of a batch. `gone` are the contacts that a read did not find. */
export const deleteWrites = (
  writing: Writing,
  deletions: readonly Deletion[],
  gone: ReadonlySet<string>,
): readonly Write[] =>
  deletions.map((deletion) => ({
    kind: 'delete',
    operation: deleteOperation(writing, deletion),
    wasGone: gone.has(deletion.record.id),
  }));

/** The deletion of a contact by merging it into another one, as it is now. */
export const mergeWrite = (
  writing: Writing,
  deletion: Deletion,
  survivorTask: Task,
  survivor: ContactRecord,
): Write => ({
  kind: 'merge-away',
  operation: { ...deleteOperation(writing, deletion), survivor },
  survivorTask,
});
