import type { ContactRecord } from './record.ts';
import type { Side } from './side.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * State of a half: the difference between its side's last report and what has been settled.
 *
 * - `settled`: there is nothing to decide: the record equals the base, or the difference stays on this side; or a half
 *   without a pair that its side does not select.
 * - `changed`: the next plan has to look at it. A half without a pair that its side selects is always `changed`.
 * - `missing`: a complete listing did not show it; a read by its id decides.
 * - `settling`: neither a listing nor a read shows it, but it was written too recently to count as deleted (R7).
 * - `gone`: there is evidence of its deletion (R7).
 * - `doubted`: it was deleted, and a feed or a listing that may lag shows it again; a read by its id decides.
 */
export type HalfState = 'settled' | 'changed' | 'missing' | 'settling' | 'gone' | 'doubted';

export const HALF_STATES = [
  'settled',
  'changed',
  'missing',
  'settling',
  'gone',
  'doubted',
] as const satisfies readonly HalfState[];

/** Everything known of one contact on one side of a link. */
export type Half = {
  readonly side: Side;
  readonly id: string;
  /** The pair that it belongs to; null for a contact that has no counterpart yet. */
  readonly pair: number | null;
  readonly state: HalfState;
  /** The contact as its side last gave it. */
  readonly record: ContactRecord;
  /** The contact as its side gave it when both sides last agreed; null where they never did. */
  readonly base: Snapshot | null;
  /** For a deleted half: the contact of the same side that it was merged into, if known (R12). */
  readonly mergedInto: string | null;
  /** In how many complete listings in a row it was missing although a read still found it (R7). */
  readonly absences: number;
  /** When the last complete listing before those absences ended; null while listings show it. Epoch milliseconds. */
  readonly lastListedAtMs: number | null;
  /** When this link last wrote it; null where it never did. Epoch milliseconds. */
  readonly writtenAtMs: number | null;
  /** When its state was last decided from what the side reported. Epoch milliseconds. */
  readonly heardAtMs: number;
};

/** The largest accepted lead of a side's clock over ours. A stamp that is further ahead is limited to this. */
export const CLOCK_MARGIN_MS = 5 * 60_000;

/**
 * The side's modification time, limited by the time of the last report plus the clock margin; null if the side reports none.
 */
export const changedAtMs = ({ record, heardAtMs }: Half): number | null => {
  return record.modifiedAtMs === null ? null : Math.min(record.modifiedAtMs, heardAtMs + CLOCK_MARGIN_MS);
};

/** Whether the half is missing or deleted, or its existence is unconfirmed. */
export const isAway = ({ state }: Pick<Half, 'state'>): boolean => state !== 'settled' && state !== 'changed';

/** Whether there is evidence that the contact was deleted, whatever a feed or a listing has shown since (R7). */
export const isDeleted = ({ state }: Pick<Half, 'state'>): boolean => state === 'gone' || state === 'doubted';

/** Whether the contact exists on its side, as far as is known. */
export const stands = (half: Half | null): half is Half => half !== null && !isDeleted(half);

/** Whether the half has no pair because its side does not select it. No decision is made about it until that changes. */
export const isUnselected = ({ pair, state }: Pick<Half, 'pair' | 'state'>): boolean =>
  pair === null && state === 'settled';
