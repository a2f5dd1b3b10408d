import { EMPTY_CONTACT, SCALAR_FIELDS, SYNCED_FIELDS, type Contact, type SyncedField } from '../contact/contact.ts';
import { otherSide, SIDES, type Side } from '../contact/side.ts';
import type { ContactRecord } from '../contact/record.ts';
import type { Pair } from '../reconcile/decision.ts';
import { EMPTY_SNAPSHOT, settleBase } from '../reconcile/settle.ts';
import type { CreateRequest, ReadAnswer } from '../providers/remote.ts';
import type { JournalRow, StoreChange, Workload } from '../store/store.ts';
import { answerChanges } from './answer-changes.ts';
import type { Session } from './context.ts';
import { arrived, landed, landedFields } from './landed.ts';
import { recoverUndo, type Verdict } from './recover-undo.ts';
import { tookEffect } from './took-effect.ts';

/** What became of writes whose answer nobody kept. */
export type Recovery = { readonly applied: readonly JournalRow[]; readonly abandoned: readonly JournalRow[] };

const targetId = (row: JournalRow): string => (row.side === 'left' ? row.leftId : row.rightId) ?? '';

const journalChange = (row: JournalRow, after: ContactRecord | null, applied: boolean, atMs: number): StoreChange => ({
  kind: 'journal',
  id: row.id,
  state: applied ? 'done' : 'abandoned',
  after,
  error: null,
  atMs,
});

/** A create whose answer nobody kept: what was asked for, and the contact that it follows from. */
type LostCreate = { readonly row: JournalRow; readonly desired: Contact; readonly source: ContactRecord };

/** The contacts of a side that the store holds, by id. */
const contactsOf = (work: Workload, side: Side): ReadonlyMap<string, ContactRecord> => {
  const paired = [...work.pairs, ...work.survivors].flatMap((pair) => {
    const half = pair[side];
    return half.kind === 'present' ? [half.record] : [];
  });
  return new Map([...paired, ...work.unpaired[side]].map((record) => [record.id, record]));
};

/** What each create follows from stands in the store as it did: nothing is pulled before writes are settled. */
const lostCreates = (work: Workload, side: Side, rows: readonly JournalRow[]): readonly LostCreate[] => {
  const sources = contactsOf(work, otherSide(side));
  return rows.flatMap((row) => {
    const { desired } = row.intent;
    const source = sources.get((side === 'left' ? row.rightId : row.leftId) ?? '');
    return desired === null || source === undefined ? [] : [{ row, desired, source }];
  });
};

const createRequest = ({ row, desired, source }: LostCreate): CreateRequest => ({
  key: String(row.id),
  draft: desired,
  groupIds: row.intent.join,
  originId: source.id,
});

/** The changes that adopt what a create brought into being although its answer was lost (R9). */
const adopt = ({ row, desired, source }: LostCreate, found: ContactRecord, atMs: number): readonly StoreChange[] => {
  const answer = landed(desired, found.contact, EMPTY_CONTACT);
  const half = (record: ContactRecord, base: Contact) => {
    return { record, base: { contact: base, groupIds: [] }, unsettled: true };
  };
  const written = half(found, answer);
  const told = half(source, arrived(desired, desired, answer));
  const sides = row.side === 'left' ? { left: written, right: told } : { left: told, right: written };
  const pair: StoreChange = {
    kind: 'pair',
    pairId: row.pairId,
    status: 'linked',
    ...sides,
    writtenSide: row.side,
    atMs,
  };
  return [journalChange(row, found, true, atMs), pair];
};

/** After so long a side shows what it holds; one more look makes up for a stale first answer. */
const SHOWN_AFTER_MS = 60_000;

/** Looks for what creates without an answer made, several times where that was a moment ago: absence needs patience (R9). */
const lookForCreated = async (
  session: Session,
  side: Side,
  requests: readonly CreateRequest[],
  sinceMs: number,
): Promise<ReadonlyMap<string, ContactRecord>> => {
  const { clock, link, looksAfterMs, remotes, signal, store } = session;
  const taken = await store.pairedIds(link, side);
  const found = new Map<string, ContactRecord>();
  const looks = clock.now() - sinceMs < SHOWN_AFTER_MS ? looksAfterMs : looksAfterMs.slice(0, 2);
  for (const delayMs of looks) {
    const missing = requests.filter((request) => !found.has(request.key));
    if (missing.length === 0) break;
    if (delayMs > 0) await clock.sleep(delayMs, signal);
    const adopted = new Set([...found.values()].map((record) => record.id));
    const isTaken = (id: string): boolean => taken.has(id) || adopted.has(id);
    for (const [key, record] of await remotes[side].findCreated(missing, sinceMs, isTaken, signal))
      found.set(key, record);
  }
  return found;
};

const recoverCreates = async (session: Session, rows: readonly JournalRow[], work: Workload): Promise<Verdict[]> => {
  const verdicts: Verdict[] = [];
  for (const side of SIDES) {
    const own = rows.filter((row) => row.kind === 'create' && row.side === side);
    if (own.length === 0) continue;
    const lost = lostCreates(work, side, own);
    const sinceMs = Math.min(...own.map((row) => row.intendedAtMs));
    const found = await lookForCreated(session, side, lost.map(createRequest), sinceMs);
    for (const row of own) {
      const create = lost.find((one) => one.row === row);
      const record = found.get(String(row.id));
      const atMs = session.clock.now();
      if (record === undefined || create === undefined) {
        verdicts.push({ row, applied: false, changes: [journalChange(row, null, false, atMs)] });
      } else {
        verdicts.push({ row, applied: true, changes: adopt(create, record, atMs) });
      }
    }
  }
  return verdicts;
};

