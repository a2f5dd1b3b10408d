import { EMPTY_CONTACT } from '../contact/contact.ts';
import { CLOCK_MARGIN_MS, isUnselected, type Half, type HalfState } from '../contact/half.ts';
import type { ContactRecord, OwnMove } from '../contact/record.ts';
import type { Side } from '../contact/side.ts';
import { equalSnapshots } from '../contact/snapshot.ts';
import { withBoundEntries } from '../contact/bound-entries.ts';
import { showsCutText, withKnownTexts } from './cut-texts.ts';
import { isInDoubt, withOwnMoves } from './own-moves.ts';

/** What a run learns of one contact on one side. */
export type HalfEvent =
  /** A feed or a listing shows the contact. */
  | {
      readonly kind: 'shown';
      readonly record: ContactRecord;
      readonly atMs: number;
      /** Whether it is what changed since a cursor, and no listing; left out where it is not. */
      readonly byFeed?: boolean;
    }
  /** A read by its id found it. */
  | { readonly kind: 'found'; readonly record: ContactRecord; readonly atMs: number }
  /** A feed names it deleted, or a read says that it is gone (R7). */
  | { readonly kind: 'deleted'; readonly atMs: number }
  /** It was merged into another contact of its side (R12). */
  | { readonly kind: 'merged'; readonly into: string; readonly atMs: number }
  /** A complete listing that began at `atMs` did not show it; the one before ended at `lastListedAtMs`. */
  | {
      readonly kind: 'missed';
      readonly atMs: number;
      readonly endedAtMs: number;
      readonly lastListedAtMs: number | null;
    }
  /** Neither a listing nor a read shows it, and it was written a moment ago (R7). */
  | { readonly kind: 'unsettled'; readonly atMs: number }
  /** Whether it stands is not known: the listing is discarded, or a read could not be understood. */
  | { readonly kind: 'unknown' };

/**
 * The rows of the table: a half of a pair by its state; a contact of no pair that stands (`unpaired`), that stands and is
 * not selected by its side (`unselected`), that is known to be deleted (`buried`), or that is shown although it is
 * (`exhumed`); and a contact that nothing is known of (`new`).
 */
type TableState = HalfState | 'unpaired' | 'unselected' | 'buried' | 'exhumed' | 'new';

/**
 * - `observe`: what the record says decides between `settled` and `changed`; an outdated record changes nothing.
 * - `rest`: what the half itself says decides between the two.
 * - `keep`: nothing changes.
 * - `forget`: the half is dropped: nobody else knows of the contact.
 * - a state: the half takes it.
 */
type Outcome = 'observe' | 'rest' | 'keep' | 'forget' | 'gone' | 'missing' | 'settling' | 'doubted';

/** What each event makes of a half in each state (R1, R7, R12). */
export const HALF_TRANSITIONS: Readonly<Record<TableState, Readonly<Record<HalfEvent['kind'], Outcome>>>> = {
  new: {
    shown: 'observe',
    found: 'observe',
    deleted: 'keep',
    merged: 'keep',
    missed: 'keep',
    unsettled: 'keep',
    unknown: 'keep',
  },
  // Where it was heard of after the listing began, the listing says nothing about it.
  unpaired: {
    shown: 'observe',
    found: 'observe',
    deleted: 'gone',
    merged: 'gone',
    missed: 'forget',
    unsettled: 'keep',
    unknown: 'keep',
  },
  // It may stay for years: that a listing which lags missed it must not make it a stranger to its like on the other side.
  unselected: {
    shown: 'observe',
    found: 'observe',
    deleted: 'gone',
    merged: 'gone',
    missed: 'missing',
    unsettled: 'keep',
    unknown: 'keep',
  },
  settled: {
    shown: 'observe',
    found: 'observe',
    deleted: 'gone',
    merged: 'gone',
    missed: 'missing',
    unsettled: 'settling',
    unknown: 'keep',
  },
  changed: {
    shown: 'observe',
    found: 'observe',
    deleted: 'gone',
    merged: 'gone',
    missed: 'missing',
    unsettled: 'settling',
    unknown: 'keep',
  },
  missing: {
    shown: 'observe',
    found: 'observe',
    deleted: 'gone',
    merged: 'gone',
    missed: 'missing',
    unsettled: 'settling',
    unknown: 'rest',
  },
  settling: {
    shown: 'observe',
    found: 'observe',
    deleted: 'gone',
    merged: 'gone',
    missed: 'missing',
    unsettled: 'settling',
    unknown: 'rest',
  },
  gone: {
    shown: 'doubted',
    found: 'observe',
    deleted: 'gone',
    merged: 'gone',
    missed: 'keep',
    unsettled: 'keep',
    unknown: 'keep',
  },
  doubted: {
    shown: 'doubted',
    found: 'observe',
    deleted: 'gone',
    merged: 'gone',
    missed: 'gone',
    unsettled: 'gone',
    unknown: 'keep',
  },
  buried: {
    shown: 'doubted',
    found: 'observe',
    deleted: 'gone',
    merged: 'gone',
    missed: 'keep',
    unsettled: 'keep',
    unknown: 'keep',
  },
  exhumed: {
    shown: 'doubted',
    found: 'observe',
    deleted: 'gone',
    merged: 'gone',
    missed: 'gone',
    unsettled: 'gone',
    unknown: 'keep',
  },
};

