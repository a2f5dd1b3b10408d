import type { ContactRecord } from './record.ts';
import type { Side } from './side.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * Where a half stands between what its side last reported and what has been settled.
 *
 * - `settled`: nothing is to be decided: the record says what the base says, or what differs stays on this side; or a half
 *   without a pair that its side does not select.
 * - `changed`: the next plan has to look at it. A half without a pair that its side selects is always `changed`.
 * - `missing`: a complete listing did not show it; a read by its id decides.
 * - `settling`: neither a listing nor a read shows it, but it was written too recently to count as deleted (R7).
 * - `gone`: there is evidence of its deletion (R7).
 * - `doubted`: it was gone, and a feed or a listing shows it again, which may lag; a read by its id decides.
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
  /** Of a half that is gone: the contact of the same side that it was merged into, where that is known (R12). */
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

/** How far the clock of a side may be ahead of ours; a stamp that is further ahead says nothing. */
export const CLOCK_MARGIN_MS = 5 * 60_000;

/** When the side says that the contact was last changed, no later than it was heard of; null where it does not say. */
export const changedAtMs = ({ record, heardAtMs }: Half): number | null => {
  return record.modifiedAtMs === null ? null : Math.min(record.modifiedAtMs, heardAtMs + CLOCK_MARGIN_MS);
};

/** Whether the half is missing or gone, or it is open whether it is. */
export const isAway = ({ state }: Pick<Half, 'state'>): boolean => state !== 'settled' && state !== 'changed';

/** Whether there is evidence that the contact was deleted, whatever a feed or a listing has shown since (R7). */
export const isDeleted = ({ state }: Pick<Half, 'state'>): boolean => state === 'gone' || state === 'doubted';

/** Whether the contact stands on its side, as far as is known. */
export const stands = (half: Half | null): half is Half => half !== null && !isDeleted(half);

/** Whether a half stands for itself because its side does not select it: nothing is decided of it until that changes. */
export const isUnselected = ({ pair, state }: Pick<Half, 'pair' | 'state'>): boolean =>
  pair === null && state === 'settled';
