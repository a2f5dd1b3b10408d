import type { SyncedField } from '../../core/contact/contact.ts';
import { SIDES, type Side } from '../../core/contact/side.ts';
import type { Review } from '../../core/reconcile/decision.ts';
import { decidedBy, type Deciding, forField, mayWrite, type Policy } from '../../core/reconcile/policy.ts';
import type { ConflictRow, StoreChange } from '../../core/state/rows.ts';
import { nameOf } from '../../core/view/values.ts';
import type { ConflictState, ConflictView } from '../../core/view/views.ts';
import { underLease } from '../change-link.ts';
import type { LeaseParts } from '../lease.ts';
import type { Store } from '../../store/store.ts';

/** Whether nobody has reviewed the conflict, and no later change of the field has made it past. */
export const isOpen = ({ review, resolvedAtMs }: ConflictRow): boolean => review === null && resolvedAtMs === null;

const stateOf = (row: ConflictRow): ConflictState => {
  if (row.review === null) return row.resolvedAtMs === null ? 'open' : 'superseded';
  return row.review === 'dismissed' || row.resolvedAtMs !== null ? 'reviewed' : 'taking';
};

/** The names of contacts that stand, by side and id. */
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

/** The conflicts of a link, the oldest first: the open ones, those whose other value is about to be written, or all. */
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
