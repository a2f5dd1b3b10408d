import type { Contact, SyncedField } from '../contact/contact.ts';
import { type Half, isAway } from '../contact/half.ts';
import type { ContactRecord } from '../contact/record.ts';
import { bySide, type Sides } from '../contact/side.ts';
import { equalSnapshots, type Snapshot, withDeclined } from '../contact/snapshot.ts';
import { withoutPastDifferences, withSettledDifferences } from '../reconcile/declined.ts';
import { storePair } from '../state/pair.ts';
import type { WorkingSet } from '../state/working-set.ts';
import type { Bases } from './settle.ts';

/** A half after an operation on it. */
export type WrittenHalf = {
  /** The half as it was stored, or a new one. */
  readonly half: Half;
  readonly record: ContactRecord;
  /** The fields whose difference from the other side is settled by the operation (R2). */
  readonly settled: ReadonlySet<SyncedField>;
  /** The contact that was to be written; null if its values may differ from the other side. */
  readonly wanted: Contact | null;
  /** Whether the operation carries an edit of a user (`isEdit` of the operation). */
  readonly isEdit: boolean;
  /** The groups that the operation moved and in which the contact is not as the other one. */
  readonly declinedGroups: readonly string[];
};

/** Both bases after the operation, and the other half of the pair as it was stored. */
type Counterpart = { readonly bases: Bases; readonly other: Half | null };

/** Returns the status of a pair with these halves. */
export const statusOf = ({ left, right }: Sides<Half | null>): 'linked' | 'kept' =>
  left !== null && right !== null ? 'linked' : 'kept';

/** Returns the state of a half: if it differs from its base, the next plan must process it. */
const stateOf = (record: Snapshot, base: Snapshot): 'settled' | 'changed' =>
  equalSnapshots(base, record) ? 'settled' : 'changed';

/** Returns the half that was not written with its new base. A missing contact stays missing. */
const unwritten = (half: Half, base: Snapshot, written: ContactRecord): Half => {
  const own = withoutPastDifferences(base, half.record.contact, written.contact);
  return { ...half, base: own, state: isAway(half) ? half.state : stateOf(half.record, own) };
};

/** Returns the base of a written half with the differences from the other side that the operation settled. */
const differing = (
  base: Snapshot,
  { record, settled, wanted, declinedGroups }: WrittenHalf,
  other: Contact,
): Snapshot => {
  const groups = [...(base.declined?.buckets ?? []), ...declinedGroups];
  const [now, isUntouched] = [record.contact, settled.size === 0];
  if (isUntouched) return withoutPastDifferences(base, now, other);
  return withSettledDifferences(base, { written: settled, wanted: wanted ?? other, now, other, groups });
};

/**
 * Stores a pair after an operation on one of its halves: that half with its current record, and both bases. A half that differs from
 * its base is planned again. The set must contain both halves.
 */
export const storeWritten = (
  set: WorkingSet,
  pairId: number | null,
  written: WrittenHalf,
  { bases, other }: Counterpart,
  atMs: number,
): void => {
  const base = other === null ? withDeclined(bases.target, {}) : differing(bases.target, written, other.record.contact);
  const { half, record, isEdit } = written;
  const state = stateOf(record, base);
  const times = { writtenAtMs: atMs, editWrittenAtMs: isEdit ? atMs : half.editWrittenAtMs, heardAtMs: atMs };
  const own: Half = { ...half, record, base, state, mergedInto: null, ...times };
  const counterpart = other === null ? null : unwritten(other, bases.source, record);
  const halves = bySide((side) => (side === half.side ? own : counterpart));
  storePair(set, { pairId, status: statusOf(halves), halves, writtenSide: half.side });
};
