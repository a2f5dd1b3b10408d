import { idsOf, idsOn, type PairIds, wereUnlinked } from '../contact/pair.ts';
import {
  type Creation,
  type Decision,
  type Deletion,
  draftOf,
  isNewPairing,
  type Merge,
  type Restoration,
  type Unlink,
  type SideWrites,
  writtenFields,
} from '../reconcile/decision.ts';
import type { Contact, SyncedField } from '../contact/contact.ts';
import { isPresent } from '../contact/half.ts';
import type { ContactRecord } from '../contact/record.ts';
import { bySide, otherSide, type Side, SIDES, type Sides } from '../contact/side.ts';
import { type ConflictTerms, decidingTimes } from '../reconcile/conflict-policy.ts';
import type { GroupNames } from '../reconcile/groups.ts';
import type { GroupLink } from '../reconcile/membership.ts';
import type { Plan } from '../reconcile/plan.ts';
import { describe, describeGroup } from './describe.ts';
import { likenessOf, nameOf } from './values.ts';
import type { Change, ContactChange, Unpaired, Why } from './views.ts';

type Described = Parameters<typeof describe>[0];

/** The groups of a plan: links by key, and names by id or {@link plannedGroup}. */
type PlanGroups = { readonly links: ReadonlyMap<string, GroupLink>; readonly names: Sides<GroupNames> };

/** Returns a placeholder for the id of a group that a plan creates. */
const plannedGroup = (key: string): string => `planned ${key}`;

const idsOfGroups = ({ links }: PlanGroups, side: Side, keys: readonly string[]): readonly string[] => {
  return keys.map((key) => links.get(key)?.[side] ?? plannedGroup(key));
};

/** Returns the record without groups that are not synced. */
const visible = (record: ContactRecord, names: GroupNames): ContactRecord => {
  return { ...record, groupIds: record.groupIds.filter((id) => names.has(id)) };
};

/** Returns the planned operations on an existing contact of a side as one operation. */
const plannedUpdate = (
  side: Side,
  ids: PairIds,
  record: ContactRecord,
  writes: SideWrites,
  groups: PlanGroups,
): Described => {
  const before = visible(record, groups.names[side]);
  const { joins, leaves } = writes;
  const contact = writes.update?.desired ?? record.contact;
  const removed = new Set(idsOfGroups(groups, side, leaves));
  const kept = before.groupIds.filter((id) => !removed.has(id));
  const groupIds = [...new Set([...kept, ...idsOfGroups(groups, side, joins)])];
  const name = nameOf(record.contact) ?? nameOf(contact);
  const fields = writtenFields(writes);
  return { side, action: 'update', ...ids, name, fields, before, after: { contact, groupIds } };
};

/** Returns the planned creation of a contact, with the id of its source on the other side. */
const plannedCreation = (
  side: Side,
  contact: Contact,
  { joins, sourceId }: { readonly joins: readonly string[]; readonly sourceId: string | null },
  groups: PlanGroups,
): Described => {
  const after = { contact, groupIds: idsOfGroups(groups, side, joins) };
  const ids = idsOn(otherSide(side), sourceId);
  return { side, action: 'create', ...ids, name: nameOf(contact), fields: [], before: null, after };
};

/** Returns the planned deletion of a contact. */
const plannedDeletion = (side: Side, ids: PairIds, record: ContactRecord, groups: PlanGroups): Described => {
  const before = visible(record, groups.names[side]);
  return { side, action: 'delete', ...ids, name: nameOf(record.contact), fields: [], before, after: null };
};

/** A group that exists. */
type NamedGroup = { readonly id: string; readonly name: string };

const groupsOf = ({ actions, links }: Plan['groups'], existing: Sides<readonly NamedGroup[]>): PlanGroups => {
  const created = actions.flatMap(({ kind, key, name }) =>
    kind === 'create-group' ? [[plannedGroup(key), name] as const] : [],
  );
  return {
    links: new Map(links.map((link) => [link.key, link])),
    names: bySide((side) => new Map([...created, ...existing[side].map(({ id, name }) => [id, name] as const)])),
  };
};

const valuesOf = (value: string): readonly string[] => (value === '' ? [] : [value]);

/** Returns the fields of a pair that need a decision by a person. */
const askedViews = (merge: Merge): readonly ContactChange[] => {
  const { pair, conflicts } = merge;
  const isFirst = isNewPairing(merge);
  const why: Why = { kind: 'asked', isFirst };
  const asked = conflicts.filter(({ winner }) => winner === null);
  if (asked.length === 0) return [];
  const name = nameOf(pair.left.record.contact) ?? nameOf(pair.right.record.contact);
  const changes = asked.map(({ field, left, right }) => ({ field, from: valuesOf(left), to: valuesOf(right), why }));
  const fields = asked.map(({ field }) => field);
  return [{ side: 'left', action: 'ask', ...idsOf(pair), name, fields, changes, why }];
};

