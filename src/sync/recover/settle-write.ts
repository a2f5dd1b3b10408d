import { EMPTY_CONTACT, SCALAR_FIELDS, SYNCED_FIELDS, type Contact, type SyncedField } from '../../contact/contact.ts';
import { stands, type Half } from '../../contact/half.ts';
import type { ContactRecord } from '../../contact/record.ts';
import { bySide, otherSide } from '../../contact/side.ts';
import type { Snapshot } from '../../contact/snapshot.ts';
import type { ReadAnswer } from '../../providers/remote.ts';
import type { Pair } from '../../reconcile/decision.ts';
import { EMPTY_SNAPSHOT, settleBase } from '../../reconcile/settle.ts';
import { newHalf } from '../state/half.ts';
import type { OpenWrite } from '../state/journal.ts';
import { observeAnswer, observeRecord } from '../state/observe.ts';
import { storePair } from '../state/pair.ts';
import type { WorkingSet } from '../state/working-set.ts';
import { arrived, landed, landedFields } from './landed.ts';
import { tookEffect } from './took-effect.ts';

/** What recovery found out about a write. */
export type Finding = {
  readonly applied: boolean;
  /** The contact as it stands; null where it does not, or could not be read. */
  readonly after: ContactRecord | null;
  /** Why nothing could be found out; null where something was. */
  readonly error: string | null;
};

const NOT_APPLIED: Finding = { applied: false, after: null, error: null };

/** A half that the next plan must look at. */
export const openHalf = (half: Half, change: { readonly record: ContactRecord; readonly base: Snapshot }): Half => {
  return { ...half, ...change, state: 'changed', mergedInto: null };
};

const without = (fields: ReadonlySet<SyncedField>) => new Set(SYNCED_FIELDS.filter((field) => !fields.has(field)));

/** Takes in the contact that a create made although its answer was lost; null: none was found (R9). */
export const settleCreate = (
  set: WorkingSet,
  { row, desired, sourceId }: Extract<OpenWrite, { kind: 'create' }>,
  found: ContactRecord | null,
  atMs: number,
): Finding => {
  const { side } = row;
  const source = set.half(otherSide(side), sourceId);
  if (found === null) return NOT_APPLIED;
  if (source === null) return { ...NOT_APPLIED, error: `${sourceId}, which it follows from, is not known any more.` };
  const answer = landed(desired, found.contact, EMPTY_CONTACT);
  const base = (contact: Contact): Snapshot => ({ contact, groupIds: [] });
  const known = set.half(side, found.id) ?? newHalf(side, found, atMs);
  const own = { ...openHalf(known, { record: found, base: base(answer) }), writtenAtMs: atMs };
  const other = openHalf(source, { record: source.record, base: base(arrived(desired, desired, answer)) });
  const halves = bySide((each) => (each === side ? own : other));
  storePair(set, { pairId: row.pairId, status: 'linked', halves, writtenSide: side });
  return { applied: true, after: found, error: null };
};

/** What landed enters the target's base, what arrived of its source enters the source's (R9, R5). */
const settleUpdate = (
  set: WorkingSet,
  { row, before, desired, source }: Extract<OpenWrite, { kind: 'update' }>,
  pair: Pair,
  found: ContactRecord,
  atMs: number,
): void => {
  const { side } = row;
  const [target, origin] = [pair[side], pair[otherSide(side)]];
  if (target === null || origin === null || source === null) return;
  const fields = landedFields(row.intent.fields, desired, found.contact, before.contact);
  const scalars = new Set<SyncedField>(SCALAR_FIELDS.filter((field) => fields.has(field)));
  const answer = landed(desired, found.contact, before.contact);
  // A list may have changed on both sides: only what this write brought enters the target's base.
  const targetBase = settleBase({
    base: target.base ?? EMPTY_SNAPSHOT,
    before,
    now: { ...found, contact: answer },
    written: fields,
    moved: new Set(),
    outstanding: without(scalars),
  });
  const known = { ...source, contact: arrived(source.contact, desired, answer) };
  const originBase = settleBase({
    base: origin.base ?? EMPTY_SNAPSHOT,
    before: known,
    now: known,
    written: new Set(),
    moved: new Set(),
    outstanding: without(fields),
  });
  const own = { ...openHalf(target, { record: found, base: targetBase }), writtenAtMs: atMs };
  const other = openHalf(origin, { record: origin.record, base: originBase });
  const halves = bySide((each) => (each === side ? own : other));
  storePair(set, { pairId: pair.id, status: 'linked', halves, writtenSide: side });
};

/** The pair that a write to an existing contact belongs to. */
export const pairOfWrite = (
  set: WorkingSet,
  { row, id }: Extract<OpenWrite, { kind: 'update' | 'membership' | 'delete' }>,
): Pair | null => {
  const pairId = row.pairId ?? set.half(row.side, id)?.pair ?? null;
  return pairId === null ? null : set.pair(pairId);
};

/** Whether both halves of the pair stand. */
const isWhole = ({ left, right }: Pair): boolean => stands(left) && stands(right);

/**
 * Settles a write to an existing contact by what a read of it says (R9). The set must hold the contact, its pair, and the
 * contact that the read answered with.
 */
export const settleWrite = (
  set: WorkingSet,
  write: Extract<OpenWrite, { kind: 'update' | 'membership' | 'delete' }>,
  answer: ReadAnswer | undefined,
  atMs: number,
): Finding => {
  const { side } = write.row;
  if (answer === undefined || answer.kind === 'unreadable') return NOT_APPLIED;
  if (answer.kind !== 'found') {
    observeAnswer(set, side, write.id, answer, atMs);
    return { ...NOT_APPLIED, applied: write.kind === 'delete' && answer.kind === 'gone' };
  }
  const { record } = answer;
  const pair = pairOfWrite(set, write);
  if (write.kind === 'update' && pair !== null) {
    const { fields } = write.row.intent;
    if (tookEffect({ fields, before: write.before.contact, desired: write.desired }, record.contact)) {
      if (isWhole(pair)) settleUpdate(set, write, pair, record, atMs);
      return { applied: true, after: record, error: null };
    }
  }
  // Membership is a set: what arrived is found equal by the plan, what did not is written again.
  observeRecord(set, side, record, atMs);
  return { ...NOT_APPLIED, after: record };
};
