import { type LastOutcome, refusalToDelete, revertWrite } from '../../core/apply/invert.ts';
import { contactFieldsOf, keepChosen } from '../../core/contact/chosen.ts';
import { type Contact, type ContactField, inFieldOrder, type SyncedField } from '../../core/contact/contact.ts';
import { type Half, isPresent } from '../../core/contact/half.ts';
import { emailKey } from '../../core/contact/keys.ts';
import { emailKeys } from '../../core/contact/lists.ts';
import { type ContactRecord, type GroupRecord, unsyncableFields } from '../../core/contact/record.ts';
import { bySide, otherSide, type Side, type Sides } from '../../core/contact/side.ts';
import { isWhole, type Pair, type PairIds, type WholePair } from '../../core/contact/pair.ts';
import {
  type Deletion,
  type Merge,
  type Restoration,
  NO_WRITES,
  type SideWrites,
  writesTo,
  writtenFields,
} from '../../core/reconcile/decision.ts';
import type { GroupPlan } from '../../core/reconcile/groups.ts';
import type { Losses } from '../../core/reconcile/losses.ts';
import { fieldsOf } from '../../core/reconcile/operation.ts';
import { forField, mayWrite, type Policy } from '../../core/reconcile/policy.ts';
import type { JournaledWrite } from './follow.ts';
import { nameOfWrite } from './writes.ts';
import { groupKey, linksOf, planGroupReturns, type RemovedGroup } from './undo-groups.ts';

/** A contact that the run wrote on one side, or that was in a group that the run deleted. */
export type WrittenContact = {
  readonly side: Side;
  readonly id: string;
  /** The newest first. */
  readonly writes: readonly JournaledWrite[];
  /** The pair of the contact or of its other half; null if it does not exist. */
  readonly pair: Pair | null;
  /** Whether the contact exists without a pair: no side selects it any more (R18). */
  readonly isUnlinked: boolean;
  /** Whether a write to the contact has an unknown outcome. */
  readonly isOpen: boolean;
  /** The groups that are missing because the undo that restored the contact was interrupted. */
  readonly unjoined: readonly string[];
  /** The email addresses of other contacts that are missing for the same reason. */
  readonly unshared: Contact['emailAddresses'];
  /** The groups of the contact that the run deleted. */
  readonly lostGroups: readonly string[];
  /** The contact after the newest write of any run; `isExact` if the answer to that write contained the whole contact. */
  readonly outcome: LastOutcome | null;
};

/** A contact or field that is not reverted, and the reason; `field` is null for the whole contact. */
export type UndoRefusal = PairIds & {
  readonly side: Side;
  /** The name of the contact; null if it has none. */
  readonly name: string | null;
  readonly field: SyncedField | null;
  readonly reason: string;
};

type UndoInput = {
  readonly contacts: readonly WrittenContact[];
  /** The groups that the run deleted. */
  readonly removedGroups: readonly RemovedGroup[];
  /** The current groups of each side. */
  readonly groups: Sides<readonly GroupRecord[]>;
  readonly policy: Policy;
  /** The fields that the link syncs now. */
  readonly fields: ReadonlySet<SyncedField>;
};

/** The plan of an undo: plain data, printed by `undo --dry-run` and executed by `undo`. */
export type UndoPlan = {
  readonly decisions: readonly (Merge | Restoration | Deletion)[];
  /** The groups to create again. None of them is linked with a group of the other side: an undo writes one side only. */
  readonly groups: GroupPlan;
  readonly refused: readonly UndoRefusal[];
};

/** The writes to one half of a pair. */
type Writes = { readonly kind: 'write'; readonly side: Side; readonly pair: WholePair; readonly writes: SideWrites };

/** The result of planning for one contact; the outcome is null if nothing is to be done. */
type Judgement = { readonly outcome: Writes | Restoration | Deletion | null; readonly refused: readonly UndoRefusal[] };

const UNCHANGED: Judgement = { outcome: null, refused: [] };

type Env = {
  readonly policy: Policy;
  readonly fields: ReadonlySet<SyncedField>;
  readonly groups: Sides<ReadonlySet<string>>;
  readonly successors: ReturnType<typeof planGroupReturns>['successors'];
};

/** The successors of the contact's deleted groups that it is not in. */
const rejoined = ({ side, lostGroups }: WrittenContact, record: ContactRecord, { successors }: Env) =>
  lostGroups.flatMap((id) => {
    const successor = successors.get(groupKey(side, id));
    return successor === undefined || record.groupIds.includes(successor.id ?? '') ? [] : [successor.key];
  });

const existingHalf = ({ pair, side }: WrittenContact): Half | null => {
  const half = pair?.[side] ?? null;
  return isPresent(half) ? half : null;
};

