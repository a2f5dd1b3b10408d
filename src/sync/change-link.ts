import type { LinkState, StoreChange } from '../store/store.ts';
import { LeaseError } from './context.ts';
import { acquireLease, newOwner, type LeaseParts } from './lease.ts';

const HELD_FOR_MS = 15_000;

/**
 * Changes a link outside of a run, while no run is under way: takes the lease for the moment that it takes.
 *
 * @throws {LeaseError} where another process works on the link.
 */
export const changeLink = async (
  parts: LeaseParts,
  link: string,
  change: (state: LinkState) => readonly StoreChange[],
): Promise<void> => {
  const { store } = parts;
  const owner = newOwner(parts);
  const token = await acquireLease(parts, link, owner, HELD_FOR_MS);
  if (token === null) throw new LeaseError(link, 'busy');
  try {
    await store.commit(link, token, change(await store.link(link)));
  } finally {
    // As at the end of a run: a lease that cannot be given back runs out.
    await store.releaseLease(link, owner).catch(() => undefined);
  }
};
