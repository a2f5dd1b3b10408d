import type { FeedPage, ReadAnswer } from '../contact/requests.ts';
import type { Cursor, NarrowHalf } from './rows.ts';
import { CLOCK_MARGIN_MS, isDeleted, isPresent, type Half } from '../contact/half.ts';
import type { ContactRecord } from '../contact/record.ts';
import { otherSide, type Side, type Sides } from '../contact/side.ts';
import { EMPTY_SNAPSHOT } from '../contact/snapshot.ts';
import {
  formerHalf,
  isTooRecent,
  mayBeStaleRead,
  mayLag,
  nextHalf,
  tombstoneHalf,
  unpairDeleted,
  type HalfEvent,
} from './half-transitions.ts';
import type { WorkingSet } from './working-set.ts';

// Words of this file. An event `shown` means that a feed or a listing contains the contact; `shownPages` has the ids of a listing.
// `missed`: a complete listing does not contain it. The half is `missing` until a read decides: `gone`, or one more of `absences`.
// `settled`: nothing to decide. `unseen`: written or changed within `lagMs`, so that an absence is no evidence.

/**
 * Applies an event to the half of that id. Returns whether the next plan must process the result. The deletion of an unpaired
 * contact needs no plan.
 */
const applyEvent = (set: WorkingSet, side: Side, id: string, event: HalfEvent): boolean => {
  const before = set.half(side, id);
  const after = nextHalf(side, before, event);
  if (after === before) return false;
  if (after === null) {
    set.drop({ side, id });
    return false;
  }
  set.put(after);
  return after.state === 'changed' || (after.state === 'gone' && after.pair !== null);
};

/** Updates the halves that were merged into a contact whose id changed. */
const followSurvivor = (set: WorkingSet, side: Side, from: string, to: string): void => {
  for (const half of set.halves()) {
    if (half.side === side && half.mergedInto === from) set.put({ ...half, mergedInto: to });
  }
};

/** Returns the half of a contact with its new id. It has the record that was returned under that id, if any. */
const renamed = (half: Half, known: Half | null, id: string): Half => {
  const record = { ...(known ?? half).record, id };
  return { ...half, id, state: 'changed', record, mergedInto: null };
};

/** Records the new id of a contact without a pair: see {@link rename}. */
const renameUnpaired = (set: WorkingSet, half: Half, to: string, atMs: number): void => {
  const known = set.half(half.side, to);
  const isTaken = known !== null && (known.pair !== null || known.formerPair !== null);
  set.put(unpairDeleted(half, atMs));
  if (half.formerPair !== null && !isTaken) set.put(renamed(half, known, to));
};

/**
 * Records that the contact `from` now has the id `to`:
 * - `from` is not stored, or equals `to`: nothing changes.
 * - `from` has no pair: its half counts as deleted. The contact `to` takes its former pair (R18), unless it belongs to a pair.
 * - `to` belongs to a pair: `from` was merged into that contact and is deleted (R12).
 * - `to` exists without a pair, and the pair of `from` has no other half: also a merge. A contact that is unpaired on purpose
 *   must not make another contact unpaired.
 * - otherwise: the half gets the id `to`, and a deleted half with the former id stays stored.
 *
 * The set must contain both halves, and the deleted halves of the side.
 */
export const rename = (set: WorkingSet, side: Side, from: string, to: string, atMs: number): void => {
  const half = set.half(side, from);
  if (half === null || from === to) return;
  if (half.pair === null) {
    if (!isDeleted(half)) renameUnpaired(set, half, to, atMs);
    return;
  }
  followSurvivor(set, side, from, to);
  const known = set.half(side, to);
  const isAlone = set.pair(half.pair)?.[otherSide(side)] === null;
  if (known !== null && (known.pair !== null || (isAlone && isPresent(known)))) {
    applyEvent(set, side, from, { kind: 'deleted', into: to, atMs });
    return;
  }
  set.put(formerHalf(half, to, atMs));
  set.put(renamed(half, known, to));
};

/** Records that the side returned the contact, as a listing does (R1, R2). */
export const observeRecord = (set: WorkingSet, side: Side, record: ContactRecord, atMs: number): void => {
  applyEvent(set, side, record.id, { kind: 'shown', record, atMs });
};

/** Records that a read by its id found the contact. */
const observeFoundByRead = (set: WorkingSet, side: Side, record: ContactRecord, atMs: number): void => {
  applyEvent(set, side, record.id, { kind: 'found', record, atMs });
};

