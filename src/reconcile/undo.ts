import {
  LIST_FIELDS,
  SCALAR_FIELDS,
  SYNCED_FIELDS,
  type Contact,
  type ListField,
  type ScalarField,
  type SyncedField,
} from '../contact/contact.ts';
import { otherSide, SIDES, type Side } from '../contact/side.ts';
import { keyLists, listOf, withList } from '../contact/lists.ts';
import type { ContactRecord, GroupRecord } from '../contact/record.ts';
import { equalSnapshots, unordered } from '../contact/snapshot.ts';
import type { Decision, Pair, PresentSide, SideWrite } from './decision.ts';
import type { GroupLink } from './membership.ts';
import type { Plan } from './plan.ts';
import { groupFilter, mayWrite, type Policy } from './policy.ts';

/** A write of the run that is put back, as the journal has it. */
export type DoneWrite = {
  readonly kind: 'create' | 'update' | 'membership' | 'delete';
  /** The fields that it wrote. */
  readonly fields: readonly SyncedField[];
  /** The side's own ids of the groups that it joined and left. */
  readonly join: readonly string[];
  readonly leave: readonly string[];
  readonly before: ContactRecord | null;
  readonly after: ContactRecord | null;
};

/** One contact that the run wrote on one side. */
export type WrittenContact = {
  readonly side: Side;
  readonly id: string;
  /** The newest first. */
  readonly writes: readonly DoneWrite[];
  /** The mapping row that the contact is in, or that its other half is in; null where there is none. */
  readonly pair: Pair | null;
  /** The groups that an undo which was cut off brought it back without. */
  readonly unjoined: readonly string[];
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
  /** The groups that each side holds now. */
  readonly groups: Readonly<Record<Side, readonly GroupRecord[]>>;
  readonly policy: Policy;
};

export type UndoPlan = { readonly plan: Plan; readonly refused: readonly Refusal[] };

/** A contact on its way back: every write that is undone changes it. */
type Draft = {
  contact: Contact;
  readonly groupIds: Set<string>;
  readonly fields: Set<SyncedField>;
  readonly refused: { readonly field: SyncedField; readonly reason: string }[];
};

const CHANGED = 'it was changed since';

const draftOf = (record: ContactRecord): Draft => {
  return { contact: record.contact, groupIds: new Set(record.groupIds), fields: new Set(), refused: [] };
};

const undoScalar = (draft: Draft, field: ScalarField, before: Contact, after: Contact): void => {
  const now = draft.contact[field];
  if (before[field] === after[field] || now === before[field]) return;
  if (now !== after[field]) {
    draft.refused.push({ field, reason: CHANGED });
    return;
  }
  draft.contact = { ...draft.contact, [field]: before[field] };
  draft.fields.add(field);
};

/** What the write added goes where it is still there, what it removed comes back where it is missing. */
const undoList = (draft: Draft, field: ListField, before: Contact, after: Contact): void => {
  const lists = { before: listOf(before, field), after: listOf(after, field), now: listOf(draft.contact, field) };
  const keyed = keyLists(field, lists);
  const isAdded = (key: string): boolean => keyed.after.has(key) && !keyed.before.has(key);
  const kept = [...keyed.now].filter(([key]) => !isAdded(key));
  const back = [...keyed.before].filter(([key]) => !keyed.after.has(key) && !keyed.now.has(key));
  if (kept.length === keyed.now.size && back.length === 0) return;
  draft.contact = withList(
    draft.contact,
    field,
    [...kept, ...back].map(([, element]) => element),
  );
  draft.fields.add(field);
};

const undoMembership = (draft: Draft, write: DoneWrite, groups: ReadonlySet<string>): void => {
  const { before, after } = write;
  if (before === null || after === null) return;
  const joined = write.join.filter((id) => after.groupIds.includes(id) && !before.groupIds.includes(id));
  const quit = write.leave.filter((id) => before.groupIds.includes(id) && !after.groupIds.includes(id));
  for (const id of joined.filter((group) => draft.groupIds.has(group))) {
    draft.groupIds.delete(id);
    draft.fields.add('buckets');
  }
  for (const id of quit.filter((group) => !draft.groupIds.has(group))) {
    if (groups.has(id)) {
      draft.groupIds.add(id);
      draft.fields.add('buckets');
    } else draft.refused.push({ field: 'buckets', reason: 'the group it left is gone, or takes no part any more' });
  }
};

