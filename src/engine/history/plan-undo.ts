import { keepChosen } from '../../core/contact/chosen.ts';
import { inFieldOrder, scalarsOf, type SyncedField, syncedIn } from '../../core/contact/contact.ts';
import { type Half, stands } from '../../core/contact/half.ts';
import { type ContactRecord, type GroupRecord, unsyncableFields } from '../../core/contact/record.ts';
import { bySide, otherSide, type Side, SIDES, type Sides } from '../../core/contact/side.ts';
import { contactsOf, equalSnapshots, unordered } from '../../core/contact/snapshot.ts';
import type { Pair, SideWrite, WholePair } from '../../core/reconcile/decision.ts';
import type { GroupLink } from '../../core/reconcile/membership.ts';
import { fieldsOf } from '../../core/reconcile/operation.ts';
import { forField, mayWrite, type Policy } from '../../core/reconcile/policy.ts';
import type { CompleteWrite } from './follow.ts';
import { draftOf, undoWrite } from './revert-fields.ts';
import { groupKey, type GroupReturns, linksOf, planGroupReturns, type RemovedGroup } from './undo-groups.ts';

/** One contact that the run wrote on one side, or that belonged to a group that it deleted. */
export type WrittenContact = {
  readonly side: Side;
  readonly id: string;
  /** The newest first. */
  readonly writes: readonly CompleteWrite[];
  /** The pair that the contact is in, or that its other half is in; null where there is none. */
  readonly pair: Pair | null;
  /** The groups that an undo which was cut off brought it back without. */
  readonly unjoined: readonly string[];
  /** The groups of which the run deleted what they were. */
  readonly lostGroups: readonly string[];
  /** How the newest write of any run left it; `isExact` where that write answered with the whole contact. */
  readonly outcome: { readonly record: ContactRecord; readonly isExact: boolean; readonly atMs: number } | null;
};

/** What stays as it is, and why; `field` is null where it is the contact as a whole. */
export type Refusal = {
  readonly side: Side;
  readonly leftId: string | null;
  readonly rightId: string | null;
  readonly field: SyncedField | null;
  readonly reason: string;
};

export type UndoInput = {
  readonly contacts: readonly WrittenContact[];
  /** The groups that the run deleted. */
  readonly removedGroups: readonly RemovedGroup[];
  /** The groups that each side holds now. */
  readonly groups: Readonly<Record<Side, readonly GroupRecord[]>>;
  readonly policy: Policy;
  /** The fields that the link syncs now. */
  readonly fields: ReadonlySet<SyncedField>;
};

/** What an undo decided for one contact. Plain data: printed by `undo --dry-run`, performed by `undo`. */
export type UndoDecision =
  /** Both halves stand, and what the run wrote to them is reverted. */
  | {
      readonly kind: 'revert';
      readonly pair: WholePair;
      readonly writes: Sides<SideWrite | null>;
      /** Fields whose change must stay where it is: nothing is propagated by an undo. */
      readonly held: Sides<readonly SyncedField[]>;
    }
  /** A contact that the run deleted comes back as it was last. */
  | {
      readonly kind: 'restore';
      readonly side: Side;
      /** Its last image, under its former id. */
      readonly image: ContactRecord;
      /** The pair that it belonged to; null where no other half stands. */
      readonly pair: Pair | null;
      /** Groups of the side to join, by {@link groupKey}. */
      readonly joins: readonly string[];
      /** The contact, where an undo that was cut off has brought it back already: it only joins its groups. */
      readonly standing: ContactRecord | null;
    }
  /** A contact that the run created goes; its source stays, and is not created again. */
  | { readonly kind: 'remove'; readonly side: Side; readonly record: ContactRecord; readonly pair: Pair };

export type UndoPlan = {
  readonly decisions: readonly UndoDecision[];
  /** Every group that takes part, each for itself: an undo moves contacts on one side only. */
  readonly links: readonly GroupLink[];
  /** How the groups that the run deleted come back. */
  readonly groups: Pick<GroupReturns, 'actions' | 'pairs'>;
  readonly refused: readonly Refusal[];
};

/** What becomes of one contact. */
type Outcome =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'write'; readonly pair: WholePair; readonly side: Side; readonly write: SideWrite }
  | { readonly kind: 'decision'; readonly decision: UndoDecision };

type Judgement = { readonly outcome: Outcome; readonly refused: readonly Refusal[] };

const NOTHING: Outcome = { kind: 'nothing' };

type Env = {
  readonly policy: Policy;
  readonly fields: ReadonlySet<SyncedField>;
  readonly groups: Readonly<Record<Side, ReadonlySet<string>>>;
  readonly successors: GroupReturns['successors'];
};

/** The groups that stand for those which the contact lost, and which it does not belong to. */
const rejoined = ({ side, lostGroups }: WrittenContact, record: ContactRecord, { successors }: Env) =>
  lostGroups.flatMap((id) => {
    const successor = successors.get(groupKey(side, id));
    return successor === undefined || record.groupIds.includes(successor.id ?? '') ? [] : [successor.key];
  });

