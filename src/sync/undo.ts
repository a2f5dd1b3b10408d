import { SIDES, type Side } from '../contact/side.ts';
import type { GroupRecord } from '../contact/record.ts';
import { listActions, type PlannedAction } from '../reconcile/actions.ts';
import type { Pair } from '../reconcile/decision.ts';
import type { Halt } from '../reconcile/guard.ts';
import { planUndo, type DoneWrite, type Refusal, type UndoPlan, type WrittenContact } from '../reconcile/undo.ts';
import type { RunRow, Store, WriteStory } from '../store/store.ts';
import { HaltError, onBothSides, type LinkContext, type RunOptions, type Session } from './context.ts';
import { execute } from './execute.ts';
import { guard, takeStock } from './prepare.ts';
import { conduct, openSession, settleUnanswered, type RunResult } from './run.ts';
import { followContacts, writtenId } from './story.ts';

export type UndoOptions = Omit<RunOptions, 'kind'>;

/** What an undo did or, where it is only planned, would do. */
export type UndoReport = {
  readonly actions: readonly PlannedAction[];
  /** What stays as it is, and why. */
  readonly refused: readonly Refusal[];
};

/** A change of membership is a set: one whose answer was lost is not known to have failed. */
const isDone = ({ state, kind }: WriteStory): boolean => {
  return state === 'done' || (state === 'abandoned' && kind === 'membership');
};

const doneWrite = ({ kind, intent, before, after }: WriteStory): DoneWrite => {
  const { fields, join, leave } = intent;
  return { kind, fields, join, leave, before, after };
};

/** Everything that the plan of an undo is made of, as the store has it. */
type Material = {
  /** The writes of any run to the contacts in question, the oldest first. */
  readonly history: readonly WriteStory[];
  /** The undo that brought the contact back, where one did. */
  readonly returnOf: (id: string) => WriteStory | undefined;
  readonly pairOf: (side: Side, id: string, pairIds: readonly (number | null)[]) => Pair | null;
};

const gather = async (store: Store, link: string, own: readonly WriteStory[]): Promise<Material> => {
  const pairIds = [...new Set(own.flatMap((write) => write.pairId ?? []))];
  const ids = [...new Set(own.map(writtenId))];
  const story = await followContacts(store, link, { ids, pairIds: [] });
  const history = story.writes.filter(isDone);
  const pairs = await store.pairsWith(link, { ids: story.ids, pairIds });
  const byContact = new Map(
    pairs.flatMap((pair) => {
      return SIDES.flatMap((side) => (pair[side].kind === 'present' ? [[pair[side].record.id, pair] as const] : []));
    }),
  );
  const returned = Map.groupBy(
    history.filter((write) => write.kind === 'create' && write.intent.undoes),
    (write) => (write.side === 'left' ? write.leftId : write.rightId),
  );
  const pairOf: Material['pairOf'] = (_, id, rows) => {
    const names = [id, ...(returned.get(id) ?? []).map(writtenId)];
    const standing = names.map((name) => byContact.get(name)).find((pair) => pair !== undefined);
    return standing ?? pairs.find((pair) => rows.includes(pair.id)) ?? null;
  };
  return { history, pairOf, returnOf: (id) => returned.get(id)?.at(-1) };
};

/** The contacts that a run wrote, each with its writes, the newest first, and how it stands now. */
const writtenContacts = async (session: Session, run: string): Promise<readonly WrittenContact[]> => {
  const { store, link } = session;
  const own = (await store.journalOf(link, { run })).filter(isDone);
  const { history, pairOf, returnOf } = await gather(store, link, own);
  const newest = new Map(history.map((write) => [`${write.side} ${writtenId(write)}`, write]));
  return [...Map.groupBy(own, (write) => `${write.side} ${writtenId(write)}`)].flatMap(([key, writes]) => {
    const [first] = writes;
    if (first === undefined) return [];
    const { side } = first;
    const id = writtenId(first);
    const last = newest.get(key);
    const record = last?.after ?? null;
    const isExact = last?.kind !== 'membership';
    const atMs = last?.settledAtMs ?? last?.intendedAtMs ?? 0;
    const pair = pairOf(
      side,
      id,
      writes.map((write) => write.pairId),
    );
    const outcome = record === null ? null : { record, isExact, atMs };
    const back = returnOf(id);
    const isCutOff = back !== undefined && newest.get(`${side} ${writtenId(back)}`) === back;
    const unjoined = isCutOff ? back.intent.join.filter((group) => !back.after?.groupIds.includes(group)) : [];
    return [{ side, id, unjoined, writes: writes.toReversed().map(doneWrite), pair, outcome }];
  });
};

