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
    const isDead = ledger.deadGroups.has(groupOf(token) ?? Number.NaN);
    return isChosen(world.choosing, token) && !held.has(token) && !ledger.takenAtMs[target].has(token) && !isDead;
  });
  // What the source took away must be gone, as long as the target's user did not enter it.
  const stale = [...held].filter((token) => {
    const wasKnown = ledger.settled.has(token) || ledger.undone.has(token);
    const takenAtMs = ledger.takenAtMs[from].get(token);
    const isOwn = (ledger.putAtMs[target].get(token) ?? 0) >= (takenAtMs ?? Infinity);
    return isCertain(world.choosing, token) && wasKnown && takenAtMs !== undefined && !isOwn && !given.has(token);
  });
  return [
    ...missing.map((token) => `${token} of ${source.id} did not arrive at ${target}`),
    ...stale.map((token) => `${token} was taken away at ${from} and stands at ${target}`),
  ];
};

/** Whether the source deleted whom a value belongs to: then it goes at the target too, whatever was edited there. */
export const isOfDeleted = (world: World, target: Side, token: Token): boolean => {
  const owner = world.ledger.ownerOf.get(token);
  const rows = world.books[otherSide(target)].rows.filter(({ entity }) => entity === owner);
  return rows.length > 0 && rows.every(({ state }) => state !== 'live');
};

/** The same, of the field of a value. */
export const sourceOfToken = (world: Pick<World, 'directions'>, token: Token): Side | null =>
  sourceOf(world, fieldOf(token));

/** Whether a value that stands at one side of two alone may do so, because its field goes one way. */
export const mayStayOneSided = (world: World, side: Side, token: Token): boolean => {
  const source = sourceOfToken(world, token);
  if (source === null) return false;
  // A group that was deleted where it comes from nowhere stays at its source.
  const { deadGroups, everTaken, ownerOf, peopleOfTwo, takenAtMs } = world.ledger;
  const isDead = deadGroups.has(groupOf(token) ?? Number.NaN);
  // Of people made of two, it may have been taken from one and brought to the other.
  const isOfTwo = peopleOfTwo.has(ownerOf.get(token) ?? Number.NaN);
  const isTaken = (isOfTwo ? everTaken : takenAtMs)[otherSide(side)].has(token);
  return source !== side || isDead || isTaken;
};

/** What the source of a field took away of people in step must be gone, as long as the target's user did not enter it. */
export const checkTaken = (world: World, target: Side, rows: Sides<Row>): string[] => {
  const { agreed, books, ledger } = world;
  const from = otherSide(target);
  const copy = rows[target];
  // An address that two people share is taken away from one of them; an archived contact comes back with what it held.
  const given = visibleTokens(books[from], rows[from]);
  // One that the target's values brought back after its deletion begins without those of the source.
  if (books[from].rows.some(({ entity, state }) => entity === copy.entity && state !== 'live')) return [];
  return [...(agreed.get(copy.entity) ?? [])]
    .filter((token) => sourceOfToken(world, token) === from && isCertain(world.choosing, token))
    .filter((token) => visibleTokens(books[target], copy).has(token) && !given.has(token))
    .filter((token) => {
      const takenAtMs = ledger.takenAtMs[from].get(token);
      return takenAtMs !== undefined && (ledger.putAtMs[target].get(token) ?? 0) < takenAtMs;
    })
    .map((token) => `${token} was taken away at ${from}, from where it goes to ${target}, and stands there`);
};

/**
 * Whether a value stood only where nothing of its field goes to the other side: it may go when that one changes. Of a contact
 * that the target's user merged away, it stands with the target's survivor alone.
 */
export const isTargetsOwn = ({ directions, ledger }: World, token: Token): boolean => {
  const source = sourceOfToken({ directions }, token);
  if (source === null) return false;
  const { ownerOf, peopleOfTwo, putAtMs, takenAtMs } = ledger;
  const isOfTwo = peopleOfTwo.has(ownerOf.get(token) ?? Number.NaN);
  return isOfTwo || !putAtMs[source].has(token) || takenAtMs[source].has(token);
};

/** What must hold at rest of a link that writes one side only, besides that nothing was written at the other. */
export const checkOneWay = (world: World, target: Side): string[] => {
  const { ledger, books } = world;
  const from = otherSide(target);
  const sources = liveRows(books[from]);
  const copies = liveRows(books[target]);
  const missing = sources.flatMap((source) => {
    if (ledger.blurred.has(source.entity)) return [];
    const own = copies.filter(({ entity }) => entity === source.entity);
    const [copy] = own;
    if (own.length > 1) return [`one person stands twice at ${target}: ${own.map(({ id }) => id).join()}`];
    if (copy !== undefined) return comparePerson(world, target, source, copy);
    // Deleted by the target's user, it stays away until the source changes it.
    const wasThere = books[target].rows.some(({ entity, state }) => entity === source.entity && state === 'deleted');
    return wasThere ? [] : [`${source.id} did not arrive at ${target}`];
  });
  const stale = copies.flatMap((copy) => {
    const wasDeleted = books[from].rows.some(({ entity, state }) => entity === copy.entity && state === 'deleted');
    const stands = sources.some(({ entity }) => entity === copy.entity);
    return wasDeleted && !stands && !ledger.blurred.has(copy.entity)
      ? [`${copy.id} stands at ${target} although its source was deleted`]
      : [];
  });
  return [...missing, ...stale];
};
