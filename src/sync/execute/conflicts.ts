import { isDeepStrictEqual } from 'node:util';
import type { StoreChange } from '../../store/store.ts';
import type { Session } from '../context.ts';
import type { Task } from './task.ts';

/**
 * Records what the tasks' writes are about to decide against one side (R4). It is done ahead of the writes: the losing value
 * stays readable also where a write's answer is lost, and a question to a person is known before both values rest. A write
 * that was refused and is tried again decides nothing new.
 */
export const recordConflicts = async (session: Session, tasks: readonly Task[]): Promise<void> => {
  const disputing = tasks.filter((task) => task.conflicts.length > 0 && !task.conflictsStored);
  if (disputing.length === 0) return;
  const { clock, link, run, store, writer } = session;
  for (const task of disputing) task.conflictsStored = true;
  const open = await store.conflicts(link, { all: false });
  const changes = disputing.flatMap((task): StoreChange[] => {
    const { left, right } = task.halves;
    if (left === null || right === null) return [];
    const ids = { leftId: left.record.id, rightId: right.record.id };
    const atMs = clock.now();
    return task.conflicts.flatMap((conflict): StoreChange[] => {
      if (open.some((row) => isDeepStrictEqual({ ...row, ...ids, ...conflict }, row))) return [];
      if (conflict.winner === null) session.tally.asked += 1;
      else session.tally.conflicts += 1;
      session.emit({ kind: 'conflict', conflict, ...ids });
      return [
        { kind: 'resolve-conflicts', leftId: ids.leftId, fields: [conflict.field], atMs },
        { kind: 'conflict', run, ...ids, conflict, atMs },
      ];
    });
  });
  if (changes.length > 0) await writer.apply({}, (set) => set.add(...changes));
};
