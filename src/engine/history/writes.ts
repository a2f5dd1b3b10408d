import type { GroupNames } from '../../core/reconcile/groups.ts';
import type { Store } from '../../store/store.ts';
import type { SyncedField } from '../../core/contact/contact.ts';
import type { ContactRecord } from '../../core/contact/record.ts';
import { bySide, otherSide, type Side, type Sides } from '../../core/contact/side.ts';
import { beforeOf, desiredOf, fieldsOf, originOf } from '../../core/reconcile/operation.ts';
import type { ConflictRow, JournalRow, RunRow } from '../../core/state/rows.ts';
import { type ConflictTerms, decidingTimes } from '../../core/reconcile/conflict-policy.ts';
import { describe, describeGroup } from '../../core/view/describe.ts';
import { nameOf } from '../../core/view/values.ts';
import type { Why, WriteView } from '../../core/view/views.ts';
import { type JournaledWrite, isContactWrite, writtenId } from './follow.ts';

/** The data needed to explain the writes of a link. */
type Background = {
  readonly runs: ReadonlyMap<string, RunRow>;
  readonly conflicts: readonly ConflictRow[];
  /** The settings that decide conflicts now. */
  readonly terms: ConflictTerms;
  readonly groupNames: Sides<GroupNames>;
  /** The creates, by run and created contact. */
  readonly creates: ReadonlyMap<string, JournaledWrite>;
};

const createKey = (write: JournaledWrite): string => `${write.run} ${writtenId(write)}`;

const reasonOfWrite = (write: JournaledWrite, background: Background): Why => {
  // Writes to a new contact after its create have the same reason as the create.
  const create = background.creates.get(createKey(write));
  if (create !== undefined && create !== write) return reasonOfWrite(create, background);
  const at = otherSide(write.side);
  if (write.cause === 'undo') return { kind: 'undo', of: background.runs.get(write.run)?.undoes ?? null };
  switch (write.kind) {
    case 'create':
      return { kind: write.pairId === null ? 'new' : 'edit-beats-delete', at };
    case 'delete':
      return { kind: 'deleted', at };
    case 'update':
    case 'membership':
      return { kind: write.pairId === null ? 'first-meeting' : 'changed', at };
  }
};

/** The side whose value in a conflict a user had chosen, if the write has that value; otherwise null. */
const takenAt = (write: JournaledWrite, field: SyncedField, { conflicts }: Background): Side | null => {
  const { intendedAtMs, leftId } = write;
  const row = conflicts.find(
    (each) =>
      each.leftId === leftId &&
      each.field === field &&
      each.decided !== null &&
      each.atMs <= intendedAtMs &&
      (each.endedAtMs === null || each.endedAtMs >= intendedAtMs),
  );
  const side = row?.decided ?? null;
  if (row === undefined || side === null || field === 'buckets') return null;
  return desiredOf(write)?.[field] === row[side] ? side : null;
};

/** When a side had changed the contact before the write; null if it reported no time. */
const changedAtMsOf = (write: JournaledWrite, side: Side): number | null =>
  (side === write.side ? beforeOf(write) : originOf(write))?.modifiedAtMs ?? null;

const reasonOfField = (write: JournaledWrite, field: SyncedField, background: Background): Why => {
  const winner = otherSide(write.side);
  const isConflict = background.conflicts.some((conflict) => {
    const isSame = conflict.run === write.run && conflict.field === field && conflict.winner === winner;
    return isSame && (conflict.leftId === write.leftId || conflict.rightId === write.rightId);
  });
  if (write.cause === 'undo') return reasonOfWrite(write, background);
  const at = takenAt(write, field, background);
  if (at !== null) return { kind: 'taken', at };
  if (!isConflict) return reasonOfWrite(write, background);
  const times = bySide((side) => changedAtMsOf(write, side));
  const decided = decidingTimes({ field, winner }, background.terms, times);
  return { kind: 'conflict', winner, isFirst: write.pairId === null, ...(decided && { changedAtMs: decided }) };
};

/** The name of the write's contact: before the write, else after it or as intended. */
export const nameOfWrite = (row: JournalRow): string | null => {
  const images = [beforeOf(row)?.contact, row.after?.contact, desiredOf(row), originOf(row)?.contact];
  for (const image of images) {
    const name = image ? nameOf(image) : null;
    if (name !== null) return name;
  }
  return null;
};

/** A journaled write, with the contact before and after it. Without an answer, the intended contact is used. */
const describedOf = (write: JournaledWrite): Parameters<typeof describe>[0] => {
  const { after, side, leftId, rightId, kind: action } = write;
  const [before, desired] = [beforeOf(write), desiredOf(write)];
  const asked: ContactRecord | null = desired === null || before === null ? null : { ...before, contact: desired };
  const to = action === 'delete' ? null : (after ?? asked);
  const fields = fieldsOf(write);
  return { side, action, leftId, rightId, name: nameOfWrite(write), fields, before, after: to };
};

/** The view of a journaled write. Pure. */
export const writeView = (write: JournalRow, background: Background): WriteView => {
  const { run, side, state, error } = write;
  const kind = background.runs.get(run)?.kind ?? null;
  const shared = { write: write.id, atMs: write.settledAtMs ?? write.intendedAtMs, run, kind, state, error };
  if (write.kind === 'group-delete') {
    const { id, name } = write.group;
    return { ...shared, id, ...describeGroup({ kind: 'delete-group', side, name }, name) };
  }
  const whyOf = (field: SyncedField): Why => reasonOfField(write, field, background);
  const change = describe(describedOf(write), background.groupNames[side], reasonOfWrite(write, background), whyOf);
  return { ...shared, id: writtenId(write), ...change };
};

/** A link, and the settings that decide its conflicts now. */
export type DecidingLink = ConflictTerms & { readonly name: string };

/** Loads the data needed to explain the writes. */
export const loadBackground = async (
  store: Store,
  { name: link, ...terms }: DecidingLink,
  writes: readonly JournalRow[],
): Promise<Background> => {
  const { groupPairs } = await store.link(link);
  const runs = new Map<string, RunRow>();
  for (const id of new Set(writes.map((write) => write.run))) {
    const run = (await store.runs(link, { idPrefix: id })).find((row) => row.id === id);
    if (run !== undefined) runs.set(id, run);
  }
  const conflicts = await store.conflicts(link, { all: true });
  const created = writes.filter(isContactWrite).filter(({ kind }) => kind === 'create');
  const creates = new Map(created.map((write) => [createKey(write), write]));
  const named = bySide((side) => groupPairs.flatMap((pair) => pair[side] ?? []));
  const groupNames = bySide((side) => new Map(named[side].map(({ id, name }) => [id, name])));
  return { runs, creates, conflicts, terms, groupNames };
};
