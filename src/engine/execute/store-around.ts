import { finishTask, hasEnding, hasNewAgreement, isAsking, storeAgreed } from '../../core/apply/store-task.ts';
import { updatesNothing, type Task } from '../../core/apply/task.ts';
import { idsBySide } from '../../core/contact/half.ts';
import { bySide, SIDES } from '../../core/contact/side.ts';
import { snapshotOf } from '../../core/contact/snapshot.ts';
import { isNewPairing, type Merge, type Unlink } from '../../core/reconcile/decision.ts';
import { endPair, storePair, unlinkPair } from '../../core/state/pair.ts';
import type { WorkingSet } from '../../core/state/working-set.ts';
import { chunks } from '../../util/batches.ts';
import { ROWS_PER_COMMIT } from '../link-writer.ts';
import { conflictChanges, newConflicts, reportConflicts } from '../conflicts.ts';
import { survivorsOf } from './delete-contacts.ts';
import { type Executable, type Execution, currentHalf, needsOf } from './execution.ts';
import { stateOf } from './results.ts';

// Rows that a plan stores before its first write, and after its writes.

/** Deletes a pair, or keeps it for its remaining half; nothing is written to a remote. */
const storeUnlink = (set: WorkingSet, { pair, to }: Unlink, atMs: number): void => {
  if (pair.id === null) return;
  if (to === 'drop') {
    endPair(set, pair.id);
    return;
  }
  if (to === 'unselected') {
    // Whether a missing contact exists is decided later.
    for (const half of [pair.left, pair.right]) if (half?.state === 'changed') set.put({ ...half, state: 'settled' });
    unlinkPair(set, pair.id);
    return;
  }
  if (pair.status === 'linked' && pair.left !== null) {
    set.add({ kind: 'end-conflicts', leftId: pair.left.id, fields: 'all', atMs });
  }
  const halves = bySide((side) => {
    const half = pair[side];
    if (half === null || half.state === 'gone') return null;
    return { ...half, base: snapshotOf(half.record), state: 'settled' as const };
  });
  storePair(set, { pairId: pair.id, status: to, halves, writtenSide: null });
};

/** Whether the pair is stored before anything is written to its two contacts, with the values on which both sides agree. */
const isStoredAhead = (task: Merge): boolean => isNewPairing(task) || task.isUniting === true || hasNewAgreement(task);

/**
 * Stores what must be stored before the first write:
 * - decisions that need no write: questions to a user, pairings, equal changes, ends of pairs.
 * - conflicts: the losing value stays readable even if the answer to the write of the winner is lost. A question to a user is stored
 *   together with its pairing: there is no question about unpaired contacts.
 * - what both sides agree on, so that each operation afterwards settles its own values only. A pair in a group whose members are
 *   united now loses that group from its bases: otherwise a refused membership would never be found again (R15).
 * - new pairings: if a run stops after the name of one contact was written, the two might no longer match as one person (R13).
 */
export const storeBeforeWrites = async (
  execution: Execution,
  plan: Executable,
  all: readonly Task[],
): Promise<void> => {
  const { session } = execution;
  const { clock, writer } = session;
  const unlinked = plan.decisions.filter((decision) => decision.kind === 'unlink');
  for (const unlinks of chunks(unlinked, ROWS_PER_COMMIT)) {
    await writer.apply({ pairs: unlinks.flatMap(({ pair }) => pair.id ?? []) }, (set) => {
      for (const unlink of unlinks) storeUnlink(set, unlink, clock.now());
    });
  }
  const isStored = (task: Merge): boolean => updatesNothing(task) || isStoredAhead(task);
  const survivors = survivorsOf(plan, all);
  const isDisputed = (task: Merge): boolean => isAsking(task) || !updatesNothing(task) || survivors.has(task);
  const merges = all.filter((task) => task.kind === 'merge');
  for (const tasks of chunks(merges, ROWS_PER_COMMIT)) {
    const stored = tasks.filter(isStored);
    const conflicts = await newConflicts(session, tasks.filter(isDisputed));
    await writer.apply(needsOf(execution, stored), (set) => {
      for (const task of stored) storeAgreed(set, task, clock.now());
      set.add(...conflictChanges(conflicts, { run: session.run, atMs: clock.now() }));
    });
    session.tally.paired += stored.filter(isNewPairing).length;
    reportConflicts(session, conflicts);
  }
  await settleSelection(execution, plan);
};

/** Stores for each unpaired contact whether it is selected, and then the selection itself. */
const settleSelection = async (
  { session: { state, writer } }: Execution,
  { rest = [], selection }: Executable,
): Promise<void> => {
  for (const chunk of chunks(rest, ROWS_PER_COMMIT)) {
    await writer.apply({ ids: idsBySide(chunk) }, (set) => {
      for (const half of chunk) set.put(half);
    });
  }
  if (selection === undefined || state().selection?.key === selection?.key) return;
  await writer.apply({}, (set) => set.add({ kind: 'link', patch: { selection } }));
};

/** Stores the end of the tasks after their writes. */
export const finishTasks = async (execution: Execution, all: readonly Task[]): Promise<void> => {
  const { clock, writer } = execution.session;
  const ending = all.filter((task) => task.kind !== 'restore').filter(hasEnding);
  for (const tasks of chunks(ending, ROWS_PER_COMMIT)) {
    await writer.apply(needsOf(execution, tasks), (set) => {
      for (const task of tasks) {
        const current = bySide((side) => currentHalf(execution, set, task, side));
        const [left, right] = SIDES.map((side) => stateOf(execution, task, side).unwritten);
        const unwritten = new Set([...(left ?? []), ...(right ?? [])]);
        finishTask(set, task, current, unwritten, clock.now());
      }
    });
  }
};