const undoWrite = (draft: Draft, write: DoneWrite, groups: ReadonlySet<string>): void => {
  if (write.kind === 'membership') undoMembership(draft, write, groups);
  const { before, after } = write;
  if (write.kind !== 'update' || before === null || after === null) return;
  for (const field of SCALAR_FIELDS) {
    if (write.fields.includes(field)) undoScalar(draft, field, before.contact, after.contact);
  }
  for (const field of LIST_FIELDS) {
    if (write.fields.includes(field)) undoList(draft, field, before.contact, after.contact);
  }
};

/** What becomes of one contact. */
type Outcome =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'write'; readonly pair: MergedPair; readonly side: Side; readonly write: SideWrite }
  | { readonly kind: 'decision'; readonly decision: Decision };

type MergedPair = Pair & { readonly left: PresentSide; readonly right: PresentSide };

type Judgement = { readonly outcome: Outcome; readonly refused: readonly Refusal[] };

const NOTHING: Outcome = { kind: 'nothing' };

type Env = { readonly policy: Policy; readonly groups: Readonly<Record<Side, ReadonlySet<string>>> };

const standingOf = ({ pair, side }: WrittenContact): PresentSide | null => {
  const half = pair?.[side];
  return half?.kind === 'present' ? half : null;
};

const idIn = (pair: Pair | null, side: Side): string | null => {
  const half = pair?.[side];
  if (half === undefined || half.kind === 'none') return null;
  return half.kind === 'present' ? half.record.id : half.id;
};

const refuse = (contact: WrittenContact, reason: string, field: SyncedField | null = null): Refusal => {
  const { side, id, pair } = contact;
  const other = idIn(pair, otherSide(side));
  const ids = side === 'left' ? { leftId: id, rightId: other } : { leftId: other, rightId: id };
  return { side, ...ids, field, reason };
};

const refuseWhole = (contact: WrittenContact, reason: string): Judgement => {
  return { outcome: NOTHING, refused: [refuse(contact, reason)] };
};

const groupKey = (side: Side, id: string): string => `${side} ${id}`;

const isMerged = (pair: Pair): pair is MergedPair => pair.left.kind === 'present' && pair.right.kind === 'present';

const undoEdits = (contact: WrittenContact, record: ContactRecord, { groups }: Env): Judgement => {
  const { side, pair } = contact;
  const draft = draftOf(record);
  for (const write of contact.writes) undoWrite(draft, write, groups[side]);
  const refused = draft.refused.map(({ field, reason }) => refuse(contact, reason, field));
  if (draft.fields.size === 0) return { outcome: NOTHING, refused };
  // What a later write took away and an earlier one gave stands as it stood.
  const before = new Set(record.groupIds);
  const joins = [...draft.groupIds.difference(before)].map((id) => groupKey(side, id));
  const leaves = [...before.difference(draft.groupIds)].map((id) => groupKey(side, id));
  const moves = joins.length + leaves.length > 0;
  const fields = SYNCED_FIELDS.filter((field) => draft.fields.has(field) && (field !== 'buckets' || moves));
  if (fields.length === 0) return { outcome: NOTHING, refused };
  if (pair === null || !isMerged(pair)) return refuseWhole(contact, 'its other half is gone by now');
  const write = { fields, desired: draft.contact, joins, leaves };
  return { outcome: { kind: 'write', pair, side, write }, refused };
};

/** How far two clocks may be apart where a time of the side is measured against our own. */
const CLOCK_MARGIN_MS = 60_000;

/**
 * Whether a contact is still as the last write left it, so that deleting it loses nothing: the same values, no group
 * besides, and no sign of a change to what the canonical contact cannot express.
 */
const isUntouched = (record: ContactRecord, outcome: NonNullable<WrittenContact['outcome']>): boolean => {
  const content = (of: ContactRecord) => unordered({ contact: of.contact, groupIds: [] });
  const isSame = equalSnapshots(content(record), content(outcome.record));
  const hasNewGroup = record.groupIds.some((id) => !outcome.record.groupIds.includes(id));
  if (!isSame || hasNewGroup) return false;
  if (record.version === outcome.record.version) return true;
  // A change of membership answers without the contact's new version: only the time tells of a later edit.
  return !outcome.isExact && record.modifiedAtMs !== null && record.modifiedAtMs <= outcome.atMs + CLOCK_MARGIN_MS;
};

const undoCreate = (contact: WrittenContact, record: ContactRecord): Judgement => {
  const { pair, side, outcome } = contact;
  if (pair === null || outcome === null) return refuseWhole(contact, 'it is no longer linked');
  if (!isUntouched(record, outcome)) return refuseWhole(contact, 'it was changed since it was created');
  const decision: Decision = { kind: 'delete', side, record, pair, keepsOther: true };
  return { outcome: { kind: 'decision', decision }, refused: [] };
};

