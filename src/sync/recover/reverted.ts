import { scalarsOf, syncedIn, type SyncedField } from '../../contact/contact.ts';
import { stands, type Half } from '../../contact/half.ts';
import type { ContactRecord } from '../../contact/record.ts';
import { bySide, otherSide, type Side } from '../../contact/side.ts';
import { snapshotOf, withDeclined } from '../../contact/snapshot.ts';
import { settleDeclined } from '../../reconcile/declined.ts';
import type { ReadAnswer } from '../../providers/remote.ts';
import type { Pair } from '../../reconcile/decision.ts';
import { fieldsOf, type CreateOperation } from '../../reconcile/operation.ts';
import { EMPTY_SNAPSHOT, settleBase } from '../../reconcile/settle.ts';
import { newHalf } from '../state/half.ts';
import { observeAnswer } from '../state/observe.ts';
import { keepAlone, storePair } from '../state/pair.ts';
import { unreadableReason } from '../state/unread.ts';
import type { WorkingSet } from '../state/working-set.ts';
import { landedMoves, type Moves } from './landed-groups.ts';
import {
  NO_MOVES,
  openHalf,
  pairOfWrite,
  settleUnread,
  writtenHalf,
  type ExistingOperation,
  type Finding,
  type Unreadable,
} from './settle-write.ts';
import { tookEffect } from './took-effect.ts';

const NOT_APPLIED: Finding = { applied: false, after: null, error: null };

/** A half that the write did not touch: what has not arrived of it yet is looked at by the next run. */
const untouched = (pair: Pair | null, side: Side): Half | null => {
  const half = pair?.[side] ?? null;
  return stands(half) ? openHalf(half, { record: half.record, base: half.base ?? EMPTY_SNAPSHOT }) : null;
};

/** Takes in a contact that an undo did bring back although the answer was lost; null: none was found (R9). */
export const settleRestore = (
  set: WorkingSet,
  { side, pairId: pairOfImage }: CreateOperation,
  found: ContactRecord | null,
  atMs: number,
): Finding => {
  if (found === null) return NOT_APPLIED;
  const pair = pairOfImage === null ? null : set.pair(pairOfImage);
  const known = set.half(side, found.id) ?? newHalf(side, found, atMs);
  const read = writtenHalf(known, { record: found, base: snapshotOf(found) }, atMs);
  const own: Half = { ...read, state: 'settled' };
  const other = untouched(pair, otherSide(side));
  const halves = bySide((each) => (each === side ? own : other));
  const pairId = other === null ? null : pairOfImage;
  storePair(set, { pairId, status: other === null ? 'kept' : 'linked', halves, writtenSide: side });
  return { applied: true, after: found, error: null };
};

/** How much of a write shows: a membership is moved with a request each way, of which one may have arrived alone. */
const extentOf = (write: ExistingOperation, moves: Moves, now: ContactRecord): 'all' | 'part' | 'none' => {
  switch (write.kind) {
    case 'update':
      return tookEffect({ ...write, before: write.before.contact }, now.contact) ? 'all' : 'none';
    case 'membership': {
      const count = moves.join.length + moves.leave.length;
      if (count === write.join.length + write.leave.length) return 'all';
      return count === 0 ? 'none' : 'part';
    }
    case 'delete':
      return 'none';
  }
};

type Settling = { readonly half: Half; readonly other: Half | null; readonly moves: Moves };

/**
 * The base of the side that was written gets the values of the write, and nothing else. The other side keeps its values:
 * the difference is settled.
 */
const settled = (
  operation: ExistingOperation,
  { half, other, moves }: Settling,
  found: ContactRecord,
  atMs: number,
): Half => {
  const written = new Set<SyncedField>(fieldsOf(operation));
  const scalars = new Set<SyncedField>(scalarsOf(written));
  const agreed = half.base ?? EMPTY_SNAPSHOT;
  const { before } = operation;
  const all = syncedIn(agreed.contact, before.contact, found.contact);
  const base = settleBase({
    base: agreed,
    before,
    now: found,
    written,
    moved: new Set([...moves.join, ...moves.leave]),
    outstanding: new Set(all.filter((field) => !scalars.has(field))),
    other: null,
    agreedGroups: new Set(),
  });
  if (other === null) return writtenHalf(half, { record: found, base }, atMs);
  const declined = settleDeclined({
    former: agreed.declined,
    written,
    wanted: other.record.contact,
    now: found.contact,
    other: other.record.contact,
    groups: [...new Set([...(agreed.declined?.buckets ?? []), ...moves.join, ...moves.leave])],
  });
  return writtenHalf(half, { record: found, base: withDeclined(base, declined) }, atMs);
};

/** Takes in what shows of a write of an undo; null where nothing does. */
const takeIn = (
  set: WorkingSet,
  write: ExistingOperation,
  pair: Pair | null,
  found: ContactRecord,
  atMs: number,
): Finding | null => {
  const { side } = write;
  const half = pair?.[side] ?? null;
  const moves = landedMoves(write.kind === 'membership' ? write : NO_MOVES, found.groupIds);
  const extent = extentOf(write, moves, found);
  if (pair === null || !stands(half) || extent === 'none') return null;
  const own = settled(write, { half, other: pair[otherSide(side)], moves }, found, atMs);
  const halves = bySide((each) => (each === side ? own : untouched(pair, each)));
  storePair(set, { pairId: pair.id, status: pair.status, halves, writtenSide: side });
  return { applied: extent === 'all', after: found, error: null };
};

/**
 * Settles a write of an undo whose answer was lost. It reverts what a run wrote on one side, so nothing of it may look like
 * a user's edit or deletion, which would be propagated to the other side.
 */
export const settleRevert = (
  set: WorkingSet,
  write: ExistingOperation,
  answer: ReadAnswer | undefined,
  atMs: number,
): Finding | Unreadable => {
  const { side } = write;
  const unreadable = unreadableReason(answer);
  if (unreadable !== null) return settleUnread(set, write, unreadable);
  const pair = pairOfWrite(set, write, write.before.id);
  if (write.kind === 'delete' && answer?.kind === 'gone') {
    if (pair !== null && pair.id !== null) keepAlone(set, pair.id, otherSide(side), atMs);
    return { ...NOT_APPLIED, applied: true };
  }
  const taken = answer?.kind === 'found' ? takeIn(set, write, pair, answer.record, atMs) : null;
  if (taken !== null) return taken;
  observeAnswer(set, side, write.before.id, answer, atMs);
  return NOT_APPLIED;
};
