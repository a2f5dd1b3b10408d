import type { SyncedField } from '../../core/contact/contact.ts';
import { SIDES, type Side } from '../../core/contact/side.ts';
import type { Review } from '../../core/reconcile/decision.ts';
import { decidedBy, type Deciding } from '../../core/reconcile/conflict-policy.ts';
import { forField, mayWrite, type Policy } from '../../core/reconcile/policy.ts';
import type { ConflictRow, StoreChange } from '../../core/state/rows.ts';
import { nameOf } from '../../core/view/values.ts';
import type { ConflictView } from '../../core/view/views.ts';
import { underLease } from '../change-link.ts';
import type { LeaseParts } from '../lease.ts';
import type { Store } from '../../store/store.ts';

/** Whether the conflict is not reviewed and not superseded by a later change of the field. */
export const isOpen = ({ review, resolvedAtMs }: ConflictRow): boolean => review === null && resolvedAtMs === null;

const stateOf = (row: ConflictRow): ConflictView['state'] => {
  if (row.review === null) return row.resolvedAtMs === null ? 'open' : 'superseded';
  return row.review === 'dismissed' || row.resolvedAtMs !== null ? 'reviewed' : 'taking';
};

/** The names of the contacts in the store, by side and id. */
const namesOf = async (
  store: Store,
  link: string,
  rows: readonly ConflictRow[],
): Promise<ReadonlyMap<string, string>> => {
  const names = new Map<string, string>();
  for (const side of SIDES) {
    const ids = [...new Set(rows.map(({ leftId, rightId }) => (side === 'left' ? leftId : rightId)))];
    const halves = ids.length === 0 ? [] : await store.halves(link, { by: 'id', side, ids });
    for (const { id, record } of halves) {
      const name = nameOf(record.contact);
      if (name !== null) names.set(`${side} ${id}`, name);
    }
  }
  return names;
};

/** Returns the conflicts of a link, the oldest first: all, or those that are open or whose other value is about to be written. */
export const listConflicts = async (
  store: Store,
  link: string,
  policy: Deciding,
  { all }: { readonly all: boolean },
): Promise<readonly ConflictView[]> => {
  const rows = await store.conflicts(link, { all });
  const shown = rows.map((row) => ({ row, state: stateOf(row) }));
  const listed = all ? shown : shown.filter(({ state }) => state === 'open' || state === 'taking');
  const names = await namesOf(
    store,
    link,
    listed.map(({ row }) => row),
  );
  return listed.map(({ row, state }): ConflictView => {
    const { id, run, leftId, rightId, field, left, right, winner, atMs, reviewedAtMs } = row;
    const name = names.get(`left ${leftId}`) ?? names.get(`right ${rightId}`) ?? null;
    const by = decidedBy(field, { left, right }, winner, policy);
    return { id, run, leftId, rightId, field, left, right, winner, atMs, reviewedAtMs, name, state, by };
  });
};

/** The side whose values always win because the link does not write there; null if it writes both sides. */
export const unwrittenSide = (
  { direction, directions }: Pick<Policy, 'direction' | 'directions'>,
  field: SyncedField,
): Side | null => {
  const policy = forField({ direction, ...(directions && { directions }) }, field);
  return SIDES.find((each) => !mayWrite(policy, each)) ?? null;
};

/** Taking the current value is a dismissal. */
const reviewOf = ({ winner }: ConflictRow, taken: Side | null): Review => {
  return taken === null || taken === winner ? 'dismissed' : taken;
};

/**
 * Stores a user's review of conflicts of a link: the value of the side `taken` wins (the next run writes it), or with null
 * the conflicts are dismissed. Returns the stored review of each, in the same order; null for one that is no longer open.
 *
 * @throws {LeaseError} if a run is in progress.
 */
export const reviewConflicts = async (
  parts: LeaseParts,
  link: string,
  rows: readonly ConflictRow[],
  taken: Side | null,
): Promise<readonly (Review | null)[]> =>
  underLease(parts, link, async (token) => {
    // Since the rows were read, a run may have resolved one of them and recorded another conflict of the same field.
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
