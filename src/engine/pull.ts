import { idAt, idsOn } from '../core/contact/pair.ts';
import type { FeedPage } from '../core/contact/requests.ts';
import type { Cursor, NarrowHalf } from '../core/state/rows.ts';
import type { Side } from '../core/contact/side.ts';
import { accountChanged } from '../core/reconcile/guard.ts';
import { CursorExpiredError, EndlessListingError } from '../providers/errors.ts';
import type { KnownRows, PullRequest } from '../providers/remote.ts';
import { confirmAccounts } from './accounts.ts';
import { reportSkipped, type Session } from './session.ts';
import { HaltError } from './errors.ts';
import { discard, discardUnpaired } from './discard.ts';
import { halvesIn, openEntries } from './opening.ts';
import { forgetUnreadRows, scheduleRead, rememberUnreadRow, unreadContact } from '../core/state/unread.ts';
import { isTooRecent, mustBeRead } from '../core/state/half-transitions.ts';
import { newUnsyncableReason } from '../core/state/unsyncable.ts';
import {
  compareListing,
  hasRenames,
  idsInPage,
  observeListing,
  observePage,
  storeListing,
} from '../core/state/observe.ts';

const cursorOf = ({ state }: Session, side: Side): Cursor => state().cursors[side];

/**
 * Stores one page with the position of the feed after it (R14). Returns the number of new contacts. The contact of an unreadable
 * row is read by its id later, unless a page shows it in a readable row before.
 */
const storePage = async (session: Session, side: Side, page: FeedPage, cursor: Cursor): Promise<number> => {
  const { clock, tally, writer } = session;
  const unreadable = page.changes.filter((change) => change.kind === 'unreadable');
  const { rejections } = session.state();
  const readable = page.changes.flatMap((change) => (change.kind === 'upsert' ? [change.record.id] : []));
  const needs = { ids: { [side]: idsInPage(page) }, gone: hasRenames(page) ? [side] : [] };
  let firstSeen = 0;
  const unsyncable: { readonly id: string; readonly reason: string }[] = [];
  await writer.apply(needs, (set) => {
    forgetUnreadRows(set, side, [...readable, ...page.unchanged], rejections);
    for (const change of page.changes) {
      if (change.kind !== 'upsert') continue;
      const { record } = change;
      const known = set.half(side, record.id);
      const reason = newUnsyncableReason(known, record);
      if (reason !== null) unsyncable.push({ id: record.id, reason });
      if (mustBeRead(known, record, clock.now())) scheduleRead(set, side, record.id, session.startedAtMs);
    }
    const observed = observePage(set, side, page, cursor, clock.now());
    tally[side].pulled += observed.toPlan;
    firstSeen = observed.firstSeen;
    for (const { id, reason } of unreadable) {
      if (id !== null) rememberUnreadRow(set, unreadContact(side, id), reason, rejections, clock.now());
    }
  });
  for (const { id, reason } of unsyncable) session.emit({ kind: 'skipped', side, reason, ...idsOn(side, id) });
  for (const { id, reason } of unreadable) reportSkipped(session, side, reason, idsOn(side, id));
  return firstSeen;
};

/** Reads a feed or a listing to its end, page by page. Returns the number of new contacts. */
const readPages = async (session: Session, side: Side, request: PullRequest, start: Cursor): Promise<number> => {
  const whole = request.mode === 'whole';
  let contacts = 0;
  let firstSeen = 0;
  for await (const page of session.remotes[side].pull(request, session.signal)) {
    firstSeen += await storePage(session, side, page, start);
    contacts += page.changes.length + page.unchanged.length;
    session.emit({ kind: 'listed', side, whole, contacts, total: page.total });
    session.stop?.throwIfAborted();
  }
  return firstSeen;
};

/** Like {@link readPages}. Discards the new contacts of an endless listing. */
const walk = async (session: Session, side: Side, request: PullRequest, start: Cursor): Promise<number> => {
  try {
    return await readPages(session, side, request, start);
  } catch (error) {
    if (error instanceof EndlessListingError) {
      await discardUnpaired(session, side);
      await discard(session, side);
    }
    throw error;
  }
};

/** Counts the linked contacts that a listing should show: all but those that were created or changed recently (R7). */
const countMissing = async (session: Session, side: Side, index: readonly NarrowHalf[]): Promise<number> => {
  const { clock, link, remotes, store } = session;
  const ids = index.filter(({ pair }) => pair !== null).map(({ id }) => id);
  const { lagMs } = remotes[side].capabilities;
  const halves = await store.halves(link, { by: 'id', side, ids });
  return halves.filter((half) => !isTooRecent(half, lagMs, clock.now())).length;
};

/** Stores the end of a listing: contacts that it did not show are missing (R7, R8). */
const finishListing = async (session: Session, side: Side): Promise<void> => {
  const { clock, link, store, writer } = session;
  const { accounts, cursors } = session.state();
  const index = await store.index(link, side);
  const listing = compareListing(index, await store.shown(link, side));
  const isStrange = listing.paired >= 2 && listing.seen > 0 && listing.pairedSeen === 0;
  const missing = isStrange ? await countMissing(session, side, index) : 0;
  const isOther = missing >= 2;
  // The listing shows other contacts than the linked ones: it is another account, unless the side reports the same one. Then
  // reads decide (R7), the plan finds contacts that were added again (R12), and the guard counts the rest (R8).
  if (isOther && accounts[side] !== null) {
    await confirmAccounts(session, [side]);
  } else if (isOther) {
    await discard(session, side);
    const { place } = session.sides[side];
    throw new HaltError(accountChanged(side, place, `none of its ${missing} linked contacts is there`));
  }
  const needs = { ids: { [side]: [...listing.missed, ...listing.reappeared] } };
  const open = await openEntries(session);
  const sources = new Set(open.flatMap((row) => (row.kind === 'create' ? (idAt(row, side) ?? []) : [])));
  await writer.apply(needs, (set) => observeListing(set, side, listing, sources, cursors[side], clock.now()));
};

