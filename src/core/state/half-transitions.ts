import { EMPTY_CONTACT } from '../contact/contact.ts';
import { CLOCK_MARGIN_MS, isUnselected, type Half, type HalfState } from '../contact/half.ts';
import type { ContactRecord, OwnMove } from '../contact/record.ts';
import type { Side } from '../contact/side.ts';
import { equalSnapshots } from '../contact/snapshot.ts';
import { withBoundEntries } from '../contact/bound-entries.ts';
import { showsCutText, withKnownTexts } from './cut-texts.ts';
import { isInDoubt, withOwnMoves } from './own-moves.ts';

/** An event of one contact on one side. */
export type HalfEvent =
  /** A feed or a listing contains the contact. */
  | {
      readonly kind: 'shown';
      readonly record: ContactRecord;
      readonly atMs: number;
      /** True if the record is from a change feed and not from a listing; otherwise left out. */
      readonly byFeed?: boolean;
    }
  /** A read by its id found the contact. */
  | { readonly kind: 'found'; readonly record: ContactRecord; readonly atMs: number }
  /** A feed or a read reports that the contact is deleted (R7), or was merged `into` another contact of its side (R12). */
  | { readonly kind: 'deleted'; readonly into?: string; readonly atMs: number }
  /** A complete listing that began at `atMs` did not contain the contact. The listing before it ended at `lastListedAtMs`. */
  | {
      readonly kind: 'missed';
      readonly atMs: number;
      readonly endedAtMs: number;
      readonly lastListedAtMs: number | null;
      /** Whether a create of unknown outcome was sent for the contact: its half must not be forgotten. */
      readonly isSource?: boolean;
    }
  /** Neither a listing nor a read returns the contact, and it was written or changed too recently for that to count (R7). */
  | { readonly kind: 'unseen'; readonly atMs: number }
  /** It is unknown whether the contact exists: the listing was discarded, or the response to a read could not be parsed. */
  | { readonly kind: 'unknown' };

/**
 * The rows of the table of transitions. A half is in the row of its state. An existing contact without a pair is in `unselected` if
 * its side does not select it or its pair was unlinked, else in `unpaired`.
 */
type TableState = HalfState | 'unpaired' | 'unselected';

/**
 * - `observe`: the content of the record decides between `settled` and `changed`; an outdated record changes nothing.
 * - `rest`: the stored content of the half decides between the two.
 * - `keep`: nothing changes.
 * - `forget`: the half is dropped; no other row refers to the contact.
 * - a state: the half gets this state.
 */
type HalfOutcome = 'observe' | 'rest' | 'keep' | 'forget' | 'gone' | 'missing' | 'unseen' | 'doubted';

/** The usual outcomes of an event that shows a contact, or reports its deletion. */
const REPORTED = { shown: 'observe', found: 'observe', deleted: 'gone' } as const;

/** The outcome of each event for a stored half (R1, R7, R12). */
export const HALF_TRANSITIONS: Readonly<Record<TableState, Readonly<Record<HalfEvent['kind'], HalfOutcome>>>> = {
  // If it was last observed after the listing began, the listing is no evidence about it.
  unpaired: { ...REPORTED, missed: 'forget', unseen: 'keep', unknown: 'keep' },
  // It may be stored for years. A delayed listing that misses it must not make it lose its match on the other side.
  unselected: { ...REPORTED, missed: 'missing', unseen: 'keep', unknown: 'keep' },
  settled: { ...REPORTED, missed: 'missing', unseen: 'unseen', unknown: 'keep' },
  changed: { ...REPORTED, missed: 'missing', unseen: 'unseen', unknown: 'keep' },
  missing: { ...REPORTED, missed: 'missing', unseen: 'unseen', unknown: 'rest' },
  unseen: { ...REPORTED, missed: 'missing', unseen: 'unseen', unknown: 'rest' },
  gone: { ...REPORTED, shown: 'doubted', missed: 'keep', unseen: 'keep', unknown: 'keep' },
  doubted: { ...REPORTED, shown: 'keep', missed: 'gone', unseen: 'gone', unknown: 'keep' },
};

const tableState = ({ formerPair, pair, state }: Half): TableState => {
  if (pair !== null || state === 'gone' || state === 'doubted') return state;
  return state === 'settled' || formerPair !== null ? 'unselected' : 'unpaired';
};

/** The time during which a feed or a listing may be older than the stored state. */
const LAGS_FOR_MS = 10 * 60_000;

/** Returns whether two times are less than `spanMs` apart. A time further ahead was taken from a wrong clock. */
const isWithin = (spanMs: number, atMs: number, nowMs: number): boolean => Math.abs(nowMs - atMs) < spanMs;

/**
 * Returns whether a record is older than a change that was observed recently: applying it would revert that change. A modification
 * time is evidence of that only if it was not ahead of the clock, and only for a limited time: a side that was restored from a
 * backup returns older modification times permanently.
 */
