import { isPresent, type Half } from '../core/contact/half.ts';
import { bySide, otherSide, type Side } from '../core/contact/side.ts';
import { snapshotOf } from '../core/contact/snapshot.ts';
import type { Store } from '../store/store.ts';
import { underLease } from './change-link.ts';
import type { LeaseParts } from './lease.ts';
import { keepAlone, storePair } from '../core/state/pair.ts';
import { WorkingSet } from '../core/state/working-set.ts';

/** A contact cannot be left out, or included again; nothing was stored. */
export class LeaveOutError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'LeaveOutError';
  }
}

/** A contact by its side and its id there. */
export type OneContact = { readonly side: Side; readonly id: string };

/** Loads the contact with its pair. @throws {LeaveOutError} if it is not stored, or is deleted. */
const load = async (store: Store, link: string, { side, id }: OneContact) => {
  const set = new WorkingSet();
  const ids = bySide((each) => (each === side ? [id] : []));
  const { halves, pairs } = await store.wholePairs(link, { ids, pairs: [] });
  set.load(halves, pairs);
  const half = set.half(side, id);
  if (!isPresent(half)) throw new LeaveOutError(`The contact ${id} is not stored, or was deleted.`);
  return { set, half, pair: half.pair === null ? null : set.pair(half.pair) };
};

/** Returns the half with its current values as its base, so that no run creates it on the other side. */
const resting = (half: Half): Half => ({
  ...half,
  base: snapshotOf(half.record),
  state: 'settled',
});

/**
 * Leaves a contact out: no run creates it on the other side, or deletes it because its counterpart was deleted. It is paired
 * if a matching contact appears on the other side.
 *
 * @throws {LeaveOutError} if it has a counterpart.
 * @throws {LeaseError} if a run is in progress.
 */
export const leaveOut = (parts: LeaseParts, link: string, contact: OneContact): Promise<void> =>
  underLease(parts, link, async (token) => {
    const { side, id } = contact;
    const { set, half, pair } = await load(parts.store, link, contact);
    if (pair === null || pair.id === null) {
      const halves = bySide((each) => (each === side ? resting(half) : null));
      storePair(set, { pairId: null, status: 'kept', halves, writtenSide: null });
    } else if (isPresent(pair[otherSide(side)])) {
      throw new LeaveOutError(`The contact ${id} is linked. Only a contact without a counterpart can be left out.`);
    } else keepAlone(set, pair.id, side, parts.clock.now());
    await parts.store.commit(link, token, set.changes());
  });

/**
 * Includes a contact again that is on one side only: the next run matches it, or creates it on the other side.
 *
 * @throws {LeaveOutError} if it is not left out.
 * @throws {LeaseError} if a run is in progress.
 */
export const includeAgain = (parts: LeaseParts, link: string, contact: OneContact): Promise<void> =>
  underLease(parts, link, async (token) => {
    const { set, half, pair } = await load(parts.store, link, contact);
    if (pair === null || pair.id === null || pair.status !== 'kept') {
      throw new LeaveOutError(`The contact ${contact.id} is not left out.`);
    }
    set.dropPair(pair.id);
    set.put({ ...half, pair: null, base: null, state: 'changed' });
    await parts.store.commit(link, token, set.changes());
  });
