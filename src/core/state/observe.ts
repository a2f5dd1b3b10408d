import type { FeedPage, ReadAnswer } from '../contact/requests.ts';
import type { Cursor, HalfKey } from './rows.ts';
import { CLOCK_MARGIN_MS, isDeleted, stands, type Half } from '../contact/half.ts';
import type { ContactRecord } from '../contact/record.ts';
import { otherSide, type Side, type Sides } from '../contact/side.ts';
import { EMPTY_SNAPSHOT } from '../reconcile/settle.ts';
import { buriedHalf, isUnseen, mayLag, mayLinger, nextHalf, unpairedGone, type HalfEvent } from './half.ts';
import type { WorkingSet } from './working-set.ts';

/** Lets an event happen to the half of that id; answers the half as it is then. */
const happen = (set: WorkingSet, side: Side, id: string, event: HalfEvent): Half | null => {
  const before = set.half(side, id);
  const after = nextHalf(side, before, event);
  if (after === before) return after;
  if (after === null) set.drop({ side, id });
  else set.put(after);
  return after;
};

/** Contacts that were merged into one that goes by another id now. */
const followSurvivor = (set: WorkingSet, side: Side, from: string, to: string): void => {
  for (const half of set.halves()) {
    if (half.side === side && half.mergedInto === from) set.put({ ...half, mergedInto: to });
  }
};

/**
 * Gives the half of `from` the contact's new id, where no other pair has that contact; else `from` was merged into the
 * contact of that pair and is gone (R12). So it is where its pair has no other half and the contact was known beside it:
 * whoever stands alone by intent makes nobody else do so. The set must hold both halves and those of the side that are gone.
 */
export const rename = (set: WorkingSet, side: Side, from: string, to: string, atMs: number): void => {
  const half = set.half(side, from);
  if (half === null || from === to) return;
  if (half.pair === null) {
    if (!isDeleted(half)) set.put(unpairedGone(half, atMs));
    return;
  }
  followSurvivor(set, side, from, to);
  const known = set.half(side, to);
  const isAlone = set.pair(half.pair)?.[otherSide(side)] === null;
  if (known !== null && (known.pair !== null || (isAlone && stands(known)))) {
    happen(set, side, from, { kind: 'merged', into: to, atMs });
    return;
  }
  set.put(unpairedGone(half, atMs));
  const record = { ...(known ?? half).record, id: to };
  set.put({ ...half, id: to, state: 'changed', record, mergedInto: null });
};

/** Whether an event left something for the next plan; of a contact of no pair, that it is gone leaves nothing. */
const isNews = (before: Half | null, after: Half | null): boolean => {
  if (after === null || after === before) return false;
  return after.state === 'changed' || (after.state === 'gone' && after.pair !== null);
};

/** Takes in that the side shows the contact; answers whether the next plan must look at it (R1, R2). */
export const observeRecord = (
  set: WorkingSet,
  side: Side,
  record: ContactRecord,
  atMs: number,
  byFeed = false,
): boolean => {
  const before = set.half(side, record.id);
  return isNews(before, happen(set, side, record.id, { kind: 'shown', record, atMs, byFeed }));
};

/** Takes in that a read found the contact; answers whether the next plan must look at it. */
const observeFound = (set: WorkingSet, side: Side, record: ContactRecord, atMs: number): boolean => {
  const before = set.half(side, record.id);
  return isNews(before, happen(set, side, record.id, { kind: 'found', record, atMs }));
};

/** Takes in evidence of a deletion; answers whether the next plan must look at it. */
export const observeDeletion = (set: WorkingSet, side: Side, id: string, atMs: number): boolean => {
  const before = set.half(side, id);
  return isNews(before, happen(set, side, id, { kind: 'deleted', atMs }));
};

/** The ids that a page speaks of; the set must hold their halves before the page is observed. */
export const idsInPage = ({ changes }: FeedPage): readonly string[] => {
  return changes.flatMap((change) => {
    switch (change.kind) {
      case 'upsert':
        return [change.record.id, ...change.previousIds];
      case 'tombstone':
        return [change.id];
      case 'unreadable':
        return [];
    }
  });
};

/** Whether a page names former ids of a contact: then the halves of the side that are gone are needed too (R12). */
export const hasRenames = ({ changes }: FeedPage): boolean => {
  return changes.some((change) => change.kind === 'upsert' && change.previousIds.length > 0);
};

/** How many contacts of a page the next plan must look at, and of how many of them nothing was known. */
type PageNews = { readonly news: number; readonly newcomers: number };

