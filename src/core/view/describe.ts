import type { GroupAction, GroupNames } from '../reconcile/groups.ts';
import { idsOn, type PairIds } from '../reconcile/decision.ts';
import { type Contact, type SyncedField, syncedIn } from '../contact/contact.ts';
import type { ContactRecord } from '../contact/record.ts';
import { otherSide, type Side, type Sides } from '../contact/side.ts';
import { contactsOf, type Snapshot } from '../contact/snapshot.ts';
import type { GroupLink } from '../reconcile/membership.ts';
import type { ContactOperationKind } from '../reconcile/operation.ts';
import { membershipOn, plannedFields, type PlannedOperation, updateOn } from '../reconcile/planned.ts';
import { fieldChanges, nameOf } from './values.ts';
import type { ContactChange, GroupChange, Why } from './views.ts';

/** An operation on a contact, planned or journaled, with the contact before and after it. */
export type Described = PairIds & {
  readonly side: Side;
  readonly action: ContactOperationKind;
  readonly name: string | null;
  /** The written fields of an existing contact; empty for a create or a deletion. */
  readonly fields: readonly SyncedField[];
  readonly before: Snapshot | null;
  readonly after: Snapshot | null;
};

/** Returns the change that an operation makes, for the terminal, JSON and the page. Pure. */
export const describe = (
  { side, action, leftId, rightId, name, fields, before, after }: Described,
  names: GroupNames,
  why: Why,
  whyOf: (field: SyncedField) => Why = () => why,
): ContactChange => {
  const isWhole = action === 'create' || action === 'delete';
  const compared = isWhole ? syncedIn(...contactsOf(before, after)) : fields;
  const changes = fieldChanges(compared, { before, after }, names, whyOf);
  return { side, action, leftId, rightId, name, fields, changes, why };
};

/** The groups of a plan: links by key, and names by id or {@link plannedGroup}. */
export type PlanGroups = { readonly links: ReadonlyMap<string, GroupLink>; readonly names: Sides<GroupNames> };

/** Returns a placeholder for the id of a group that a plan creates. */
export const plannedGroup = (key: string): string => `planned ${key}`;

const idsOfGroups = ({ links }: PlanGroups, side: Side, keys: readonly string[]): readonly string[] => {
  return keys.map((key) => links.get(key)?.[side] ?? plannedGroup(key));
};

/** Returns the record without groups that are not synced. */
const visible = (record: ContactRecord, names: GroupNames): ContactRecord => {
  return { ...record, groupIds: record.groupIds.filter((id) => names.has(id)) };
};

/** Returns the planned operations on an existing contact of a side as one operation. */
export const plannedUpdate = (
  side: Side,
  ids: PairIds,
  record: ContactRecord,
  writes: readonly PlannedOperation[],
  groups: PlanGroups,
): Described => {
  const before = visible(record, groups.names[side]);
  const { joins = [], leaves = [] } = membershipOn(writes, side) ?? {};
  const contact = updateOn(writes, side)?.desired ?? record.contact;
  const left = new Set(idsOfGroups(groups, side, leaves));
  const stay = before.groupIds.filter((id) => !left.has(id));
  const groupIds = [...new Set([...stay, ...idsOfGroups(groups, side, joins)])];
  const name = nameOf(record.contact) ?? nameOf(contact);
  const fields = plannedFields(writes, side);
  return { side, action: 'update', ...ids, name, fields, before, after: { contact, groupIds } };
};

/** Returns the planned creation of a contact, with the id of its source on the other side. */
export const plannedCreation = (
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
export const plannedDeletion = (side: Side, ids: PairIds, record: ContactRecord, groups: PlanGroups): Described => {
  const before = visible(record, groups.names[side]);
  return { side, action: 'delete', ...ids, name: nameOf(record.contact), fields: [], before, after: null };
};

const GROUP_WHY = { 'create-group': 'new', 'rename-group': 'changed', 'delete-group': 'deleted' } as const;

/** Returns the change of a group, planned or journaled; `former` is its name before a rename. Pure. */
export const describeGroup = (
  { kind, side, name }: Pick<GroupAction, 'kind' | 'side' | 'name'>,
  former: string,
  why: Why = { kind: GROUP_WHY[kind], at: otherSide(side) },
): GroupChange => {
  const from = kind === 'create-group' ? [] : [former];
  const to = kind === 'delete-group' ? [] : [name];
  return { side, action: kind, name, changes: [{ field: 'name', from, to, why }], why };
};
