import { LIST_FIELDS, SCALAR_FIELDS, type Contact, type ContactField } from '../contact/contact.ts';
import { otherSide, type Side } from '../contact/side.ts';
import { keyLists, listOf } from '../contact/lists.ts';
import type { ContactRecord } from '../contact/record.ts';
import { equalSnapshots } from '../contact/snapshot.ts';
import type { Decision } from '../reconcile/decision.ts';
import { EMPTY_SNAPSHOT } from '../reconcile/settle.ts';
import type { CreateRequest, MembershipRequest, UpdateRequest } from '../providers/remote.ts';
import type { JournalEntry, StoreChange, WriteIntent } from '../store/store.ts';
import { answerChanges, keptAlone } from './answer-changes.ts';
import type { Session } from './context.ts';
import {
  countWrite,
  pairChanges,
  perform,
  recordConflicts,
  reportNotTaken,
  type Answered,
  type Applied,
  type Execution,
  type Write,
} from './execution.ts';
import { createdHalf, writeOf, type Task } from './task.ts';

const NO_INTENT: WriteIntent = { fields: [], desired: null, join: [], leave: [], source: null, undoes: false };

const idsOf = (task: Task) => ({
  leftId: task.halves.left?.record.id ?? null,
  rightId: task.halves.right?.record.id ?? null,
});

/** The ids that a create is journaled with; of a contact that comes back its own old one too. */
const idsOfCreate = (task: Task, decision: Extract<Decision, { kind: 'create' }>) => {
  const ids = idsOf(task);
  if (!decision.restores) return ids;
  const { id } = decision.source;
  return decision.side === 'left' ? { ...ids, leftId: id } : { ...ids, rightId: id };
};

/** The side's group ids for group pairs; pairs whose half could not be created are left out. */
const groupIdsOf = (execution: Execution, side: Side, keys: readonly string[]): readonly string[] => {
  return keys.flatMap((key) => execution.groupIds.get(key)?.[side] ?? []);
};

type Moves = { readonly joins: readonly string[]; readonly leaves: readonly string[] };

const movesOf = (task: Task, side: Side): Moves => {
  const { decision } = task;
  if (decision.kind === 'create') return { joins: decision.joins, leaves: [] };
  return decision[side] ?? { joins: [], leaves: [] };
};

/** Whether every group of the moves has its half on that side; the memberships of others wait for the next run. */
const hasAllGroups = (execution: Execution, side: Side, { joins, leaves }: Moves): boolean => {
  const keys = [...joins, ...leaves];
  return groupIdsOf(execution, side, keys).length === keys.length;
};

/** The fields of `desired` that `now` does not hold although they were written. */
const notTaken = (fields: readonly ContactField[], desired: Contact, now: Contact): readonly ContactField[] => {
  const scalars = SCALAR_FIELDS.filter((field) => fields.includes(field) && desired[field] !== now[field]);
  const lists = LIST_FIELDS.filter((field) => {
    if (!fields.includes(field) || JSON.stringify(desired[field]) === JSON.stringify(now[field])) return false;
    const keyed = keyLists(field, { desired: listOf(desired, field), now: listOf(now, field) });
    return [...keyed.desired.keys()].some((key) => !keyed.now.has(key));
  });
  return [...scalars, ...lists];
};

const contactFields = (task: Task, side: Side): readonly ContactField[] => {
  return (writeOf(task, side)?.fields ?? []).filter((field) => field !== 'buckets');
};

type TaskWrite<Request> = Write<Request> & { readonly task: Task };

const createWrite = (execution: Execution, task: Task, key: string): TaskWrite<CreateRequest> | null => {
  const { decision } = task;
  if (decision.kind !== 'create') return null;
  const { side, source } = decision;
  const groupIds = groupIdsOf(execution, side, decision.joins);
  const image = decision.restores ? source : null;
  const intent = { ...NO_INTENT, desired: source.contact, join: groupIds, source: image };
  const ids = idsOfCreate(task, decision);
  const entry: JournalEntry = { side, kind: 'create', pairId: task.pairId, ...ids, intent, before: null };
  return { side, decision, entry, key, task, request: { key, draft: source.contact, groupIds, originId: source.id } };
};

/** A create answered with a contact that was there before: the two meet for the first time, nothing is taken over blindly. */
const meetExisting = (session: Session, task: Task, record: ContactRecord): readonly StoreChange[] => {
  const half = (value: ContactRecord) => ({ record: value, base: EMPTY_SNAPSHOT, unsettled: true });
  const { source, side } = task.decision.kind === 'create' ? task.decision : { source: record, side: 'left' as const };
  const sides =
    side === 'left' ? { left: half(record), right: half(source) } : { left: half(source), right: half(record) };
  const atMs = session.clock.now();
  return [{ kind: 'pair', pairId: task.pairId, status: 'linked', ...sides, writtenSide: side, atMs }];
};