/** Returns the reason why two contacts are paired. */
const pairingWhy = ({ byHand, pair }: Merge): Why => {
  if (byHand) return { kind: 'by-hand' };
  if (wereUnlinked(pair)) return { kind: 'selected' };
  return likenessOf(pair.left.record.contact, pair.right.record.contact) ?? { kind: 'first-meeting', at: 'right' };
};

/** Returns the reason why a pair is unlinked; `side` is the side of a contact that stays, if any. */
const unlinkWhy = ({ pair, to }: Unlink, side: Side): Why => {
  switch (to) {
    case 'drop':
      return { kind: isPresent(pair[side]) ? 'paired-again' : 'gone' };
    case 'unselected':
      return { kind: 'unselected' };
    case 'kept':
    case 'dormant':
      return { kind: to, at: otherSide(side) };
  }
};

const unlinkViews = (unlink: Unlink): readonly ContactChange[] => {
  const { pair, to } = unlink;
  if (pair.status === to) return [];
  const side = isPresent(pair.left) ? 'left' : 'right';
  const why = unlinkWhy(unlink, side);
  const record = pair[side]?.record ?? pair[otherSide(side)]?.record;
  const name = record === undefined ? null : nameOf(record.contact);
  return [{ side, action: 'unlink', ...idsOf(pair), name, fields: [], changes: [], why }];
};

/** The reason of an undo, which is that of all its changes, or the settings that decided the conflicts of a plan. */
type Reasons = { readonly fixedWhy: Why } | { readonly fixedWhy?: never; readonly terms: ConflictTerms };

/** Returns the reason why a text of a conflict is written. */
const conflictWhy = ({ pair, ...merge }: Merge, field: SyncedField, winner: Side, reasons: Reasons): Why => {
  const times = bySide((side) => pair[side].editedAtMs);
  const decided = 'terms' in reasons ? decidingTimes({ field, winner }, reasons.terms, times) : null;
  const isFirst = isNewPairing({ pair, ...merge });
  return { kind: 'conflict', winner, isFirst, ...(decided && { changedAtMs: decided }) };
};

const mergeViews = (merge: Merge, groups: PlanGroups, reasons: Reasons): readonly Change[] => {
  const { fixedWhy } = reasons;
  const { pair, writes, conflicts, taken = [] } = merge;
  const isNew = isNewPairing(merge);
  const ids = idsOf(pair);
  const whyAt = (to: Side): Why => fixedWhy ?? { kind: isNew ? 'first-meeting' : 'changed', at: otherSide(to) };
  const updates = SIDES.flatMap((side): ContactChange[] => {
    if (writtenFields(writes[side]).length === 0) return [];
    const whyOf = (field: SyncedField): Why => {
      const byHand = taken.find((each) => each.field === field);
      if (byHand !== undefined) return { kind: 'taken', at: byHand.from };
      const winner = conflicts.find((each) => each.field === field)?.winner ?? null;
      return winner === null ? whyAt(side) : conflictWhy(merge, field, winner, reasons);
    };
    const update = plannedUpdate(side, ids, pair[side].record, writes[side], groups);
    return [describe(update, groups.names[side], whyAt(side), whyOf)];
  });
  if (fixedWhy !== undefined) return updates;
  updates.push(...askedViews(merge));
  if (merge.unlinks) updates.push(...unlinkViews({ kind: 'unlink', pair, to: 'unselected' }));
  if (!isNew) return updates;
  const name = nameOf(pair.left.record.contact) ?? nameOf(pair.right.record.contact);
  return [{ side: 'left', action: 'pair', ...ids, name, fields: [], changes: [], why: pairingWhy(merge) }, ...updates];
};

const deletionWhy = ({ side, pair, after }: Deletion): Why => {
  const at = otherSide(side);
  return { kind: after !== undefined || pair[at]?.mergedInto ? 'merged' : 'deleted', at };
};

/** Returns the creation of a contact with all its values. */
const creationView = (decision: Creation | Restoration, sourceId: string | null, groups: PlanGroups, why: Why) => {
  const { side, writes } = decision;
  const { joins } = writes[side];
  const creation = plannedCreation(side, draftOf(decision), { joins, sourceId }, groups);
  const change = describe(creation, groups.names[side], why);
  return { ...change, fields: change.changes.flatMap(({ field }) => (field === 'name' ? [] : [field])) };
};

const restorationView = (decision: Restoration, groups: PlanGroups, why: Why): Change => {
  const { side, pair, existing } = decision;
  const other = otherSide(side);
  const sourceId = pair?.[other]?.id ?? null;
  if (existing === null) return creationView(decision, sourceId, groups, why);
  const ids = { ...idsOn(other, sourceId), [`${side}Id`]: existing.id };
  return describe(plannedUpdate(side, ids, existing, decision.writes[side], groups), groups.names[side], why);
};