const tableState = (half: Half | null): TableState => {
  if (half === null) return 'new';
  if (half.pair !== null) return half.state;
  switch (half.state) {
    case 'gone':
      return 'buried';
    case 'doubted':
      return 'exhumed';
    case 'settled':
      return 'unselected';
    case 'changed':
    case 'missing':
    case 'settling':
      return 'unpaired';
  }
};

/** For so long a feed or a listing may show less than is known already. */
const LAGS_FOR_MS = 10 * 60_000;

/** Whether so little time lies between two moments; a moment that is as far ahead was taken from a clock that was wrong. */
const isWithin = (spanMs: number, fromMs: number, nowMs: number): boolean => Math.abs(nowMs - fromMs) < spanMs;

/**
 * Whether a record shows what stood there before a change that was heard of a moment ago: taken in, it would revert that
 * change. A stamp says so only where it was not ahead of the clock, and only for a while: a side that was restored from a
 * backup shows older stamps for good.
 */
const isOutdated = (record: ContactRecord, { record: known, heardAtMs }: Half, atMs: number): boolean => {
  if (record.modifiedAtMs === null || known.modifiedAtMs === null) return false;
  if (known.modifiedAtMs > heardAtMs + CLOCK_MARGIN_MS || !isWithin(LAGS_FOR_MS, heardAtMs, atMs)) return false;
  return record.modifiedAtMs < known.modifiedAtMs;
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
  lastListedAtMs: null,
  writtenAtMs: null,
  heardAtMs: atMs,
});

/** A contact that was deleted before anything else was heard of it. */
export const buriedHalf = (side: Side, id: string, atMs: number): Half => {
  const nothing = { contact: EMPTY_CONTACT, groupIds: [], raw: 'null', originId: null };
  return { ...newHalf(side, { id, version: '', modifiedAtMs: null, ...nothing }, atMs), state: 'gone' };
};

/**
 * A contact of a pair that no longer stands by its id: it was deleted, or goes by another one. It stays known for a while, of
 * no pair: a feed or a listing may lag and show it (R7).
 */
export const unpairedGone = (half: Half, atMs: number): Half => ({
  ...half,
  pair: null,
  base: null,
  state: half.state === 'doubted' ? 'doubted' : 'gone',
  mergedInto: null,
  absences: 0,
  lastListedAtMs: null,
  heardAtMs: atMs,
});

/** What selections go by, as one text. */
const selectableText = ({ groupIds, marks = [] }: ContactRecord): string => JSON.stringify([groupIds, marks]);

/**
 * The state of a half of which that record is shown. Where it says just what was known, nothing that a plan has yet to look
 * at is settled by that, and what no side selects is not selected by it. A group or a mark that came or went may select the
 * contact, or select it no longer, also where its base says the same again.
 */
