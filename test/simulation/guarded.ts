import { SYNCED_FIELDS, type SyncedField } from '../../src/core/contact/contact.ts';
import { otherSide, SIDES, type Side, type Sides } from '../../src/core/contact/side.ts';
import type { Book, Group, Row } from '../support/memory/book.ts';
import { takenForOwn } from './doubtful.ts';
import { groupIdsOf, mayBeUnselected } from './selecting.ts';
import { tokensIn, type Destroyed, type Face, type World } from './world.ts';

const DAY_MS = 86_400_000;

const LOSSES = ['contacts', ...SYNCED_FIELDS] as const;

/** What the guard is held against: what the link destroyed within a day, and how many pairs there are. */
type Measure = { readonly recent: readonly Destroyed[]; readonly pairs: number };

const withinDay = (destroyed: readonly Destroyed[], nowMs: number): readonly Destroyed[] =>
  destroyed.filter(({ atMs }) => atMs >= nowMs - DAY_MS);

const recentAt = ({ destroyed }: World, nowMs: number): readonly Destroyed[] => withinDay(destroyed, nowMs);

/** How many losses of one kind may come together at a side: half of the contacts that were linked, one at least. */
const allowed = (deleteCount: number, { recent, pairs }: Measure): number => {
  const book = pairs + recent.filter(({ loss }) => loss === 'contacts').length;
  return Math.min(deleteCount, Math.max(1, Math.floor(book / 2)));
};

const what = (loss: (typeof LOSSES)[number]): string => (loss === 'contacts' ? 'everything' : `all ${loss}`);

const countOf = (all: readonly Destroyed[], side: Side, loss: Destroyed['loss']): number =>
  all.filter((each) => each.side === side && each.loss === loss).length;

/**
 * What a contact may look like to the link: as it stands, and as its listings and its feed may still show it. Until the side
 * is listed, a feed by stamps does not tell what a backup brought back, nor any feed a membership that is no part of a
 * version: the contact may be known as it stood before. So may one of which nothing can be read.
 */
