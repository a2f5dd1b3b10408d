import { USUAL_FIELDS, type SyncedField } from '../../src/core/contact/contact.ts';
import { otherSide, SIDES, type Side, type Sides } from '../../src/core/contact/side.ts';
import type { Book, Group, Row } from '../support/memory/book.ts';
import { countedAsOwn } from './follow-run.ts';
import { groupOf, type Token } from './ledger.ts';
import { groupIdsOf } from './selecting.ts';
import { tokensIn, type Destroyed, type ContactState, type World } from './world.ts';

const DAY_MS = 86_400_000;

const LOSSES = ['contacts', ...USUAL_FIELDS] as const;

/** The quantities of the guard: the losses within a day, and the number of pairs. */
type Measure = { readonly recent: readonly Destroyed[]; readonly pairs: number };

const withinDay = (destroyed: readonly Destroyed[], nowMs: number): readonly Destroyed[] =>
  destroyed.filter(({ atMs }) => atMs >= nowMs - DAY_MS);

const recentAt = ({ destroyed }: World, nowMs: number): readonly Destroyed[] => withinDay(destroyed, nowMs);

/** Maximum number of losses of one kind on a side: half of the linked contacts, at least one. */
const allowed = (deleteCount: number, { recent, pairs }: Measure): number => {
  const book = pairs + recent.filter(({ loss }) => loss === 'contacts').length;
  return Math.min(deleteCount, Math.max(1, Math.floor(book / 2)));
};

const what = (loss: (typeof LOSSES)[number]): string => (loss === 'contacts' ? 'everything' : `all ${loss}`);

const countOf = (all: readonly Destroyed[], side: Side, loss: Destroyed['loss']): number => {
  const own = all.filter((each) => each.side === side && each.loss === loss);
  const rows = own.flatMap(({ row }) => row ?? []);
  return own.length - rows.length + new Set(rows).size;
};

/**
 * The states of a contact that the link may see: the current one, and those that listings and the feed may still show. Until the side
 * is listed, a feed of stamps does not report what a backup restored, and no feed reports a membership without a
 * version: the link may know the former state. The same holds for a contact that cannot be read.
 */
const possibleStates = (world: World, side: Side, row: Row): readonly ContactState[] => {
  const sinceMs = world.unread.get(row) ?? world.clock.now();
  const late = row.shown.filter((_, index) => {
    const next = row.shown[index + 1];
    return next !== undefined && Math.max(next.visibleAtMs, next.fedAtMs) > sinceMs;
  });
  const earlier = late.map(({ record, state }) => {
    return { entity: row.entity, contact: record.contact, groupIds: new Set(record.groupIds), state };
  });
  const { entity, contact, state } = row;
  const isTold = world.books[side].provider.membershipIsVersioned;
  const members = isTold
    ? []
    : groupIdsOf(world, side, row).map((groupIds) => ({ entity, contact, state, groupIds: new Set(groupIds) }));
  return [...earlier, ...(world.beforeRestore.get(row) ?? []), ...members, row];
};

/** The contact with this id, also where it was merged into another one; otherwise the contact that had the id before. */
const rowOf = (book: Book, id: string): Row | undefined => book.rows.find((row) => row.id === id) ?? book.find(id);

/** The contacts of pairs. */
const rowsOf = ({ books }: World, pairs: readonly Sides<string>[]): readonly Sides<Row>[] =>
  pairs.flatMap((ids) => {
    const [left, right] = [rowOf(books.left, ids.left), rowOf(books.right, ids.right)];
    return left === undefined || right === undefined ? [] : [{ left, right }];
  });

/** The contacts of pairs, each with the states that the link may see. */
const pairStates = (world: World, pairs: readonly Sides<string>[]): Sides<ReturnType<typeof possibleStates>>[] =>
  rowsOf(world, pairs).map(({ left, right }) => ({
    left: possibleStates(world, 'left', left),
    right: possibleStates(world, 'right', right),
  }));