const standingOf = ({ pair, side }: WrittenContact): Half | null => {
  const half = pair?.[side] ?? null;
  return stands(half) ? half : null;
};

const refuse = (contact: WrittenContact, reason: string, field: SyncedField | null = null): Refusal => {
  const { side, id, pair } = contact;
  const other = pair?.[otherSide(side)]?.id ?? null;
  const ids = side === 'left' ? { leftId: id, rightId: other } : { leftId: other, rightId: id };
  return { side, ...ids, field, reason };
};

const refuseWhole = (contact: WrittenContact, reason: string): Judgement => {
  return { outcome: NOTHING, refused: [refuse(contact, reason)] };
};

const isWhole = (pair: Pair): pair is WholePair => stands(pair.left) && stands(pair.right);

/** The pair, where the other half of a contact of that side stands. */
const pairWithPartner = (pair: Pair | null, side: Side): Pair | null => {
  return pair !== null && stands(pair[otherSide(side)]) ? pair : null;
};

const ONE_WAY = 'the link does not write this field to this side';
const UNSYNCABLE = 'the side holds a value there that is not synced';
const NOT_SYNCED = 'the link does not sync this field';

const undoEdits = (contact: WrittenContact, record: ContactRecord, env: Env): Judgement => {
  const { groups } = env;
  const { side, pair } = contact;
  const draft = draftOf(record);
  const unsyncable = unsyncableFields(record);
  const isRefused = (field: SyncedField): boolean =>
    !env.fields.has(field) || unsyncable.has(field) || !mayWrite(forField(env.policy, field), side);
  const reasonFor = (field: SyncedField): string => {
    if (unsyncable.has(field)) return UNSYNCABLE;
    return env.fields.has(field) ? ONE_WAY : NOT_SYNCED;
  };
  const untouched = inFieldOrder(contact.writes.flatMap((write) => fieldsOf(write).filter(isRefused)));
  for (const write of contact.writes) undoWrite(draft, write, groups[side], (field) => !isRefused(field));
  const refused = [
    ...draft.refused.map(({ field, reason }) => refuse(contact, reason, field)),
    ...untouched.map((field) => refuse(contact, reasonFor(field), field)),
  ];
  const back = rejoined(contact, record, env);
  if (back.length > 0) draft.fields.add('buckets');
  if (draft.fields.size === 0) return { outcome: NOTHING, refused };
  // What a later write took away and an earlier one gave stands as it stood.
  const before = new Set(record.groupIds);
  const joins = [...[...draft.groupIds.difference(before)].map((id) => groupKey(side, id)), ...back];
  const leaves = [...before.difference(draft.groupIds)].map((id) => groupKey(side, id));
  const moves = joins.length + leaves.length > 0;
  const fields = inFieldOrder(draft.fields).filter((field) => field !== 'buckets' || moves);
  if (fields.length === 0) return { outcome: NOTHING, refused };
  if (pair === null || !isWhole(pair)) return refuseWhole(contact, 'its other half is gone by now');
  const write = { fields, desired: draft.contact, joins, leaves };
  return { outcome: { kind: 'write', pair, side, write }, refused };
};

/** How far two clocks may be apart where a time of the side is measured against our own. */
const CLOCK_MARGIN_MS = 60_000;

/**
 * Whether a contact is still as the last write left it, so that deleting it loses nothing: the same values, no group
 * besides, and no sign of a change to what the canonical contact cannot express.
 */
const isUntouched = (
  record: ContactRecord,
  outcome: NonNullable<WrittenContact['outcome']>,
  fields: ReadonlySet<SyncedField>,
): boolean => {
  // Of a field that was synced then nothing is known now, but that the version tells of every change.
  const content = (of: ContactRecord) => unordered({ contact: keepChosen(of.contact, fields), groupIds: [] });
  const isSame = equalSnapshots(content(record), content(outcome.record));
  const hasNewGroup = record.groupIds.some((id) => !outcome.record.groupIds.includes(id));
  if (!isSame || hasNewGroup) return false;
  if (record.version === outcome.record.version) return true;
  // A change of membership answers without the contact's new version: only the time tells of a later edit.
  return !outcome.isExact && record.modifiedAtMs !== null && record.modifiedAtMs <= outcome.atMs + CLOCK_MARGIN_MS;
};

const undoCreate = (contact: WrittenContact, record: ContactRecord, { fields }: Env): Judgement => {
  const { pair, side, outcome } = contact;
  if (pair === null || outcome === null) return refuseWhole(contact, 'it is no longer linked');
  if (!isUntouched(record, outcome, fields)) return refuseWhole(contact, 'it was changed since it was created');
  return { outcome: { kind: 'decision', decision: { kind: 'remove', side, record, pair } }, refused: [] };
};

