import type { ConflictRow, StoreChange } from '../../core/state/rows.ts';
import type { SyncedField } from '../../core/contact/contact.ts';
import { SIDES, type Side } from '../../core/contact/side.ts';
import type { Review } from '../../core/reconcile/decision.ts';
import { forField, mayWrite, type Policy } from '../../core/reconcile/policy.ts';
import { underLease } from '../change-link.ts';
import type { LeaseParts } from '../lease.ts';

/** The side whose values alone can stand, since the link does not write there; null where it writes both. */
export const unwrittenSide = (
  { direction, directions }: Pick<Policy, 'direction' | 'directions'>,
  field: SyncedField,
): Side | null => {
  const policy = forField({ direction, ...(directions && { directions }) }, field);
  return SIDES.find((each) => !mayWrite(policy, each)) ?? null;
};

/** Taking what stands already is leaving it so. */
const reviewOf = ({ winner }: ConflictRow, taken: Side | null): Review => {
  return taken === null || taken === winner ? 'dismissed' : taken;
};

/**
 * Keeps what a person says of conflicts of a link: that side's value is to stand (the next run writes it), or with null they
 * are left as they are. Answers what is kept of each, in their order; null of one that is not open any more.
 *
 * @throws {LeaseError} where a run is under way.
 */
export const reviewConflicts = async (
  parts: LeaseParts,
  link: string,
  rows: readonly ConflictRow[],
  taken: Side | null,
): Promise<readonly (Review | null)[]> =>
  underLease(parts, link, async (token) => {
    // A run may have ended one of them since it was read, and recorded another one of the same field.
    const open = new Set((await parts.store.conflicts(link, { all: false })).map(({ id }) => id));
    const reviews = rows.map((row) => (open.has(row.id) ? reviewOf(row, taken) : null));
    const atMs = parts.clock.now();
    const changes = rows.flatMap(({ leftId, field }, index): StoreChange[] => {
      const review = reviews[index] ?? null;
      return review === null ? [] : [{ kind: 'review-conflict', leftId, field, review, atMs }];
    });
    await parts.store.commit(link, token, changes);
    return reviews;
  });
