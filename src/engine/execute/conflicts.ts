import { isDeepStrictEqual } from 'node:util';
import { conflictsOf, type Task, taskIds } from '../../core/apply/task.ts';
import type { ConflictRow, StoreChange } from '../../core/state/rows.ts';
import type { Session } from '../context.ts';
import type { Execution } from './execution.ts';

/**
 * Returns the changes that record the tasks' conflicts: those decided against one side, and those that a user must decide (R4).
 * The retry of a refused write records no conflict again.
 */
export const conflictChanges = async (session: Session, tasks: readonly Task[]): Promise<readonly StoreChange[]> => {
  const disputing = tasks.filter((task) => conflictsOf(task).length > 0 && !task.areConflictsStored);
  if (disputing.length === 0) return [];
  const { clock, link, run, store } = session;
  for (const task of disputing) task.areConflictsStored = true;
  const recorded = await store.conflicts(link, { all: false });
  return disputing.flatMap((task): StoreChange[] => {
    const { leftId, rightId } = taskIds(task);
    if (leftId === null || rightId === null) return [];
    const ids = { leftId, rightId };
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
};

/**
 * Records conflicts before the writes that decide them: the losing value stays readable even if a write's answer is
 * lost, and a question for the user is stored before the sync of both values is suspended. Both sides may write one contact at
 * the same time, so each call waits until the conflicts of the calls before it are stored.
 */
export const recordConflicts = (execution: Execution, tasks: readonly Task[]): Promise<void> => {
  const { session } = execution;
  execution.recording = execution.recording.then(async () => {
    const changes = await conflictChanges(session, tasks);
    if (changes.length > 0) await session.writer.apply({}, (set) => set.add(...changes));
  });
  return execution.recording;
};

/** Ends conflicts. A decision of a user that lapsed is removed. */
export const endConflicts = async (
  { clock, writer }: Session,
  ended: readonly { readonly row: ConflictRow; readonly lapsed: boolean }[],
): Promise<void> => {
  if (ended.length === 0) return;
  const atMs = clock.now();
  const changes = ended.flatMap(({ row: { leftId, field }, lapsed }): StoreChange[] => [
    ...(lapsed ? [{ kind: 'decide-conflict', leftId, field, decided: null } as const] : []),
    { kind: 'end-conflicts', leftId, fields: [field], atMs },
  ]);
  await writer.apply({}, (set) => set.add(...changes));
};
