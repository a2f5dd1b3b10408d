import type { Side } from '../contact/side.ts';
import type { ContactRecord } from '../contact/record.ts';
import type { Decision } from '../reconcile/decision.ts';
import type { Plan } from '../reconcile/plan.ts';
import { EMPTY_SNAPSHOT } from '../reconcile/settle.ts';
import type { StoreChange } from '../store/store.ts';
import { onBothSides, type Session } from './context.ts';
import { pairChanges, recordConflicts, type Answered, type Execution } from './execution.ts';
import { deleteGroups, reportDuplicates, settleGroups, writeGroups } from './group-writers.ts';
import { taskOf, writeOf, type Task } from './task.ts';
import { performCreates, performDeletes, performMemberships, performUpdates } from './writers.ts';

const COMMIT_CHUNK = 500;

const chunks = <T>(items: readonly T[], size: number): readonly (readonly T[])[] => {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
};

/**
 * Works through the chunks with so many under way at once; after a failure no further one is begun. Each worker goes on
 * while what it did before is being stored: its answer and the next intent reach the disk together.
 */
const inParallel = async <T>(
  items: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<Answered>,
): Promise<void> => {
  const queue = items.values();
  const failures: unknown[] = [];
  const note = (error: unknown): void => void failures.push(error);
  const worker = async (): Promise<void> => {
    let stored = Promise.resolve();
    for (const item of queue) {
      const answered = work(item).catch(note);
      await stored;
      stored = (await answered)?.stored.catch(note) ?? stored;
      if (failures.length > 0) break;
    }
    await stored;
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker));
  if (failures.length > 0) throw failures[0];
};

type Deletion = Extract<Decision, { kind: 'delete' }>;

type Work = {
  readonly tasks: readonly Task[];
  readonly deletions: readonly Deletion[];
  readonly unpaired: Readonly<Record<Side, ReadonlySet<string>>>;
};

const workOf = (plan: Plan): Work => {
  const tasks = plan.decisions.flatMap((decision) => {
    return decision.kind === 'merge' || decision.kind === 'create' ? [taskOf(decision)] : [];
  });
  const deletions = plan.decisions.filter((decision) => decision.kind === 'delete');
  const sources = (side: Side) => {
    return new Set(
      tasks.flatMap(({ decision }) =>
        decision.kind === 'create' && decision.side !== side ? [decision.source.id] : [],
      ),
    );
  };
  return { tasks, deletions, unpaired: { left: sources('left'), right: sources('right') } };
};

const countWrites = (plan: Plan, work: Work, side: Side, createsWithGroups: boolean): number => {
  const groups = plan.groups.actions.filter((action) => action.side === side).length;
  const deletes = work.deletions.filter((decision) => decision.side === side).length;
  const contacts = work.tasks.reduce((sum, task) => {
    const { decision } = task;
    const creates = decision.kind === 'create' && decision.side === side && task.halves[side] === null ? 1 : 0;
    const updates = (writeOf(task, side)?.fields ?? []).some((field) => field !== 'buckets') ? 1 : 0;
    const moves = task.pending[side].has('buckets') && !(creates === 1 && createsWithGroups) ? 1 : 0;
    return sum + creates + updates + moves;
  }, 0);
  return groups + deletes + contacts;
};

const isNewPairing = (decision: Decision): decision is Extract<Decision, { kind: 'merge' }> => {
  return decision.kind === 'merge' && (decision.pair.id === null || decision.pair.status !== 'linked');
};

const isQuiet = (task: Task): boolean => task.pending.left.size === 0 && task.pending.right.size === 0;

/** A new pairing as it is stored ahead of its writes: half written, the two might not be known for one person again (R13). */
const meetingOf = (session: Session, { decision }: Task): readonly StoreChange[] => {
  if (!isNewPairing(decision)) return [];
  const { id, left, right } = decision.pair;
  const half = ({ record }: { record: ContactRecord }) => ({ record, base: EMPTY_SNAPSHOT, unsettled: true });
  const halves = { left: half(left), right: half(right) };
  const atMs = session.clock.now();
  return [{ kind: 'pair', pairId: id, status: 'linked', ...halves, writtenSide: null, atMs }];
};

/** Contacts that need no write: pairings, equal changes, ends of mapping rows. */
const settleQuietly = async (session: Session, plan: Plan, tasks: readonly Task[]): Promise<void> => {
  const quiet = tasks.filter((task) => task.decision.kind === 'merge' && isQuiet(task));
  const meetings = tasks.filter((task) => !isQuiet(task)).flatMap((task) => meetingOf(session, task));
  const unlinks = plan.decisions.flatMap((decision): StoreChange[] => {
    if (decision.kind !== 'unlink') return [];
    const { pair, to } = decision;
    if (to === 'drop') return pair.id === null ? [] : [{ kind: 'drop-pair', pairId: pair.id }];
    const value = (side: Side) => {
      const half = pair[side];
      if (half.kind !== 'present') return null;
      const base = { contact: half.record.contact, groupIds: half.record.groupIds };
      return { record: half.record, base, unsettled: false };
    };
    const atMs = session.clock.now();
    const halves = { left: value('left'), right: value('right') };
    return [{ kind: 'pair', pairId: pair.id, status: to, ...halves, writtenSide: null, atMs }];
  });
  const changes = [...unlinks, ...meetings, ...quiet.flatMap((task) => pairChanges(session, task, null))];
  for (const chunk of chunks(changes, COMMIT_CHUNK)) await session.store.commit(session.link, chunk);
};

