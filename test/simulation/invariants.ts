import { streetLines } from '../../src/core/contact/elements.ts';
import type { GroupLink } from '../../src/core/reconcile/membership.ts';
import type { Policy } from '../../src/core/reconcile/policy.ts';
import { findDiffering } from './differences.ts';
import type { Rejection } from '../../src/core/state/rows.ts';
import { listsIn, scalarsIn, textIn, type SyncedField } from '../../src/core/contact/contact.ts';
import { otherSide, SIDES, type Side } from '../../src/core/contact/side.ts';
import { listOf } from '../../src/core/contact/lists.ts';
import { dropsWebsite } from '../support/memory/manners.ts';
import type { Book, Row } from '../support/memory/book.ts';
import { isCertain } from './choices.ts';
import type { Hardness } from './history.ts';
import { groupOf, tokenOf, type Token } from './ledger.ts';
import { checkOneWay, checkTaken, isOfDeleted, isTargetsOwn, mayStayOneSided, sourceOfToken } from './one-way.ts';
import { checkQuestions, isAskedOf, tokensAsked } from './decisions.ts';
import { checkParts, isSetAside, isWanted, mayStandAlone } from './selecting.ts';
import { liveRows, tokensIn, visibleTokens, type World } from './world.ts';

/** Values that the other side does not accept. */
const undeliverable = (world: World, to: Book, row: Row, field: SyncedField): Set<Token> => {
  // An address that another contact already has (R2).
  if (field === 'emailAddresses' && to.habits.knownEmail !== 'duplicate') {
    return new Set([...world.memory.sharedEmails].map((number) => `${field} ${number}`));
  }
  if (field !== 'websites') return new Set();
  const dropped = row.contact.websites.filter((entry) => dropsWebsite(to.manners, entry.value));
  return new Set(dropped.flatMap((entry) => tokenOf('websites', entry.value) ?? []));
};

const compareRows = (world: World, left: Row, right: Row): string[] => {
  const rows = { left, right };
  const compared = world.choosing.fields.filter((field) => !isAskedOf(world, rows, field));
  return compared.flatMap((field) => {
    return SIDES.flatMap((side) => {
      const to = otherSide(side);
      const there = tokensIn(world.books[to], rows[to], field);
      const excused = undeliverable(world, world.books[to], rows[side], field);
      const missing = [...tokensIn(world.books[side], rows[side], field)].filter(
        (token) => !there.has(token) && !excused.has(token) && !mayStayOneSided(world, side, token),
      );
      return missing.map((token) => `${rows[side].id} and ${rows[to].id} differ: ${token} is only at ${side}`);
    });
  });
};

/** Each contact of a merged person must have a counterpart on the other side. */
const compareUnited = (world: World, left: readonly Row[], right: readonly Row[]): string[] => {
  const open = new Set(right);
  const alone = left.filter((row) => {
    const twin = [...open].find((other) => compareRows(world, row, other).length === 0);
    return twin === undefined || !open.delete(twin);
  });
  return [...alone, ...open].map((row) => `no counterpart of ${row.id} on the other side after a merge`);
};

const isRejected = (rejections: readonly Rejection[], side: Side, row: Row): boolean => {
  return rejections.some((rejection) => {
    const [left, right = left] = rejection.key.split(' ');
    const ids = side === 'left' ? [rejection.leftId, left] : [rejection.rightId, right];
    return [row.id, ...row.formerIds].some((id) => ids.includes(id));
  });
};

