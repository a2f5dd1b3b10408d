import type { PairIds } from '../core/contact/pair.ts';
import type { Conflict, Merge } from '../core/reconcile/decision.ts';
import type { EndedConflict } from '../core/reconcile/recorded-conflicts.ts';
import type { StoreChange } from '../core/state/rows.ts';
import type { Session } from './session.ts';

/** A conflict that is not recorded yet, with the ids of its contacts. */
type NewConflict = {
  readonly conflict: Conflict;
  readonly leftId: string;
  readonly rightId: string;
  /** True if the field also has an open question for the user, which is about other values and stays open. */
  readonly isBeside: boolean;
};

/** Identifies a conflict by its contacts, field, values and winner. */
const keyOf = ({ leftId, rightId }: PairIds, { field, left, right, winner }: Conflict): string =>
  JSON.stringify([leftId, rightId, field, left, right, winner]);

/** Returns the conflicts of merges that are not recorded. The retry of a refused write records no conflict again. */
export const newConflicts = async (
  { link, store }: Pick<Session, 'link' | 'store'>,
  merges: readonly Merge[],
): Promise<readonly NewConflict[]> => {
  const disputing = merges.filter(({ conflicts }) => conflicts.length > 0);
  if (disputing.length === 0) return [];
  const recorded = new Set((await store.conflicts(link, { all: false })).map((row) => keyOf(row, row)));
  return disputing.flatMap(({ pair, conflicts }): readonly NewConflict[] => {
    const ids = { leftId: pair.left.id, rightId: pair.right.id };
    const asked = new Set(conflicts.flatMap(({ field, winner }) => (winner === null ? [field] : [])));
    return conflicts
      .filter((conflict) => !recorded.has(keyOf(ids, conflict)))
      .map((conflict) => ({ conflict, ...ids, isBeside: conflict.winner !== null && asked.has(conflict.field) }));
  });
};

/** Returns the changes that record conflicts: those decided against one side, and those that a user must decide (R4). */
export const conflictChanges = (
  found: readonly NewConflict[],
  { run, atMs }: { readonly run: string; readonly atMs: number },
): readonly StoreChange[] => {
  const changes = found.flatMap(({ conflict, isBeside, ...ids }): StoreChange[] => {
    if (isBeside) return [{ kind: 'conflict', run, ...ids, conflict, atMs, endedAtMs: atMs }];
    return [
      { kind: 'end-conflicts', leftId: ids.leftId, fields: [conflict.field], atMs },
      { kind: 'conflict', run, ...ids, conflict, atMs },
    ];
  });
  const { ends = [], adds = [] } = Object.groupBy(changes, ({ kind }) => (kind === 'conflict' ? 'adds' : 'ends'));
  return [...ends, ...adds];
};

/** Counts and reports conflicts that were recorded. */
export const reportConflicts = ({ emit, tally }: Session, found: readonly NewConflict[]): void => {
  for (const { conflict, leftId, rightId } of found) {
    if (conflict.winner === null) tally.asked += 1;
    else tally.conflicts += 1;
    emit({ kind: 'conflict', conflict, leftId, rightId });
  }
};

/** Returns the changes that end conflicts. A decision of a user that lapsed is removed. */
export const endConflictChanges = (ended: readonly EndedConflict[], atMs: number): readonly StoreChange[] =>
  ended.flatMap(({ row: { leftId, field }, lapsed }): StoreChange[] => [
    ...(lapsed ? [{ kind: 'decide-conflict', leftId, field, decided: null } as const] : []),
    { kind: 'end-conflicts', leftId, fields: [field], atMs },
  ]);