const isUpdate = (task: Task, side: Side): boolean => {
  return (writeOf(task, side)?.fields ?? []).some((field) => field !== 'buckets');
};

const writeContacts = async (execution: Execution, work: Work, side: Side): Promise<void> => {
  const { link, remotes, store } = execution.session;
  const { capabilities } = remotes[side];
  const { writeConcurrency } = capabilities;
  const creates = work.tasks.filter(({ decision, halves }) => {
    return decision.kind === 'create' && decision.side === side && halves[side] === null;
  });
  const updates = work.tasks.filter((task) => isUpdate(task, side));
  if (creates.length > 0) {
    const paired = new Set(await store.pairedIds(link, side));
    const known = { paired, unpaired: work.unpaired[side] };
    await inParallel(chunks(creates, capabilities.createBatch), writeConcurrency, (batch) => {
      return performCreates(execution, side, batch, known);
    });
  }
  await inParallel(chunks(updates, capabilities.updateBatch), writeConcurrency, (batch) => {
    return performUpdates(execution, side, batch);
  });
};

const MEMBERSHIP_CHUNK = 1000;

const writeMemberships = async (execution: Execution, work: Work, side: Side): Promise<void> => {
  const moving = work.tasks.filter((task) => task.pending[side].has('buckets') && task.halves[side] !== null);
  for (const batch of chunks(moving, MEMBERSHIP_CHUNK)) await performMemberships(execution, side, batch);
};

/** What is done to the contact that another one was merged into (R12). */
const heirOf = (work: Work, { side, handsOver }: Deletion): Task | undefined => {
  return handsOver && work.tasks.find((task) => task.halves[side]?.record.id === handsOver.heirId);
};

/** Whether all that a contact alone held, where it was merged away, stands on the other one. */
const hasHandedOver = (work: Work, deletion: Deletion): boolean => {
  const { side, handsOver } = deletion;
  const written = heirOf(work, deletion)?.halves[side]?.written;
  return handsOver?.fields.every((field) => written?.has(field)) ?? true;
};

const deleteContacts = async (execution: Execution, work: Work, side: Side): Promise<void> => {
  const { session } = execution;
  const { deleteBatch, writeConcurrency } = session.remotes[side].capabilities;
  const deletions = work.deletions.filter((deletion) => deletion.side === side && hasHandedOver(work, deletion));
  await recordConflicts(
    session,
    deletions.flatMap((deletion) => heirOf(work, deletion) ?? []),
  );
  await inParallel(chunks(deletions, deleteBatch), writeConcurrency, (batch) => performDeletes(execution, side, batch));
};

/**
 * Performs a plan. Contacts are written before memberships, deletions come last; the two sides go on at the same time.
 *
 * @returns whether something must be looked at again: stale, vanished, or answered by silence.
 * @throws {RemoteError} where a remote is unavailable or a credential is refused; what was written is stored.
 */
export const execute = async (session: Session, plan: Plan): Promise<boolean> => {
  const { store, link } = session;
  const work = workOf(plan);
  const total = (side: Side): number => {
    return countWrites(plan, work, side, session.remotes[side].capabilities.createsWithGroups);
  };
  const totals = { left: total('left'), right: total('right') };
  const rejections = await store.rejections(link);
  const execution: Execution = {
    session,
    groupIds: new Map(plan.groups.links.map(({ key, left, right }) => [key, { left, right }])),
    rejections: new Map(rejections.map((rejection) => [`${rejection.side} ${rejection.key}`, rejection])),
    again: { needed: false },
    silentCalls: { left: 0, right: 0 },
    progress: { left: { done: 0, total: totals.left }, right: { done: 0, total: totals.right } },
  };
  session.emit({ kind: 'planned', writes: totals });
  reportDuplicates(session, plan.groups);
  await writeGroups(execution, plan.groups);
  await settleQuietly(session, plan, work.tasks);
  await onBothSides((side) => writeContacts(execution, work, side));
  await onBothSides((side) => writeMemberships(execution, work, side));
  await onBothSides((side) => deleteContacts(execution, work, side));
  await deleteGroups(execution, plan.groups);
  await settleGroups(execution, plan.groups);
  session.tally.paired += work.tasks.filter(({ decision }) => isNewPairing(decision)).length;
  return execution.again.needed;
};
