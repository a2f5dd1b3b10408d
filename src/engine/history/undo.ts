import type { Store } from '../../store/store.ts';
import { halfKey, isPresent } from '../../core/contact/half.ts';
import { withoutEmails } from '../../core/contact/lists.ts';
import { bySide, otherSide, type Side, SIDES } from '../../core/contact/side.ts';
import { idAt, type Pair, type PairIds } from '../../core/contact/pair.ts';
import type { Halt } from '../../core/reconcile/guard.ts';
import { targetIdOf } from '../../core/reconcile/operation.ts';
import type { JournalRow, RunRow } from '../../core/state/rows.ts';
import { undoChanges } from '../../core/view/plan.ts';
import type { Change } from '../../core/view/views.ts';
import { type LinkContext, type RunOptions, type Session } from '../session.ts';
import { HaltError } from '../errors.ts';
import { execute, finishGroups } from '../execute/execute.ts';
import { guard } from '../guard.ts';
import { openEntries } from '../opening.ts';
import { performWithSecondPass, refreshState } from '../perform.ts';
import { listLinkGroups } from '../plan.ts';
import { planUnderLease, type RunResult, runUnderLease } from '../run.ts';
import { forgetSelection } from '../selecting.ts';
import { type ContactIds, loadHalves, loadPairsOf } from '../workload.ts';
import { type JournaledWrite, followContacts, isContactWrite, writtenId } from './follow.ts';
import { lossesOfUndo, planUndo, type UndoRefusal, type UndoPlan, type WrittenContact } from './plan-undo.ts';
import type { RemovedGroup } from './undo-groups.ts';

export type UndoOptions = Omit<RunOptions, 'kind'> & {
  /** The journal id of the one write to revert; the whole run if absent. */
  readonly write?: number;
};

/** The target of an undo: a run or one write of it. */
type Target = { readonly run: string; readonly write: number | undefined };

/** The changes of an undo, performed or planned. */
export type UndoReport = {
  readonly actions: readonly Change[];
  /** The contacts and fields that are not reverted, and the reasons. */
  readonly refused: readonly UndoRefusal[];
};

/** Memberships are sets, so a change can be reverted safely: one whose answer was lost counts as done. */
const isDone = ({ state, kind }: JournalRow): boolean =>
  state === 'done' || (state === 'abandoned' && kind === 'membership');

/** The stored input for the plan of an undo. */
type Material = {
  /** The writes of any run to the contacts in question, the oldest first. */
  readonly history: readonly JournaledWrite[];
  /** The create by which an undo restored the contact, if any. */
  readonly returnOf: (side: Side, id: string) => JournalRow | undefined;
  /** Whether the contact exists without a pair. */
  readonly isUnlinked: (side: Side, id: string) => boolean;
  /** The pair of a contact, by these writes to it. */
  readonly pairOf: (side: Side, id: string, writes: readonly JournaledWrite[]) => Pair | null;
};

/** The id of the write's contact on a side; empty if it has none. */
const contactAt = (write: JournaledWrite, side: Side): string =>
  side === write.side ? writtenId(write) : (idAt(write, side) ?? '');

/** The id of the contact's last counterpart in the writes; empty if it does not exist. */
const partnerIn = (writes: readonly JournaledWrite[], side: Side, id: string): string => {
  const ids = writes.filter((write) => contactAt(write, side) === id).map((write) => contactAt(write, otherSide(side)));
  return ids.findLast((partner) => partner !== '') ?? '';
};

const gather = async (
  store: Store,
  link: string,
  own: readonly JournaledWrite[],
  members: ContactIds,
): Promise<Material> => {
  const pairIds = [...new Set(own.flatMap((write) => write.pairId ?? []))];
  const ids = bySide((side) => [
    ...new Set([...own.filter((write) => write.side === side).map(writtenId), ...members[side]]),
  ]);
  const followed = await followContacts(store, link, { ids, pairIds: [] });
  const history = followed.writes.filter(isDone);
  const pairs = await loadPairsOf(store, link, { ids: followed.ids, pairIds });
  const halves = await loadHalves(store, link, ids);
  const unlinked = new Set(halves.filter((half) => half.pair === null && isPresent(half)).map(halfKey));
  const byContact = new Map(
    pairs.flatMap((pair) =>
      SIDES.flatMap((side) => (isPresent(pair[side]) ? [[`${side} ${pair[side].id}`, pair] as const] : [])),
    ),
  );
  const returned = Map.groupBy(
    history.filter((write) => write.kind === 'create' && write.cause === 'undo'),
    (write) => `${write.side} ${targetIdOf(write)}`,
  );
  const pairWith = (side: Side, id: string): Pair | undefined => {
    const names = [id, ...(returned.get(`${side} ${id}`) ?? []).map(writtenId)];
    return names.map((name) => byContact.get(`${side} ${name}`)).find((pair) => pair !== undefined);
  };
  const pairOf: Material['pairOf'] = (side, id, writes) => {
    const known = pairWith(side, id) ?? pairs.find((pair) => writes.some(({ pairId }) => pairId === pair.id));
    if (known !== undefined || writes.at(-1)?.kind !== 'delete') return known ?? null;
    // Its counterpart, which was deleted first, may have been restored since and have a new pair.
    return pairWith(otherSide(side), partnerIn(history, side, id)) ?? null;
  };
  const isUnlinked: Material['isUnlinked'] = (side, id) => unlinked.has(halfKey({ side, id }));
  return { history, isUnlinked, pairOf, returnOf: (side, id) => returned.get(`${side} ${id}`)?.at(-1) };
};