type ShownDecision = Decision | Restoration;

/** Returns the changes of a decision. */
const decisionViews = (decision: ShownDecision, groups: PlanGroups, reasons: Reasons): readonly Change[] => {
  const { fixedWhy } = reasons;
  switch (decision.kind) {
    case 'create': {
      const { side, source, pair } = decision;
      const why: Why = { kind: pair === null ? 'new' : 'edit-beats-delete', at: otherSide(side) };
      return [creationView(decision, source.id, groups, why)];
    }
    case 'restore':
      return [restorationView(decision, groups, fixedWhy ?? { kind: 'undo', of: null })];
    case 'delete': {
      const { side, record, pair } = decision;
      const deletion = plannedDeletion(side, idsOf(pair), record, groups);
      return [describe(deletion, groups.names[side], fixedWhy ?? deletionWhy(decision))];
    }
    case 'unlink':
      return unlinkViews(decision);
    case 'merge':
      return mergeViews(decision, groups, reasons);
  }
};

type ShownPlan = Pick<Plan, 'groups'> & { readonly decisions: readonly ShownDecision[] };

const changesOf = (decisions: readonly ShownDecision[], groups: PlanGroups, reasons: Reasons): readonly Change[] =>
  decisions.flatMap((decision) => decisionViews(decision, groups, reasons));

const changesOfPlan = (
  { decisions, groups }: ShownPlan,
  existing: Sides<readonly NamedGroup[]>,
  reasons: Reasons,
): readonly Change[] => {
  const ofGroups = groups.actions.map((action) =>
    describeGroup(action, action.kind === 'rename-group' ? action.group.name : action.name, reasons.fixedWhy),
  );
  return [...ofGroups, ...changesOf(decisions, groupsOf(groups, existing), reasons)];
};

const existingIn = ({ pairs }: Plan['groups']): Sides<readonly NamedGroup[]> =>
  bySide((side) => pairs.flatMap((pair) => pair[side] ?? []));

/** Returns all changes of a plan, in the order of `plan --json`. `terms` decided its conflicts. Pure. */
export const planChanges = (plan: Plan, terms: ConflictTerms): readonly Change[] =>
  changesOfPlan(plan, existingIn(plan.groups), { terms });

/** Returns the changes of a part of a plan. `groups` are those of the whole plan. Pure. */
export const partChanges = ({ decisions }: Plan, groups: Plan['groups'], terms: ConflictTerms): readonly Change[] =>
  changesOf(decisions, groupsOf(groups, existingIn(groups)), { terms });

/** Returns all changes of the undo of a run, with the groups that currently exist on each side. Pure. */
export const undoChanges = (plan: ShownPlan, existing: Sides<readonly NamedGroup[]>, run: string): readonly Change[] =>
  changesOfPlan(plan, existing, { fixedWhy: { kind: 'undo', of: run } });

/** Returns the records of a decision that the plan was made of. */
export const recordsOf = (decision: Decision): readonly (readonly [Side, ContactRecord])[] => {
  if (decision.kind === 'create') return [[otherSide(decision.side), decision.source]];
  return SIDES.flatMap((side) => {
    const half = decision.pair[side];
    return half === null ? [] : [[side, half.record] as const];
  });
};

/** Returns the contacts of a plan, by side and id: `left people/c1`. Pure. */
export const plannedContacts = ({ decisions }: Plan): ReadonlyMap<string, Contact> =>
  new Map(decisions.flatMap(recordsOf).map(([side, { id, contact }]) => [`${side} ${id}`, contact]));

/** Returns those of the contacts of a plan that it does not pair although they may be one person, by side and id. Pure. */
export const unpairedContacts = (plan: Plan): ReadonlyMap<string, Contact> => {
  const keys = plan.ambiguous.flatMap((match) => SIDES.flatMap((side) => match[side].map((id) => `${side} ${id}`)));
  const asked = new Set(keys);
  return new Map([...plannedContacts(plan)].filter(([key]) => asked.has(key)));
};

/** Returns the contacts that the plan does not pair although they may be one person. Pure. */
export const unpairedOf = (plan: Plan): readonly Unpaired[] => {
  const { ambiguous } = plan;
  if (ambiguous.length === 0) return [];
  const contacts = plannedContacts(plan);
  const nameAt = (side: Side, id: string): string | null => {
    const contact = contacts.get(`${side} ${id}`);
    return contact === undefined ? null : nameOf(contact);
  };
  return ambiguous.map(({ why, ...ids }) => ({
    ...bySide((side) => ids[side].map((id) => ({ id, name: nameAt(side, id) }))),
    why,
  }));
};
