import type { ContactRecord, OwnMove } from '../../contact/record.ts';

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
  const move = (isMember: boolean) => (groupId: string) => ({ groupId, isMember, atMs });
  const former = ownMoves.filter(({ groupId }) => !moved.has(groupId));
  return { ...written, ownMoves: [...former, ...add.map(move(true)), ...remove.map(move(false))] };
};

/**
 * The record that a side shows, with the memberships that this link wrote recently (R11): a side that lags may show the
 * former ones, and its stamp may be that of before the write. A record with a later stamp than the write is right. Pure.
 */
export const withOwnMoves = (
  record: ContactRecord,
  known: ContactRecord,
  isRecent: (move: OwnMove) => boolean,
): ContactRecord => {
  const { modifiedAtMs } = record;
  const ownMoves = (known.ownMoves ?? []).filter(
    (move) => isRecent(move) && (modifiedAtMs === null || modifiedAtMs <= move.atMs),
  );
  if (ownMoves.length === 0) return record;
  const groupIds = new Set(record.groupIds);
  const isShown = ({ groupId, isMember }: OwnMove): boolean => groupIds.has(groupId) === isMember;
  if (ownMoves.every(isShown)) return { ...record, ownMoves };
  for (const { groupId, isMember } of ownMoves) {
    if (isMember) groupIds.add(groupId);
    else groupIds.delete(groupId);
  }
  const { digest: _, ...rest } = record;
  return { ...rest, groupIds: [...groupIds].toSorted(), ownMoves };
};
