import {
  LIST_FIELDS,
  otherSide,
  SCALAR_FIELDS,
  SIDES,
  SYNCED_FIELDS,
  type Side,
  type SyncedField,
} from '../contact/contact.ts';
import { keyLists, listOf } from '../contact/lists.ts';
import type { ContactRecord } from '../contact/record.ts';
import type { Pair } from '../reconcile/decision.ts';
import { EMPTY_SNAPSHOT, settleBase } from '../reconcile/settle.ts';
import { resembles } from '../reconcile/similar.ts';
import type { CreateRequest, ReadAnswer } from '../remotes/remote.ts';
import type { JournalRow, StoreChange, Workload } from '../store/store.ts';
import type { Session } from './context.ts';

/** What became of writes whose answer nobody kept. */
export type Recovery = { readonly applied: readonly JournalRow[]; readonly abandoned: readonly JournalRow[] };

type Verdict = { readonly row: JournalRow; readonly applied: boolean; readonly changes: readonly StoreChange[] };

const targetId = (row: JournalRow): string => (row.side === 'google' ? row.googleId : row.serviceId) ?? '';

const journalChange = (row: JournalRow, after: ContactRecord | null, applied: boolean, atMs: number): StoreChange => ({
  kind: 'journal',
  id: row.id,
  state: applied ? 'done' : 'abandoned',
  after,
  error: null,
  atMs,
});

/** The record of a side as the store has it now: what was staged last, else what the intent saw. */
const currentSource = (work: Workload, side: Side, source: ContactRecord): ContactRecord => {
  const unpaired = work.unpaired[side].find((record) => record.id === source.id);
  const paired = [...work.pairs, ...work.survivors].map((pair) => pair[side]);
  const present = paired.find((half) => half.kind === 'present' && half.record.id === source.id);
  return unpaired ?? (present?.kind === 'present' ? present.record : source);
};

const createRequest = (row: JournalRow, source: ContactRecord): CreateRequest => ({
  key: String(row.id),
  draft: source.contact,
  groupIds: row.intent.join,
  originId: source.id,
});