/** Applies evidence of a deletion. Returns whether the next plan must process it. */
export const observeDeletion = (set: WorkingSet, side: Side, id: string, atMs: number): boolean =>
  applyEvent(set, side, id, { kind: 'deleted', atMs });

/** Returns the ids in a page. The set must contain their halves before the page is observed. */
export const idsInPage = ({ changes }: FeedPage): readonly string[] =>
  changes.flatMap((change) => {
    switch (change.kind) {
      case 'upsert':
        return [change.record.id, ...change.previousIds];
      case 'tombstone':
        return [change.id];
      case 'unreadable':
        return [];
    }
  });

/** Returns whether a page contains former ids of a contact. Then the set must also contain the deleted halves of the side (R12). */
export const hasRenames = ({ changes }: FeedPage): boolean =>
  changes.some((change) => change.kind === 'upsert' && change.previousIds.length > 0);

/** The number of contacts of a page that the next plan must process, and the number of contacts that were not stored before. */
type PageCounts = { readonly toPlan: number; readonly firstSeen: number };

/** Applies the contacts that a page contains, with their former ids. */
const observeUpserts = (set: WorkingSet, side: Side, page: FeedPage, atMs: number, byFeed: boolean): PageCounts => {
  let toPlan = 0;
  let firstSeen = 0;
  for (const change of page.changes) {
    if (change.kind !== 'upsert') continue;
    for (const from of change.previousIds) rename(set, side, from, change.record.id, atMs);
    const { record } = change;
    if (set.half(side, record.id) === null) firstSeen += 1;
    if (applyEvent(set, side, record.id, { kind: 'shown', record, atMs, byFeed })) toPlan += 1;
  }
  return { toPlan, firstSeen };
};

/**
 * Applies a page of a feed, and the new position of the feed. During a listing, the ids on the page are stored, so that contacts
 * that the listing does not contain can be found.
 */
export const observePage = (set: WorkingSet, side: Side, page: FeedPage, cursor: Cursor, atMs: number): PageCounts => {
  const upserts = observeUpserts(set, side, page, atMs, cursor.listingStartedAtMs === null);
  let { toPlan } = upserts;
  for (const change of page.changes) {
    if (change.kind !== 'tombstone') continue;
    if (observeDeletion(set, side, change.id, atMs)) toPlan += 1;
    // A delayed listing may still contain the contact.
    if (set.half(side, change.id) === null) set.put(tombstoneHalf(side, change.id, atMs));
  }
  const changedIds = page.changes.flatMap((change) => {
    if (change.kind === 'tombstone') return [];
    return change.kind === 'upsert' ? [change.record.id] : (change.id ?? []);
  });
  const ids = [...changedIds, ...page.unchanged];
  if (cursor.listingStartedAtMs !== null && ids.length > 0) set.add({ kind: 'shown', side, ids });
  const newPosition = page.cursor === null ? {} : { cursor: page.cursor, readAtMs: atMs };
  set.add({ kind: 'put', table: 'cursors', row: { side, ...cursor, resume: page.resume, ...newPosition } });
  return { toPlan, firstSeen: upserts.firstSeen };
};

/** The result of a complete listing, compared with the stored halves of the side. */
type Listing = {
  /** The number of contacts in the listing. */
  readonly seen: number;
  /** The number of halves of the side that belong to a pair, and how many of them the listing contained. */
  readonly paired: number;
  readonly pairedSeen: number;
  /** The ids of halves that the listing did not contain. */
  readonly missed: readonly string[];
  /** The ids of halves that earlier listings missed and this listing contained. */
  readonly reappeared: readonly string[];
};

/** Compares a listing with the stored halves of its side. Pure. */
export const compareListing = (index: readonly NarrowHalf[], listedIds: readonly string[]): Listing => {
  const ids = new Set(listedIds);
  const paired = index.filter(({ pair }) => pair !== null);
  return {
    seen: listedIds.length,
    paired: paired.length,
    pairedSeen: paired.filter(({ id }) => ids.has(id)).length,
    missed: index.filter(({ id }) => !ids.has(id)).map(({ id }) => id),
    reappeared: index.filter(({ id, absences }) => absences > 0 && ids.has(id)).map(({ id }) => id),
  };
};

