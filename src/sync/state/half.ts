import type { Half, HalfState } from '../../contact/half.ts';
import type { ContactRecord } from '../../contact/record.ts';
import type { Side } from '../../contact/side.ts';
import { equalSnapshots } from '../../contact/snapshot.ts';

/** What a run learns of one contact on one side. */
export type HalfEvent =
  /** A feed, a listing or a read shows the contact. */
  | { readonly kind: 'shown'; readonly record: ContactRecord; readonly atMs: number }
  /** A feed names it deleted, or a read says that it is gone (R7). */
  | { readonly kind: 'deleted'; readonly atMs: number }
  /** It was merged into another contact of its side (R12). */
  | { readonly kind: 'merged'; readonly into: string; readonly atMs: number }
  /** A complete listing that began at `atMs` did not show it. */
  | { readonly kind: 'missed'; readonly atMs: number }
  /** Neither a listing nor a read shows it, and it was written a moment ago (R7). */
  | { readonly kind: 'unsettled'; readonly atMs: number }
  /** It is not known any more whether the listing missed it: the listing is discarded, or a read could not be understood. */
  | { readonly kind: 'unmissed' };

/** A half that nothing is known of yet, or that belongs to no pair, has no state of its own in the table. */
type TableState = HalfState | 'unknown' | 'unpaired';

/**
 * - `observe`: what the record says decides between `settled` and `changed`; an outdated record changes nothing.
 * - `keep`: nothing changes.
 * - `forget`: the half is dropped: nobody else knows of the contact.
 * - a state: the half takes it.
 */
type Outcome = 'observe' | 'revert' | 'keep' | 'forget' | 'gone' | 'missing' | 'settling';

/** What each event makes of a half in each state (R1, R7, R12). */
export const HALF_TRANSITIONS: Readonly<Record<TableState, Readonly<Record<HalfEvent['kind'], Outcome>>>> = {
  unknown: {
    shown: 'observe',
    deleted: 'keep',
    merged: 'keep',
    missed: 'keep',
    unsettled: 'keep',
    unmissed: 'keep',
  },
  // Where it was heard of after the listing began, the listing says nothing about it.
  unpaired: {
    shown: 'observe',
    deleted: 'forget',
    merged: 'forget',
    missed: 'forget',
    unsettled: 'keep',
    unmissed: 'keep',
  },
  settled: {
    shown: 'observe',
    deleted: 'gone',
    merged: 'gone',
    missed: 'missing',
    unsettled: 'settling',
    unmissed: 'keep',
  },
  changed: {
    shown: 'observe',
    deleted: 'gone',
    merged: 'gone',
    missed: 'missing',
    unsettled: 'settling',
    unmissed: 'keep',
  },
  missing: {
    shown: 'observe',
    deleted: 'gone',
    merged: 'gone',
    missed: 'missing',
    unsettled: 'settling',
    unmissed: 'revert',
  },
  settling: {
    shown: 'observe',
    deleted: 'gone',
    merged: 'gone',
    missed: 'missing',
    unsettled: 'settling',
    unmissed: 'revert',
  },
  gone: { shown: 'observe', deleted: 'gone', merged: 'gone', missed: 'keep', unsettled: 'keep', unmissed: 'keep' },
};

const tableState = (half: Half | null): TableState => {
  if (half === null) return 'unknown';
  return half.pair === null ? 'unpaired' : half.state;
};

/** Whether a record shows what stood there before a change that is known already: taken in, it would revert that change. */
const isOutdated = (record: ContactRecord, known: ContactRecord): boolean => {
  return record.modifiedAtMs !== null && known.modifiedAtMs !== null && record.modifiedAtMs < known.modifiedAtMs;
};

/** What a half says of itself where nothing is known to be under way: `settled` while it says what its base says. */
const restingState = ({ base, pair, record }: Pick<Half, 'base' | 'pair' | 'record'>): 'settled' | 'changed' => {
  return pair !== null && base !== null && equalSnapshots(base, record) ? 'settled' : 'changed';
};

/** A contact of a side that nothing is known of. */
export const newHalf = (side: Side, record: ContactRecord, atMs: number): Half => ({
  side,
  id: record.id,
  pair: null,
  state: 'changed',
  record,
  base: null,
  mergedInto: null,
  absences: 0,
  writtenAtMs: null,
  heardAtMs: atMs,
});

const observed = (half: Half, record: ContactRecord, atMs: number): Half => {
  const isNews = half.state !== 'settled' || JSON.stringify(half.record) !== JSON.stringify(record);
  if (isNews && isOutdated(record, half.record)) return half;
  const state = restingState({ ...half, record });
  if (!isNews && state === half.state) return half;
  return { ...half, record, state, mergedInto: null, heardAtMs: atMs };
};

/** The time of an event; null for one that says nothing about a moment. */
const timeOf = (event: HalfEvent): number | null => ('atMs' in event ? event.atMs : null);

/** Whether the half was heard of after a listing that missed it had begun: then the listing says nothing about it. */
const isHeardSince = ({ state, heardAtMs }: Half, event: HalfEvent): boolean => {
  return event.kind === 'missed' && state === 'changed' && heardAtMs >= event.atMs;
};

/**
 * What an event makes of a half; null where the store is to hold none. The same value comes back where nothing changes.
 * Pure.
 */
export const nextHalf = (side: Side, half: Half | null, event: HalfEvent): Half | null => {
  const outcome = HALF_TRANSITIONS[tableState(half)][event.kind];
  if (half === null) return event.kind === 'shown' ? newHalf(side, event.record, event.atMs) : null;
  const heardAtMs = timeOf(event) ?? half.heardAtMs;
  switch (outcome) {
    case 'observe':
      return event.kind === 'shown' ? observed(half, event.record, event.atMs) : half;
    case 'keep':
      return half;
    case 'forget':
      return isHeardSince(half, event) ? half : null;
    case 'revert':
      return { ...half, state: restingState(half) };
    case 'gone':
      // That a contact is gone may be said more than once, and into which one it was merged only the first time.
      return { ...half, state: 'gone', mergedInto: event.kind === 'merged' ? event.into : half.mergedInto, heardAtMs };
    case 'missing':
    case 'settling':
      return isHeardSince(half, event) ? half : { ...half, state: outcome, heardAtMs };
  }
};

/**
 * The digest by which a row is known (R1); null where the half has anything left to decide, or says something else than its
 * base: such a row must be read however often it was read before.
 */
export const knownDigest = ({ state, base, record }: Half): string | null => {
  if (record.digest === undefined || state !== 'settled' || base === null) return null;
  return equalSnapshots(base, record) ? record.digest : null;
};
