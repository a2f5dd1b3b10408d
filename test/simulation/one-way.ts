import { otherSide, type Side } from '../../src/contact/side.ts';
import type { Row } from '../support/memory/book.ts';
import { groupOf, type Token } from './ledger.ts';
import { liveRows, visibleTokens, type World } from './world.ts';

const comparePerson = (world: World, target: Side, source: Row, copy: Row): string[] => {
  const { ledger, books } = world;
  const from = otherSide(target);
  const [given, held] = [visibleTokens(books[from], source), visibleTokens(books[target], copy)];
  const missing = [...given].filter((token) => {
    const isDead = ledger.deadGroups.has(groupOf(token) ?? Number.NaN);
    return !held.has(token) && !ledger.takenAtMs[target].has(token) && !isDead;
  });
  // What the source took away must be gone, as long as the target's user did not enter it.
  const stale = [...held].filter((token) => {
    const wasKnown = ledger.settled.has(token) || ledger.undone.has(token);
    const takenAtMs = ledger.takenAtMs[from].get(token);
    const isOwn = (ledger.putAtMs[target].get(token) ?? 0) >= (takenAtMs ?? Infinity);
    return wasKnown && takenAtMs !== undefined && !isOwn && !given.has(token);
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