const isOutdated = (record: ContactRecord, { record: known, heardAtMs }: Half, atMs: number): boolean => {
  if (record.modifiedAtMs === null || known.modifiedAtMs === null || record.isClaimedTime === true) return false;
  if (known.modifiedAtMs > heardAtMs + CLOCK_MARGIN_MS || !isWithin(LAGS_FOR_MS, heardAtMs, atMs)) return false;
  return record.modifiedAtMs < known.modifiedAtMs;
};

/** Returns `settled` if the half belongs to a pair and equals its base, else `changed`. */
const restingState = ({ base, pair, record }: Pick<Half, 'base' | 'pair' | 'record'>): 'settled' | 'changed' =>
  pair !== null && base !== null && equalSnapshots(base, record) ? 'settled' : 'changed';

/** Returns when the values of a record were edited, by its side's modification time. One ahead of the clock is limited. */
const editTimeOf = ({ modifiedAtMs }: ContactRecord, receivedAtMs: number): number | null =>
  modifiedAtMs === null ? null : Math.min(modifiedAtMs, receivedAtMs + CLOCK_MARGIN_MS);

/** Returns the half of a contact that was unknown until now. */
export const newHalf = (side: Side, record: ContactRecord, atMs: number): Half => ({
  side,
  id: record.id,
  pair: null,
  formerPair: null,
  state: 'changed',
  record,
  base: null,
  mergedInto: null,
  absences: 0,
  lastListedAtMs: null,
  writtenAtMs: null,
  editWrittenAtMs: null,
  editedAtMs: editTimeOf(record, atMs),
  heardAtMs: atMs,
});

/** Returns the half of a contact that was deleted before it was otherwise observed. */
export const tombstoneHalf = (side: Side, id: string, atMs: number): Half => {
  const nothing = { contact: EMPTY_CONTACT, groupIds: [], raw: 'null', originId: null };
  return { ...newHalf(side, { id, version: '', modifiedAtMs: null, ...nothing }, atMs), state: 'gone' };
};

/**
 * Returns the half of a contact of a pair that no longer exists under its id, because it was deleted or its id changed. It remains
 * stored for some time, without a pair: a delayed feed or listing may still contain it (R7).
 */
export const unpairDeleted = (half: Half, atMs: number): Half => ({
  ...half,
  pair: null,
  formerPair: null,
  base: null,
  state: half.state === 'doubted' ? 'doubted' : 'gone',
  mergedInto: null,
  absences: 0,
  lastListedAtMs: null,
  heardAtMs: atMs,
});

/** Returns the half of a former id of a contact, with the contact's new id (R12). */
export const formerHalf = (half: Half, newId: string, atMs: number): Half => ({
  ...unpairDeleted(half, atMs),
  mergedInto: newId,
});

/** Returns the half with another id of one of its groups. */
export const withGroupId = (half: Half, former: string, id: string): Half => {
  const next = (groupId: string): string => (groupId === former ? id : groupId);
  const renamed = (groupIds: readonly string[]): readonly string[] => [...new Set(groupIds.map(next))].toSorted();
  const { base, record } = half;
  const { ownMoves } = record;
  const declined = base?.declined;
  return {
    ...half,
    record: {
      ...record,
      groupIds: renamed(record.groupIds),
      ...(ownMoves !== undefined && {
        ownMoves: ownMoves.map((move) => ({ ...move, groupId: next(move.groupId) })),
      }),
    },
    base: base && {
      ...base,
      groupIds: renamed(base.groupIds),
      ...(declined?.buckets !== undefined && { declined: { ...declined, buckets: renamed(declined.buckets) } }),
    },
  };
};

/** Returns the values that selections depend on, as one text. */
const selectableText = ({ groupIds, marks = [] }: ContactRecord): string => JSON.stringify([groupIds, marks]);

/**
 * Returns the state of a half after its side returned the record. If the record equals the stored one, a half that a plan must
 * still process stays `changed`, and a contact that no side selects stays unselected. A group or a mark that was added or removed
 * may change the selection of the contact, even if the contact equals its base again.
 */
const stateWith = (half: Half, record: ContactRecord, isSame: boolean): HalfState => {
  if (isSame && (half.state === 'changed' || isUnselected(half))) return half.state;
  return selectableText(record) === selectableText(half.record) ? restingState({ ...half, record }) : 'changed';
};

/**
 * Returns whether a half equals its base again after a plan had left other values on its side. The other side's change may have
 * waited for that (R4).
 */
const hasReturned = ({ base, record: known, state }: Half, record: ContactRecord): boolean =>
  state === 'settled' && base !== null && equalSnapshots(base, record) && !equalSnapshots(base, known);

