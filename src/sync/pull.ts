import type { Side } from '../contact/side.ts';
import { accountChanged, sideEmptied } from '../reconcile/guard.ts';
import { CursorExpiredError } from '../providers/errors.ts';
import type { FeedPage, KnownRows, PullRequest } from '../providers/remote.ts';
import type { FeedState } from '../store/store.ts';
import { HaltError, onBothSides, type Session } from './context.ts';

const stage = async (session: Session, side: Side, page: FeedPage): Promise<void> => {
  const upserts = page.changes.flatMap((change) => (change.kind === 'upsert' ? [change] : []));
  const unreadable = page.changes.flatMap((change) => (change.kind === 'unreadable' ? [change] : []));
  const changed = await session.store.stagePage(session.link, side, {
    upserts,
    tombstones: page.changes.flatMap((change) => (change.kind === 'tombstone' ? [change.id] : [])),
    unchanged: page.unchanged,
    unreadable: unreadable.flatMap((change) => (change.id === null ? [] : [change.id])),
    resume: page.resume,
    cursor: page.cursor,
    atMs: session.clock.now(),
  });
  session.tally[side].pulled += changed;
  for (const { id, reason } of unreadable) {
    session.tally.skipped += 1;
    const ids = { leftId: side === 'left' ? id : null, rightId: side === 'right' ? id : null };
    session.emit({ kind: 'skipped', side, reason, ...ids });
  }
};

const walk = async (session: Session, side: Side, request: PullRequest): Promise<void> => {
  const whole = request.mode === 'whole';
  let contacts = 0;
  for await (const page of session.remotes[side].pull(request, session.signal)) {
    await stage(session, side, page);
    contacts += page.changes.length + page.unchanged.length;
    session.emit({ kind: 'listed', side, whole, contacts, total: page.total });
    session.stop?.throwIfAborted();
  }
};

/** Takes stock of a listing that came to its end: what it did not show is missing. */
const finishListing = async (session: Session, side: Side): Promise<void> => {
  const { link, store } = session;
  const result = await store.finishListing(link, side, session.clock.now());
  if (result.paired < 2 || result.seen === 0 || result.pairedSeen > 0) return;
  // Other contacts than the linked ones: another account, unless the side itself has told that it is the same.
  const isSameAccount = (await store.link(link)).accounts[side] !== null;
  if (isSameAccount && session.acceptDeletes) return;
  await store.discardListing(link, side);
  if (isSameAccount) throw new HaltError(sideEmptied(side, session.sides[side].place, result.paired));
  throw new HaltError(
    accountChanged(side, session.sides[side].place, `none of its ${result.paired} linked contacts is there`),
  );
};

/** Lists a side whole; goes on where an earlier listing was cut off. */
const listWhole = async (session: Session, side: Side, feed: FeedState): Promise<void> => {
  const goesOn = feed.listingStartedAtMs !== null && feed.resume !== null;
  if (!goesOn) await session.store.beginListing(session.link, side, session.clock.now());
  const known: KnownRows = (rows) => session.store.knownRows(session.link, side, rows);
  await walk(session, side, { mode: 'whole', resume: goesOn ? feed.resume : null, known });
  await finishListing(session, side);
};

/** Where the feed stands; a listing whose last page an earlier process stored, and no more, is finished first. */
const openFeed = async (session: Session, side: Side): Promise<FeedState> => {
  const feed = await session.store.feed(session.link, side);
  if (feed.listingStartedAtMs === null || feed.cursor === null) return feed;
  await finishListing(session, side);
  return session.store.feed(session.link, side);
};

const pullChanges = async (session: Session, side: Side, cursor: string): Promise<boolean> => {
  try {
    await walk(session, side, { mode: 'changes', cursor });
    return true;
  } catch (error) {
    if (!(error instanceof CursorExpiredError)) throw error;
    session.emit({ kind: 'relisting', side, reason: error.message });
    return false;
  }
};

const isSweepDue = (session: Session, { listedAtMs }: FeedState): boolean => {
  return listedAtMs === null || session.clock.now() - listedAtMs >= session.sweepIntervalMs;
};

/** Reads what changed since a listing began that an earlier run had begun: the pages of that run are as old as it is. */
const pullSince = async (session: Session, side: Side): Promise<void> => {
  const { cursor } = await session.store.feed(session.link, side);
  if (cursor !== null) await pullChanges(session, side, cursor);
};

const pullSide = async (session: Session, side: Side): Promise<void> => {
  const feed = await openFeed(session, side);
  const listingUnderWay = feed.listingStartedAtMs !== null;
  const full = session.kind === 'full';
  const { namesDeletions } = session.remotes[side].capabilities;
  const sweeps = !namesDeletions && !full && !listingUnderWay && isSweepDue(session, feed);
  // A feed that names deletions names those of contacts written a moment ago too: it is read before a full listing.
  const readsFeed = feed.cursor !== null && !sweeps && (!full || namesDeletions);
  const fresh = readsFeed && feed.cursor !== null && (await pullChanges(session, side, feed.cursor));
  if (fresh && !full) return;
  if (!listingUnderWay) return listWhole(session, side, { ...feed, resume: null });
  await listWhole(session, side, feed);
  await pullSince(session, side);
};

/** Pulls what changed on both sides into the store, page by page (R14). */
export const pullBoth = async (session: Session): Promise<void> => {
  await onBothSides((side) => pullSide(session, side));
};
