import type { Contact, ContactField, SyncedField } from '../contact/contact.ts';
import type { LabelledValue } from '../contact/elements.ts';
import type { Side } from '../contact/side.ts';

/** Changes fields of an existing contact. */
type PlannedUpdate = {
  readonly kind: 'update';
  readonly side: Side;
  /** Never empty. */
  readonly fields: readonly ContactField[];
  readonly desired: Contact;
};

/** Changes the groups of a contact. Group pairs are identified by their keys. */
type PlannedMembership = {
  readonly kind: 'membership';
  readonly side: Side;
  readonly joins: readonly string[];
  readonly leaves: readonly string[];
};

/** One change that a plan makes to a contact. At execution it becomes an operation, which is journaled. */
export type PlannedOperation =
  | { readonly kind: 'create'; readonly side: Side }
  | PlannedUpdate
  /** Adds an email address that another contact of the side has, and nothing else (`shared-emails.ts`). */
  | { readonly kind: 'share'; readonly side: Side; readonly email: LabelledValue }
  | PlannedMembership;

type Planned = readonly PlannedOperation[];
type OfKind<Kind extends PlannedOperation['kind']> = Extract<PlannedOperation, { kind: Kind }>;

/** Returns the operation that adds a contact to groups; none if there are no groups. */
export const joining = (side: Side, joins: readonly string[]): Planned =>
  joins.length === 0 ? [] : [{ kind: 'membership', side, joins, leaves: [] }];

/** Returns the operations that create a contact and add it to groups. */
export const creating = (side: Side, joins: readonly string[]): Planned => [
  { kind: 'create', side },
  ...joining(side, joins),
];

/** Returns the operations of a kind on a side. */
export const operationsOn = <Kind extends PlannedOperation['kind']>(
  operations: Planned,
  side: Side,
  kind: Kind,
): readonly OfKind<Kind>[] =>
  operations.filter((each): each is OfKind<Kind> => each.side === side && each.kind === kind);

/** Returns the update of the contact of a side, or null. */
export const updateOn = (operations: Planned, side: Side): PlannedUpdate | null =>
  operationsOn(operations, side, 'update')[0] ?? null;

/** Returns the change of the memberships of a side, or null. */
export const membershipOn = (operations: Planned, side: Side): PlannedMembership | null =>
  operationsOn(operations, side, 'membership')[0] ?? null;

const fieldsOfPlanned = (operation: PlannedOperation): readonly SyncedField[] => {
  switch (operation.kind) {
    case 'create':
      return [];
    case 'update':
      return operation.fields;
    case 'share':
      return ['emailAddresses'];
    case 'membership':
      return ['buckets'];
  }
};

/** Returns the fields that operations write to an existing contact of a side; `buckets` if its membership changes. */
export const plannedFields = (operations: Planned, side: Side): readonly SyncedField[] => [
  ...new Set(operations.filter((each) => each.side === side).flatMap(fieldsOfPlanned)),
];

/** Replaces the operation of the same kind and side, or adds the operation. */
export const withPlanned = (operations: Planned, next: PlannedUpdate | PlannedMembership): Planned => {
  const isReplaced = ({ kind, side }: PlannedOperation): boolean => kind === next.kind && side === next.side;
  if (!operations.some(isReplaced)) return [...operations, next];
  return operations.map((each) => (isReplaced(each) ? next : each));
};

/** Removes fields of a side from the operations. Operations that add a shared address stay. */
export const withoutPlanned = (operations: Planned, side: Side, fields: ReadonlySet<SyncedField>): Planned =>
  operations.flatMap((each): Planned => {
    if (each.side !== side) return [each];
    if (each.kind === 'membership') return fields.has('buckets') ? [] : [each];
    if (each.kind !== 'update') return [each];
    const rest = each.fields.filter((field) => !fields.has(field));
    return rest.length === 0 ? [] : [{ ...each, fields: rest }];
  });
