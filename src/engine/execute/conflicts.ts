import { isDeepStrictEqual } from 'node:util';
import { conflictsOf, plannedHalf, type Task } from '../../core/apply/task.ts';
import type { EndedConflict } from '../../core/reconcile/recorded-conflicts.ts';
import type { ConflictRow, StoreChange } from '../../core/state/rows.ts';
import type { Session } from '../context.ts';

/**
 * Returns the changes that record the tasks' conflicts: those decided against one side, and those that a user must decide (R4).
 * The retry of a refused write records no conflict again.
 */
export const conflictChanges = async (session: Session, tasks: readonly Task[]): Promise<readonly StoreChange[]> => {
  const disputing = tasks.filter((task) => conflictsOf(task).length > 0);
  if (disputing.length === 0) return [];
  const { clock, link, run, store } = session;
  const recorded = await store.conflicts(link, { all: false });
  const changes = disputing.flatMap((task): StoreChange[] => {
    const [left, right] = [plannedHalf(task, 'left'), plannedHalf(task, 'right')];
    if (left === null || right === null) return [];
    const ids = { leftId: left.id, rightId: right.id };
    const atMs = clock.now();
    const asked = new Set(conflictsOf(task).flatMap(({ field, winner }) => (winner === null ? [field] : [])));
    return conflictsOf(task).flatMap((conflict): StoreChange[] => {
      if (recorded.some((row) => isDeepStrictEqual({ ...row, ...ids, ...conflict }, row))) return [];
      if (conflict.winner === null) session.tally.asked += 1;
      else session.tally.conflicts += 1;
      session.emit({ kind: 'conflict', conflict, ...ids });
      // The field also has an open question for the user. This conflict is about other values, so the question stays open.
      const isBeside = conflict.winner !== null && asked.has(conflict.field);
      if (isBeside) return [{ kind: 'conflict', run, ...ids, conflict, atMs, endedAtMs: atMs }];
      return [
        { kind: 'end-conflicts', leftId: ids.leftId, fields: [conflict.field], atMs },
        { kind: 'conflict', run, ...ids, conflict, atMs },
      ];
    });
  });
  const { ends = [], adds = [] } = Object.groupBy(changes, ({ kind }) => (kind === 'conflict' ? 'adds' : 'ends'));
  return [...ends, ...adds];
};

/** Returns the changes that end conflicts. A decision of a user that lapsed is removed. */
export const endConflictChanges = (
  ended: readonly EndedConflict<ConflictRow>[],
  atMs: number,
): readonly StoreChange[] =>
  ended.flatMap(({ row: { leftId, field }, lapsed }): StoreChange[] => [
    ...(lapsed ? [{ kind: 'decide-conflict', leftId, field, decided: null } as const] : []),
    { kind: 'end-conflicts', leftId, fields: [field], atMs },
  ]);