const faces = (world: World, side: Side, row: Row): readonly Face[] => {
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

/** The contact of that id, be it merged into one that answers to its id since; else the one that once had the id. */
const rowOf = (book: Book, id: string): Row | undefined => book.rows.find((row) => row.id === id) ?? book.find(id);

/** The contacts of pairs. */
const rowsOf = ({ books }: World, pairs: readonly Sides<string>[]): readonly Sides<Row>[] =>
  pairs.flatMap((ids) => {
    const [left, right] = [rowOf(books.left, ids.left), rowOf(books.right, ids.right)];
    return left === undefined || right === undefined ? [] : [{ left, right }];
  });

/** The contacts of pairs that the link may see, each as it may be seen at both sides. */
const couples = (world: World, pairs: readonly Sides<string>[]): Sides<ReturnType<typeof faces>>[] =>
  rowsOf(world, pairs).map(({ left, right }) => ({
    left: faces(world, 'left', left),
    right: faces(world, 'right', right),
  }));

/** Whether users took away every value of a field: at either side nothing stands that nobody took away at the other one. */
const isBlanked = (world: World, side: Side, field: SyncedField, couple: Sides<ReturnType<typeof faces>>): boolean => {
  const other = otherSide(side);
  const { everTaken } = world.ledger;
  return couple[side].some((own) => {
    const held = tokensIn(world.books[side], own, field);
    if (held.size === 0 || !held.isSubsetOf(everTaken[other])) return false;
    return couple[other].some((like) => {
      const there = tokensIn(world.books[other], like, field);
      return held.isDisjointFrom(there) && there.isSubsetOf(everTaken[side]);
    });
  });
};

const isGone = (seen: ReturnType<typeof faces>): boolean => seen.some(({ state }) => state !== 'live');

/**
 * How many losses of one kind users brought about that are still to come to a side. That a side has lost a contact by
 * itself meanwhile, the link need not have heard.
 */
const due = (world: World, side: Side, loss: (typeof LOSSES)[number]): number => {
  if (loss === 'contacts')
    return couples(world, world.pairs).filter((couple) => isGone(couple[otherSide(side)])).length;
  // Those that wake may lose what was taken away while they were asleep.
  const all = [...world.pairs, ...world.asleep];
  return couples(world, all).filter((couple) => isBlanked(world, side, loss, couple)).length;
};

/** Whether no linked contact stands at a side where two or more were linked, be they set apart or not. */
const isEmptied = (world: World, side: Side): boolean => {
  const all = [...world.pairs, ...world.asleep];
  return all.length >= 2 && couples(world, all).every((couple) => isGone(couple[side]));
};

/** How many members groups of a side have that users deleted at the other one, as far as the link knows who has left. */
const dueMembers = (world: World, side: Side): number => {
  const { groups, rows } = world.books[side];
  const dead = groups.filter(({ live, entity }) => live && world.ledger.deadGroups.has(entity));
  const isMember = (row: Row, { id }: Group): boolean =>
    faces(world, side, row).some(({ groupIds }) => groupIds.has(id));
  return dead.reduce((sum, group) => sum + rows.filter((row) => isMember(row, group)).length, 0);
};

/** How many pairs users left to be set apart. */
const dueApart = (world: World): number =>
  world.parts.selects ? rowsOf(world, world.pairs).filter((rows) => mayBeUnselected(world, rows)).length : 0;

/** Complains of a halt for which users gave no reason (R8). The pairs must be those of the halted run. */
export const judgeHalt = (world: World, deleteCount: number, reason: string | null): void => {
  // Values of the cast have no numbers, by which losses are counted here.
  if (world.people.known.size > 0) return;
  const recent = withinDay([...world.destroyed, ...takenForOwn(world)], world.clock.now());
  const limit = allowed(deleteCount, { recent, pairs: world.pairs.length });
  const isTooMuch = (side: Side): boolean =>
    LOSSES.some((loss) => due(world, side, loss) + countOf(recent, side, loss) > limit) ||
    dueMembers(world, side) + countOf(recent, side, 'members') > limit;
  const isRight = dueApart(world) > limit || SIDES.some((side) => isEmptied(world, side) || isTooMuch(side));
  if (!isRight) world.complaints.push(`a run halted although users took too little away: ${reason}`);
};

/**
 * Complains of a run that destroyed more than may go within a day without anybody's consent (R8); with consent, what was
 * destroyed counts no more.
 */
export const judgeDestroyed = (
  world: World,
  deleteCount: number,
  run: { readonly pairsBefore: number; readonly destroyedBefore: number; readonly isAccepted: boolean },
): void => {
  const now = world.destroyed.slice(run.destroyedBefore);
  if (now.length === 0) return;
  if (run.isAccepted) {
    world.destroyed.splice(0);
    world.doubtful.splice(0);
    return;
  }
  const recent = recentAt(world, world.clock.now());
  const limit = allowed(deleteCount, { recent, pairs: Math.max(run.pairsBefore, world.pairs.length) });
  for (const side of SIDES) {
    for (const loss of LOSSES.filter((each) => countOf(now, side, each) > 0)) {
      const count = countOf(recent, side, loss);
      if (count > limit)
        world.complaints.push(
          `${side}: of ${count} contacts, ${what(loss)} went unasked, more than the ${limit} that may`,
        );
    }
  }
};

/** Complains of a run that set more contacts apart than may go without anybody's consent (R8, R18). */
export const judgeSetApart = (world: World, deleteCount: number, before: readonly Sides<string>[]): void => {
  const nameOf = ({ left, right }: Sides<Row>): string => `${left.id} ${right.id}`;
  const asleep = new Set(rowsOf(world, world.asleep).map(nameOf));
  const count = rowsOf(world, before).filter((rows) => asleep.has(nameOf(rows))).length;
  const limit = allowed(deleteCount, { recent: [], pairs: Math.max(before.length, world.pairs.length + count) });
  const recent = recentAt(world, world.clock.now()).filter(({ loss }) => loss === 'contacts').length;
  if (count > limit + recent)
    world.complaints.push(`${count} pairs were set apart unasked, more than the ${limit} that may`);
};