type Groups = Readonly<Record<Side, readonly GroupRecord[]>>;

const planOf = async (session: Session, run: string, groups: Groups): Promise<UndoPlan> => {
  return planUndo({ contacts: await writtenContacts(session, run), groups, policy: session.policy });
};

/** Performs the plan and listens for what a side refuses or does not take. */
const executeUndo = async (session: Session, { plan }: UndoPlan): Promise<{ again: boolean; refused: Refusal[] }> => {
  const refused: Refusal[] = [];
  const listening: Session = {
    ...session,
    emit: (event) => {
      session.emit(event);
      if (event.kind === 'skipped') {
        const { side, leftId, rightId, reason } = event;
        refused.push({ side, leftId, rightId, field: null, reason });
      } else if (event.kind === 'not-taken') {
        const { side, leftId, rightId, fields } = event;
        refused.push(...fields.map((field) => ({ side, leftId, rightId, field, reason: 'the side did not take it' })));
      }
    },
  };
  return { again: await execute(listening, plan), refused };
};

type Undone = { readonly actions: readonly PlannedAction[]; readonly refused: readonly Refusal[] };

const putBack = async (session: Session, run: string, report: (undone: Undone) => void): Promise<void> => {
  await takeStock(session);
  const groups = await onBothSides((side) => session.remotes[side].listGroups(session.signal));
  const planned = await planOf(session, run, groups);
  const actions = listActions(planned.plan);
  report({ actions, refused: planned.refused });
  const halt = await guard(session, planned.plan);
  if (halt !== null) throw new HaltError(halt);
  const first = await executeUndo(session, planned);
  report({ actions, refused: [...planned.refused, ...first.refused] });
  if (!first.again) return;
  // What was stale, gone or answered by silence is judged once more; nothing is deleted in a second pass.
  await settleUnanswered(session);
  const again = await planOf(session, run, groups);
  const decisions = again.plan.decisions.filter((decision) => decision.kind !== 'delete');
  const second = await executeUndo(session, { ...again, plan: { ...again.plan, decisions } });
  if (second.again) await settleUnanswered(session);
  report({ actions, refused: [...again.refused, ...first.refused, ...second.refused] });
};

/**
 * Puts back what a run wrote, as a run of its own: from the images before each write, field by field, refusing what was
 * changed since. Nothing travels to the other side by it, and it can itself be undone.
 *
 * @throws {LeaseError} where another process works on the link.
 */
export const undoRun = async (
  context: LinkContext,
  options: UndoOptions,
  run: RunRow,
): Promise<{ readonly result: RunResult; readonly report: UndoReport }> => {
  let report: UndoReport = { actions: [], refused: [] };
  const result = await conduct(
    context,
    { ...options, kind: 'incremental' },
    {
      undoes: run.id,
      perform: (session) =>
        putBack(session, run.id, (undone) => {
          report = undone;
        }),
    },
  );
  return { result, report };
};

/**
 * What an undo would do, on a copy of the store: writes on neither side.
 *
 * @throws {RemoteError | HaltError} where it could not even be planned.
 */
export const planUndoRun = async (
  context: LinkContext,
  options: UndoOptions,
  run: RunRow,
): Promise<{ readonly report: UndoReport; readonly halt: Halt | null }> => {
  const session = await openSession(context, { ...options, kind: 'incremental' }, run.id);
  await takeStock(session);
  const groups = await onBothSides((side) => session.remotes[side].listGroups(session.signal));
  const { plan, refused } = await planOf(session, run.id, groups);
  return { report: { actions: listActions(plan), refused }, halt: await guard(session, plan) };
};