const stateWith = (half: Half, record: ContactRecord, isSame: boolean): HalfState => {
  if (isSame && (half.state === 'changed' || isUnselected(half))) return half.state;
  return selectableText(record) === selectableText(half.record) ? restingState({ ...half, record }) : 'changed';
};

/**
 * Whether a half has its former values again after a plan had left others on its side: the other side's change may have
 * waited for that (R4).
 */
const hasReturned = ({ base, record: known, state }: Half, record: ContactRecord): boolean =>
  state === 'settled' && base !== null && equalSnapshots(base, record) && !equalSnapshots(base, known);

/** What a half is that stands and of which no more was learnt: nothing misses it any longer. */
const standing = (half: Half): Half =>
  half.state === 'missing' || half.state === 'settling' ? { ...half, state: restingState(half) } : half;

/** Whether a membership was written so recently that its side may show the former one. */
const recentMoves =
  (nowMs: number) =>
  ({ atMs }: OwnMove): boolean =>
    isWithin(LAGS_FOR_MS, atMs, nowMs);

/**
 * Whether the half must be read, because a feed contradicts a membership that this link has just written (R11), or shows a
 * text that may be cut (R17).
 */
export const mustBeRead = (half: Half | null, record: ContactRecord, nowMs: number): boolean =>
  half !== null && (isInDoubt(record, half.record, recentMoves(nowMs)) || showsCutText(record, half.record));

const observed = (half: Half, event: Extract<HalfEvent, { record: ContactRecord }>): Half => {
  const { kind, atMs } = event;
  const shown = kind === 'shown' ? withKnownTexts(event.record, half.record) : event.record;
  const bound = withBoundEntries(shown, half.record);
  const record = withOwnMoves(bound, half.record, { isRead: kind === 'found', isRecent: recentMoves(atMs) });
  const isSame = JSON.stringify(half.record) === JSON.stringify(record);
  const isNews = half.state !== 'settled' || !isSame;
  if (isNews && isOutdated(record, half, atMs)) return kind === 'shown' ? half : standing(half);
  // What differs from its base stays on this side, or waits for a person: a feed that shows it again says nothing new.
  if (!isNews && kind === 'shown' && event.byFeed) return half;
  const state = hasReturned(half, record) ? 'changed' : stateWith(half, record, isSame);
  if (!isNews && state === half.state) return half;
  return { ...half, record, state, mergedInto: null, heardAtMs: atMs };
};

/** The time of an event; null for one that says nothing about a moment. */
const timeOf = (event: HalfEvent): number | null => ('atMs' in event ? event.atMs : null);

/**
 * Whether the half was heard of after a listing that missed it had begun: then the listing says nothing about it. A time that
 * is far ahead of the listing's end is that of an earlier run, whose clock was ahead; unless the listing began by such a clock.
 */
const isHeardSince = ({ state, heardAtMs }: Half, event: HalfEvent): boolean => {
  if (event.kind !== 'missed' || state !== 'changed') return false;
  const { atMs, endedAtMs } = event;
  return heardAtMs >= atMs && (heardAtMs <= endedAtMs + CLOCK_MARGIN_MS || atMs > endedAtMs);
};

/** Whether a contact was written so recently that its side may not show it yet (R7). */
const isUnsettled = ({ writtenAtMs }: Half, settlesWithinMs: number, nowMs: number): boolean => {
  return writtenAtMs !== null && isWithin(settlesWithinMs, writtenAtMs, nowMs);
};

/**
 * Whether a contact came, or was changed at its side, so recently that a listing may not show it yet. The side's clock may
 * be wrong by the margin, and a stamp that is further ahead says nothing.
 */
const isFresh = ({ record: { modifiedAtMs } }: Half, nowMs: number): boolean => {
  if (modifiedAtMs === null || modifiedAtMs > nowMs + CLOCK_MARGIN_MS) return false;
  return nowMs - modifiedAtMs < LAGS_FOR_MS + CLOCK_MARGIN_MS;
};

/**
 * Whether a contact was written, or came or was changed at its side, so recently that neither a listing nor a read need show it
 * yet (R7, R8): only at a side that says how long that takes; one that shows its changes at once has to.
 */
