import { equalIn } from '../../core/contact/snapshot.ts';
import { type Contact, fieldsIn } from '../../core/contact/contact.ts';
import type { ContactRecord } from '../../core/contact/record.ts';
import { leftOpen, RemoteError, type UnavailableError } from '../../providers/errors.ts';
import type { Remote, WriteResult } from '../../providers/remote.ts';
import type { Merged } from '../../core/apply/task.ts';

type MergeRequest = {
  /** The contact that is merged away, in its current state. */
  readonly mergedAway: ContactRecord;
  /** The merge survivor in its current state. */
  readonly survivor: ContactRecord;
  /** The fields of the merge survivor after the merge. */
  readonly desired: Contact;
  /** The linked groups of the side. The merge survivor keeps its own memberships in them. */
  readonly linked: ReadonlySet<string>;
};

const only = <Value>(results: readonly WriteResult<Value>[]): WriteResult<Value> => {
  const [result] = results;
  if (result === undefined) throw new Error('The remote answered no write.');
  return result;
};

/** Returns the value of a write, or `otherwise` if it was refused: the next plan finds the difference. */
const valueOf = <Value>(result: WriteResult<Value>, otherwise: Value): Value => {
  if (result.ok) return result.value;
  if (result.error.applied === 'unknown') throw result.error;
  return otherwise;
};

/**
 * Restores the fields and groups of the merge survivor after the side's merge mixed those of both contacts. A group that
 * neither contact was in is kept: a user added it in the meantime.
 */
const writeBack = async (
  remote: Remote,
  merged: ContactRecord,
  { desired, linked, mergedAway, survivor }: MergeRequest,
  signal: AbortSignal,
): Promise<ContactRecord> => {
  const { id } = merged;
  const fields = fieldsIn(merged.contact, desired).filter((field) => !equalIn(field, merged.contact, desired));
  const request = { key: id, current: merged, desired, fields };
  const record = fields.length === 0 ? merged : valueOf(only(await remote.update([request], signal)), merged);
  const gained = new Set(mergedAway.groupIds).difference(new Set(survivor.groupIds));
  const current = new Set(record.groupIds);
  const add = survivor.groupIds.filter((group) => linked.has(group) && !current.has(group));
  const remove = record.groupIds.filter((group) => linked.has(group) && gained.has(group));
  if (add.length + remove.length === 0) return record;
  const move = { key: id, id, add, remove, knownGroupIds: record.groupIds };
  const groupIds = valueOf(only(await remote.changeMembership([move], signal)), record.groupIds);
  const { digest: _, ...rest } = record;
  return { ...rest, groupIds: [...groupIds].toSorted() };
};

/** Returns the error of a step after the merge as one of unknown outcome, because the merge itself was applied. */
const openAfter = (error: unknown): UnavailableError => {
  if (!(error instanceof RemoteError)) throw error;
  return leftOpen(error, `a contact was merged, and the result could not be read: ${error.message}`);
};

/**
 * Merges a contact into another one by the side's own merge (R10, R12), restores the survivor's fields, and reads the
 * current state of the other contact. If a step in between fails, the outcome is unknown: recovery reads both.
 */
export const mergeAway = async (
  remote: Remote,
  request: MergeRequest,
  signal: AbortSignal,
): Promise<WriteResult<Merged>> => {
  const { id } = request.mergedAway;
  const merged = await remote.merge?.(request.survivor.id, id, signal);
  if (merged === undefined) throw new Error('The remote has no merge of its own.');
  if (!merged.ok) return merged;
  try {
    const survivor = await writeBack(remote, merged.value, request, signal);
    const became = (await remote.read([id], signal)).get(id) ?? { kind: 'unreadable', reason: 'no answer' };
    return { key: id, ok: true, value: { survivor, became } };
  } catch (error) {
    return { key: id, ok: false, error: openAfter(error) };
  }
};
