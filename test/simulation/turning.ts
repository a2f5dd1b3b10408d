import { bySide } from '../../src/core/contact/side.ts';
import { presentTokens } from './invariants.ts';
import type { Token } from './ledger.ts';
import { liveRows, visibleTokens, type World } from './world.ts';

/**
 * The end of a time in which the link went one way; nothing if it goes both ways. What the source replaced or removed may be missing from
 * now on, and a contact that the target's user deleted stays away. Returns the values that only one side has: they are not agreed on.
 */
export const restOneWay = (world: World): readonly Token[] => {
  const { books, ledger, parts } = world;
  if (parts.direction === 'both') return [];
  const present = presentTokens(world, true);
  for (const token of ledger.entered) if (!present.has(token)) ledger.explain(token);
  const target = parts.direction === 'to-left' ? 'left' : 'right';
  for (const { entity, state } of books[target].rows) if (state !== 'live') parts.dormant.add(entity);
  const { left, right } = bySide(
    (side) => new Set(liveRows(books[side]).flatMap((row) => [...visibleTokens(books[side], row)])),
  );
  return [...left.symmetricDifference(right)];
};

/** A change that the target's user made in such a time counts as an edit of the time after it. */
export const noteEdited = ({ clock, ledger }: World, token: Token): void => {
  for (const removedAtMs of Object.values(ledger.removedAtMs)) {
    if (removedAtMs.has(token)) removedAtMs.set(token, clock.now());
  }
  const owner = ledger.ownerOf.get(token);
  if (owner !== undefined) ledger.changesOf(owner).edited = true;
};
