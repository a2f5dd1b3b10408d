import type { CreateWrite, Task, UpdateWrite } from '../../core/apply/task.ts';
import { without } from '../../core/contact/chosen.ts';
import { type Contact, type ContactField, filledFields, valueIn } from '../../core/contact/contact.ts';
import type { Side } from '../../core/contact/side.ts';
import { sendBatch } from './send.ts';
import { type Execution, needsOf } from './execution.ts';
import { type Result, stateOf, withResults } from './results.ts';
import { hasFailedBefore } from './failure.ts';
import { storeRefusalAfterSplit } from './refusals.ts';
import { createWrites, fieldWrite, withDraft } from './writes.ts';

/** After this many consecutive contacts without any field written, the refusals concern whole contacts. */
const MOST_IN_VAIN = 3;

/** A create or an update that a side refused, and its reason. */
type Refused = { readonly write: CreateWrite | UpdateWrite; readonly reason: string };

/** The values of a task's contact that are written one by one. */
type Parts = {
  readonly task: Task;
  readonly side: Side;
  readonly fields: readonly ContactField[];
  readonly desired: Contact;
};

/** The execution after writes, and what came of them. */
type After<Outcome> = { readonly execution: Execution; readonly result: Outcome };

/** Performs one write that was not planned. */
const performOne = async (
  execution: Execution,
  write: CreateWrite | UpdateWrite,
): Promise<After<Result | undefined>> => {
  const results = await sendBatch(execution, [write]);
  return { execution: withResults(execution, write.operation.side, results), result: results[0] };
};

/** Writes fields one by one to a contact that exists; the result is those that were refused, or null if an answer is missing. */
const writeFields = async (
  before: Execution,
  { task, side, fields, desired }: Parts,
): Promise<After<readonly Refused[] | null>> => {
  const { writer } = before.session;
  const refused: Refused[] = [];
  let execution = before;
  for (const [index, field] of fields.entries()) {
    if (stateOf(execution, task, side).isUnanswered) return { execution, result: null };
    const parts = { field, desired, later: fields.slice(index + 1) };
    const current = execution;
    const write = await writer.read(needsOf(current, [task]), (set) => fieldWrite(current, set, side, task, parts));
    if (write === null) return { execution, result: null };
    const done = await performOne(execution, write);
    execution = done.execution;
    if (done.result?.kind === 'refused') refused.push({ write, reason: done.result.reason });
    else if (done.result?.kind !== 'done') return { execution, result: null };
  }
  return { execution, result: refused };
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
 * Writes fields one by one to a contact that exists, and stores those that were refused: only their writes are deferred. The result is
 * whether anything was written; null if an answer is missing. `isNew`: the contact was just created without these fields.
 */
const writeParts = async (
  before: Execution,
  parts: Parts,
  { isNew }: { readonly isNew: boolean },
): Promise<After<boolean | null>> => {
  const { execution, result: refused } = await writeFields(before, parts);
  if (refused === null) return { execution, result: null };
  if (!isNew && refused.length === parts.fields.length) return { execution, result: false };
  for (const { write, reason } of refused) await storeRefusalAfterSplit(execution, write, reason);
  return { execution, result: true };
};

/**
 * Creates a contact without the fields that the side refuses: the longest values are left out, one more at each attempt, and
 * are then written one by one. The result is whether anything was written; null if an answer is missing.
 */
const splitCreate = async (before: Execution, refused: CreateWrite): Promise<After<boolean | null>> => {
  const { task } = refused;
  const { desired, side } = refused.operation;
  const order = fieldsToLeaveOut(before, refused).slice(0, filledFields(desired).length - 1);
  let execution = before;
  for (const index of order.keys()) {
    const [write] = createWrites(execution, side, [task]);
    if (write === undefined) return { execution, result: null };
    const leftOut = order.slice(0, index + 1);
    const created = await performOne(execution, withDraft(write, without(desired, leftOut)));
    execution = created.execution;
    if (created.result?.kind === 'done')
      return writeParts(execution, { task, side, fields: leftOut, desired }, { isNew: true });
    if (created.result?.kind !== 'refused') return { execution, result: null };
  }
  return { execution, result: false };
};

const splitUpdate = (before: Execution, { task, operation }: UpdateWrite): Promise<After<boolean | null>> => {
  const { desired, fields, side } = operation;
  return writeParts(before, { task, side, fields, desired }, { isNew: false });
};

/** Returns the refusals that are not stored yet. */
const openRefusals = (results: readonly Result[]): readonly Refused[] =>
  results.flatMap((result): Refused[] => {
    if (result.kind !== 'refused' || result.isStored) return [];
    const { write, reason } = result;
    return write.kind === 'create' || write.kind === 'update' ? [{ write, reason }] : [];
  });

/**
 * Retries the refused ones of these writes field by field, so that one refused value does not block the other fields of its contact
 * (R15). The refused fields are stored with the side's reason. Returns the execution after these writes.
 *
 * @throws {RemoteError} if the remote is unavailable or the credential is refused; completed writes are stored.
 */
export const splitRefused = async (before: Execution, results: readonly Result[]): Promise<Execution> => {
  let execution = before;
  let inVain = 0;
  for (const { write, reason } of openRefusals(results)) {
    if (inVain >= MOST_IN_VAIN) {
      await storeRefusalAfterSplit(execution, write, reason);
      continue;
    }
    const split = write.kind === 'create' ? await splitCreate(execution, write) : await splitUpdate(execution, write);
    execution = split.execution;
    const wrote = split.result;
    if (wrote === false) await storeRefusalAfterSplit(execution, write, reason);
    if (wrote !== null) inVain = wrote ? 0 : inVain + 1;
  }
  return execution;
};