const observeStanding = (set: WorkingSet, side: Side, page: FeedPage, atMs: number, byFeed: boolean): PageNews => {
  let news = 0;
  let newcomers = 0;
  for (const change of page.changes) {
    if (change.kind !== 'upsert') continue;
    for (const from of change.previousIds) rename(set, side, from, change.record.id, atMs);
    if (set.half(side, change.record.id) === null) newcomers += 1;
    if (observeRecord(set, side, change.record, atMs, byFeed)) news += 1;
  }
  return { news, newcomers };
};

/**
 * Takes in a page of a feed and where the feed now stands. What a listing under way shows is noted, so that what it does not
 * show can be found.
 */
export const observePage = (set: WorkingSet, side: Side, page: FeedPage, cursor: Cursor, atMs: number): PageNews => {
  const standing = observeStanding(set, side, page, atMs, cursor.listingStartedAtMs === null);
  let { news } = standing;
  for (const change of page.changes) {
    if (change.kind !== 'tombstone') continue;
    if (observeDeletion(set, side, change.id, atMs)) news += 1;
    // A listing that lags may still show it.
    if (set.half(side, change.id) === null) set.put(buriedHalf(side, change.id, atMs));
  }
  const shown = page.changes.flatMap((change) => {
    if (change.kind === 'tombstone') return [];
    return change.kind === 'upsert' ? [change.record.id] : (change.id ?? []);
  });
  const ids = [...shown, ...page.unchanged];
  if (cursor.listingStartedAtMs !== null && ids.length > 0) set.add({ kind: 'shown', side, ids });
  const end = page.cursor === null ? {} : { cursor: page.cursor, readAtMs: atMs };
  set.add({ kind: 'put', table: 'cursors', row: { side, ...cursor, resume: page.resume, ...end } });
  return { news, newcomers: standing.newcomers };
};

/** What a complete listing showed, against what is known of the side. */
export type Listing = {
  /** Contacts that it showed. */
  readonly seen: number;
  /** Halves of the side that belong to a pair, and how many of them it showed. */
  readonly paired: number;
  readonly pairedSeen: number;
  /** Halves that it did not show. */
  readonly missed: readonly string[];
  /** Halves that were missing in earlier listings and are there again. */
  readonly back: readonly string[];
};

/** Holds what a listing showed against what is known of its side. Pure. */
export const compareListing = (index: readonly HalfKey[], shown: readonly string[]): Listing => {
  const ids = new Set(shown);
  const paired = index.filter(({ pair }) => pair !== null);
  return {
    seen: shown.length,
    paired: paired.length,
    pairedSeen: paired.filter(({ id }) => ids.has(id)).length,
    missed: index.filter(({ id }) => !ids.has(id)).map(({ id }) => id),
    back: index.filter(({ id, absences }) => absences > 0 && ids.has(id)).map(({ id }) => id),
  };
};

/** Takes in the end of a complete listing. The set must hold the halves that it missed and those that are back. */
export const observeListing = (
  set: WorkingSet,
  side: Side,
  { missed, back }: Pick<Listing, 'missed' | 'back'>,
  cursor: Cursor,
  nowMs: number,
): void => {
  const startedAtMs = cursor.listingStartedAtMs ?? 0;
  const event = { kind: 'missed', atMs: startedAtMs, endedAtMs: nowMs, lastListedAtMs: cursor.listedAtMs } as const;
  for (const id of missed) happen(set, side, id, event);
  for (const id of back) {
    const half = set.half(side, id);
    if (half !== null) set.put({ ...half, absences: 0, lastListedAtMs: null });
  }
  set.add({ kind: 'drop', table: 'shownPages', where: { side } });
  set.add({
    kind: 'put',
    table: 'cursors',
    row: { side, ...cursor, listingStartedAtMs: null, resume: null, listedAtMs: nowMs },
  });
};

/** Forgets a listing and the cursor: the next run lists the side whole. The set must hold the side's missing halves. */
export const discardListing = (set: WorkingSet, side: Side, cursor: Cursor): void => {
  for (const half of set.halves()) {
    if (half.side === side && half.state === 'missing') happen(set, side, half.id, { kind: 'unknown' });
  }
  set.add({ kind: 'drop', table: 'shownPages', where: { side } });
  set.add({
    kind: 'put',
    table: 'cursors',
    row: { side, ...cursor, cursor: null, resume: null, listingStartedAtMs: null },
  });
};

/**
 * What the set must hold for {@link observeAnswer}: the contacts that were read, and those that they have become, with the
 * side's halves that are gone (R12).
 */
