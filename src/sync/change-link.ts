import type { Clock } from '../clock.ts';
import type { LinkState, Store, StoreChange } from '../store/store.ts';
import { LeaseError } from './context.ts';

const HELD_FOR_MS = 15_000;

/**
 * Changes a link outside of a run, while no run is under way: takes the lease for the moment that it takes.
 *
 * @throws {LeaseError} where another process works on the link.
 */
export const changeLink = async (
  { store, clock, newId }: { readonly store: Store; readonly clock: Clock; readonly newId: () => string },
  link: string,
  change: (state: LinkState) => readonly StoreChange[],
): Promise<void> => {
  const owner = newId();
  const nowMs = clock.now();
  const token = await store.acquireLease(link, owner, nowMs, nowMs + HELD_FOR_MS);
  if (token === null) throw new LeaseError(link, 'busy');
  try {
    await store.commit(link, token, change(await store.link(link)));
  } finally {
    await store.releaseLease(link, owner);
  }
};