/** Both sides are equal, except for refused writes. */
const checkEqual = (world: World, rejections: readonly Rejection[]): string[] => {
  const rows = SIDES.flatMap((side) => liveRows(world.books[side]).map((row) => ({ side, row })));
  const byEntity = Map.groupBy(rows, ({ row }) => row.entity);
  return [...byEntity].flatMap(([entity, members]) => {
    if (world.ledger.ambiguous.has(entity) || members.some(({ side, row }) => isRejected(rejections, side, row)))
      return [];
    const of = (side: Side): Row[] => members.filter((member) => member.side === side).map(({ row }) => row);
    const [lefts, rights] = [of('left'), of('right')];
    const ids = members.map(({ side, row }) => `${row.id} at ${side}`).join(', ');
    if (world.ledger.mergedPeople.has(entity)) {
      const comparedAt = (side: Side): Row[] => of(side).filter((row) => !isSetAside(world, side, row));
      return compareUnited(world, comparedAt('left'), comparedAt('right'));
    }
    if (lefts.length > 1 || rights.length > 1) return [`one person exists twice: ${ids}`];
    const [left, right] = [lefts[0], rights[0]];
    if (world.parts.selects) {
      if (left !== undefined && right !== undefined && !isWanted(world, entity)) return [];
      const [only, ...others] = members;
      if (only !== undefined && others.length === 0 && mayStandAlone(world, only.side, only.row)) return [];
    }
    if ((left === undefined || right === undefined) && world.parts.dormant.has(entity)) return [];
    if (left === undefined || right === undefined) return [`one person is on one side only: ${ids}`];
    return [...compareRows(world, left, right), ...SIDES.flatMap((side) => checkTaken(world, side, { left, right }))];
  });
};

const isTakenAtBoth = ({ ledger }: World, token: Token): boolean =>
  SIDES.every((side) => ledger.everRemoved[side].has(token));

/** The values of all contacts of either side. A plain history counts the values of archived contacts too: they are not lost. */
export const presentTokens = (world: World, isHard: boolean): ReadonlySet<Token> => {
  const counts = (row: Row): boolean => row.state === 'live' || (!isHard && row.state === 'archived');
  return new Set(
    SIDES.map((side) => world.books[side]).flatMap((book) =>
      book.rows.filter(counts).flatMap((row) => [...visibleTokens(book, row)]),
    ),
  );
};

const checkValues = (world: World, hardness: Hardness | undefined): string[] => {
  const { ledger } = world;
  const isHard = hardness !== undefined;
  const { direction } = world.parts;
  const target = direction === 'to-left' ? 'left' : 'right';
  const mayGo = (token: Token): boolean =>
    (direction !== 'both' && isOfDeleted(world, target, token)) || isTargetsOwn(world, token);
  const present = presentTokens(world, isHard);
  return (
    [...ledger.entered]
      .filter((token) => !present.has(token) && !ledger.explained.has(token) && !mayGo(token))
      .filter((token) => !ledger.deletedGroups.has(groupOf(token) ?? Number.NaN))
      // A label that users removed on both sides and added again on one, between two runs, counts as removed by the other side.
      .filter((token) => !(world.parts.selects && groupOf(token) !== null && isTakenAtBoth(world, token)))
      .map((token) => `lost without an explanation: ${token}`)
  );
};

/** A removed value stays removed, for contacts without other changes. */
const checkRemoved = (world: World, rested: ReadonlySet<number>, rejections: readonly Rejection[]): string[] => {
  const { ledger } = world;
  return SIDES.flatMap((side) =>
    liveRows(world.books[side]).flatMap((row) => {
      const changes = ledger.personChanges.get(row.entity);
      if (!rested.has(row.entity) || changes === undefined || ledger.mergedPeople.has(row.entity)) return [];
      if (ledger.ambiguous.has(row.entity) || isRejected(rejections, side, row)) return [];
      // A value that is removed from a contact that no side selects stays on its counterpart.
      const isApart = world.parts.selects && (!isWanted(world, row.entity) || mayStandAlone(world, side, row));
      if (isApart) return [];
      if (changes.deleted)
        return changes.edited || world.parts.reunited.has(row.entity)
          ? []
          : [`deleted, but present: ${row.id} at ${side}`];
      const wasKnown = (token: Token): boolean => ledger.settled.has(token) || ledger.undone.has(token);
      return [...visibleTokens(world.books[side], row).difference(tokensAsked(world, side, row.id))]
        .filter((token) => isCertain(world.choosing, token) && sourceOfToken(world, token) === null)
        .filter((token) => wasKnown(token) && ledger.removed.get(token) === row.entity && !ledger.decided.has(token))
        .map((token) => `removed, but present: ${token} at ${side}`);
    }),
  );
};

const checkNotes = (world: World): string[] => {
  return SIDES.flatMap((side) =>
    liveRows(world.books[side]).flatMap((row) => {
      const note = world.notes.get(row) ?? null;
      return note === row.extra
        ? []
        : [`unmapped data of ${row.id} changed from ${JSON.stringify(note)} to ${JSON.stringify(row.extra)}`];
    }),
  );
};

