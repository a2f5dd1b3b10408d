import { z } from 'zod';
import { SYNCED_FIELDS } from '../contact/contact.ts';
import type { Side } from '../contact/side.ts';
import type { ContactRecord } from '../contact/record.ts';
import type { Snapshot } from '../contact/snapshot.ts';
import { contactSchema } from '../contact/stored.ts';
import { StoreError, type WriteIntent } from './store.ts';

const snapshot = z.compile(z.object({ contact: contactSchema, groupIds: z.array(z.string()) }));

const record = z.compile(
  z.object({
    id: z.string(),
    version: z.string(),
    modifiedAtMs: z.number().nullable(),
    contact: contactSchema,
    groupIds: z.array(z.string()),
    raw: z.string(),
    originId: z.string().nullable(),
    digest: z.string().exactOptional(),
  }),
);

const intent = z.object({
  fields: z.array(z.enum(SYNCED_FIELDS)),
  desired: contactSchema.nullable(),
  join: z.array(z.string()),
  leave: z.array(z.string()),
  source: record.nullable(),
  undoes: z.boolean().default(false),
});

/** What a run's summary says of the run itself. */
const runSummary = z.object({ undoes: z.string().nullable().default(null) });

const decode = <T>(schema: z.ZodType<T>, what: string, text: string): T => {
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw new StoreError(`The database holds a ${what} that cannot be read. Restore a backup or start afresh.`, {
      cause,
    });
  }
};

export const decodeSnapshot = (text: string): Snapshot => decode(snapshot, 'base', text);
export const decodeRecord = (text: string): ContactRecord => decode(record, 'contact record', text);
export const decodeUndoes = (text: string): string | null => decode(runSummary, 'run', text).undoes;
export const decodeIntent = (text: string): WriteIntent => decode(intent, 'journal entry', text);

/** Names the columns of one side. */
export const sideColumns = (side: Side) =>
  side === 'left'
    ? ({ id: 'leftId', base: 'leftBaseJson', record: 'leftRecordJson' } as const)
    : ({ id: 'rightId', base: 'rightBaseJson', record: 'rightRecordJson' } as const);