/** The contacts of a side before it is written to, and those that creates answered with since. */
export type KnownContacts = { readonly paired: Set<string>; readonly unpaired: ReadonlySet<string> };

const created = (
  execution: Execution,
  write: TaskWrite<CreateRequest>,
  record: ContactRecord,
  known: KnownContacts,
): Applied => {
  const { session } = execution;
  const { task, side } = write;
  if (known.paired.has(record.id)) {
    const refused = `The side answered with ${record.id}, which is linked to another contact already; merge the two.`;
    return { changes: [], after: record, refused };
  }
  known.paired.add(record.id);
  if (known.unpaired.has(record.id)) {
    execution.again.needed = true;
    return { changes: meetExisting(session, task, record), after: record };
  }
  task.halves[side] = createdHalf(record);
  const { createsWithGroups } = session.remotes[side].capabilities;
  if (createsWithGroups && hasAllGroups(execution, side, movesOf(task, side))) task.pending[side].clear();
  countWrite(session, task, side, 'created');
  const fields = [...SCALAR_FIELDS, ...LIST_FIELDS];
  reportNotTaken(session, idsOf(task), side, notTaken(fields, write.request.draft, record.contact));
  return { changes: pairChanges(session, task, side), after: record };
};

/** Creates a batch of contacts on one side. */
export const performCreates = (
  execution: Execution,
  side: Side,
  tasks: readonly Task[],
  known: KnownContacts,
): Promise<Answered> => {
  const { session } = execution;
  const writes = tasks.flatMap((task, index) => createWrite(execution, task, String(index)) ?? []);
  return perform<CreateRequest, ContactRecord>(
    execution,
    writes,
    (requests, signal) => session.remotes[side].create(requests, signal),
    (write, record) => {
      const own = writes.find((candidate) => candidate.key === write.key);
      return own === undefined ? { changes: [], after: record } : created(execution, own, record, known);
    },
  );
};

/** Writes a batch of contacts' own fields on one side. */
export const performUpdates = async (execution: Execution, side: Side, tasks: readonly Task[]): Promise<Answered> => {
  const { session } = execution;
  const byKey = new Map(tasks.map((task, index) => [String(index), task]));
  const writes = [...byKey].flatMap(([key, task]): Write<UpdateRequest>[] => {
    const half = task.halves[side];
    const write = writeOf(task, side);
    const fields = contactFields(task, side);
    if (half === null || write === null || fields.length === 0) return [];
    const source = task.halves[otherSide(side)]?.before ?? null;
    const intent = { ...NO_INTENT, fields, desired: write.desired, source };
    const entry: JournalEntry = {
      side,
      kind: 'update',
      pairId: task.pairId,
      ...idsOf(task),
      intent,
      before: half.record,
    };
    const request = { key, current: half.record, desired: write.desired, fields };
    return [{ side, decision: task.decision, entry, key, request }];
  });
  await recordConflicts(session, tasks);
  return perform<UpdateRequest, ContactRecord>(
    execution,
    writes,
    (requests, signal) => session.remotes[side].update(requests, signal),
    (write, record) => {
      const task = byKey.get(write.key);
      const half = task?.halves[side];
      if (task === undefined || half === null || half === undefined) return { changes: [], after: record };
      half.record = record;
      for (const field of write.request.fields) {
        half.written.add(field);
        task.pending[side].delete(field);
      }
      countWrite(session, task, side, 'updated');
      reportNotTaken(session, idsOf(task), side, notTaken(write.request.fields, write.request.desired, record.contact));
      return { changes: pairChanges(session, task, side), after: record };
    },
  );
};

const membershipWrite = (execution: Execution, task: Task, side: Side, key: string): Write<MembershipRequest>[] => {
  const half = task.halves[side];
  if (half === null || !task.pending[side].has('buckets')) return [];
  const moves = movesOf(task, side);
  const add = groupIdsOf(execution, side, moves.joins).filter((id) => !half.record.groupIds.includes(id));
  const remove = groupIdsOf(execution, side, moves.leaves).filter((id) => half.record.groupIds.includes(id));
  if (add.length + remove.length === 0) return [];
  const intent = { ...NO_INTENT, fields: ['buckets' as const], join: add, leave: remove };
  const entry: JournalEntry = {
    side,
    kind: 'membership',
    pairId: task.pairId,
    ...idsOf(task),
    intent,
    before: half.record,
  };
  const knownGroupIds = task.counted.has(side) ? half.record.groupIds : null;
  const request = { key, id: half.record.id, add, remove, knownGroupIds };
  return [{ side, decision: task.decision, entry, key, request }];
};