/** Brings back what the run deleted: the last image, with the run's earlier writes to it undone. */
const undoDelete = (contact: WrittenContact, before: ContactRecord, { groups }: Env): Judgement => {
  const { side, pair } = contact;
  const draft = draftOf(before);
  for (const write of contact.writes) undoWrite(draft, write, groups[side]);
  const held = [...draft.groupIds];
  const joins = held.filter((id) => groups[side].has(id)).map((id) => groupKey(side, id));
  const source = { ...before, contact: draft.contact, groupIds: held.toSorted() };
  const partner = pair !== null && pair[otherSide(side)].kind === 'present' ? pair : null;
  const decision: Decision = { kind: 'create', side, source, pair: partner, joins, restores: true };
  const lost = joins.length < held.length ? [refuse(contact, 'a group it was in is gone by now', 'buckets')] : [];
  return { outcome: { kind: 'decision', decision }, refused: lost };
};

/** Joins the groups that an undo which was cut off left out. */
const finishReturn = (contact: WrittenContact, { record }: PresentSide, { groups }: Env): Judgement => {
  const { side, pair, unjoined } = contact;
  const missing = unjoined.filter((id) => groups[side].has(id) && !record.groupIds.includes(id));
  if (missing.length === 0) return { outcome: NOTHING, refused: [] };
  const partner = pair !== null && pair[otherSide(side)].kind === 'present' ? pair : null;
  const joins = missing.map((id) => groupKey(side, id));
  const back = { source: record, standing: record, pair: partner, joins, restores: true } as const;
  return { outcome: { kind: 'decision', decision: { kind: 'create', side, ...back } }, refused: [] };
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
    const before = contact.writes[0]?.before ?? null;
    if (standing !== null) return finishReturn(contact, standing, env);
    return before === null ? nothing : undoDelete(contact, before, env);
  }
  if (standing === null) return refuseWhole(contact, 'it was deleted since');
  return fate === 'created' ? undoCreate(contact, standing.record) : undoEdits(contact, standing.record, env);
};

/**
 * The fields whose change must stay where it is. All of the other side: nothing travels by an undo. Lists and memberships
 * take only what the write brings; a scalar that is written takes the side's answer.
 */
const heldFields = (write: SideWrite | null): readonly SyncedField[] => {
  const written = new Set<SyncedField>(SCALAR_FIELDS.filter((field) => write?.fields.includes(field)));
  return SYNCED_FIELDS.filter((field) => !written.has(field));
};

/** The writes to both halves of one pair as one decision; what either side has not told yet is looked at by the next run. */
const mergeDecisions = (outcomes: readonly Outcome[]): readonly Decision[] => {
  const writes = outcomes.filter((outcome) => outcome.kind === 'write');
  return [...Map.groupBy(writes, ({ pair }) => pair.left.record.id).values()].flatMap((own): Decision[] => {
    const [first] = own;
    if (first === undefined) return [];
    const writeTo = (side: Side) => own.find((outcome) => outcome.side === side)?.write ?? null;
    const [left, right] = [writeTo('left'), writeTo('right')];
    const held = { left: heldFields(left), right: heldFields(right) };
    return [{ kind: 'merge', pair: first.pair, left, right, conflicts: [], held, deferred: true }];
  });
};

/** Every group that takes part, each for itself: an undo moves contacts on one side only. */
const linksOf = ({ groups, policy }: UndoInput): readonly GroupLink[] => {
  const takesPart = groupFilter(policy.buckets);
  return SIDES.flatMap((side) =>
    groups[side]
      .filter((group) => takesPart(group.name))
      .map(({ id }) => {
        const half = { left: null, right: null, [side]: id };
        return { key: groupKey(side, id), ...half, settled: true };
      }),
  );
};

/**
 * Decides how to put back what a run wrote, contact by contact and field by field: what was changed since is refused, what
 * stands as before needs no write. Only the sides that the run wrote are written, and nothing travels by it. Pure.
 */
export const planUndo = (input: UndoInput): UndoPlan => {
  const links = linksOf(input);
  const standing = (side: Side) => new Set(links.flatMap((link) => link[side] ?? []));
  const env = { policy: input.policy, groups: { left: standing('left'), right: standing('right') } };
  const judged = input.contacts.map((contact) => undoContact(contact, env));
  const outcomes = judged.map(({ outcome }) => outcome);
  const others = outcomes.flatMap((outcome) => (outcome.kind === 'decision' ? [outcome.decision] : []));
  const groups = { actions: [], pairs: [], ended: [], links, duplicates: [] };
  return {
    plan: { groups, decisions: [...mergeDecisions(outcomes), ...others], ambiguous: [], empty: [] },
    refused: judged.flatMap(({ refused }) => refused),
  };
};