/** Whether users removed every value of a field: each value on either side was removed on the other one. */
const isBlanked = (
  world: World,
  side: Side,
  field: SyncedField,
  states: Sides<ReturnType<typeof possibleStates>>,
): boolean => {
  const other = otherSide(side);
  const { deletedGroups, everRemoved } = world.ledger;
  // A member of a group that a user deleted is not removed from it one by one.
  const isTaken = (token: Token): boolean =>
    everRemoved[side].has(token) || deletedGroups.has(groupOf(token) ?? Number.NaN);
  return states[side].some((own) => {
    const held = tokensIn(world.books[side], own, field);
    if (held.size === 0 || !held.isSubsetOf(everRemoved[other])) return false;
    return states[other].some((like) => {
      const there = tokensIn(world.books[other], like, field);
      return held.isDisjointFrom(there) && [...there].every(isTaken);
    });
  });
};

const isGone = (seen: ReturnType<typeof possibleStates>): boolean => seen.some(({ state }) => state !== 'live');

/**
 * Number of losses of one kind that users caused and that are still due on a side. The link may not know that the side has
 * lost the contact already.
 */
const due = (world: World, side: Side, loss: (typeof LOSSES)[number]): number => {
  if (loss === 'contacts')
    return pairStates(world, world.pairs).filter((states) => isGone(states[otherSide(side)])).length;
  return pairStates(world, world.pairs).filter((states) => isBlanked(world, side, loss, states)).length;
};

/** Whether all contacts of two or more pairs are deleted on a side. */
const isEmptied = (world: World, side: Side): boolean =>
  world.pairs.length >= 2 && pairStates(world, world.pairs).every((states) => isGone(states[side]));

/** Number of members of the groups that users deleted on the other side, as far as the link knows the memberships. */
const dueMembers = (world: World, side: Side): number => {
  const { groups, rows } = world.books[side];
  const dead = groups.filter(({ live, entity }) => live && world.ledger.deletedGroups.has(entity));
  const isMember = (row: Row, { id }: Group): boolean =>
    possibleStates(world, side, row).some(({ groupIds }) => groupIds.has(id));
  return dead.reduce((sum, group) => sum + rows.filter((row) => isMember(row, group)).length, 0);
};

/** Reports a halt without a cause (R8). The pairs must be those of the halted run. */
export const checkHalt = (world: World, deleteCount: number, reason: string | null): void => {
  // Losses are counted by the numbers in values; people of the cast have no such numbers.
  if (world.people.known.size > 0) return;
  const recent = withinDay([...world.destroyed, ...countedAsOwn(world)], world.clock.now());
  const limit = allowed(deleteCount, { recent, pairs: world.pairs.length });
  const isTooMuch = (side: Side): boolean =>
    LOSSES.some((loss) => due(world, side, loss) + countOf(recent, side, loss) > limit) ||
    dueMembers(world, side) + countOf(recent, side, 'members') > limit;
  const isRight = SIDES.some((side) => isEmptied(world, side) || isTooMuch(side));
  if (!isRight) world.complaints.push(`a run halted although users removed too little: ${reason}`);
};

/**
 * Reports a run that destroyed more than the daily limit without acceptance (R8). After an acceptance, earlier losses are not
 * counted.
 */
export const checkDestroyed = (
  world: World,
  deleteCount: number,
  run: { readonly pairsBefore: number; readonly destroyedBefore: number; readonly isAccepted: boolean },
): void => {
  const now = world.destroyed.slice(run.destroyedBefore);
  if (now.length === 0) return;
  if (run.isAccepted) {
    world.destroyed.splice(0);
    world.unconfirmedLosses.splice(0);
    return;
  }
  const recent = recentAt(world, world.clock.now());
  const limit = allowed(deleteCount, { recent, pairs: Math.max(run.pairsBefore, world.pairs.length) });
  for (const side of SIDES) {
    for (const loss of LOSSES.filter((each) => countOf(now, side, each) > 0)) {
      const count = countOf(recent, side, loss);
      if (count > limit)
        world.complaints.push(
          `${side}: of ${count} contacts, ${what(loss)} was deleted without acceptance; the limit is ${limit}`,
        );
    }
  }
};