/** Stores the position of a listing that begins, ends or is discarded: no page of it counts any more. */
export const storeListing = (set: WorkingSet, side: Side, cursor: Cursor): void =>
  set.add(
    { kind: 'drop', table: 'shownPages', where: { side } },
    { kind: 'put', table: 'cursors', row: { side, ...cursor } },
  );

/**
 * Applies the end of a complete listing. The set must contain the halves in `missed` and `reappeared`. `sources` are the contacts
 * for which a create of unknown outcome was sent: the contact that it may have made is paired with its source, even if that is
 * deleted (R9).
 */
export const observeListing = (
  set: WorkingSet,
  side: Side,
  { missed, reappeared }: Pick<Listing, 'missed' | 'reappeared'>,
  sources: ReadonlySet<string>,
  cursor: Cursor,
  nowMs: number,
): void => {
  const startedAtMs = cursor.listingStartedAtMs ?? 0;
  const event = { kind: 'missed', atMs: startedAtMs, endedAtMs: nowMs, lastListedAtMs: cursor.listedAtMs } as const;
  for (const id of missed) applyEvent(set, side, id, { ...event, isSource: sources.has(id) });
  for (const id of reappeared) set.change(side, id, (half) => ({ ...half, absences: 0, lastListedAtMs: null }));
  storeListing(set, side, { ...cursor, listingStartedAtMs: null, resume: null, listedAtMs: nowMs });
};

/** Discards a listing and the cursor, so that the next run lists the whole side. The set must contain the side's missing halves. */
export const discardListing = (set: WorkingSet, side: Side, cursor: Cursor): void => {
  for (const half of set.halves()) {
    if (half.side === side && half.state === 'missing') applyEvent(set, side, half.id, { kind: 'unknown' });
  }
  storeListing(set, side, { ...cursor, cursor: null, resume: null, listingStartedAtMs: null });
};

/**
 * Applies that a read does not find a contact of a pair that no listing has missed. The next run reads it again before it counts
 * as deleted (R7).
 */
export const observeAbsence = (set: WorkingSet, { pair, side, id }: Half, atMs: number): void => {
  if (pair !== null) applyEvent(set, side, id, { kind: 'missed', atMs, endedAtMs: atMs, lastListedAtMs: null });
};

/**
 * Returns the rows that the set must contain for {@link observeReadAnswer}: the contacts that were read, the contacts that they moved
 * to, and the deleted halves of the side (R12).
 */
export const answeredAbout = (
  side: Side,
  ids: readonly string[],
  answers: ReadonlyMap<string, ReadAnswer>,
): { readonly ids: Partial<Sides<readonly string[]>>; readonly gone: readonly Side[] } => {
  const moved = [...answers.values()].flatMap((answer) => (answer.kind === 'moved' ? [answer.record.id] : []));
  return { ids: { [side]: [...ids, ...moved] }, gone: moved.length > 0 ? [side] : [] };
};

/**
 * Applies that a read does not find a contact (R7). One of a pair that was written or changed within `lagMs` may only be shown late:
 * later runs read it again.
 */
const observeNotFound = (set: WorkingSet, side: Side, id: string, lagMs: number, atMs: number): void => {
  const half = set.half(side, id);
  const isLate = half !== null && half.pair !== null && isTooRecent(half, lagMs, atMs);
  applyEvent(set, side, id, { kind: isLate ? 'unseen' : 'deleted', atMs });
};

/**
 * Applies the result of a read of an expected contact on a side with that delay (`lagMs`). `gone` is evidence of a deletion (R7).
 * `withheld` is not: no listing has missed the contact, and it may be inaccessible only for a short time. Compare
 * {@link observeMissing}.
 */
export const observeReadAnswer = (
  set: WorkingSet,
  side: Side,
  id: string,
  answer: ReadAnswer | undefined,
  lagMs: number,
  atMs: number,
): void => {
  switch (answer?.kind) {
    case 'found':
      observeFoundByRead(set, side, answer.record, atMs);
      return;
    case 'moved':
      rename(set, side, id, answer.record.id, atMs);
      observeFoundByRead(set, side, answer.record, atMs);
      return;
    case 'gone':
      observeNotFound(set, side, id, lagMs, atMs);
      return;
    case 'withheld':
    case 'unreadable':
    case undefined:
    // No evidence.
  }
};