const refuse = (contact: WrittenContact, reason: string, field: SyncedField | null = null): UndoRefusal => {
  const { side, id, pair } = contact;
  const other = pair?.[otherSide(side)]?.id ?? null;
  const ids = side === 'left' ? { leftId: id, rightId: other } : { leftId: other, rightId: id };
  const [last] = contact.writes;
  return { side, ...ids, name: last === undefined ? null : nameOfWrite(last), field, reason };
};

const refuseWhole = (contact: WrittenContact, reason: string): Judgement => {
  return { outcome: null, refused: [refuse(contact, reason)] };
};

/** Returns the pair if the half on the other side exists, else null. */
const pairWithPartner = (pair: Pair | null, side: Side): Pair | null => {
  return pair !== null && isPresent(pair[otherSide(side)]) ? pair : null;
};

const ONE_WAY = 'the link does not write this field to this side';
const UNSYNCABLE = 'the side holds a value there that is not synced';
const UNLINKED = 'it is no longer linked';
const UNANSWERED = 'the outcome of a write to it is not known yet; repeat the undo after a later run';
const NOT_SYNCED = 'the link does not sync this field';

type FieldRefusals = ReturnType<typeof revertWrite>['refused'];

type Reverted = {
  readonly record: ContactRecord;
  readonly fields: ReadonlySet<ContactField>;
  readonly refused: FieldRefusals;
};

/** Reverts the changes of a run to an existing contact, or to the last image of a deleted one: the newest change first. */
const revertEdits = (
  { side, writes }: WrittenContact,
  record: ContactRecord,
  { groups }: Env,
  isReverted: (field: SyncedField) => boolean,
): Reverted => {
  let now = record;
  const fields = new Set<ContactField>();
  const refused: FieldRefusals[number][] = [];
  for (const write of writes) {
    if (write.kind === 'create' || write.kind === 'delete') continue;
    const reversal = revertWrite(write, { record: now, groups: groups[side], isReverted });
    for (const field of reversal.fields) fields.add(field);
    refused.push(...reversal.refused);
    now = reversal.record;
  }
  return { record: now, fields, refused };
};

const undoEdits = (contact: WrittenContact, record: ContactRecord, env: Env): Judgement => {
  const { side, pair } = contact;
  const unsyncable = unsyncableFields(record);
  const isRefused = (field: SyncedField): boolean =>
    !env.fields.has(field) || unsyncable.has(field) || !mayWrite(forField(env.policy, field), side);
  const reasonFor = (field: SyncedField): string => {
    if (unsyncable.has(field)) return UNSYNCABLE;
    return env.fields.has(field) ? ONE_WAY : NOT_SYNCED;
  };
  const untouched = inFieldOrder(contact.writes.flatMap((write) => fieldsOf(write).filter(isRefused)));
  const reverted = revertEdits(contact, record, env, (field) => !isRefused(field));
  const refused = [
    ...reverted.refused.map(({ field, reason }) => refuse(contact, reason, field)),
    ...untouched.map((field) => refuse(contact, reasonFor(field), field)),
  ];
  // A group that one write added and another one removed needs no write.
  const [before, after] = [new Set(record.groupIds), new Set(reverted.record.groupIds)];
  const joined = [...after.difference(before)].map((id) => groupKey(side, id));
  const joins = [...joined, ...rejoined(contact, record, env)];
  const leaves = [...before.difference(after)].map((id) => groupKey(side, id));
  const fields = contactFieldsOf(inFieldOrder(reverted.fields));
  const desired = reverted.record.contact;
  const writes: SideWrites = { update: fields.length > 0 ? { fields, desired } : null, shares: [], joins, leaves };
  if (writtenFields(writes).length === 0) return { outcome: null, refused };
  if (pair === null || !isWhole(pair)) return refuseWhole(contact, 'its counterpart no longer exists');
  return { outcome: { kind: 'write', side, pair, writes }, refused };
};

const undoCreate = (contact: WrittenContact, record: ContactRecord, { fields }: Env): Judgement => {
  const { pair, side, outcome } = contact;
  if (pair === null) return refuseWhole(contact, UNLINKED);
  const reason = refusalToDelete(record, outcome, fields);
  if (reason !== null) return refuseWhole(contact, reason);
  return { outcome: { kind: 'delete', side, record, pair }, refused: [] };
};

