import { SCALAR_FIELDS, SYNCED_FIELDS, type SyncedField } from '../contact/contact.ts';
import { otherSide, SIDES, type Side } from '../contact/side.ts';
import type { ContactRecord } from '../contact/record.ts';
import type { Pair } from '../reconcile/decision.ts';
import { EMPTY_SNAPSHOT, settleBase } from '../reconcile/settle.ts';
import type { CreateRequest, ReadAnswer } from '../providers/remote.ts';
import type { JournalRow, SideValue, StoreChange } from '../store/store.ts';
import { answerChanges, keptAlone } from './answer-changes.ts';
import type { Session } from './context.ts';
import { tookEffect } from './took-effect.ts';

/** What became of a write whose answer nobody kept. */
export type Verdict = { readonly row: JournalRow; readonly applied: boolean; readonly changes: readonly StoreChange[] };

const targetId = (row: JournalRow): string => (row.side === 'left' ? row.leftId : row.rightId) ?? '';

const verdict = (
  row: JournalRow,
  applied: boolean,
  after: ContactRecord | null,
  changes: readonly StoreChange[],
  atMs: number,
): Verdict => {
  const state = applied ? 'done' : 'abandoned';
  return { row, applied, changes: [{ kind: 'journal', id: row.id, state, after, error: null, atMs }, ...changes] };
};

/** A half that the write did not touch: what it has not told yet is looked at by the next run. */
const untouched = (pair: Pair | undefined, side: Side): SideValue | null => {
  const half = pair?.[side];
  if (half?.kind !== 'present') return null;
  return { record: half.record, base: half.base ?? EMPTY_SNAPSHOT, unsettled: true };
};

const onSides = (side: Side, own: SideValue, other: SideValue | null) => {
  return side === 'left' ? { left: own, right: other } : { left: other, right: own };
};

/** Takes in a contact that an undo did bring back although the answer was lost (R9). */
const adopt = (row: JournalRow, found: ContactRecord, pair: Pair | undefined, atMs: number): Verdict => {
  const own = { record: found, base: { contact: found.contact, groupIds: found.groupIds }, unsettled: false };
  const other = untouched(pair, otherSide(row.side));
  const status = other === null ? 'kept' : 'linked';
  const pairId = other === null ? null : row.pairId;
  const sides = onSides(row.side, own, other);
  return verdict(row, true, found, [{ kind: 'pair', pairId, status, ...sides, writtenSide: row.side, atMs }], atMs);
};

const isApplied = (row: JournalRow, now: ContactRecord): boolean => {
  if (row.kind === 'update') return tookEffect(row, now);
  const { join, leave } = row.intent;
  return (
    row.kind === 'membership' &&
    join.every((id) => now.groupIds.includes(id)) &&
    !leave.some((id) => now.groupIds.includes(id))
  );
};

/** The base of the side that was written takes in what the write brought, and nothing else. */
const settled = (row: JournalRow, half: SideValue, found: ContactRecord): SideValue => {
  const written = new Set<SyncedField>(row.intent.fields);
  const scalars = new Set<SyncedField>(SCALAR_FIELDS.filter((field) => written.has(field)));
  const base = settleBase({
    base: half.base,
    before: row.before ?? half.record,
    now: found,
    written,
    moved: new Set([...row.intent.join, ...row.intent.leave]),
    outstanding: new Set(SYNCED_FIELDS.filter((field) => !scalars.has(field))),
  });
  return { record: found, base, unsettled: true };
};

const judge = (row: JournalRow, answer: ReadAnswer | undefined, pair: Pair | undefined, atMs: number): Verdict => {
  const { side } = row;
  if (row.kind === 'delete' && answer?.kind === 'gone') {
    return verdict(row, true, null, pair === undefined ? [] : keptAlone(pair, otherSide(side), atMs), atMs);
  }
  const own = untouched(pair, side);
  if (pair === undefined || own === null || answer?.kind !== 'found' || !isApplied(row, answer.record)) {
    return verdict(row, false, null, answerChanges(side, targetId(row), answer, atMs), atMs);
  }
  const sides = onSides(side, settled(row, own, answer.record), untouched(pair, otherSide(side)));
  const change: StoreChange = { kind: 'pair', pairId: pair.id, status: pair.status, ...sides, writtenSide: side, atMs };
  return verdict(row, true, answer.record, [change], atMs);
};

const createRequest = ({ id, intent }: JournalRow): readonly CreateRequest[] => {
  if (intent.source === null || intent.desired === null) return [];
  return [{ key: String(id), draft: intent.desired, groupIds: intent.join, originId: intent.source.id }];
};

const findCreated = async (session: Session, side: Side, rows: readonly JournalRow[]) => {
  const requests = rows.flatMap(createRequest);
  if (requests.length === 0) return new Map<string, ContactRecord>();
  const taken = await session.store.pairedIds(session.link, side);
  const sinceMs = Math.min(...rows.map((row) => row.intendedAtMs));
  return session.remotes[side].findCreated(requests, sinceMs, (id) => taken.has(id), session.signal);
};

const recoverSide = async (session: Session, side: Side, rows: readonly JournalRow[]): Promise<Verdict[]> => {
  const { store, link, clock } = session;
  const creates = rows.filter((row) => row.kind === 'create');
  const found = await findCreated(session, side, creates);
  const others = rows.filter((row) => row.kind !== 'create');
  const ids = [...new Set(others.map(targetId))];
  const answers =
    ids.length === 0 ? new Map<string, ReadAnswer>() : await session.remotes[side].read(ids, session.signal);
  const verdicts: Verdict[] = [];
  for (const row of [...creates, ...others]) {
    // Read anew for each row: two writes may have gone to one contact.
    const pairIds = row.pairId === null ? [] : [row.pairId];
    const [pair] = await store.pairsWith(link, { ids: [], pairIds });
    const record = found.get(String(row.id));
    const atMs = clock.now();
    const one =
      row.kind !== 'create'
        ? judge(row, answers.get(targetId(row)), pair, atMs)
        : record === undefined
          ? verdict(row, false, null, [], atMs)
          : adopt(row, record, pair, atMs);
    await store.commit(link, one.changes);
    verdicts.push(one);
  }
  return verdicts;
};

/**
 * Settles the writes of an undo whose answers were lost. They put back what a run wrote on one side, so nothing of them
 * may look like a user's edit or deletion, which would travel to the other side.
 */
export const recoverUndo = async (session: Session, rows: readonly JournalRow[]): Promise<readonly Verdict[]> => {
  const verdicts: Verdict[] = [];
  for (const side of SIDES) {
    const own = rows.filter((row) => row.side === side);
    if (own.length > 0) verdicts.push(...(await recoverSide(session, side, own)));
  }
  return verdicts;
};