/** Returns the half of a contact that exists, without further information: it is no longer missing. */
const asExisting = (half: Half): Half =>
  half.state === 'missing' || half.state === 'unseen' ? { ...half, state: restingState(half) } : half;

/** Returns a predicate: whether a membership was written so recently that its side may return the former one. */
const recentMoves =
  (nowMs: number) =>
  ({ atMs }: OwnMove): boolean =>
    isWithin(LAGS_FOR_MS, atMs, nowMs);

/**
 * Returns whether the contact must be read, because a feed contradicts a membership that this link recently wrote (R11), or
 * contains a text that may be truncated (R17).
 */
export const mustBeRead = (half: Half | null, record: ContactRecord, nowMs: number): boolean =>
  half !== null && (isInDoubt(record, half.record, recentMoves(nowMs)) || showsCutText(record, half.record));

type RecordEvent = Extract<HalfEvent, { record: ContactRecord }>;

/**
 * Returns the record, with the known values where the side itself changed nothing. `isRead`: it was read by its id, so that its texts
 * are not truncated.
 */
const corrected = (known: ContactRecord, record: ContactRecord, isRead: boolean, atMs: number): ContactRecord => {
  const whole = withKnownTexts(record, known, isRead);
  return withOwnMoves(withBoundEntries(whole, known), known, { isRead, isRecent: recentMoves(atMs) });
};

/** Returns whether a read of a contact shows the known values. */
export const isAsKnown = (known: ContactRecord, record: ContactRecord, atMs: number): boolean =>
  equalSnapshots(known, corrected(known, record, true, atMs));

/**
 * Returns whether a record shows a change that this link has not written. The time of a write to a contact's groups is first shown by the
 * feed.
 */
const isEdited = ({ record: known, writtenAtMs }: Half, record: ContactRecord): boolean => {
  const { modifiedAtMs } = record;
  if (modifiedAtMs === known.modifiedAtMs) return false;
  const mayBeOwn = writtenAtMs !== null && modifiedAtMs !== null && modifiedAtMs <= writtenAtMs + CLOCK_MARGIN_MS;
  return !mayBeOwn || !equalSnapshots(known, record);
};

/**
 * Returns the half without the groups in its base that the contact had left and has joined again. The end of a membership that was not
 * propagated stays out of the base, so without this a joined group would look like one that was never left.
 */
const withRejoined = (half: Half, now: ContactRecord): Half => {
  const { base, record: known } = half;
  const isRejoined = (id: string): boolean => now.groupIds.includes(id) && !known.groupIds.includes(id);
  if (base === null || !base.groupIds.some(isRejoined)) return half;
  return { ...half, base: { ...base, groupIds: base.groupIds.filter((id) => !isRejoined(id)) } };
};

/** Returns the half after its side returned the contact. */
const observed = (stored: Half, event: RecordEvent): Half => {
  const { kind, atMs } = event;
  const record = corrected(stored.record, event.record, kind === 'found', atMs);
  const half = withRejoined(stored, record);
  const isSame = JSON.stringify(half.record) === JSON.stringify(record);
  const isOpen = half.state !== 'settled' || !isSame;
  if (isOpen && isOutdated(record, half, atMs)) return kind === 'shown' ? stored : asExisting(stored);
  // Values that differ from the base stay on this side, or wait for a person's decision. A feed that returns them again adds
  // nothing new.
  if (!isOpen && kind === 'shown' && event.byFeed) return half;
  const state = hasReturned(half, record) ? 'changed' : stateWith(half, record, isSame);
  if (!isOpen && state === half.state) return half;
  const editedAtMs = isEdited(half, record) ? editTimeOf(record, atMs) : half.editedAtMs;
  return { ...half, record, state, mergedInto: null, editedAtMs, heardAtMs: atMs };
};

/** Returns the time of an event; null if the event has no time. */
const timeOf = (event: HalfEvent): number | null => ('atMs' in event ? event.atMs : null);

/**
 * Returns whether the half was observed after a listing that missed it had begun: then the listing is no evidence
 * about it. A time far after the listing's end comes from an earlier run with a clock that was ahead, unless the
 * listing also began with such a clock.
 */
const isHeardSince = ({ state, heardAtMs }: Half, event: HalfEvent): boolean => {
  if (event.kind !== 'missed' || state !== 'changed') return false;
  const { atMs, endedAtMs } = event;
  return heardAtMs >= atMs && (heardAtMs <= endedAtMs + CLOCK_MARGIN_MS || atMs > endedAtMs);
};

/** Returns whether a contact was written so recently that its side may not return it yet (R7). */
const isJustWritten = ({ writtenAtMs }: Half, lagMs: number, nowMs: number): boolean =>
  writtenAtMs !== null && isWithin(lagMs, writtenAtMs, nowMs);

