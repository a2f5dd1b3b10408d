import { SYNCED_FIELDS, type SyncedField } from '../../src/contact/contact.ts';
import { otherSide, SIDES, type Side, type Sides } from '../../src/contact/side.ts';
import type { Row } from '../support/memory/book.ts';
import { tokensIn, type Destroyed, type World } from './world.ts';

const DAY_MS = 86_400_000;

const LOSSES: readonly Destroyed['loss'][] = ['contacts', ...SYNCED_FIELDS];

/** What the guard is held against: what the link destroyed within a day, and how many pairs there are. */
type Measure = { readonly recent: readonly Destroyed[]; readonly pairs: number };

const recentAt = ({ destroyed }: World, nowMs: number): readonly Destroyed[] =>
  destroyed.filter(({ atMs }) => atMs >= nowMs - DAY_MS);

/** How many losses of one kind may come together at a side: half of the contacts that were linked, one at least. */
const allowed = (deleteCount: number, { recent, pairs }: Measure): number => {
  const book = pairs + recent.filter(({ loss }) => loss === 'contacts').length;
  return Math.min(deleteCount, Math.max(1, Math.floor(book / 2)));
};

const what = (loss: Destroyed['loss']): string => (loss === 'contacts' ? 'everything' : `all ${loss}`);

const countOf = (all: readonly Destroyed[], side: Side, loss: Destroyed['loss']): number =>
  all.filter((each) => each.side === side && each.loss === loss).length;

/** What a contact may look like to the link: as it stands, and as its listings and its feed may still show it. */
const faces = (world: World, row: Row): readonly Pick<Row, 'entity' | 'contact' | 'groupIds' | 'state'>[] => {
  const nowMs = world.clock.now();
  const late = row.shown.filter((_, index) => {
    const next = row.shown[index + 1];
    return next !== undefined && Math.max(next.visibleAtMs, next.fedAtMs) > nowMs;
  });
  const earlier = late.map(({ record, state }) => {
    return { entity: row.entity, contact: record.contact, groupIds: new Set(record.groupIds), state };
  });
  return [...earlier, row];
};

/** The linked contacts that the link may see, each as it may be seen at both sides. */
const couples = (world: World): Sides<ReturnType<typeof faces>>[] =>
  world.pairs.flatMap((ids) => {
    const [left, right] = [world.books.left.find(ids.left), world.books.right.find(ids.right)];
    return left === undefined || right === undefined ? [] : [{ left: faces(world, left), right: faces(world, right) }];
  });

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
const due = (world: World, side: Side, loss: Destroyed['loss']): number =>
  couples(world).filter((couple) =>
    loss === 'contacts' ? isGone(couple[otherSide(side)]) : isBlanked(world, side, loss, couple),
  ).length;

/** Whether no linked contact stands at a side where two or more were linked. */
const isEmptied = (world: World, side: Side): boolean =>
  world.pairs.length >= 2 && couples(world).every((couple) => isGone(couple[side]));

/** Complains of a halt for which users gave no reason (R8). The pairs must be those of the halted run. */
export const judgeHalt = (world: World, deleteCount: number, reason: string | null): void => {
  const recent = recentAt(world, world.clock.now());
  const limit = allowed(deleteCount, { recent, pairs: world.pairs.length });
  const isTooMuch = (side: Side, loss: Destroyed['loss']): boolean =>
    due(world, side, loss) + countOf(recent, side, loss) > limit;
  const isRight = SIDES.some((side) => isEmptied(world, side) || LOSSES.some((loss) => isTooMuch(side, loss)));
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
  if (run.isAccepted) return void world.destroyed.splice(0);
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
