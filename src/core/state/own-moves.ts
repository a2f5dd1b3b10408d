import { CLOCK_MARGIN_MS } from '../contact/half.ts';
import type { ContactRecord, OwnMove } from '../contact/record.ts';
import type { MembershipOperation } from '../reconcile/operation.ts';

/**
 * Returns the record with the membership of a write's response, without a digest, because no row returns this content. If the side
 * may return a former membership for some time, the record also contains the written moves.
 */
export const withWrittenGroups = (
  record: ContactRecord,
  groupIds: readonly string[],
  { join, leave }: Pick<MembershipOperation, 'join' | 'leave'>,
  { lagMs, atMs }: { readonly lagMs: number; readonly atMs: number },
): ContactRecord => {
  const { digest: _, ownMoves = [], ...rest } = record;
  const written = { ...rest, groupIds: [...groupIds].toSorted() };
  if (lagMs === 0) return written;
  const moved = new Set([...join, ...leave]);
  const move = (isMember: boolean) => (groupId: string) => {
    return { groupId, isMember, atMs, knownAtMs: record.modifiedAtMs };
  };
  const former = ownMoves.filter(({ groupId }) => !moved.has(groupId));
  return { ...written, ownMoves: [...former, ...join.map(move(true)), ...leave.map(move(false))] };
};

/**
 * Returns whether the record is older than the write: its modification time is not newer than the one known then, or
 * far older than the write.
 */
const isBefore = ({ modifiedAtMs }: ContactRecord, { atMs, knownAtMs }: OwnMove): boolean => {
  if (modifiedAtMs === null) return false;
  return (knownAtMs !== null && modifiedAtMs <= knownAtMs) || modifiedAtMs < atMs - CLOCK_MARGIN_MS;
};

/** Returns whether the record is newer than the write, even if the side's clock is ahead by the margin. */
const isAfter = ({ modifiedAtMs }: ContactRecord, { atMs }: OwnMove): boolean =>
  modifiedAtMs !== null && modifiedAtMs > atMs + CLOCK_MARGIN_MS;

/** The source of a record. A record that was read by its id is delayed only if its modification time is before the write. */
type Showing = { readonly isRead: boolean; readonly isRecent: (move: OwnMove) => boolean };

const appliedMoves = (record: ContactRecord, known: ContactRecord, { isRead, isRecent }: Showing) =>
  (known.ownMoves ?? []).filter((move) => {
    return isRecent(move) && (isRead ? isBefore(record, move) : !isAfter(record, move));
  });

const isShown = ({ groupIds }: ContactRecord, { groupId, isMember }: OwnMove): boolean =>
  groupIds.includes(groupId) === isMember;

/**
 * Returns the record with the memberships that this link recently wrote (R11), because a delayed side may
 * return the former ones. Pure.
 */
export const withOwnMoves = (record: ContactRecord, known: ContactRecord, showing: Showing): ContactRecord => {
  const ownMoves = appliedMoves(record, known, showing);
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
 * Returns whether a feed contradicts a membership that this link recently wrote, and the modification time does not show which is
 * newer, since the side's clock may be wrong. Then a read by the contact's id decides. Pure.
 */
export const isInDoubt = (record: ContactRecord, known: ContactRecord, isRecent: Showing['isRecent']): boolean =>
  appliedMoves(record, known, { isRead: false, isRecent }).some(
    (move) => !isShown(record, move) && !isBefore(record, move),
  );
