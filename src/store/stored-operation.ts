import { contactFieldsOf } from '../core/contact/chosen.ts';
import type { ContactRecord } from '../core/contact/record.ts';
import type { Side } from '../core/contact/side.ts';
import {
  beforeOf,
  desiredOf,
  destroys,
  emptiesOf,
  fieldsOf,
  operationKind,
  originOf,
  sourceIdOf,
  targetIdOf,
  type Operation,
  type OperationKind,
  type StoredOperation,
} from '../core/reconcile/operation.ts';
import { decodeIntent, decodeRecord, encodeIntent, encodeRecord, type Intent } from './codec.ts';

/** The columns of a journal entry that hold its operation. */
export type OperationColumns = {
  readonly side: Side;
  readonly kind: OperationKind;
  readonly pairId: number | null;
  readonly leftId: string | null;
  readonly rightId: string | null;
  readonly intentJson: string;
  readonly beforeJson: string | null;
  readonly destroys: boolean;
};

const intentOf = (operation: StoredOperation): Intent => ({
  fields: fieldsOf(operation),
  desired: desiredOf(operation),
  join: 'join' in operation ? operation.join : [],
  leave: 'leave' in operation ? operation.leave : [],
  source: originOf(operation),
  undoes: operation.cause === 'undo',
  empties: emptiesOf(operation),
  isEdit: 'isEdit' in operation && operation.isEdit,
  group: operation.kind === 'group-delete' ? operation.group : null,
});

/** The columns of an operation, as {@link toOperation} reads them back. */
export const operationColumns = (operation: StoredOperation): OperationColumns => {
  const { side, pairId, leftId, rightId } = operation;
  const before = beforeOf(operation);
  return {
    side,
    kind: operationKind(operation),
    pairId,
    leftId,
    rightId,
    intentJson: encodeIntent(intentOf(operation)),
    beforeJson: before === null ? null : encodeRecord(before),
    destroys: destroys(operation),
  };
};

type Address = Pick<StoredOperation, 'side' | 'pairId' | 'leftId' | 'rightId' | 'cause'>;
/** The operation, or the missing value in words. */
type Parsed = Operation | string;

const toCreate = (address: Address, { desired, join, source, undoes }: Intent): Parsed => {
  if (desired === null) return 'the contact to be created';
  if (undoes && source === null) return 'the image to be restored';
  if (!undoes && sourceIdOf(address) === null) return 'the contact that it follows from';
  return { ...address, kind: 'create', desired, join, image: undoes ? source : null };
};

const marksOf = ({ empties, isEdit }: Intent) => ({ empties, isEdit });

const toUpdate = (address: Address, intent: Intent, before: ContactRecord): Parsed => {
  const { desired, source, undoes } = intent;
  const fields = contactFieldsOf(intent.fields);
  if (desired === null) return 'the contact as it was to be';
  if (source === null && !undoes) return 'what it follows from';
  return { ...address, kind: 'update', fields, desired, before, source, ...marksOf(intent) };
};

const toMembership = (address: Address, intent: Intent, before: ContactRecord): Parsed => {
  const { join, leave } = intent;
  return { ...address, kind: 'membership', join, leave, before, ...marksOf(intent) };
};

const parse = (kind: OperationKind, address: Address, intent: Intent, before: ContactRecord | null): Parsed => {
  const { group, source } = intent;
  if (kind === 'group-delete') return group === null ? 'the group' : { ...address, kind, group };
  if (kind === 'create') return toCreate(address, intent);
  if (targetIdOf(address) === null) return 'the id of the contact';
  if (before === null) return 'the contact before the write';
  if (kind === 'delete') return { ...address, kind, before, survivor: source };
  return kind === 'update' ? toUpdate(address, intent, before) : toMembership(address, intent, before);
};

/** The operation of a journal entry. */
export const toOperation = (columns: OperationColumns): StoredOperation => {
  const { side, kind, pairId, leftId, rightId, intentJson, beforeJson } = columns;
  const intent = decodeIntent(intentJson);
  const address: Address = { side, pairId, leftId, rightId, cause: intent.undoes ? 'undo' : 'sync' };
  const operation = parse(kind, address, intent, beforeJson === null ? null : decodeRecord(beforeJson));
  if (typeof operation !== 'string') return operation;
  const { fields, empties } = intent;
  return { ...address, kind: 'incomplete', was: kind, fields, empties, lacks: operation };
};
