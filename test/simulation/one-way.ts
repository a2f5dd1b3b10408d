import { otherSide, type Side, type Sides } from '../../src/core/contact/side.ts';
import type { Row } from '../support/memory/book.ts';
import { fieldOf, isCertain, isChosen } from './choices.ts';
import { groupOf, type Token } from './ledger.ts';
import { sourceOf } from './parts.ts';
import { liveRows, visibleTokens, type World } from './world.ts';

const comparePerson = (world: World, target: Side, source: Row, copy: Row): string[] => {
  const { ledger, books } = world;
  const from = otherSide(target);
  const [given, held] = [visibleTokens(books[from], source), visibleTokens(books[target], copy)];
  const missing = [...given].filter((token) => {
    const isDead = ledger.deletedGroups.has(groupOf(token) ?? Number.NaN);
    return isChosen(world.choosing, token) && !held.has(token) && !ledger.removedAtMs[target].has(token) && !isDead;
  });
  // A value that the source removed must be removed, unless the target's user entered it.
  const stale = [...held].filter((token) => {
    const wasKnown = ledger.settled.has(token) || ledger.undone.has(token);
    const removedAtMs = ledger.removedAtMs[from].get(token);
    const isOwn = (ledger.enteredAtMs[target].get(token) ?? 0) >= (removedAtMs ?? Infinity);
    return isCertain(world.choosing, token) && wasKnown && removedAtMs !== undefined && !isOwn && !given.has(token);
  });
  return [
    ...missing.map((token) => `${token} of ${source.id} did not arrive at ${target}`),
    ...stale.map((token) => `${token} was removed at ${from} and exists at ${target}`),
  ];
};

/** Whether the source deleted the contact of a value: then the target deletes it too, in spite of edits there. */
export const isOfDeleted = (world: World, target: Side, token: Token): boolean => {
  const owner = world.ledger.ownerOf.get(token);
  const rows = world.books[otherSide(target)].rows.filter(({ entity }) => entity === owner);
  return rows.length > 0 && rows.every(({ state }) => state !== 'live');
};

/** The source side of a token's field; null where the field goes both ways. */
export const sourceOfToken = (world: Pick<World, 'directions'>, token: Token): Side | null =>
  sourceOf(world, fieldOf(token));

/** Whether a value may be on one side only, because its field goes one way. */
export const mayStayOneSided = (world: World, side: Side, token: Token): boolean => {
  const source = sourceOfToken(world, token);
  if (source === null) return false;
  // A group that was deleted at the target stays at its source.
  const { deletedGroups, everRemoved, ownerOf, mergedPeople, removedAtMs } = world.ledger;
  const isDead = deletedGroups.has(groupOf(token) ?? Number.NaN);
  // For merged people, the value may have been removed from one contact and written to the other.
  const isOfTwo = mergedPeople.has(ownerOf.get(token) ?? Number.NaN);
  const isTaken = (isOfTwo ? everRemoved : removedAtMs)[otherSide(side)].has(token);
  return source !== side || isDead || isTaken;
};

/** A value that the source of a field removed from a pair must be removed, unless the target's user entered it. */
export const checkTaken = (world: World, target: Side, rows: Sides<Row>): string[] => {
  const { agreed, books, ledger } = world;
  const from = otherSide(target);
  const copy = rows[target];
  // An address that two people share is removed from one of them. A restored archived contact keeps its values.
  const given = visibleTokens(books[from], rows[from]);
  // A contact that was restored with the target's values after its deletion has no values of the source.
  if (books[from].rows.some(({ entity, state }) => entity === copy.entity && state !== 'live')) return [];
  return [...(agreed.get(copy.entity) ?? [])]
    .filter((token) => sourceOfToken(world, token) === from && isCertain(world.choosing, token))
    .filter((token) => visibleTokens(books[target], copy).has(token) && !given.has(token))
    .filter((token) => {
      const removedAtMs = ledger.removedAtMs[from].get(token);
      return removedAtMs !== undefined && (ledger.enteredAtMs[target].get(token) ?? 0) < removedAtMs;
    })
    .map((token) => `${token} was removed at ${from}, the source for ${target}, and exists at ${target}`);
};

/**
 * Whether a value was only at the target of its field: it may be lost when the source changes. After a merge by the
 * target's user, the value is only on the target's survivor.
 */
export const isTargetsOwn = ({ directions, ledger }: World, token: Token): boolean => {
  const source = sourceOfToken({ directions }, token);
  if (source === null) return false;
  const { ownerOf, mergedPeople, enteredAtMs, removedAtMs } = ledger;
  const isOfTwo = mergedPeople.has(ownerOf.get(token) ?? Number.NaN);
  return isOfTwo || !enteredAtMs[source].has(token) || removedAtMs[source].has(token);
};

/** The conditions at rest of a one-way link. Writes to its source are checked elsewhere. */
export const checkOneWay = (world: World, target: Side): string[] => {
  const { ledger, books } = world;
  const from = otherSide(target);
  const sources = liveRows(books[from]);
  const copies = liveRows(books[target]);
  const missing = sources.flatMap((source) => {
    if (ledger.ambiguous.has(source.entity)) return [];
    const own = copies.filter(({ entity }) => entity === source.entity);
    const [copy] = own;
    if (own.length > 1) return [`one person exists twice at ${target}: ${own.map(({ id }) => id).join()}`];
    if (copy !== undefined) return comparePerson(world, target, source, copy);
    // A contact that the target's user deleted stays deleted until the source changes it.
    const wasThere = books[target].rows.some(({ entity, state }) => entity === source.entity && state === 'deleted');
    return wasThere ? [] : [`${source.id} did not arrive at ${target}`];
  });
  const stale = copies.flatMap((copy) => {
    const wasDeleted = books[from].rows.some(({ entity, state }) => entity === copy.entity && state === 'deleted');
    const exists = sources.some(({ entity }) => entity === copy.entity);
    return wasDeleted && !exists && !ledger.ambiguous.has(copy.entity)
      ? [`${copy.id} exists at ${target} although its source was deleted`]
      : [];
  });
  return [...missing, ...stale];
};
