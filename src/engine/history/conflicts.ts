import type { ConflictRow } from '../../core/state/rows.ts';
import { SIDES } from '../../core/contact/side.ts';
import { decidedBy, type Deciding } from '../../core/reconcile/policy.ts';
import type { Store } from '../../store/store.ts';
import { nameOf } from '../../core/view/values.ts';
import type { ConflictState, ConflictView } from '../../core/view/views.ts';

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