/**
 * Lists a side whole. Continues an interrupted listing if the side accepts its position and its pages still count: only a feed that
 * reports deletions shows contacts deleted since then; otherwise a deleted contact would count as present (R7).
 */
const listWhole = async (session: Session, side: Side, cursor: Cursor): Promise<void> => {
  const { clock, link, remotes, store, writer } = session;
  const { namesDeletions } = remotes[side].capabilities;
  const continues = cursor.listingStartedAtMs !== null && cursor.resume !== null && namesDeletions;
  const start = continues ? cursor : { ...cursor, cursor: null, resume: null, listingStartedAtMs: clock.now() };
  if (!continues) await writer.apply({}, (set) => storeListing(set, side, start));
  const known: KnownRows = (rows) => store.known(link, side, rows);
  try {
    await walk(session, side, { mode: 'whole', resume: start.resume, known }, start);
  } catch (error) {
    if (!continues || !(error instanceof CursorExpiredError)) throw error;
    // Contacts of the former listing may have been deleted since, and no cursor reports it (R7).
    return listWhole(session, side, { ...cursor, resume: null });
  }
  await finishListing(session, side);
};

/** Returns the cursor. First finishes a listing of which an earlier process stored the last page but not the end. */
const openFeed = async (session: Session, side: Side): Promise<Cursor> => {
  const cursor = cursorOf(session, side);
  const { namesDeletions } = session.remotes[side].capabilities;
  if (cursor.listingStartedAtMs === null || cursor.cursor === null || !namesDeletions) return cursor;
  await finishListing(session, side);
  return cursorOf(session, side);
};

/** Reads the changes since the cursor. Returns the number of new contacts; null without a valid cursor. */
const pullChanges = async (session: Session, side: Side, cursor: Cursor): Promise<number | null> => {
  if (cursor.cursor === null) return null;
  try {
    return await walk(session, side, { mode: 'changes', cursor: cursor.cursor }, cursor);
  } catch (error) {
    if (!(error instanceof CursorExpiredError)) throw error;
    session.emit({ kind: 'relisting', side, reason: error.message });
    return null;
  }
};

/** A listing of up to this number of linked contacts for each new contact takes at most one request for each new contact. */
const LISTED_FOR_EACH = 50;

/**
 * Whether new contacts of a side may be deleted ones that were added again, and enough are new that the listing that decides it
 * costs little in comparison (R12).
 */
const mayBeBack = async ({ link, remotes, store }: Session, side: Side, firstSeen: number): Promise<boolean> => {
  if (firstSeen === 0 || remotes[side].capabilities.namesDeletions) return false;
  const { pairs } = await store.counts(link);
  return pairs > 0 && pairs <= firstSeen * LISTED_FOR_EACH;
};

/** A listing with a time in the future was stamped by a wrong clock. Its age is unknown, so a sweep is due. */
const isSweepDue = (session: Session, side: Side, { listedAtMs }: Cursor): boolean => {
  if (session.remotes[side].capabilities.cursorsExpire) return false;
  if (listedAtMs === null) return true;
  const ageMs = session.clock.now() - listedAtMs;
  return ageMs < 0 || ageMs >= session.sweepIntervalMs;
};

/**
 * Returns whether deletions that an earlier run observed wait because the guard halted it, and only a listing shows whether the
 * contacts exist again: the side archives contacts, and a read returns them all the same.
 */
const mustListAgain = async (session: Session, side: Side): Promise<boolean> => {
  const { remotes, state } = session;
  if (remotes[side].capabilities.confirmsAbsenceAfter === null) return false;
  if (state().state !== 'halted') return false;
  const deleted = await halvesIn(session, ['gone'], side);
  return deleted.some(({ pair }) => pair !== null);
};

/** Pulls the changes of a side into the store, page by page (R14). */
export const pullSide = async (session: Session, side: Side): Promise<void> => {
  const cursor = await openFeed(session, side);
  const resumesListing = cursor.listingStartedAtMs !== null;
  const { namesDeletions } = session.remotes[side].capabilities;
  // A feed may leave changes and deletions out, also one that reports deletions: each side is listed from time to time.
  const sweeps = isSweepDue(session, side, cursor) || (await mustListAgain(session, side));
  const listsWhole = session.kind === 'full' || sweeps || (resumesListing && !namesDeletions);
  // A feed that reports deletions also shows recent writes, which a listing may lack: it is read first.
  const firstSeen = listsWhole && !namesDeletions ? null : await pullChanges(session, side, cursor);
  if (firstSeen !== null && !listsWhole && !(await mayBeBack(session, side, firstSeen))) return;
  await listWhole(session, side, cursorOf(session, side));
  // The listing of an earlier run lacks the changes since then.
  if (resumesListing && namesDeletions) await pullChanges(session, side, cursorOf(session, side));
};
