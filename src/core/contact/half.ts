import type { ContactRecord } from './record.ts';
import { bySide, type Side, type Sides } from './side.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * The states of a half: what its side last reported of the contact, compared with the base.
 *
 * - `settled`: no decision is needed: the record equals the base, or the difference stays on this side; or a half
 * without a pair that its side does not select.
 * - `changed`: the next plan must process it. A half without a pair that its side selects is always `changed`.
 * - `missing`: a complete listing did not contain it; a read by its id decides.
 * - `unseen`: neither a listing nor a read returns it, but it was written too recently to count as deleted (R7).
 * - `gone`: there is evidence of its deletion (R7).
 * - `doubted`: it was deleted, and a feed or a listing that may be delayed contains it again; a read by its id decides.
 */
export const HALF_STATES = ['settled', 'changed', 'missing', 'unseen', 'gone', 'doubted'] as const;
export type HalfState = (typeof HALF_STATES)[number];

/** The stored state of one contact on one side of a link. */
export type Half = {
  readonly side: Side;
  readonly id: string;
  /** The pair that it belongs to; null for a contact that has no counterpart yet. */
  readonly pair: number | null;
  /** For a half without a pair: the pair that was unlinked because neither side selected its contacts (R18); otherwise null. */
  readonly formerPair: number | null;
  readonly state: HalfState;
  /** The contact that its side last returned. */
  readonly record: ContactRecord;
  /** The side's contact when both sides last agreed; null if they never did. */
  readonly base: Snapshot | null;
  /**
   * For a deleted half: the contact of the same side that it was merged into, if known (R12). For a former id, which has no pair: the
   * contact's present id.
   */
  readonly mergedInto: string | null;
  /** The number of consecutive complete listings that did not contain it although a read still found it (R7). */
  readonly absences: number;
  /** The end of the last complete listing before those absences; null while listings contain it. Epoch milliseconds. */
  readonly lastListedAtMs: number | null;
  /** The time of this link's last write to it; null if there was none. Epoch milliseconds. */
  readonly writtenAtMs: number | null;
  /** The time of this link's last write to it that carried an edit of a user; null if there was none. Epoch milliseconds. */
  readonly editWrittenAtMs: number | null;
  /**
   * The side's modification time when it last returned values that this link had not written, at most {@link CLOCK_MARGIN_MS} after they
   * were received; that of the source for a contact that this link created. Null if the side reports none. Epoch milliseconds.
   */
  readonly editedAtMs: number | null;
  /** The time at which its state was last decided from a report of the side. Epoch milliseconds. */
  readonly heardAtMs: number;
};

/** Returns the key of a half within its link. */
export const halfKey = ({ side, id }: Pick<Half, 'side' | 'id'>): string => `${side} ${id}`;

/** Returns the ids of halves, by side. */
export const idsBySide = (halves: readonly Pick<Half, 'side' | 'id'>[]): Sides<readonly string[]> =>
  bySide((side) => halves.flatMap((half) => (half.side === side ? half.id : [])));

/** Returns the half of each side among the halves of a pair; null for a side without one. */
export const halvesBySide = (halves: readonly Half[]): Sides<Half | null> =>
  bySide((side) => halves.find((half) => half.side === side) ?? null);

/** The largest accepted lead of a side's clock over ours. A modification time further ahead is limited to this. */
export const CLOCK_MARGIN_MS = 5 * 60_000;

/** Returns whether the last listing missed the contact, or its existence is in doubt, or it was deleted. */
export const isAway = ({ state }: Pick<Half, 'state'>): boolean => state !== 'settled' && state !== 'changed';

/** Returns whether there is evidence that the contact was deleted, even if a feed or a listing has returned it since (R7). */
export const isDeleted = ({ state }: Pick<Half, 'state'>): boolean => state === 'gone' || state === 'doubted';

/** Returns whether there is no evidence that the contact was deleted. It may be {@link isAway} until a read confirms it. */
export const isPresent = (half: Half | null): half is Half => half !== null && !isDeleted(half);

/** Returns whether the half of an existing contact has no pair, and needs a decision. */
export const isUnpaired = ({ pair, state }: Pick<Half, 'pair' | 'state'>): boolean =>
  pair === null && state === 'changed';

/** Returns whether the half has no pair because its side does not select it. No decision is made about it until that changes. */
export const isUnselected = ({ pair, state }: Pick<Half, 'pair' | 'state'>): boolean =>
  pair === null && state === 'settled';