export const answeredAbout = (
  side: Side,
  ids: readonly string[],
  answers: ReadonlyMap<string, ReadAnswer>,
): { readonly ids: Partial<Sides<readonly string[]>>; readonly gone: readonly Side[] } => {
  const moved = [...answers.values()].flatMap((answer) => (answer.kind === 'moved' ? [answer.record.id] : []));
  return { ids: { [side]: [...ids, ...moved] }, gone: moved.length > 0 ? [side] : [] };
};

/** What a read says about a contact that was expected; `gone` is evidence of a deletion (R7). */
export const observeAnswer = (
  set: WorkingSet,
  side: Side,
  id: string,
  answer: ReadAnswer | undefined,
  atMs: number,
): void => {
  switch (answer?.kind) {
    case 'found':
      observeFound(set, side, answer.record, atMs);
      return;
    case 'moved':
      rename(set, side, id, answer.record.id, atMs);
      observeFound(set, side, answer.record, atMs);
      return;
    case 'gone':
      observeDeletion(set, side, id, atMs);
      return;
    case 'withheld':
    case 'unreadable':
    case undefined:
  }
};

/** How a side confirms that a contact is gone: see `RemoteCapabilities`. */
type Confirmation = {
  readonly confirmsAbsenceAfter: number | null;
  readonly settlesWithinMs: number;
  /** Whether all that was written to the contact since a listing last showed it is known to follow from no edit. */
  readonly broughtNoEdit?: boolean;
};

/**
 * A contact that listings do not show although a read still finds it, as where a side archives instead of deleting, counts as
 * deleted. What was written to it since a listing last showed it may never be seen there: then the other half counts as
 * edited, and the edit beats the deletion (R6). A stamp that is later than the write says that it was seen.
 */
const keepUnseen = (set: WorkingSet, half: Half, { modifiedAtMs }: ContactRecord, broughtNoEdit: boolean): void => {
  const { side, pair, writtenAtMs, lastListedAtMs } = half;
  if (broughtNoEdit || writtenAtMs === null || lastListedAtMs === null || writtenAtMs < lastListedAtMs) return;
  if (modifiedAtMs !== null && modifiedAtMs > writtenAtMs + CLOCK_MARGIN_MS) return;
  const other = pair === null ? null : (set.pair(pair)?.[otherSide(side)] ?? null);
  if (other !== null)
    set.put({ ...other, base: EMPTY_SNAPSHOT, state: other.state === 'settled' ? 'changed' : other.state });
};

/** What a read says about a contact that is shown although it is gone: right after its deletion, the read may lag too (R7). */
const observeDoubted = (
  set: WorkingSet,
  half: Half,
  answer: ReadAnswer,
  { settlesWithinMs }: Confirmation,
  nowMs: number,
): void => {
  if (answer.kind === 'found' && mayLinger(half, answer.record, settlesWithinMs, nowMs)) return;
  observeAnswer(set, half.side, half.id, answer, nowMs);
};

/** What a read says about a contact that a complete listing did not show, or that is shown although it is gone (R7). */
export const observeMissing = (
  set: WorkingSet,
  half: Half,
  answer: ReadAnswer,
  confirmation: Confirmation,
  nowMs: number,
): void => {
  const { side, id, state, absences } = half;
  const { confirmsAbsenceAfter, settlesWithinMs, broughtNoEdit } = confirmation;
  // No listing has missed a half that is doubted.
  if (state === 'doubted') {
    observeDoubted(set, half, answer, confirmation, nowMs);
    return;
  }
  const counts = !mayLag(half, settlesWithinMs, nowMs);
  switch (answer.kind) {
    case 'gone':
    case 'withheld':
      happen(set, side, id, { kind: isUnseen(half, settlesWithinMs, nowMs) ? 'unsettled' : 'deleted', atMs: nowMs });
      return;
    case 'found':
      if (counts && confirmsAbsenceAfter !== null && absences + 1 >= confirmsAbsenceAfter) {
        happen(set, side, id, { kind: 'deleted', atMs: nowMs });
        keepUnseen(set, half, answer.record, broughtNoEdit === true);
        return;
      }
      set.put({ ...half, absences: counts ? absences + 1 : absences });
      happen(set, side, id, { kind: 'unknown' });
      observeFound(set, side, answer.record, nowMs);
      return;
    case 'moved':
      observeAnswer(set, side, id, answer, nowMs);
      return;
    case 'unreadable':
      happen(set, side, id, { kind: 'unknown' });
  }
};