/** The groups that a run deleted, from the journal. */
const removedGroupsOf = (rows: readonly JournalRow[]): readonly RemovedGroup[] =>
  rows.flatMap((row) =>
    row.kind !== 'group-delete' || row.state !== 'done' ? [] : [{ side: row.side, ...row.group }],
  );

type Touched = { readonly side: Side; readonly id: string; readonly writes: JournaledWrite[]; readonly lost: string[] };

/** The contacts that a run changed, each with its writes, the oldest first, and the deleted groups that it was in. */
const touchedContacts = (own: readonly JournaledWrite[], removed: readonly RemovedGroup[]): readonly Touched[] => {
  const found = new Map<string, Touched>();
  const touch = (side: Side, id: string): Touched => {
    const touched = found.get(`${side} ${id}`) ?? { side, id, writes: [], lost: [] };
    found.set(`${side} ${id}`, touched);
    return touched;
  };
  for (const write of own) touch(write.side, writtenId(write)).writes.push(write);
  for (const { side, id, members } of removed) for (const member of members) touch(side, member).lost.push(id);
  return [...found.values()];
};

/**
 * The groups and email addresses that a restored contact lacks because its undo was interrupted after the create, or after a part of the
 * writes that follow it. `latest` is the newest write to the contact.
 */
const unfinishedIn = (
  back: JournalRow | undefined,
  latest: JournaledWrite | undefined,
): Pick<WrittenContact, 'unjoined' | 'unshared'> => {
  if (back?.kind !== 'create' || back.image === null || latest?.run !== back.run) return { unjoined: [], unshared: [] };
  const { after } = latest;
  const known = [...back.desired.emailAddresses, ...(after?.contact.emailAddresses ?? [])];
  return {
    unjoined: back.join.filter((group) => after?.groupIds.includes(group) !== true),
    // An address that another contact has is added by an update of its own.
    unshared: withoutEmails(back.image.contact, known).emailAddresses,
  };
};

/** The contacts that a run changed, each with its writes, the newest first, and its current state. */
const writtenContacts = async (session: Session, rows: readonly JournalRow[]): Promise<readonly WrittenContact[]> => {
  const { store, link } = session;
  const open = await openEntries(session);
  const isOpen = (side: Side, id: string): boolean => open.some((row) => idAt(row, side) === id);
  const removed = removedGroupsOf(rows);
  const own = rows.filter(isDone).filter(isContactWrite);
  const members = bySide((side) => removed.filter((group) => group.side === side).flatMap((group) => group.members));
  const { history, isUnlinked, pairOf, returnOf } = await gather(store, link, own, members);
  const newest = new Map(history.map((write) => [`${write.side} ${writtenId(write)}`, write]));
  return touchedContacts(own, removed).map(({ side, id, writes, lost }): WrittenContact => {
    const last = newest.get(`${side} ${id}`);
    const record = last?.after ?? null;
    const isExact = last?.kind !== 'membership';
    const atMs = last?.settledAtMs ?? last?.intendedAtMs ?? 0;
    const pair = pairOf(side, id, writes);
    const outcome = record === null ? null : { record, isExact, atMs };
    const back = returnOf(side, id);
    const unfinished = unfinishedIn(back, back && newest.get(`${side} ${writtenId(back)}`));
    const state = { isUnlinked: isUnlinked(side, id), isOpen: isOpen(side, id) };
    const contact = { side, id, ...state, writes: writes.toReversed() };
    return { ...contact, ...unfinished, lostGroups: lost, pair, outcome };
  });
};

type Planned = { readonly plan: UndoPlan; readonly actions: readonly Change[] };

/** Sets the full target of the undo in the session: the halt message of the guard repeats the command with it. */
const asked = (session: Session, { run, write }: Target): Session =>
  write === undefined ? session : { ...session, undoes: `${run} --write ${write}` };