/** The way a side confirms that a contact is deleted: see `RemoteCapabilities`. */
type Confirmation = {
  readonly confirmsAbsenceAfter: number | null;
  readonly lagMs: number;
};

/**
 * A contact that listings do not contain although a read finds it, for example because a side archives instead of deleting, counts
 * as deleted. An edit that was written to it since it was last listed may never have been visible to its user. Then the other half
 * counts as edited, and the edit wins over the deletion (R6). A modification time later than all writes shows that they were visible.
 */
const keepUnseenEdit = (set: WorkingSet, half: Half, { modifiedAtMs }: ContactRecord): void => {
  const { side, pair, editWrittenAtMs, writtenAtMs, lastListedAtMs } = half;
  if (editWrittenAtMs === null || lastListedAtMs === null || editWrittenAtMs < lastListedAtMs) return;
  if (modifiedAtMs !== null && writtenAtMs !== null && modifiedAtMs > writtenAtMs + CLOCK_MARGIN_MS) return;
  const other = pair === null ? null : (set.pair(pair)?.[otherSide(side)] ?? null);
  if (other !== null)
    set.put({ ...other, base: EMPTY_SNAPSHOT, state: other.state === 'settled' ? 'changed' : other.state });
};

/**
 * Applies a read of a contact that a complete listing did not contain, or that was listed after its deletion (R7). Here `withheld`
 * counts as a deletion: both the listing and the read lack the contact, although the side returns others.
 */
export const observeMissing = (
  set: WorkingSet,
  half: Half,
  answer: ReadAnswer,
  { confirmsAbsenceAfter, lagMs }: Confirmation,
  nowMs: number,
): void => {
  const { side, id, state, absences } = half;
  // No listing has missed a `doubted` half. Soon after the deletion, the read may be delayed, too.
  if (state === 'doubted') {
    const isStale = answer.kind === 'found' && mayBeStaleRead(half, answer.record, lagMs, nowMs);
    if (!isStale) observeReadAnswer(set, side, id, answer, lagMs, nowMs);
    return;
  }
  // A listing that may lag does not prove an absence.
  const isEvidence = !mayLag(half, lagMs, nowMs);
  switch (answer.kind) {
    case 'gone':
    case 'withheld':
      applyEvent(set, side, id, { kind: isTooRecent(half, lagMs, nowMs) ? 'unseen' : 'deleted', atMs: nowMs });
      return;
    case 'found':
      if (isEvidence && confirmsAbsenceAfter !== null && absences + 1 >= confirmsAbsenceAfter) {
        applyEvent(set, side, id, { kind: 'deleted', atMs: nowMs });
        keepUnseenEdit(set, half, answer.record);
        return;
      }
      set.put({ ...half, absences: isEvidence ? absences + 1 : absences });
      applyEvent(set, side, id, { kind: 'unknown' });
      observeFoundByRead(set, side, answer.record, nowMs);
      return;
    case 'moved':
      observeReadAnswer(set, side, id, answer, lagMs, nowMs);
      return;
    case 'unreadable':
      // No evidence: the half is no longer missing.
      applyEvent(set, side, id, { kind: 'unknown' });
  }
};

/**
 * Applies a read of a contact whose deletion, or edit, an earlier run observed, right before a plan destroys something because of
 * it. A deletion that the read neither confirms nor disproves is not carried out: the next runs read the contact again (R7). A
 * side that archives contacts still returns them; its listings decide.
 */
export const observeAgain = (
  set: WorkingSet,
  side: Side,
  id: string,
  answer: ReadAnswer | undefined,
  { confirmsAbsenceAfter, lagMs }: Confirmation,
  nowMs: number,
): void => {
  const half = set.half(side, id);
  if (half?.state !== 'gone') return observeReadAnswer(set, side, id, answer, lagMs, nowMs);
  switch (answer?.kind) {
    case 'gone':
    case 'withheld':
      return;
    case 'moved':
      return observeReadAnswer(set, side, id, answer, lagMs, nowMs);
    case 'found':
      if (confirmsAbsenceAfter !== null && half.absences > 0) return;
      if (!mayBeStaleRead(half, answer.record, lagMs, nowMs))
        return observeReadAnswer(set, side, id, answer, lagMs, nowMs);
      break;
    case 'unreadable':
    case undefined:
  }
  // The contact may exist, as if a feed showed it.
  applyEvent(set, side, id, { kind: 'shown', record: half.record, atMs: nowMs });
};
