import type { Applying } from '../../../src/core/apply/answers.ts';
import { contactFieldsOf } from '../../../src/core/contact/chosen.ts';
import type { Contact, SyncedField } from '../../../src/core/contact/contact.ts';
import type { Half } from '../../../src/core/contact/half.ts';
import { contactOf, type ContactRecord } from '../../../src/core/contact/record.ts';
import { bySide, type Side, type Sides } from '../../../src/core/contact/side.ts';
import { snapshotOf } from '../../../src/core/contact/snapshot.ts';
import type { PairStatus } from '../../../src/core/contact/pair.ts';
import type { Creation, Merge, SideWrites } from '../../../src/core/reconcile/decision.ts';
import { NO_WRITES, writesTo } from '../../../src/core/reconcile/decision.ts';
import type { StoreChange } from '../../../src/core/state/rows.ts';
import { WorkingSet } from '../../../src/core/state/working-set.ts';
import type { Writing } from '../../../src/engine/execute/execution.ts';
import { NO_RESULTS } from '../../../src/engine/execute/results.ts';
import { bothSides, halfOf, record, SCOPES } from '../core/reconcile/support.ts';

/** The times at which the halves of these tests were last received and last decided. */
export const HEARD_AT_MS = 5;
/** The times at which the sides report the last change of their contacts. */
export const MODIFIED_AT_MS = 1_000;

export const ADA: Partial<Contact> = { firstName: 'Ada' };

export const adaRecord = (id: string, given: Partial<ContactRecord> = {}): ContactRecord => {
  return record(id, ADA, { modifiedAtMs: MODIFIED_AT_MS, digest: `row of ${id}`, ...given });
};

/** A half of a pair on which both sides agree. */
export const pairedHalf = (side: Side, id: string, pair: number, given: Partial<Half> = {}): Half => {
  const own = given.record ?? adaRecord(id);
  return halfOf(own, { side, pair, state: 'settled', base: snapshotOf(own), heardAtMs: HEARD_AT_MS, ...given });
};

/** A contact without a pair. */
export const looseHalf = (side: Side, id: string, given: Partial<Half> = {}): Half => {
  return halfOf(given.record ?? adaRecord(id), { side, heardAtMs: HEARD_AT_MS, ...given });
};

/** A pair on which both sides agree. */
export const linkedPair = (pair: number, leftId: string, rightId: string): readonly Half[] => [
  pairedHalf('left', leftId, pair),
  pairedHalf('right', rightId, pair),
];

/** The halves with their pairs, linked by default, as stored. */
export const setOf = (halves: readonly Half[], statuses: Readonly<Record<number, PairStatus>> = {}): WorkingSet => {
  const set = new WorkingSet();
  const ids = [...new Set(halves.flatMap(({ pair }) => pair ?? []))];
  set.load(
    halves,
    ids.map((id) => ({ id, status: statuses[id] ?? 'linked' })),
  );
  return set;
};

/** The values that identify the rows which the changes of a set drop from a table. */
export const dropsFrom = (set: WorkingSet, table: Extract<StoreChange, { kind: 'drop' }>['table']) =>
  changesOf(set, 'drop').flatMap((change) => (change.table === table ? [change.where] : []));

/** Changes of one kind. */
export const changesOf = <Kind extends StoreChange['kind']>(set: WorkingSet, kind: Kind) =>
  set.changes().filter((change): change is Extract<StoreChange, { kind: Kind }> => change.kind === kind);

/** The time at which responses are applied. */
export const NOW = 100;

const GROUPS = new Map<string, { left: string | null; right: string | null }>([
  ['choir', { left: 'g-choir', right: 's-choir' }],
  ['team', { left: 'g-team', right: null }],
]);

/** The values of a sync that has written nothing, without fields that only start to sync. */
export const WRITING: Writing = {
  groupIds: GROUPS,
  scopes: SCOPES,
  cause: 'sync',
  joining: new Set(),
  results: { left: NO_RESULTS, right: NO_RESULTS },
};

export const applyingIn = (set: WorkingSet, createsWithGroups = false): Applying => {
  const groupPairs = [...GROUPS.values()].map((ids) =>
    bySide((side) => (ids[side] === null ? null : { id: ids[side] })),
  );
  return { set, groupPairs, createsWithGroups, lagMs: 0, isConditional: false, atMs: NOW };
};

/** The writes of these fields to the contact of a side. */
export const plannedOn = (
  side: Side,
  fields: readonly SyncedField[],
  desired: Partial<Contact>,
  moves: Partial<Pick<SideWrites, 'joins' | 'leaves'>> = { joins: ['choir'] },
): Sides<SideWrites> => {
  const updated = contactFieldsOf(fields);
  const update = updated.length > 0 ? { fields: updated, desired: contactOf(desired) } : null;
  return writesTo(side, { update, ...(fields.includes('buckets') && moves) });
};

/** A merge of two halves, without writes by default. */
export const mergeOf = (left: Half, right: Half, given: Partial<Merge> = {}): Merge => ({
  kind: 'merge',
  pair: { id: left.pair, status: 'linked', ...bothSides(left, right) },
  writes: { left: NO_WRITES, right: NO_WRITES },
  conflicts: [],
  localFields: { left: [], right: [] },
  deferred: false,
  ...given,
});

/** The creation of a left contact's counterpart on the right. */
export const creationOf = (source: Half, given: Partial<Creation> = {}): Creation => {
  return { kind: 'create', side: 'right', source: source.record, pair: null, writes: writesTo('right', {}), ...given };
};
