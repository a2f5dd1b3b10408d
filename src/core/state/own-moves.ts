import { CLOCK_MARGIN_MS } from '../contact/half.ts';
import type { ContactRecord, OwnMove } from '../contact/record.ts';

/** Which groups a write joined and left. */
type Moves = { readonly add: readonly string[]; readonly remove: readonly string[] };

/**
 * The record with the membership that a write answered with, without a digest: no row returns that. Where the side may show
 * a former membership for a while, the record keeps what was written.
 */
export const withWrittenGroups = (
  record: ContactRecord,
  groupIds: readonly string[],
  { add, remove }: Moves,
  { lags, atMs }: { readonly lags: boolean; readonly atMs: number },
): ContactRecord => {
  const { digest: _, ownMoves = [], ...rest } = record;
  const written = { ...rest, groupIds: [...groupIds].toSorted() };
  if (!lags) return written;
  const moved = new Set([...add, ...remove]);
  const move = (isMember: boolean) => (groupId: string) => {
    return { groupId, isMember, atMs, knownAtMs: record.modifiedAtMs };
  };
  const former = ownMoves.filter(({ groupId }) => !moved.has(groupId));
  return { ...written, ownMoves: [...former, ...add.map(move(true)), ...remove.map(move(false))] };
};

/** Whether a record with this stamp is of before the write: it is no newer than the one known then, or far older. */
const isBefore = ({ modifiedAtMs }: ContactRecord, { atMs, knownAtMs }: OwnMove): boolean => {
  if (modifiedAtMs === null) return false;
  return (knownAtMs !== null && modifiedAtMs <= knownAtMs) || modifiedAtMs < atMs - CLOCK_MARGIN_MS;
};

/** Whether a record with this stamp is of after the write, however far the side's clock may be ahead. */
const isAfter = ({ modifiedAtMs }: ContactRecord, { atMs }: OwnMove): boolean =>
  modifiedAtMs !== null && modifiedAtMs > atMs + CLOCK_MARGIN_MS;

/** The source of a record. A record that was read by its id lags only if its stamp is older than the write. */
type Showing = { readonly isRead: boolean; readonly isRecent: (move: OwnMove) => boolean };

const standingMoves = (record: ContactRecord, known: ContactRecord, { isRead, isRecent }: Showing) =>
  (known.ownMoves ?? []).filter((move) => {
    return isRecent(move) && (isRead ? isBefore(record, move) : !isAfter(record, move));
  });

const isShown = ({ groupIds }: ContactRecord, { groupId, isMember }: OwnMove): boolean =>
  groupIds.includes(groupId) === isMember;

/**
 * The record that a side shows, with the memberships that this link wrote recently (R11): a side that lags may show the
 * former ones. Pure.
 */
export const withOwnMoves = (record: ContactRecord, known: ContactRecord, showing: Showing): ContactRecord => {
  const ownMoves = standingMoves(record, known, showing);
  if (ownMoves.length === 0) return record;
  if (ownMoves.every((move) => isShown(record, move))) return { ...record, ownMoves };
  const groupIds = new Set(record.groupIds);
  for (const { groupId, isMember } of ownMoves) {
    if (isMember) groupIds.add(groupId);
    else groupIds.delete(groupId);
  }
  const { digest: _, ...rest } = record;
  return { ...rest, groupIds: [...groupIds].toSorted(), ownMoves };
};

/**
 * Whether a feed contradicts a membership that this link wrote recently, and the stamp does not tell which of the two is
 * newer, since the side's clock may be wrong: then a read by the contact's id decides. Pure.
 */
export const isInDoubt = (record: ContactRecord, known: ContactRecord, isRecent: Showing['isRecent']): boolean =>
  standingMoves(record, known, { isRead: false, isRecent }).some(
    (move) => !isShown(record, move) && !isBefore(record, move),
  );
