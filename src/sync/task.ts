import { SYNCED_FIELDS, type SyncedField } from '../contact/contact.ts';
import { otherSide, type Side } from '../contact/side.ts';
import type { ContactRecord } from '../contact/record.ts';
import { equalSnapshots, type Snapshot } from '../contact/snapshot.ts';
import type { Conflict, Decision, PairStatus, SideWrite } from '../reconcile/decision.ts';
import { EMPTY_SNAPSHOT, settleBase } from '../reconcile/settle.ts';
import type { SideValue } from '../store/store.ts';

/** The half of a pair that a task knows, and what became of it so far. */
export type Half = {
  readonly base: Snapshot;
  /** As the plan saw it. */
  readonly before: ContactRecord;
  /** As the side last gave it back. */
  record: ContactRecord;
  readonly written: Set<SyncedField>;
  readonly moved: Set<string>;
};

/** One contact on its way through a run: what was decided, what is still to be written, what was answered. */
export type Task = {
  readonly decision: Extract<Decision, { kind: 'merge' | 'create' }>;
  readonly pairId: number | null;
  readonly halves: Record<Side, Half | null>;
  /** Fields still to be written to that side. */
  readonly pending: Readonly<Record<Side, Set<SyncedField>>>;
  readonly held: Readonly<Record<Side, readonly SyncedField[]>>;
  readonly deferred: boolean;
  readonly conflicts: readonly Conflict[];
  conflictsStored: boolean;
  /** Sides whose write was counted already. */
  readonly counted: Set<Side>;
};

const halfOf = (record: ContactRecord, base: Snapshot | null): Half => {
  return { base: base ?? EMPTY_SNAPSHOT, before: record, record, written: new Set(), moved: new Set() };
};

/** The half that a create just brought into being. */
export const createdHalf = (record: ContactRecord): Half => {
  return {
    base: { contact: record.contact, groupIds: record.groupIds },
    before: record,
    record,
    written: new Set(),
    moved: new Set(),
  };
};

type Creation = Extract<Task['decision'], { kind: 'create' }>;

/** The half that a new contact joins; none where an undo brings back a contact that stands for itself. */
const otherHalf = ({ side, source, pair, restores }: Creation): Half | null => {
  if (!restores) return halfOf(source, null);
  const other = pair?.[otherSide(side)];
  return other?.kind === 'present' ? halfOf(other.record, other.base) : null;
};

const creationOf = (decision: Creation) => {
  const other = otherSide(decision.side);
  const half = otherHalf(decision);
  const joins = decision.joins.length > 0;
  const fields = (side: Side) => new Set<SyncedField>(joins && side === decision.side ? ['buckets'] : []);
  return {
    halves: {
      left: null,
      right: null,
      [other]: half,
      ...(decision.standing === undefined ? {} : { [decision.side]: createdHalf(decision.standing) }),
    },
    pending: { left: fields('left'), right: fields('right') },
    // Nothing travels by an undo: what the other half has not told yet is left for the next run.
    held: { left: [], right: [], ...(decision.restores ? { [other]: SYNCED_FIELDS } : {}) },
    deferred: decision.restores === true && half !== null,
    conflicts: [],
  };
};

export const taskOf = (decision: Task['decision']): Task => {
  const shared = { decision, pairId: decision.pair?.id ?? null, counted: new Set<Side>(), conflictsStored: false };
  if (decision.kind === 'create') return { ...shared, ...creationOf(decision) };
  const { left, right } = decision.pair;
  return {
    ...shared,
    halves: { left: halfOf(left.record, left.base), right: halfOf(right.record, right.base) },
    pending: { left: new Set(decision.left?.fields), right: new Set(decision.right?.fields) },
    held: decision.held,
    deferred: decision.deferred,
    conflicts: decision.conflicts,
  };
};

/** What the task still has to write to a side, as far as it is a write to an existing contact. */
export const writeOf = (task: Task, side: Side): SideWrite | null => {
  return task.decision.kind === 'merge' ? task.decision[side] : null;
};

/** Fields whose value on that side lost a conflict and stands there still: as open as the value that won. */
const lostFields = (task: Task, side: Side): readonly SyncedField[] => {
  const lost = task.conflicts.filter(({ field, winner }) => winner !== side && task.pending[side].has(field));
  return lost.map(({ field }) => field);
};

/** What the store may hold of one side now. */
export const sideValue = (task: Task, side: Side): SideValue | null => {
  const half = task.halves[side];
  if (half === null) return null;
  const now = { contact: half.record.contact, groupIds: half.record.groupIds };
  const outstanding = new Set([...task.pending[otherSide(side)], ...task.held[side], ...lostFields(task, side)]);
  const base = settleBase({ ...half, now, outstanding });
  const waits = task.deferred || task.pending.left.size > 0 || task.pending.right.size > 0;
  const surprised = task.held[side].length === 0 && !equalSnapshots(base, now);
  return { record: half.record, base, unsettled: waits || surprised };
};

export const statusOf = (task: Task): PairStatus => {
  if (task.halves.left !== null && task.halves.right !== null) return 'linked';
  return task.decision.kind === 'create' && task.decision.restores ? 'kept' : 'dormant';
};