export const isUnseen = (half: Half, settlesWithinMs: number, nowMs: number): boolean =>
  settlesWithinMs > 0 && (isUnsettled(half, settlesWithinMs, nowMs) || isFresh(half, nowMs));

/**
 * Whether a contact was deleted so recently that a read may still show it as it was (R7): not where it was changed since, as
 * where its user took it out of the side's bin. A stamp that was known before the deletion, or that is ahead of our clock, does
 * not say so.
 */
export const mayLinger = (
  { heardAtMs, record: known }: Half,
  { modifiedAtMs }: ContactRecord,
  settlesWithinMs: number,
  nowMs: number,
): boolean => {
  const stampMs = modifiedAtMs ?? 0;
  const isOld = stampMs <= Math.max(heardAtMs, known.modifiedAtMs ?? 0) || stampMs > nowMs;
  return isOld && isWithin(settlesWithinMs, heardAtMs, nowMs);
};

/** Whether a listing may not show yet what was written, made or changed a moment ago: it proves no absence then (R7). */
export const mayLag = (half: Half, settlesWithinMs: number, nowMs: number): boolean => {
  return isUnsettled(half, Math.max(settlesWithinMs, LAGS_FOR_MS), nowMs) || isFresh(half, nowMs);
};

/** Whether the listing before, which ended then, missed it too and did not count, since it may have lagged (R7). */
const wasLate = (half: Half, endedAtMs: number | null): boolean => {
  const { lastListedAtMs, writtenAtMs } = half;
  if (lastListedAtMs === null || writtenAtMs === null || endedAtMs === null) return false;
  return lastListedAtMs <= writtenAtMs && mayLag(half, 0, endedAtMs);
};

/** A half that a listing did not show; at its first absence it is noted when it was last listed. */
const missed = (half: Half, event: Extract<HalfEvent, { kind: 'missed' }>): Half => {
  if (isHeardSince(half, event)) return half;
  const isFirst = half.absences === 0 && !wasLate(half, event.lastListedAtMs);
  const lastListedAtMs = isFirst ? event.lastListedAtMs : half.lastListedAtMs;
  return { ...half, state: 'missing', lastListedAtMs, heardAtMs: event.atMs };
};

const gone = (half: Half, event: HalfEvent): Half => {
  // That a contact is gone may be said more than once, and not each time into which one it was merged.
  const mergedInto = event.kind === 'merged' ? event.into : half.mergedInto;
  return { ...half, state: 'gone', mergedInto, heardAtMs: timeOf(event) ?? half.heardAtMs };
};

/**
 * What an event makes of a half; null where the store is to hold none. The same value comes back where nothing changes.
 * Pure.
 */
export const nextHalf = (side: Side, half: Half | null, event: HalfEvent): Half | null => {
  const outcome = HALF_TRANSITIONS[tableState(half)][event.kind];
  if (half === null) return 'record' in event ? newHalf(side, event.record, event.atMs) : null;
  switch (outcome) {
    case 'observe':
      return 'record' in event ? observed(half, event) : half;
    case 'keep':
      return half;
    case 'forget':
      return isHeardSince(half, event) ? half : null;
    case 'rest':
      return { ...half, state: restingState(half) };
    case 'doubted':
      return half.state === 'doubted' ? half : { ...half, state: 'doubted' };
    case 'gone':
      return gone(half, event);
    case 'missing':
      return event.kind === 'missed' ? missed(half, event) : half;
    case 'settling':
      return { ...half, state: 'settling', heardAtMs: timeOf(event) ?? half.heardAtMs };
  }
};

/**
 * The digest by which a row is known (R1); null where the half has anything left to decide, or is of a pair and says something
 * else than its base: such a row must be read however often it was read before.
 */
export const knownDigest = ({ pair, state, base, record }: Half): string | null => {
  if (record.digest === undefined || state !== 'settled') return null;
  if (base === null) return pair === null ? record.digest : null;
  return equalSnapshots(base, record) ? record.digest : null;
};