/** The record with the membership that a write answered with: no row says that. */
const withGroups = (record: ContactRecord, groupIds: readonly string[]): ContactRecord => {
  const { id, version, modifiedAtMs, contact, raw, originId } = record;
  return { id, version, modifiedAtMs, contact, groupIds: [...groupIds].toSorted(), raw, originId };
};

/** Writes the membership of contacts on one side (R11). */
export const performMemberships = async (execution: Execution, side: Side, tasks: readonly Task[]): Promise<void> => {
  const { session } = execution;
  const byKey = new Map(tasks.map((task, index) => [String(index), task]));
  const writes = [...byKey].flatMap(([key, task]) => membershipWrite(execution, task, side, key));
  const moved = (task: Task): readonly StoreChange[] => {
    if (hasAllGroups(execution, side, movesOf(task, side))) task.pending[side].delete('buckets');
    return pairChanges(session, task, side);
  };
  const sent = new Set(writes.map((write) => write.key));
  const standing = [...byKey]
    .filter(([key, task]) => !sent.has(key) && task.halves[side] !== null)
    .map(([, task]) => task);
  await session.store.commit(session.link, standing.flatMap(moved));
  const { stored } = await perform<MembershipRequest, readonly string[]>(
    execution,
    writes,
    (requests, signal) => session.remotes[side].changeMembership(requests, signal),
    (write, groupIds) => {
      const task = byKey.get(write.key);
      const half = task?.halves[side];
      if (task === undefined || half === null || half === undefined) return { changes: [], after: null };
      half.record = withGroups(half.record, groupIds);
      half.written.add('buckets');
      for (const id of [...write.request.add, ...write.request.remove]) half.moved.add(id);
      countWrite(session, task, side, 'updated');
      return { changes: moved(task), after: half.record };
    },
  );
  await stored;
};

type Deletion = Extract<Decision, { kind: 'delete' }>;

/**
 * The deletions of contacts that stand as the plan saw them. No side can be asked to delete only what is unchanged, so each
 * contact is read once more: one that was edited meanwhile is left alone and looked at again (R6).
 */
const stillDue = async (
  { session, again }: Execution,
  side: Side,
  decisions: readonly Deletion[],
): Promise<readonly Deletion[]> => {
  const ids = decisions.map((decision) => decision.record.id);
  const answers = await session.remotes[side].read(ids, session.signal);
  const isDue = ({ record }: Deletion): boolean => {
    const answer = answers.get(record.id);
    return answer?.kind === 'gone' || (answer?.kind === 'found' && equalSnapshots(record, answer.record));
  };
  const edited = decisions.filter((decision) => !isDue(decision));
  if (edited.length === 0) return decisions;
  again.needed = true;
  const atMs = session.clock.now();
  const changes = edited.flatMap(({ record }) => answerChanges(side, record.id, answers.get(record.id), atMs));
  await session.store.commit(session.link, changes);
  return decisions.filter(isDue);
};

const afterDelete = (session: Session, decision: Decision): readonly StoreChange[] => {
  if (decision.kind !== 'delete') return [];
  const { pair, side, keepsOther } = decision;
  if (keepsOther) return keptAlone(pair, otherSide(side), session.clock.now());
  return pair.id === null ? [] : [{ kind: 'drop-pair', pairId: pair.id }];
};

/** Deletes a batch of contacts on one side, and their mapping rows. */
export const performDeletes = async (
  execution: Execution,
  side: Side,
  decisions: readonly Deletion[],
): Promise<Answered> => {
  const { session } = execution;
  const due = await stillDue(execution, side, decisions);
  const writes = due.map((decision): Write<string> => {
    const id = decision.record.id;
    const ids = side === 'left' ? { leftId: id, rightId: null } : { leftId: null, rightId: id };
    const pairId = decision.pair.id;
    const entry: JournalEntry = { side, kind: 'delete', pairId, ...ids, intent: NO_INTENT, before: decision.record };
    return { side, decision, entry, key: id, request: id };
  });
  return perform<string, null>(
    execution,
    writes,
    (requests, signal) => session.remotes[side].delete(requests, signal),
    (write) => {
      session.tally[side].deleted += 1;
      return { changes: afterDelete(session, write.decision), after: null };
    },
  );
};
