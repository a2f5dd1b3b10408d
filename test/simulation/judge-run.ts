import type { ConflictRow } from '../../src/core/state/rows.ts';
import { SIDES, type Side } from '../../src/core/contact/side.ts';
import { isCertain } from './choices.ts';
import type { Hardness } from './history.ts';
import { tokenOf } from './ledger.ts';
import { tokensAsked } from './decisions.ts';
import { visibleTokens, type World } from './world.ts';

/** Records the linked contacts with their status, and the contacts of writes with an unknown outcome. */
export const noteLinked = async (world: World): Promise<void> => {
  const { open, statuses, unlinked } = world.parts;
  statuses.clear();
  open.clear();
  unlinked.clear();
  const ids: Record<Side, Map<number, string>> = { left: new Map(), right: new Map() };
  for (const side of SIDES) {
    const linked = world.linked[side];
    linked.clear();
    for (const { id, pair } of await world.store.index(world.link, side)) {
      if (pair === null) continue;
      linked.add(id);
      ids[side].set(pair, id);
    }
    const rows = world.books[side].rows.filter((row) => linked.has(row.id));
    for (const row of rows) world.unconfirmed.delete(row);
  }
  const rows = await world.store.pairs(world.link, [...new Set([...ids.left.keys(), ...ids.right.keys()])]);
  const statusOf = new Map(rows.map(({ id, status }) => [id, status]));
  for (const side of SIDES) {
    for (const [pair, id] of ids[side]) {
      const [row, status] = [world.books[side].find(id), statusOf.get(pair)];
      if (row !== undefined && status !== undefined) statuses.set(row, status);
    }
  }
  for (const { leftId, rightId } of await world.store.journal(world.link, { open: true })) {
    for (const row of [world.books.left.find(leftId ?? ''), world.books.right.find(rightId ?? '')]) {
      if (row !== undefined) open.add(row);
    }
  }
  const whole = [...ids.left].flatMap(([pair, left]) => {
    const right = ids.right.get(pair);
    return right === undefined ? [] : [{ left, right }];
  });
  world.pairs.splice(0, world.pairs.length, ...whole);
  if (!world.parts.selects) return;
  for (const { id, side, formerPair } of await world.store.halves(world.link, { by: 'all' })) {
    const row = formerPair === null ? undefined : world.books[side].find(id);
    if (row !== undefined) unlinked.add(row);
  }
};

/** Deletions that were reported to a completed run are known from then on. Those of another run may be lost. */
export const noteReportedDeletions = (world: World, completed: boolean): void => {
  for (const row of SIDES.flatMap((side) => world.books[side].rows)) {
    if (row.reported === 'now') row.reported = completed ? 'before' : 'no';
  }
};

/** Values that are on both sides of a pair at rest are agreed. */
export const noteAgreed = (world: World): void => {
  for (const ids of world.pairs) {
    const [left, right] = [world.books.left.find(ids.left), world.books.right.find(ids.right)];
    if (left === undefined || right === undefined) continue;
    const both = visibleTokens(world.books.left, left).intersection(visibleTokens(world.books.right, right));
    world.agreed.set(left.entity, both.difference(tokensAsked(world, 'left', left.id)));
  }
  for (const [entity, tokens] of world.agreed) {
    world.agreed.set(entity, new Set([...tokens].filter((token) => isCertain(world.choosing, token))));
  }
};

const isOfName = (field: string): boolean => field === 'firstName' || field === 'lastName';

/**
 * The conflict about the other part of the same name: a name is settled as a whole (R4). If its values were recorded by an earlier run
 * and that conflict has not ended, it is not recorded again.
 */
const otherPartOf = (conflict: ConflictRow, all: readonly ConflictRow[]): ConflictRow | undefined =>
  all.find(({ leftId, run, atMs, endedAtMs, field }) => {
    const isOpen = atMs <= conflict.atMs && (endedAtMs === null || endedAtMs > conflict.atMs);
    const isSame = leftId === conflict.leftId && (run === conflict.run || isOpen);
    return isSame && field !== conflict.field && isOfName(field) && isOfName(conflict.field);
  });

/** A value that no user has edited since both sides agreed on it is in no conflict (R2). */
export const checkUntouched = async (world: World): Promise<void> => {
  const all = await world.store.conflicts(world.link, { all: true });
  for (const conflict of all) {
    const entity = world.books.left.find(conflict.leftId)?.entity;
    if (entity === undefined || world.ledger.ambiguous.has(entity) || world.ledger.mergedPeople.has(entity)) continue;
    for (const side of SIDES) {
      const token = tokenOf(conflict.field, conflict[side]);
      const key = JSON.stringify(['untouched', conflict.field, conflict.left, conflict.right, conflict.leftId, side]);
      if (token === null || world.checkedConflicts.has(key)) continue;
      world.checkedConflicts.add(key);
      if (!isCertain(world.choosing, token) || world.ledger.everRemoved[side].has(token)) continue;
      if (world.agreed.get(entity)?.has(token) !== true) continue;
      const part = otherPartOf(conflict, all);
      const other = part === undefined ? null : tokenOf(part.field, part[side]);
      if (other !== null && world.agreed.get(entity)?.has(other) !== true) continue;
      world.complaints.push(
        `a conflict is about ${token}, which no user edited at ${side} since both sides agreed on it`,
      );
    }
  }
};

/** A value that a user removed before the run started must not win a conflict. */
export const checkConflicts = async (
  world: World,
  hardness: Hardness | undefined,
  startedAtMs: number,
): Promise<void> => {
  if (hardness === undefined) return;
  const knownAtMs = startedAtMs - Math.max(hardness.listingLagMs, hardness.feedLagMs);
  for (const row of await world.store.conflicts(world.link, { all: true })) {
    const { field, winner, left, right, leftId } = row;
    // An archived contact is still readable.
    if (winner === null || world.books[winner].find(row[`${winner}Id`])?.state === 'archived') continue;
    const token = tokenOf(field, winner === 'left' ? left : right);
    const key = JSON.stringify([field, winner, left, right, leftId]);
    if (token === null || world.checkedConflicts.has(key)) continue;
    world.checkedConflicts.add(key);
    const removedAtMs = world.ledger.removedAtMs[winner].get(token);
    // A feed of stamps does not report removals by a backup.
    if (removedAtMs === undefined || removedAtMs >= knownAtMs || world.ledger.removedByBackup.has(token)) continue;
    world.complaints.push(`${token} won a conflict although it was removed at ${winner} before`);
  }
};