/** Brings back what the run deleted: the last image, with the run's earlier writes to it undone. */
const undoDelete = (contact: WrittenContact, before: ContactRecord, { fields, groups, successors }: Env): Judgement => {
  const { side, pair } = contact;
  const draft = draftOf(before);
  for (const write of contact.writes) undoWrite(draft, write, groups[side]);
  const held = [...draft.groupIds];
  const joins = held.flatMap((id) => {
    const key = groupKey(side, id);
    return groups[side].has(id) ? [key] : (successors.get(key)?.key ?? []);
  });
  const image = { ...before, contact: keepChosen(draft.contact, fields), groupIds: held.toSorted() };
  const partner = pairWithPartner(pair, side);
  const decision: UndoDecision = { kind: 'restore', side, image, pair: partner, joins, standing: null };
  const lost = joins.length < held.length ? [refuse(contact, 'a group it was in is deleted', 'buckets')] : [];
  return { outcome: { kind: 'decision', decision }, refused: lost };
};

/** Joins the groups that an undo which was cut off left out. */
const finishReturn = (contact: WrittenContact, { record }: Half, { groups }: Env): Judgement => {
  const { side, pair, unjoined } = contact;
  const missing = unjoined.filter((id) => groups[side].has(id) && !record.groupIds.includes(id));
  if (missing.length === 0) return { outcome: NOTHING, refused: [] };
  const joins = missing.map((id) => groupKey(side, id));
  const pairing = { pair: pairWithPartner(pair, side), joins };
  const decision: UndoDecision = { kind: 'restore', side, image: record, standing: record, ...pairing };
  return { outcome: { kind: 'decision', decision }, refused: [] };
};

/** What the run did to the contact as a whole: its writes end with a delete, or begin with a create, or neither. */
const fateOf = ({ writes }: WrittenContact): 'created' | 'edited' | 'deleted' | 'fleeting' => {
  const isDeleted = writes[0]?.kind === 'delete';
  const isCreated = writes.some((write) => write.kind === 'create');
  if (isDeleted) return isCreated ? 'fleeting' : 'deleted';
  return isCreated ? 'created' : 'edited';
};

const undoContact = (contact: WrittenContact, env: Env): Judgement => {
  const nothing: Judgement = { outcome: NOTHING, refused: [] };
  const standing = standingOf(contact);
  const fate = fateOf(contact);
  if (fate === 'fleeting' || (fate === 'created' && standing === null)) return nothing;
  if (!mayWrite(env.policy, contact.side)) return refuseWhole(contact, 'the link does not write to this side');
  if (fate === 'deleted') {
    const [last] = contact.writes;
    if (standing !== null) return finishReturn(contact, standing, env);
    return last?.kind === 'delete' ? undoDelete(contact, last.before, env) : nothing;
  }
  if (standing === null) return refuseWhole(contact, 'it was deleted since');
  return fate === 'created' ? undoCreate(contact, standing.record, env) : undoEdits(contact, standing.record, env);
};

/**
 * The fields whose change must stay where it is. All of the other side: nothing is propagated by an undo. Lists and memberships
 * take only what the write brings; a scalar that is written takes the side's answer.
 */
const heldFields = (write: SideWrite | null, pair: WholePair): readonly SyncedField[] => {
  const written = new Set<SyncedField>(scalarsOf(write?.fields ?? []));
  return syncedIn(...SIDES.flatMap((side) => contactsOf(pair[side].record, pair[side].base))).filter(
    (field) => !written.has(field),
  );
};

/** The writes to both halves of one pair as one decision. */
const revertDecisions = (outcomes: readonly Outcome[]): readonly UndoDecision[] => {
  const found = outcomes.filter((outcome) => outcome.kind === 'write');
  return [...Map.groupBy(found, ({ pair }) => pair.left.id).values()].flatMap((own): UndoDecision[] => {
    const [first] = own;
    if (first === undefined) return [];
    const writes = bySide((side) => own.find((outcome) => outcome.side === side)?.write ?? null);
    return [{ kind: 'revert', pair: first.pair, writes, held: bySide((side) => heldFields(writes[side], first.pair)) }];
  });
};

/**
 * Decides how to revert what a run wrote, contact by contact and field by field: what was changed since is refused, what
 * stands as before needs no write. Only the sides that the run wrote are written, and nothing is propagated by it. Pure.
 */
export const planUndo = (input: UndoInput): UndoPlan => {
  const {
    actions,
    pairs,
    links: created,
    successors,
    refused,
  } = planGroupReturns(input.removedGroups, input.groups, forField(input.policy, 'buckets'));
  const links = linksOf(input.groups, input.policy);
  const standing = (side: Side) => new Set(links.flatMap((link) => link[side] ?? []));
  const env = {
    policy: input.policy,
    fields: input.fields,
    groups: { left: standing('left'), right: standing('right') },
    successors,
  };
  const judged = input.contacts.map((contact) => undoContact(contact, env));
  const outcomes = judged.map(({ outcome }) => outcome);
  const others = outcomes.flatMap((outcome) => (outcome.kind === 'decision' ? [outcome.decision] : []));
  return {
    decisions: [...revertDecisions(outcomes), ...others],
    links: [...links, ...created],
    groups: { actions, pairs },
    refused: [
      ...refused.map((each) => ({ ...each, leftId: null, rightId: null, field: 'buckets' as const })),
      ...judged.flatMap((each) => each.refused),
    ],
  };
};
