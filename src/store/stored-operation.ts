import { z } from 'zod';
import { storedContactSchema, fieldSchema } from '../core/contact/stored.ts';
import { destroys, type Operation } from '../core/reconcile/operation.ts';
import { contactFieldSchema, decode, decodeRecord, encodeRecord, recordSchema } from './codec.ts';
import { StoreError } from './store.ts';
import type { journal, RowOf } from './tables.ts';

/** The columns of a journal entry that hold its operation. `intentJson`: the values that only this kind has, and its cause. */
export type OperationColumns = Pick<
  RowOf<typeof journal>,
  'side' | 'kind' | 'pairId' | 'leftId' | 'rightId' | 'intentJson' | 'beforeJson' | 'destroys'
>;

const cause = z.enum(['sync', 'undo']);

/** The values of each kind of operation that are stored as one text. */
const INTENTS = {
  create: z.object({
    cause,
    desired: storedContactSchema,
    join: z.array(z.string()),
    image: recordSchema.nullable(),
  }),
  update: z.object({
    cause,
    fields: z.array(contactFieldSchema),
    desired: storedContactSchema,
    source: recordSchema.nullable(),
    empties: z.array(fieldSchema),
    isEdit: z.boolean(),
  }),
  membership: z.object({
    cause,
    join: z.array(z.string()),
    leave: z.array(z.string()),
    empties: z.array(fieldSchema),
    isEdit: z.boolean(),
  }),
  delete: z.object({ cause, survivor: recordSchema.nullable() }),
  'group-delete': z.object({
    cause,
    group: z.object({
      id: z.string(),
      name: z.string(),
      members: z.array(z.string()),
      details: z.string().exactOptional(),
    }),
  }),
};

/** The columns of an operation, as {@link toOperation} reads them back. */
export const operationColumns = (operation: Operation): OperationColumns => {
  const { side, kind, pairId, leftId, rightId, ...values } = operation;
  const { before = null, ...intent } = 'before' in values ? values : { ...values, before: null };
  return {
    side,
    kind,
    pairId,
    leftId,
    rightId,
    intentJson: JSON.stringify(intent),
    beforeJson: before === null ? null : encodeRecord(before),
    destroys: destroys(operation),
  };
};

/** The operation of a journal entry. @throws {StoreError} if a value of it is missing. */
export const toOperation = (columns: OperationColumns): Operation => {
  const { side, kind, pairId, leftId, rightId, intentJson, beforeJson } = columns;
  const address = { side, pairId, leftId, rightId };
  const intent = <Values>(schema: z.ZodType<Values>): Values => decode(schema, 'journal entry', intentJson);
  const before = () => {
    if (beforeJson !== null) return decodeRecord(beforeJson);
    throw new StoreError('The database contains a journal entry without its contact. Restore a backup.');
  };
  switch (kind) {
    case 'create':
      return { ...address, kind, ...intent(INTENTS[kind]) };
    case 'update':
      return { ...address, kind, before: before(), ...intent(INTENTS[kind]) };
    case 'membership':
      return { ...address, kind, before: before(), ...intent(INTENTS[kind]) };
    case 'delete':
      return { ...address, kind, before: before(), ...intent(INTENTS[kind]) };
    case 'group-delete':
      return { ...address, kind, ...intent(INTENTS[kind]) };
  }
};