/** Checks all invariants at rest; returns the violations as texts. */
export const checkAtRest = async (
  world: World,
  rested: ReadonlySet<number>,
  hardness?: Hardness,
): Promise<string[]> => {
  const stored = (await world.store.link(world.link)).rejections;
  const isHard = hardness !== undefined;
  // No write of a hard history is refused permanently.
  const rejections = isHard ? [] : stored;
  const { direction } = world.parts;
  if (hardness?.turns !== undefined && direction !== 'both') return [...world.complaints, ...checkNotes(world)];
  const compared =
    direction === 'both'
      ? [...checkEqual(world, rejections), ...checkRemoved(world, rested, rejections)]
      : checkOneWay(world, direction === 'to-left' ? 'left' : 'right');
  return [
    ...world.complaints,
    ...checkQuestions(world),
    ...(world.parts.selects ? checkParts(world) : []),
    ...compared,
    ...checkValues(world, hardness),
    ...checkNotes(world),
  ];
};

/** The people that are on both sides now, without refused writes. */
export const peopleAtRest = async (world: World): Promise<Set<number>> => {
  const rejections = (await world.store.link(world.link)).rejections;
  const entities = (side: Side): Set<number> => {
    const linked = new Set(world.pairs.map((ids) => ids[side]));
    const rows = liveRows(world.books[side]).filter((row) => {
      // Two contacts that no side selected were never paired.
      return !isRejected(rejections, side, row) && (!world.parts.selects || linked.has(row.id));
    });
    return new Set(rows.map((row) => row.entity));
  };
  return entities('left').intersection(entities('right'));
};

/**
 * The people with a write that a side refuses for a while. A deletion on one side is decided when that ends, or
 * when the refused write is no longer due (R6, R15).
 */
export const peopleRefused = async (world: World): Promise<Set<number>> => {
  const { rejections } = await world.store.link(world.link);
  const refused = SIDES.flatMap((side) =>
    liveRows(world.books[side]).filter((row) => isRejected(rejections, side, row)),
  );
  return new Set(refused.map((row) => row.entity));
};

/** Values in recorded conflicts may be missing. Winning values may exist where they had been replaced. */
export const explainConflicts = async (world: World): Promise<void> => {
  for (const conflict of await world.store.conflicts(world.link, { all: true })) {
    const { field, winner } = conflict;
    // Values of an open question are not lost; the answer explains the rejected value.
    if (winner === null) continue;
    for (const text of [conflict.left, conflict.right]) world.ledger.explain(tokenOf(field, text));
    const won = tokenOf(field, conflict[winner]);
    if (won !== null && !world.ledger.removedAtMs[winner].has(won)) world.ledger.decided.add(won);
  }
};

/** Each linked pair has equal halves, or a rule explains the difference. All groups are selected. */
export const checkExplained = async ({ link, store }: World, policy: Policy): Promise<readonly string[]> => {
  const { groupPairs } = await store.link(link);
  const links = groupPairs.map(({ key, left, right, ...pair }): GroupLink => {
    return { key, left: left?.id ?? null, right: right?.id ?? null, isUnited: pair.isUnited };
  });
  const differing = await findDiffering({ store, link, policy }, links);
  return differing.map(({ pair, fields }) => {
    const ids = SIDES.map((side) => pair[side].id).join(' and ');
    return `${ids} differ without an explanation: ${fields.join(', ')}`;
  });
};

/** One line for each contact of a side, for the report of a failure. */
export const describe = (world: World): string[] => {
  return SIDES.flatMap((side) =>
    liveRows(world.books[side]).map((row) => {
      const lists = listsIn(row.contact).map((field) =>
        listOf(row.contact, field)
          .map((each) => ('street' in each ? streetLines(each) : each.value))
          .join(' '),
      );
      const groups = [...row.groupIds].map((id) => world.books[side].findGroup(id)?.name ?? id);
      return `${side} ${row.id} (${row.entity}) ${scalarsIn(row.contact)
        .map((field) => textIn(row.contact, field))
        .join('|')} ${lists.join('|')} [${groups.join()}]`;
    }),
  );
};
