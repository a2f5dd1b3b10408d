import { FenceError, type LinkState, type StoreChange } from '../store/store.ts';
import { LeaseError } from './context.ts';
import { acquireLease, newOwner, type LeaseParts } from './lease.ts';

const HELD_FOR_MS = 15_000;

/**
 * Does something with a link while no run is under way, under a lease that is not renewed: a step that takes longer than
 * {@link HELD_FOR_MS} may find that another process has the link, and stores nothing.
 *
 * @throws {LeaseError} where another process works on the link.
 */
export const underLease = async <T>(
  parts: LeaseParts,
  link: string,
  step: (token: number) => Promise<T>,
): Promise<T> => {
  const { store } = parts;
  const owner = newOwner(parts);
  const token = await acquireLease(parts, link, owner, HELD_FOR_MS);
  if (token === null) throw new LeaseError(link, 'busy');
  try {
    return await step(token);
  } catch (error) {
    if (error instanceof FenceError) throw new LeaseError(link, 'busy');
    throw error;
  } finally {
    // As at the end of a run: a lease that cannot be given back runs out.
    await store.releaseLease(link, owner).catch(() => undefined);
  }
};

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
  await underLease(parts, link, async (token) => {
    await store.commit(link, token, change(await store.link(link)));
  });
};
