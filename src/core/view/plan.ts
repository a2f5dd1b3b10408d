import type { Contact } from '../contact/contact.ts';
import { stands } from '../contact/half.ts';
import type { ContactRecord } from '../contact/record.ts';
import { bySide, otherSide, SIDES, type Side } from '../contact/side.ts';
import {
  draftOf,
  isNewPairing,
  setsApart,
  type Decision,
  type Deletion,
  type Merge,
  type Unlink,
} from '../reconcile/decision.ts';
import { idsOf } from '../reconcile/pair-ids.ts';
import type { Plan } from '../reconcile/plan.ts';
import { likenessOf } from './likeness.ts';
import { nameOf } from './values.ts';
import type { Change, ContactChange, Unpaired, Why } from './views.ts';
import { changesOfWrite, creationView, deletionView, groupView, plannedGroup, type PlanGroups } from './write.ts';

const groupsOf = ({ groups }: Plan): PlanGroups => {
  const created = groups.actions.flatMap(({ kind, key, name }) =>
    kind === 'create-group' ? [[key, name] as const] : [],
  );
  const planned = created.map(([key, name]) => [plannedGroup(key), name] as const);
  const named = (side: Side) =>
    groups.pairs.flatMap((pair) => (pair[side] === null ? [] : [[pair[side].id, pair[side].name] as const]));
  return {
    links: new Map(groups.links.map((link) => [link.key, link])),
    names: bySide((side) => new Map([...planned, ...named(side)])),
  };
};

const valuesOf = (value: string): readonly string[] => (value === '' ? [] : [value]);

/** The fields of a pair that need a decision by a person. */
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

/** The detachment or reattachment of a pair. */
const selectionViews = (decision: Merge | Unlink): readonly Change[] => {
  const { pair } = decision;
  const isApart = setsApart(decision);
  const wakes = decision.kind === 'merge' && pair.status === 'asleep';
  if (!isApart && !wakes) return [];
  const record = pair.left?.record ?? pair.right?.record;
  const action = isApart ? 'set-apart' : 'wake';
  const why: Why = { kind: isApart ? 'unselected' : 'selected' };
  const name = record === undefined ? null : nameOf(record.contact);
  return [{ side: 'left', action, ...idsOf(pair), name, fields: [], changes: [], why }];
};

const mergeViews = (merge: Merge, groups: PlanGroups): readonly Change[] => {
  const { pair, writes, conflicts, taken = [] } = merge;
  const isNew = isNewPairing(merge);
  const ids = idsOf(pair);
  const whyAt = (to: Side): Why => ({ kind: isNew ? 'first-meeting' : 'changed', at: otherSide(to) });
  const updates = SIDES.flatMap((side): ContactChange[] => {
    const write = writes[side];
    if (write === null) return [];
    const { record } = pair[side];
    const changes = changesOfWrite(side, record, write, groups, (field) => {
      const byHand = taken.find((each) => each.field === field);
      if (byHand !== undefined) return { kind: 'taken', at: byHand.from };
      const winner = conflicts.find((each) => each.field === field)?.winner ?? null;
      return winner === null ? whyAt(side) : { kind: 'conflict', winner, isFirst: isNew };
    });
    const name = nameOf(record.contact) ?? nameOf(write.desired);
    return [{ side, action: 'update', ...ids, name, fields: write.fields, changes, why: whyAt(side) }];
  });
  const apart = selectionViews(merge);
  const { left, right } = bySide((side) => pair[side].record.contact);
  updates.push(...askedViews(merge));
  if (!isNew) return [...apart, ...updates];
  const why: Why = merge.byHand
    ? { kind: 'by-hand' }
    : (likenessOf(left, right) ?? { kind: 'first-meeting', at: 'right' });
  const name = nameOf(left) ?? nameOf(right);
  return [{ side: 'left', action: 'pair', ...ids, name, fields: [], changes: [], why }, ...updates];
};

const deletionWhy = ({ side, pair, after, byHand }: Deletion): Why => {
  if (byHand) return { kind: 'merged', at: side };
  const at = otherSide(side);
  return { kind: after !== undefined || pair[at]?.mergedInto ? 'merged' : 'deleted', at };
};

const unlinkViews = (unlink: Unlink): readonly Change[] => {
  const { pair, to } = unlink;
  if (pair.status === to) return [];
  if (to === 'asleep') return selectionViews(unlink);
  const side = stands(pair.left) ? 'left' : 'right';
  const isStanding = stands(pair[side]);
  const why: Why = to === 'drop' ? { kind: isStanding ? 'paired-again' : 'gone' } : { kind: to, at: otherSide(side) };
  const record = pair[side]?.record ?? pair[otherSide(side)]?.record;
  const name = record === undefined ? null : nameOf(record.contact);
  return [{ side, action: 'unlink', ...idsOf(pair), name, fields: [], changes: [], why }];
};

const decisionViews = (decision: Decision, groups: PlanGroups): readonly Change[] => {
  switch (decision.kind) {
    case 'create': {
      const { side, source, joins, pair } = decision;
      const why: Why = { kind: pair === null ? 'new' : 'edit-beats-delete', at: otherSide(side) };
      return [creationView(side, draftOf(decision), { joins, sourceId: source.id }, groups, why)];
    }
    case 'delete':
      return [deletionView(decision.side, decision.record, idsOf(decision.pair), groups, deletionWhy(decision))];
    case 'unlink':
      return unlinkViews(decision);
    case 'merge':
      return mergeViews(decision, groups);
  }
};

/** All changes of a plan, in the order of `plan --json`. Pure. */
export const planChanges = (plan: Plan): readonly Change[] => {
  const groups = groupsOf(plan);
  const ofGroups = plan.groups.actions.map((action) => groupView(action));
  return [...ofGroups, ...plan.decisions.flatMap((decision) => decisionViews(decision, groups))];
};

const recordsOf = (decision: Decision): readonly (readonly [Side, ContactRecord])[] => {
  if (decision.kind === 'create') return [[otherSide(decision.side), decision.source]];
  return SIDES.flatMap((side) => {
    const half = decision.pair[side];
    return half === null ? [] : [[side, half.record] as const];
  });
};

/** The contacts of a plan, by side and id: `left people/c1`. Pure. */
export const plannedContacts = ({ decisions }: Plan): ReadonlyMap<string, Contact> =>
  new Map(decisions.flatMap(recordsOf).map(([side, { id, contact }]) => [`${side} ${id}`, contact]));

/** The contacts that the plan does not pair although they may be one person. Pure. */
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
