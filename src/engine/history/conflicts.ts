import type { SyncedField } from '../../core/contact/contact.ts';
import { changedAtMs, type Half } from '../../core/contact/half.ts';
import { bySide, SIDES, type Side, type Sides } from '../../core/contact/side.ts';
import type { Review } from '../../core/reconcile/decision.ts';
import { decidedBy, type ConflictTerms } from '../../core/reconcile/conflict-policy.ts';
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

/** The contacts of the conflicts in the store, by side and id. */
const halvesOf = async (
  store: Store,
  link: string,
  rows: readonly ConflictRow[],
): Promise<ReadonlyMap<string, Half>> => {
  const found = new Map<string, Half>();
  for (const side of SIDES) {
    const ids = [...new Set(rows.map(({ leftId, rightId }) => (side === 'left' ? leftId : rightId)))];
    const halves = ids.length === 0 ? [] : await store.halves(link, { by: 'id', side, ids });
    for (const half of halves) found.set(`${side} ${half.id}`, half);
  }
  return found;
};

/** The writes that ended the conflicts with a winner, by run, contact and field. Each has both contacts as they were before. */
const decidingWrites = async (store: Store, link: string, rows: readonly ConflictRow[]) => {
  const ids = [...new Set(rows.filter(({ winner }) => winner !== null).map(({ leftId }) => leftId))];
  const writes = ids.length === 0 ? [] : await store.journal(link, { ids, pairIds: [] });
  const updates = writes.flatMap((write) => (write.kind === 'update' ? [write] : []));
  return new Map(updates.flatMap((each) => each.fields.map((field) => [`${each.run} ${each.leftId} ${field}`, each])));
};

/** When each side had changed the contact of a conflict: before the write that ended it, or now if a person decides. */
const changedAt = (
  { run, leftId, field, winner }: ConflictRow,
  halves: Sides<Half | undefined>,
  writes: Awaited<ReturnType<typeof decidingWrites>>,
): Sides<number | null> => {
  if (winner === null) return bySide((side) => (halves[side] === undefined ? null : changedAtMs(halves[side])));
  const write = writes.get(`${run} ${leftId} ${field}`);
  return bySide((side) => (side === write?.side ? write.before : write?.source)?.modifiedAtMs ?? null);
};

/** Returns the conflicts of a link, the oldest first: all, or those that are open or whose other value is about to be written. */
export const listConflicts = async (
  store: Store,
  link: string,
  policy: ConflictTerms,
  { all }: { readonly all: boolean },
): Promise<readonly ConflictView[]> => {
  const rows = await store.conflicts(link, { all });
  const shown = rows.map((row) => ({ row, state: stateOf(row) }));
  const listed = all ? shown : shown.filter(({ state }) => state === 'open' || state === 'taking');
  const listedRows = listed.map(({ row }) => row);
  const halves = await halvesOf(store, link, listedRows);
  const writes = await decidingWrites(store, link, listedRows);
  return listed.map(({ row, state }): ConflictView => {
    const { id, run, leftId, rightId, field, left, right, winner, atMs, reviewedAtMs } = row;
    const own = { left: halves.get(`left ${leftId}`), right: halves.get(`right ${rightId}`) };
    const [name = null] = SIDES.flatMap((side) => (own[side] && nameOf(own[side].record.contact)) ?? []);
    const by = decidedBy(field, { left, right }, winner, policy);
    const values = { field, left, right, winner, changedAtMs: changedAt(row, own, writes) };
    return { id, run, leftId, rightId, ...values, atMs, reviewedAtMs, name, state, by };
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
