import type { Side } from '../core/contact/side.ts';
import type { LinkState, Rejection, StoreChange } from '../core/state/rows.ts';
import { FenceError } from '../store/store.ts';
import { LeaseError } from './errors.ts';
import type { LeaseParts } from './lease.ts';
import { refusalsIn } from '../core/state/unsyncable.ts';

const HELD_FOR_MS = 15_000;

/**
 * Performs a step on a link while no run is in progress. The lease is not renewed: a step that takes longer than
 * {@link HELD_FOR_MS} may lose it, and then stores nothing.
 *
 * @throws {LeaseError} if another process has the lease.
 */
export const underLease = async <T>(
  { store, clock, newId }: LeaseParts,
  link: string,
  step: (token: number) => Promise<T>,
): Promise<T> => {
  const owner = newId();
  const token = await store.acquireLease(link, owner, clock.now(), clock.now() + HELD_FOR_MS);
  if (token === null) throw new LeaseError(link, 'busy');
  try {
    return await step(token);
  } catch (error) {
    if (error instanceof FenceError) throw new LeaseError(link, 'busy');
    throw error;
  } finally {
    // A lease that cannot be released expires.
    await store.releaseLease(link, owner).catch(() => undefined);
  }
};

/**
 * Changes a link outside of a run, under a short lease.
 *
 * @throws {LeaseError} if another process has the lease.
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

/**
 * Ends the wait of refused writes (R15). The next run retries them and counts their refusals from zero, because the meaning of
 * several refusals depends on the time between them. Returns the former rejections.
 *
 * @throws {LeaseError} if a run is in progress.
 */
export const retryRefused = async (
  parts: LeaseParts,
  link: string,
  isMeant: (rejection: Rejection) => boolean,
): Promise<readonly Rejection[]> => {
  const nowMs = parts.clock.now();
  let meant: readonly Rejection[] = [];
  await changeLink(parts, link, ({ rejections }) => {
    meant = refusalsIn(rejections).filter(isMeant);
    return meant.map((rejection) => ({
      kind: 'put',
      table: 'rejections',
      row: { ...rejection, attempts: 0, retryAtMs: nowMs },
    }));
  });
  return meant;
};

/** Returns a test for refused writes to the contact with that id: of that side, or with null on either side. */
export const isAbout =
  (id: string, side: Side | null = null) =>
  ({ leftId, rightId }: Pick<Rejection, 'leftId' | 'rightId'>): boolean =>
    (side !== 'right' && leftId === id) || (side !== 'left' && rightId === id);
