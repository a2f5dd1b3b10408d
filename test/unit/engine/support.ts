import type { StoreChange } from '../../../src/core/state/rows.ts';
import type { Contact } from '../../../src/core/contact/contact.ts';
import type { Half } from '../../../src/core/contact/half.ts';
import type { ContactRecord } from '../../../src/core/contact/record.ts';
import type { Side } from '../../../src/core/contact/side.ts';
import { snapshotOf } from '../../../src/core/contact/snapshot.ts';
import type { PairStatus } from '../../../src/core/reconcile/decision.ts';
import { WorkingSet } from '../../../src/core/state/working-set.ts';
import { halfOf, record } from '../core/reconcile/support.ts';

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

/** The rows of a table that the set adds or replaces. */
export const putsInto = (set: WorkingSet, table: Extract<StoreChange, { kind: 'put' }>['table']) =>
  changesOf(set, 'put').flatMap((change): readonly unknown[] => (change.table === table ? [change.row] : []));
