import type { Task } from '../../core/apply/task.ts';
import type { CreateWrite, UpdateWrite } from '../../core/apply/write.ts';
import { without } from '../../core/contact/chosen.ts';
import { type Contact, type ContactField, filledFields, valueIn } from '../../core/contact/contact.ts';
import type { Side } from '../../core/contact/side.ts';
import { performBatch } from './batch.ts';
import { addWrites, type Execution, stateOf } from './execution.ts';
import { hasFailedBefore } from './failure.ts';
import { storeRefusalAfterSplit } from './refusals.ts';
import { createWrites, fieldWrite, needsOf, withDraft } from './writes.ts';

/** After this many consecutive contacts without any field written, the refusals concern whole contacts. */
const MOST_IN_VAIN = 3;

/** The refused update of a field, and the side's reason. */
type FieldRefusal = { readonly write: UpdateWrite; readonly reason: string };

/** The values of a task's contact that are written one by one. */
type Parts = {
  readonly task: Task;
  readonly side: Side;
  readonly fields: readonly ContactField[];
  readonly desired: Contact;
};

/** Writes fields one by one to a contact that exists; returns those that were refused, or null if an answer is missing. */
const writeFields = async (
  execution: Execution,
  { task, side, fields, desired }: Parts,
): Promise<readonly FieldRefusal[] | null> => {
  const { session } = execution;
  const refused: FieldRefusal[] = [];
  for (const [index, field] of fields.entries()) {
    if (stateOf(execution, task, side).isUnanswered) return null;
    const parts = { field, desired, later: fields.slice(index + 1) };
    const write = await session.writer.read(needsOf(execution, [task]), (set) =>
      fieldWrite(execution, set, side, task, parts),
    );
    if (write === null) return null;
    addWrites(execution, side, 1);
    const { refusedFor, isApplied } = await (await performBatch(execution, [write])).stored;
    if (refusedFor !== null) refused.push({ write, reason: refusedFor });
    else if (!isApplied) return null;
  }
  return refused;
};

/** Stores each refused field: only the write of this field is deferred. */
const remember = async (execution: Execution, refused: readonly FieldRefusal[]): Promise<void> => {
  for (const { write, reason } of refused) await storeRefusalAfterSplit(execution, write, reason);
};

const lengthIn = (contact: Contact, field: ContactField): number => JSON.stringify(valueIn(contact, field)).length;

/**
 * The fields that may be left out of a refused create, the longest values first. A side that allows an email address in one
 * contact only may refuse a create because of a contact that this run has not read yet, possibly of the same person. So only
 * a create that was refused before is tried without its addresses (R9).
 */
const fieldsToLeaveOut = (execution: Execution, { task, operation }: CreateWrite) => {
  const { desired, side } = operation;
  const { mayForbidSharedEmails } = execution.session.remotes[side].capabilities;
  const keepsEmails = mayForbidSharedEmails && !hasFailedBefore(execution, side, task);
  return filledFields(desired)
    .filter((field) => field !== 'emailAddresses' || !keepsEmails)
    .toSorted((one, other) => lengthIn(desired, other) - lengthIn(desired, one));
};

/**
 * Creates a contact without the fields that the side refuses: the longest values are left out, one more at each attempt, and
 * are then written one by one. Returns whether anything was written; null if an answer is missing.
 */
const splitCreate = async (execution: Execution, refused: CreateWrite) => {
  const { task } = refused;
  const { desired, side } = refused.operation;
  const order = fieldsToLeaveOut(execution, refused).slice(0, filledFields(desired).length - 1);
  for (const index of order.keys()) {
    const [write] = createWrites(execution, side, [task]);
    if (write === undefined) return null;
    const leftOut = order.slice(0, index + 1);
    addWrites(execution, side, 1);
    const { refusedFor } = await (await performBatch(execution, [withDraft(write, without(desired, leftOut))])).stored;
    const isCreated = stateOf(execution, task, side).writtenId !== null;
    if (isCreated) return finishCreate(execution, { task, side, fields: leftOut, desired });
    if (refusedFor === null) return null;
  }
  return false;
};

/** Writes the fields that a created contact lacks. */
const finishCreate = async (execution: Execution, parts: Parts): Promise<true | null> => {
  const refused = await writeFields(execution, parts);
  if (refused === null) return null;
  await remember(execution, refused);
  return true;
};

const splitUpdate = async (execution: Execution, { task, operation }: UpdateWrite): Promise<boolean | null> => {
  const { desired, fields, side } = operation;
  const refused = await writeFields(execution, { task, side, fields, desired });
  if (refused === null) return null;
  const isInVain = refused.length === fields.length;
  if (!isInVain) await remember(execution, refused);
  return !isInVain;
};

/**
 * Retries refused writes field by field, so that one refused value does not block the other fields of its contact (R15).
 * The refused fields are stored with the side's reason.
 *
 * @throws {RemoteError} if the remote is unavailable or the credential is refused; completed writes are stored.
 */
export const splitRefused = async (execution: Execution, side: Side): Promise<void> => {
  let inVain = 0;
  for (const { write, reason } of execution.refused[side].splice(0)) {
    if (inVain >= MOST_IN_VAIN) {
      await storeRefusalAfterSplit(execution, write, reason);
      continue;
    }
    const wrote = write.kind === 'create' ? await splitCreate(execution, write) : await splitUpdate(execution, write);
    if (wrote === false) await storeRefusalAfterSplit(execution, write, reason);
    if (wrote !== null) inVain = wrote ? 0 : inVain + 1;
  }
};
