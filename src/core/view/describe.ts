import { otherSide, type Side } from '../contact/side.ts';
import { type SyncedField, syncedIn } from '../contact/contact.ts';
import { contactsOf, type Snapshot } from '../contact/snapshot.ts';
import type { PairIds } from '../contact/pair.ts';
import type { GroupNames } from '../reconcile/groups.ts';
import type { GroupAction } from '../reconcile/group-order.ts';
import type { ContactOperationKind } from '../reconcile/operation.ts';
import { fieldChanges } from './values.ts';
import type { Change, ContactChange, FieldChange, Why } from './views.ts';

/** An operation on a contact, planned or journaled, with the contact before and after it. */
type Described = PairIds & {
  readonly side: Side;
  readonly action: ContactOperationKind;
  readonly name: string | null;
  /** The written fields of an existing contact; empty for a create or a deletion. */
  readonly fields: readonly SyncedField[];
  readonly before: Snapshot | null;
  readonly after: Snapshot | null;
};

/** Returns the reason of a whole change: that of its fields if a person chose all their values. */
const wholeWhy = (why: Why, changes: readonly FieldChange[]): Why => {
  const [first] = changes;
  if (why.kind !== 'changed' || first?.why.kind !== 'taken') return why;
  const { at } = first.why;
  return changes.every((each) => each.why.kind === 'taken' && each.why.at === at) ? first.why : why;
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
  return { side, action, leftId, rightId, name, fields, changes, why: wholeWhy(why, changes) };
};

const GROUP_WHY = { 'create-group': 'new', 'rename-group': 'changed', 'delete-group': 'deleted' } as const;

/** Returns the change of a group, planned or journaled; `former` is its name before a rename. Pure. */
export const describeGroup = (
  { kind, side, name }: Pick<GroupAction, 'kind' | 'side' | 'name'>,
  former: string,
  why: Why = { kind: GROUP_WHY[kind], at: otherSide(side) },
): Exclude<Change, ContactChange> => {
  const from = kind === 'create-group' ? [] : [former];
  const to = kind === 'delete-group' ? [] : [name];
  return { side, action: kind, name, changes: [{ field: 'name', from, to, why }], why };
};