const planOf = async (session: Session, { run, write }: Target): Promise<Planned> => {
  const listed = await listLinkGroups(session);
  const groups = bySide((side) => listed[side].groups);
  const written = await session.store.journal(session.link, { run });
  const rows = written.filter(({ id }) => write === undefined || id === write);
  const contacts = await writtenContacts(session, rows);
  const fields = new Set(session.fields);
  const plan = planUndo({ contacts, removedGroups: removedGroupsOf(rows), groups, policy: session.policy, fields });
  return { plan, actions: undoChanges(plan, groups, run) };
};

/** Performs the plan and collects the writes that a side refuses or does not store. */
const executeUndo = async (
  session: Session,
  { plan, actions }: Planned,
): Promise<{ again: boolean; refused: UndoRefusal[] }> => {
  const refused: UndoRefusal[] = [];
  const named = (ids: PairIds) => {
    const isMeant = (each: Change): boolean =>
      'leftId' in each && (each.leftId === null ? each.rightId === ids.rightId : each.leftId === ids.leftId);
    return { leftId: ids.leftId, rightId: ids.rightId, name: actions.find(isMeant)?.name ?? null };
  };
  const listening: Session = {
    ...session,
    emit: (event) => {
      session.emit(event);
      if (event.kind === 'skipped') {
        refused.push({ side: event.side, ...named(event), field: null, reason: event.reason });
      } else if (event.kind === 'not-taken') {
        const shared = { side: event.side, ...named(event), reason: 'the side did not store it' };
        refused.push(...event.fields.map((field) => ({ ...shared, field })));
      } else if (event.kind === 'group' && event.action === 'refused') {
        const reason = `the group ${event.name}: ${event.reason ?? 'the side refused it'}`;
        refused.push({ side: event.side, leftId: null, rightId: null, name: null, field: 'buckets', reason });
      }
    },
  };
  const again = await execute(listening, plan);
  await finishGroups(listening, plan.groups);
  return { again, refused };
};

/** Whether the refusal concerns a deletion that is still in the plan. */
const isOfDeletion = ({ decisions }: UndoPlan, refusal: UndoRefusal): boolean =>
  decisions.some(
    (each) => each.kind === 'delete' && each.side === refusal.side && each.record.id === idAt(refusal, refusal.side),
  );

const revert = async (session: Session, target: Target, report: (undone: UndoReport) => void): Promise<void> => {
  await refreshState(session);
  const { plan: planned, actions } = await planOf(session, target);
  report({ actions, refused: planned.refused });
  const halt = await guard(asked(session, target), lossesOfUndo(planned));
  if (halt !== null) throw new HaltError(halt);
  // A label that is restored or removed may change which contacts are selected.
  await forgetSelection(session);
  let earlier: readonly UndoRefusal[] = [];
  await performWithSecondPass(session, async (isSecond) => {
    const current = isSecond ? (await planOf(session, target)).plan : planned;
    // Nothing is deleted in the second pass.
    const decisions = current.decisions.filter((decision) => !isSecond || decision.kind !== 'delete');
    const { again, refused } = await executeUndo(session, { plan: { ...current, decisions }, actions });
    const stillRefused = earlier.filter((refusal) => isOfDeletion(current, refusal));
    report({ actions, refused: [...current.refused, ...stillRefused, ...refused] });
    earlier = refused;
    return again;
  });
};

/**
 * Reverts the writes of a run, or one of them, in a separate run: field by field, from the images before each write. Values that
 * were changed since are not reverted. Nothing is propagated to the other side, and the undo can itself be undone.
 *
 * @throws {LeaseError} if another process works on the link.
 */
export const undoRun = async (
  context: LinkContext,
  { write, ...options }: UndoOptions,
  run: RunRow,
): Promise<{ readonly result: RunResult; readonly report: UndoReport }> => {
  let report: UndoReport = { actions: [], refused: [] };
  const result = await runUnderLease(
    context,
    { ...options, kind: 'incremental' },
    {
      undoes: run.id,
      perform: (session) =>
        revert(session, { run: run.id, write }, (undone) => {
          report = undone;
        }),
    },
  );
  return { result, report };
};

/**
 * Plans an undo without writing to a side. The context's store must be a temporary copy.
 *
 * @throws {RemoteError | HaltError} if it cannot be planned.
 */
export const planUndoRun = (
  context: LinkContext,
  { write, ...options }: UndoOptions,
  run: RunRow,
): Promise<{ readonly report: UndoReport; readonly halt: Halt | null }> =>
  planUnderLease(context, { ...options, kind: 'incremental' }, run.id, async (session) => {
    await refreshState(session);
    const target = { run: run.id, write };
    const { plan, actions } = await planOf(session, target);
    const report = { actions, refused: plan.refused };
    return { report, halt: await guard(asked(session, target), lossesOfUndo(plan)) };
  });