/**
 * Returns whether a contact was created or changed at its side so recently that a listing may not contain it yet. The side's clock
 * may be wrong by the margin. A modification time further ahead is ignored.
 */
const isFresh = ({ record: { modifiedAtMs } }: Half, nowMs: number): boolean => {
  if (modifiedAtMs === null || modifiedAtMs > nowMs + CLOCK_MARGIN_MS) return false;
  return nowMs - modifiedAtMs < LAGS_FOR_MS + CLOCK_MARGIN_MS;
};

/**
 * Returns whether a contact was written, created or changed at its side so recently that listings and reads may not return it
 * yet (R7, R8). True only for a side that declares such a delay (`lagMs`); other sides return changes at once.
 */
export const isTooRecent = (half: Half, lagMs: number, nowMs: number): boolean =>
  lagMs > 0 && (isJustWritten(half, lagMs, nowMs) || isFresh(half, nowMs));

/**
 * Returns whether a contact was deleted so recently that a read may still return its former state (R7). False if it was changed
 * since, for example restored from the side's bin. A modification time that was known before the deletion, or that is ahead of our
 * clock, is no evidence of such a change.
 */
export const mayBeStaleRead = (
  { heardAtMs, record: known }: Half,
  { modifiedAtMs }: ContactRecord,
  lagMs: number,
  nowMs: number,
): boolean => {
  const atMs = modifiedAtMs ?? 0;
  const isOld = atMs <= Math.max(heardAtMs, known.modifiedAtMs ?? 0) || atMs > nowMs;
  return isOld && isWithin(lagMs, heardAtMs, nowMs);
};

/** Returns whether a listing may lack a recent write, creation or change: then it does not prove an absence (R7). */
export const mayLag = (half: Half, lagMs: number, nowMs: number): boolean =>
  isJustWritten(half, Math.max(lagMs, LAGS_FOR_MS), nowMs) || isFresh(half, nowMs);

/**
 * Returns whether the previous listing, which ended at `endedAtMs`, also missed it but did not count, because it
 * may have been delayed (R7).
 */
const wasListedLate = (half: Half, endedAtMs: number | null): boolean => {
  const { lastListedAtMs, writtenAtMs } = half;
  if (lastListedAtMs === null || writtenAtMs === null || endedAtMs === null) return false;
  return lastListedAtMs <= writtenAtMs && mayLag(half, 0, endedAtMs);
};

/**
 * Returns the half after a listing missed it. At the first absence, the time of its last listing is stored. A half that is `missing` was
 * missed before, even if the run ended before a read counted that.
 */
const missed = (half: Half, event: Extract<HalfEvent, { kind: 'missed' }>): Half => {
  if (isHeardSince(half, event)) return half;
  const isFirst = half.state !== 'missing' && half.absences === 0 && !wasListedLate(half, event.lastListedAtMs);
  const lastListedAtMs = isFirst ? event.lastListedAtMs : half.lastListedAtMs;
  return { ...half, state: 'missing', lastListedAtMs, heardAtMs: event.atMs };
};

const gone = (half: Half, event: HalfEvent): Half => {
  // A deletion may be reported several times, and not every report contains the contact that it was merged into.
  const mergedInto = (event.kind === 'deleted' ? event.into : null) ?? half.mergedInto;
  return { ...half, state: 'gone', mergedInto, heardAtMs: timeOf(event) ?? half.heardAtMs };
};

/** Returns the half after an event; null if the store must contain no half. Returns the same object if nothing changes. Pure. */
export const nextHalf = (side: Side, half: Half | null, event: HalfEvent): Half | null => {
  if (half === null) return 'record' in event ? newHalf(side, event.record, event.atMs) : null;
  const outcome = HALF_TRANSITIONS[tableState(half)][event.kind];
  switch (outcome) {
    case 'observe':
      return 'record' in event ? observed(half, event) : half;
    case 'keep':
      return half;
    case 'forget':
      if (event.kind === 'missed' && event.isSource === true) return missed(half, event);
      return isHeardSince(half, event) ? half : null;
    case 'rest':
      return { ...half, state: restingState(half) };
    case 'doubted':
      return { ...half, state: 'doubted' };
    case 'gone':
      return gone(half, event);
    case 'missing':
      return event.kind === 'missed' ? missed(half, event) : half;
    case 'unseen':
      return { ...half, state: 'unseen', heardAtMs: timeOf(event) ?? half.heardAtMs };
  }
};

/**
 * Returns the digest that identifies an unchanged row (R1). Returns null if the half still needs a decision, or belongs to a pair
 * and differs from its base: such a row must be read on every listing.
 */
export const knownDigest = ({ pair, state, base, record }: Half): string | null => {
  if (record.digest === undefined || state !== 'settled') return null;
  if (base === null) return pair === null ? record.digest : null;
  return equalSnapshots(base, record) ? record.digest : null;
};
