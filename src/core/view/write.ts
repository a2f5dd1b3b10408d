import { syncedIn, type Contact, type SyncedField } from '../contact/contact.ts';
import type { ContactRecord } from '../contact/record.ts';
import { otherSide, type Side, type Sides } from '../contact/side.ts';
import type { SideWrite } from '../reconcile/decision.ts';
import type { GroupAction } from '../reconcile/groups.ts';
import type { GroupLink } from '../reconcile/membership.ts';
import { idsOn, type PairIds } from '../reconcile/pair-ids.ts';
import { fieldChanges, nameOf, type GroupNames } from './values.ts';
import type { ContactChange, FieldChange, GroupChange, Why } from './views.ts';

/** The groups of a plan: links by key, and names by id or {@link plannedGroup}. */
export type PlanGroups = { readonly links: ReadonlyMap<string, GroupLink>; readonly names: Sides<GroupNames> };

/** A placeholder for the id of a group that a plan creates. */
export const plannedGroup = (key: string): string => `planned ${key}`;

const idsOfGroups = ({ links }: PlanGroups, side: Side, keys: readonly string[]): readonly string[] => {
  return keys.map((key) => links.get(key)?.[side] ?? plannedGroup(key));
};

/** The image without groups that are not synced. */
const visible = (record: ContactRecord, names: GroupNames): ContactRecord => {
  return { ...record, groupIds: record.groupIds.filter((id) => names.has(id)) };
};

/** The changes of a planned write to an existing contact. */
export const changesOfWrite = (
  side: Side,
  record: ContactRecord,
  { fields, desired, joins, leaves }: SideWrite,
  groups: PlanGroups,
  whyOf: (field: SyncedField) => Why,
): readonly FieldChange[] => {
  const names = groups.names[side];
  const before = visible(record, names);
  const left = new Set(idsOfGroups(groups, side, leaves));
  const stay = before.groupIds.filter((id) => !left.has(id));
  const groupIds = [...new Set([...stay, ...idsOfGroups(groups, side, joins)])];
  return fieldChanges(fields, { before, after: { contact: desired, groupIds } }, names, whyOf);
};

/** The creation of a contact with all its values, and the id of its source on the other side. */
export const creationView = (
  side: Side,
  contact: Contact,
  { joins, sourceId }: { readonly joins: readonly string[]; readonly sourceId: string | null },
  groups: PlanGroups,
  why: Why,
): ContactChange => {
  const after = { contact, groupIds: idsOfGroups(groups, side, joins) };
  const changes = fieldChanges(syncedIn(contact), { before: null, after }, groups.names[side], () => why);
  const fields = changes.flatMap(({ field }) => (field === 'name' ? [] : [field]));
  const ids = idsOn(otherSide(side), sourceId);
  return { side, action: 'create', ...ids, name: nameOf(contact), fields, changes, why };
};

/** The deletion of a contact with all values that are lost. */
export const deletionView = (
  side: Side,
  record: ContactRecord,
  ids: PairIds,
  groups: PlanGroups,
  why: Why,
): ContactChange => {
  const names = groups.names[side];
  const changes = fieldChanges(
    syncedIn(record.contact),
    { before: visible(record, names), after: null },
    names,
    () => why,
  );
  return { side, action: 'delete', ...ids, name: nameOf(record.contact), fields: [], changes, why };
};

const GROUP_WHY = { 'create-group': 'new', 'rename-group': 'changed', 'delete-group': 'deleted' } as const;

/** The change of a group. */
export const groupView = (action: GroupAction, why?: Why): GroupChange => {
  const { kind, side, name } = action;
  const reason: Why = why ?? { kind: GROUP_WHY[kind], at: otherSide(side) };
  const from = kind === 'rename-group' ? [action.group.name] : kind === 'delete-group' ? [name] : [];
  const to = kind === 'delete-group' ? [] : [name];
  return { side, action: kind, name, changes: [{ field: 'name', from, to, why: reason }], why: reason };
};