/** Restores a contact that the run deleted: its last image, with the run's earlier writes to it reverted. */
const undoDelete = (contact: WrittenContact, before: ContactRecord, env: Env): Judgement => {
  const { fields, groups, successors } = env;
  const { side, pair } = contact;
  const { record } = revertEdits(contact, before, env, () => true);
  const joins = record.groupIds.flatMap((id) => {
    const key = groupKey(side, id);
    return groups[side].has(id) ? [key] : (successors.get(key)?.key ?? []);
  });
  const image = { ...before, contact: keepChosen(record.contact, fields), groupIds: record.groupIds.toSorted() };
  const pairing = { pair: pairWithPartner(pair, side), writes: writesTo(side, { joins }) };
  const isLost = joins.length < record.groupIds.length;
  const lost = isLost ? [refuse(contact, 'a group it was in is deleted', 'buckets')] : [];
  return { outcome: { kind: 'restore', side, image, existing: null, ...pairing }, refused: lost };
};

/** Joins the groups that are missing after an interrupted undo. */
const finishReturn = (contact: WrittenContact, { record }: Half, { groups }: Env): Judgement => {
  const { side, pair, unjoined, unshared } = contact;
  const own = emailKeys(record.contact.emailAddresses);
  const shares = unshared.filter(({ value }) => !own.has(emailKey(value)));
  const missing = unjoined.filter((id) => groups[side].has(id) && !record.groupIds.includes(id));
  if (missing.length + shares.length === 0) return UNCHANGED;
  const joins = missing.map((id) => groupKey(side, id));
  const pairing = { pair: pairWithPartner(pair, side), writes: writesTo(side, { joins, shares }) };
  return { outcome: { kind: 'restore', side, image: record, existing: record, ...pairing }, refused: [] };
};

/** Returns why nothing may be written to a contact; null if it may be. */
const blockedBy = ({ isUnlinked, isOpen }: WrittenContact): string | null => {
  if (isUnlinked) return UNLINKED;
  // It may be there under a new id already: a second write could create it twice (R9).
  return isOpen ? UNANSWERED : null;
};

const undoContact = (contact: WrittenContact, env: Env): Judgement => {
  const blocked = blockedBy(contact);
  if (blocked !== null) return refuseWhole(contact, blocked);
  const existing = existingHalf(contact);
  const [last] = contact.writes;
  const create = contact.writes.find((write) => write.kind === 'create');
  // A contact that the run created and that no longer exists needs no write.
  if (create !== undefined && (last?.kind === 'delete' || existing === null)) return UNCHANGED;
  if (!mayWrite(env.policy, contact.side)) return refuseWhole(contact, 'the link does not write to this side');
  if (last?.kind === 'delete') {
    return existing === null ? undoDelete(contact, last.before, env) : finishReturn(contact, existing, env);
  }
  if (existing === null) return refuseWhole(contact, 'it was deleted since');
  return create === undefined ? undoEdits(contact, existing.record, env) : undoCreate(contact, existing.record, env);
};

/** Joins the writes to both halves of each pair into one decision. */
const revertDecisions = (found: readonly Writes[]): readonly Merge[] =>
  [...Map.groupBy(found, ({ pair }) => pair.left.id).values()].flatMap((own): Merge[] => {
    const [first] = own;
    if (first === undefined) return [];
    const writes = bySide((side) => own.find((each) => each.side === side)?.writes ?? NO_WRITES);
    const localFields = { left: [], right: [] };
    return [{ kind: 'merge', pair: first.pair, writes, conflicts: [], localFields, deferred: false }];
  });

/**
 * Plans the reversal of a run's writes, contact by contact and field by field. A value that was changed since is not reverted;
 * a value that equals the former one needs no write. Only the sides that the run wrote are written; nothing is propagated. Pure.
 */
export const planUndo = ({ contacts, fields, groups, policy, removedGroups }: UndoInput): UndoPlan => {
  const returns = planGroupReturns(removedGroups, groups, forField(policy, 'buckets'));
  const { links: created, refused, successors, ...restored } = returns;
  const links = linksOf(groups, policy);
  const groupIds = bySide((side) => new Set(links.flatMap((link) => link[side] ?? [])));
  const env = { policy, fields, groups: groupIds, successors };
  const judged = contacts.map((contact) => undoContact(contact, env));
  const outcomes = judged.flatMap(({ outcome }) => outcome ?? []);
  return {
    decisions: [
      ...revertDecisions(outcomes.filter((outcome) => outcome.kind === 'write')),
      ...outcomes.filter((outcome) => outcome.kind !== 'write'),
    ],
    groups: { ...restored, links: [...links, ...created], ended: [], duplicates: [] },
    refused: [
      ...refused.map((each) => ({ ...each, leftId: null, rightId: null, name: null, field: 'buckets' as const })),
      ...judged.flatMap((each) => each.refused),
    ],
  };
};

/** The losses of the undo, for the guard. Only deleted contacts count: reverted values existed before. */
export const lossesOfUndo = ({ decisions }: UndoPlan): Sides<Losses> =>
  bySide((side) => ({
    contacts: decisions.filter((decision) => decision.kind === 'delete' && decision.side === side).length,
  }));