const findPair = (work: Workload, row: JournalRow): Pair | undefined => {
  const holdsTarget = (pair: Pair): boolean => {
    const half = pair[row.side];
    return half.kind === 'present' && half.record.id === targetId(row);
  };
  return work.pairs.find((pair) => (row.pairId === null ? holdsTarget(pair) : pair.id === row.pairId));
};

/** The changes that settle an update which was applied although its answer was lost. */
const settleUpdate = (row: JournalRow, pair: Pair, found: ContactRecord, atMs: number): readonly StoreChange[] => {
  const from = otherSide(row.side);
  const [target, origin] = [pair[row.side], pair[from]];
  const { before, intent } = row;
  const { source, desired } = intent;
  if (target.kind !== 'present' || origin.kind !== 'present') return [];
  if (source === null || desired === null || before === null) return [];
  const fields = landedFields(intent.fields, desired, found.contact, before.contact);
  const scalars = new Set<SyncedField>(SCALAR_FIELDS.filter((field) => fields.has(field)));
  const others = (settled: ReadonlySet<SyncedField>) => new Set(SYNCED_FIELDS.filter((field) => !settled.has(field)));
  const answer = landed(desired, found.contact, before.contact);
  // A list may have changed on both sides: only what this write brought enters the target's base.
  const targetBase = settleBase({
    base: target.base ?? EMPTY_SNAPSHOT,
    before,
    now: { ...found, contact: answer },
    written: fields,
    moved: new Set(),
    outstanding: others(scalars),
  });
  const told = { ...source, contact: arrived(source.contact, desired, answer) };
  const originBase = settleBase({
    base: origin.base ?? EMPTY_SNAPSHOT,
    before: told,
    now: told,
    written: new Set(),
    moved: new Set(),
    outstanding: others(fields),
  });
  const written = { record: found, base: targetBase, unsettled: true };
  const telling = { record: origin.record, base: originBase, unsettled: true };
  const sides = row.side === 'left' ? { left: written, right: telling } : { left: telling, right: written };
  return [{ kind: 'pair', pairId: pair.id, status: 'linked', ...sides, writtenSide: row.side, atMs }];
};

const judge = (row: JournalRow, answer: ReadAnswer | undefined, work: Workload, atMs: number): Verdict => {
  const { side } = row;
  if (answer === undefined || answer.kind === 'unreadable') {
    return { row, applied: false, changes: [journalChange(row, null, false, atMs)] };
  }
  if (answer.kind === 'gone' || answer.kind === 'moved') {
    const applied = row.kind === 'delete' && answer.kind === 'gone';
    const changes = answerChanges(side, targetId(row), answer, atMs);
    return { row, applied, changes: [journalChange(row, null, applied, atMs), ...changes] };
  }
  const pair = findPair(work, row);
  if (row.kind === 'update' && pair !== undefined && tookEffect(row, answer.record)) {
    const changes = [journalChange(row, answer.record, true, atMs), ...settleUpdate(row, pair, answer.record, atMs)];
    return { row, applied: true, changes };
  }
  // Membership is a set: what arrived is found equal by the plan, what did not is written again.
  const staged: StoreChange = { kind: 'stage', side, record: answer.record, atMs };
  return { row, applied: false, changes: [journalChange(row, answer.record, false, atMs), staged] };
};

const recoverOthers = async (session: Session, rows: readonly JournalRow[]): Promise<Verdict[]> => {
  const verdicts: Verdict[] = [];
  for (const side of SIDES) {
    const own = rows.filter((row) => row.kind !== 'create' && row.side === side);
    if (own.length === 0) continue;
    const answers = await session.remotes[side].read([...new Set(own.map(targetId))], session.signal);
    const settled = new Set<number | null>();
    let work = await session.store.workload(session.link, []);
    for (const row of own) {
      // Two writes to one contact: the second settlement builds on the first.
      if (settled.has(row.pairId)) work = await session.store.workload(session.link, []);
      settled.add(row.pairId);
      const verdict = judge(row, answers.get(targetId(row)), work, session.clock.now());
      await session.store.commit(session.link, verdict.changes);
      verdicts.push(verdict);
    }
  }
  return verdicts;
};

/**
 * Settles the writes whose answers were lost, in this process or in one that died: reads what stands at the remote and
 * either adopts it as the write's answer or leaves the write to be planned again (R9). Writes to no remote.
 */
export const recover = async (session: Session): Promise<Recovery> => {
  const intended = await session.store.intended(session.link);
  if (intended.length === 0) return { applied: [], abandoned: [] };
  const undone = await recoverUndo(
    session,
    intended.filter((row) => row.intent.undoes),
  );
  const rows = intended.filter((row) => !row.intent.undoes);
  const work = await session.store.workload(session.link, []);
  const creates = await recoverCreates(session, rows, work);
  await session.store.commit(
    session.link,
    creates.flatMap((verdict) => verdict.changes),
  );
  const verdicts = [...undone, ...creates, ...(await recoverOthers(session, rows))];
  session.emit({ kind: 'recovered', writes: intended.length });
  return {
    applied: verdicts.filter((verdict) => verdict.applied).map((verdict) => verdict.row),
    abandoned: verdicts.filter((verdict) => !verdict.applied).map((verdict) => verdict.row),
  };
};