/** The changes that adopt what a create brought into being although its answer was lost (R9). */
const adopt = (row: JournalRow, source: ContactRecord, current: ContactRecord, found: ContactRecord, atMs: number) => {
  const half = (record: ContactRecord, base: ContactRecord) => {
    return { record, base: { contact: base.contact, groupIds: [] }, unsettled: true };
  };
  const sides =
    row.side === 'google'
      ? { google: half(found, found), service: half(current, source) }
      : { google: half(current, source), service: half(found, found) };
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

const recoverCreates = async (session: Session, rows: readonly JournalRow[], work: Workload): Promise<Verdict[]> => {
  const verdicts: Verdict[] = [];
  for (const side of SIDES) {
    const own = rows.filter((row) => row.kind === 'create' && row.side === side);
    if (own.length === 0) continue;
    const requests = own.flatMap((row) => (row.intent.source === null ? [] : [createRequest(row, row.intent.source)]));
    const taken = await session.store.pairedIds(session.link, side, 'all');
    const sinceMs = Math.min(...own.map((row) => row.intendedAtMs));
    const found = await session.remotes[side].findCreated(requests, sinceMs, (id) => taken.has(id), session.signal);
    for (const row of own) {
      const record = found.get(String(row.id));
      const { source } = row.intent;
      const atMs = session.clock.now();
      if (record === undefined || source === null) {
        verdicts.push({ row, applied: false, changes: [journalChange(row, null, false, atMs)] });
      } else {
        const current = currentSource(work, otherSide(side), source);
        verdicts.push({ row, applied: true, changes: adopt(row, source, current, record, atMs) });
      }
    }
  }
  return verdicts;
};

const tookScalar = (before: string, now: string, desired: string): boolean => {
  return now !== before && (desired === '' ? now === '' : resembles(now, desired));
};

/** Whether the record shows that the write was applied: a field is no longer as before but as it was asked for. */
export const tookEffect = (row: JournalRow, now: ContactRecord): boolean => {
  const { before, intent } = row;
  const { desired } = intent;
  if (before === null || desired === null) return false;
  const scalars = SCALAR_FIELDS.filter((field) => intent.fields.includes(field));
  if (scalars.some((field) => tookScalar(before.contact[field], now.contact[field], desired[field]))) return true;
  return LIST_FIELDS.filter((field) => intent.fields.includes(field)).some((field) => {
    const lists = keyLists(field, {
      before: listOf(before.contact, field),
      now: listOf(now.contact, field),
      desired: listOf(desired, field),
    });
    const gained = [...lists.desired.keys()].some((key) => !lists.before.has(key) && lists.now.has(key));
    const lost = [...lists.before.keys()].some((key) => !lists.desired.has(key) && !lists.now.has(key));
    return gained || lost;
  });
};

const findPair = (work: Workload, row: JournalRow): Pair | undefined => {
  return work.pairs.find((pair) => pair.id === row.pairId);
};

/** The changes that settle an update which was applied although its answer was lost. */
const settleUpdate = (row: JournalRow, pair: Pair, found: ContactRecord, atMs: number): readonly StoreChange[] => {
  const from = otherSide(row.side);
  const [target, origin] = [pair[row.side], pair[from]];
  const { source } = row.intent;
  if (target.kind !== 'present' || origin.kind !== 'present' || source === null || row.before === null) return [];
  const fields = new Set<SyncedField>(row.intent.fields);
  const scalars = new Set<SyncedField>(SCALAR_FIELDS.filter((field) => fields.has(field)));
  const others = (arrived: ReadonlySet<SyncedField>) => new Set(SYNCED_FIELDS.filter((field) => !arrived.has(field)));
  const settled = (side: Side, record: ContactRecord, before: ContactRecord, arrived: ReadonlySet<SyncedField>) => {
    const half = side === row.side ? target : origin;
    const base = settleBase({
      base: half.base ?? EMPTY_SNAPSHOT,
      before,
      now: side === row.side ? record : before,
      written: side === row.side ? fields : new Set(),
      moved: new Set(),
      outstanding: others(arrived),
    });
    return { record, base, unsettled: true };
  };
  // A list may have changed on both sides: only what this write brought enters the target's base.
  const written = settled(row.side, found, row.before, scalars);
  const told = settled(from, origin.record, source, fields);
  const sides = row.side === 'google' ? { google: written, service: told } : { google: told, service: written };
  return [{ kind: 'pair', pairId: pair.id, status: 'linked', ...sides, writtenSide: row.side, atMs }];
};

const judge = (row: JournalRow, answer: ReadAnswer | undefined, work: Workload, atMs: number): Verdict => {
  const { side } = row;
  if (answer === undefined || answer.kind === 'unreadable') {
    return { row, applied: false, changes: [journalChange(row, null, false, atMs)] };
  }
  if (answer.kind === 'gone' || answer.kind === 'moved') {
    const applied = row.kind === 'delete';
    const gone: StoreChange = { kind: 'stage-tombstone', side, id: targetId(row), atMs };
    return { row, applied, changes: [journalChange(row, null, applied, atMs), gone] };
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
  const rows = await session.store.intended(session.link);
  if (rows.length === 0) return { applied: [], abandoned: [] };
  const work = await session.store.workload(session.link, []);
  const creates = await recoverCreates(session, rows, work);
  await session.store.commit(
    session.link,
    creates.flatMap((verdict) => verdict.changes),
  );
  const verdicts = [...creates, ...(await recoverOthers(session, rows))];
  session.emit({ kind: 'recovered', writes: rows.length });
  return {
    applied: verdicts.filter((verdict) => verdict.applied).map((verdict) => verdict.row),
    abandoned: verdicts.filter((verdict) => !verdict.applied).map((verdict) => verdict.row),
  };
};
