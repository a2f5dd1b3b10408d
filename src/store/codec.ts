import { z } from 'zod';
import { isSyncedField, type ContactField, type SyncedField } from '../core/contact/contact.ts';
import type { ContactRecord } from '../core/contact/record.ts';
import { equalSnapshots, snapshotText, withDeclined, type Declined, type Snapshot } from '../core/contact/snapshot.ts';
import { storedContactSchema } from '../core/contact/stored.ts';
import type { RunRow } from '../core/state/rows.ts';
import { StoreError } from './store.ts';

// Texts that every engine can store. PostgreSQL stores no text with a zero character, and reads no JSON with a zero character or a
// lone surrogate. An answer of a remote may have either.

/** The text with a replacement character for each zero character. */
export const asText = (text: string): string => text.replaceAll('\0', '\uFFFD');

/** An escaped zero character or lone surrogate in JSON, after any escaped backslashes. */
const UNREADABLE = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/gu;

/** JSON that every engine can read, with a replacement character for each zero character and lone surrogate. */
export const asJson = (json: string | null): string | null => json && json.replaceAll(UNREADABLE, String.raw`$1\ufffd`);

// Values as JSON texts, equal on every engine. A text is parsed when it is read.

// Compiled when they are first used: many a command reads no contact.

const declinedSchema = z
  .record(z.string(), z.array(z.string()))
  .transform((stored): Declined =>
    Object.fromEntries(Object.entries(stored).filter(([field]) => isSyncedField(field))),
  );

const snapshot = z.lazy(() =>
  z.compile(
    z.object({
      contact: storedContactSchema.exactOptional(),
      groupIds: z.array(z.string()).exactOptional(),
      declined: declinedSchema.exactOptional(),
    }),
  ),
);

const entryValue = z.union([z.string(), z.array(z.object({ value: z.string(), label: z.string().nullable() }))]);

export const contactFieldSchema = z.custom<ContactField>(
  (name) => typeof name === 'string' && isSyncedField(name) && name !== 'buckets',
);

const entryChoice = z.object({
  fields: z.array(contactFieldSchema),
  entries: z.array(z.array(entryValue)),
  bound: z.number().nullable(),
});

export const recordSchema = z.lazy(() =>
  z.compile(
    z.object({
      id: z.string(),
      version: z.string(),
      modifiedAtMs: z.number().nullable(),
      isClaimedTime: z.literal(true).exactOptional(),
      contact: storedContactSchema,
      unsyncedName: z
        .object({
          namePrefix: z.string().exactOptional(),
          middleName: z.string().exactOptional(),
          nameSuffix: z.string().exactOptional(),
          phonetic: z.string().exactOptional(),
        })
        .exactOptional(),
      groupIds: z.array(z.string()),
      marks: z.array(z.string()).exactOptional(),
      raw: z.string(),
      originId: z.string().nullable(),
      originScope: z.string().exactOptional(),
      originMark: z.string().exactOptional(),
      unsyncable: z.array(z.object({ field: contactFieldSchema, reason: z.string() })).exactOptional(),
      entries: z.array(entryChoice).exactOptional(),
      digest: z.string().exactOptional(),
      ownMoves: z
        .array(
          z.object({
            groupId: z.string(),
            isMember: z.boolean(),
            atMs: z.number(),
            knownAtMs: z.number().nullable(),
          }),
        )
        .exactOptional(),
    }),
  ),
);

const counted = z.number().catch(0);
const wrote = z.object({
  created: counted,
  updated: counted,
  deleted: counted,
  groupsChanged: counted,
  groupsDeleted: counted,
});

/** The values of a run's summary that {@link RunRow} has. */
const runSummary = z
  .object({
    undoes: z.string().nullable().default(null),
    override: z.string().nullable().default(null),
    shown: z.array(z.string()).exactOptional(),
    left: wrote.nullable().default(null),
    right: wrote.nullable().default(null),
  })
  .transform(({ left, right, ...said }) => ({ ...said, wrote: left && right && { left, right } }));

const ids = z.array(z.string());
const fieldNames = z
  .array(z.string())
  .transform((names): readonly SyncedField[] => names.filter((name): name is SyncedField => isSyncedField(name)));

/** Parses a stored JSON text. @throws {StoreError} if it does not have the schema. */
export const decode = <T>(schema: z.ZodType<T>, what: string, text: string): T => {
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw new StoreError(
      `The database contains an unreadable ${what}. Restore a backup, or start with an empty database.`,
      {
        cause,
      },
    );
  }
};

export const encodeRecord = (value: ContactRecord): string => JSON.stringify(value);

export const decodeRecord = (text: string): ContactRecord => decode(recordSchema, 'contact record', text);
export const decodeSummary = (text: string): Pick<RunRow, 'undoes' | 'override' | 'shown' | 'wrote'> =>
  decode(runSummary, 'run', text);
/** Names of fields; one that is not known any more is left out. */
export const decodeFields = (text: string): readonly SyncedField[] => decode(fieldNames, 'list of fields', text);
export const decodeIds = (text: string): readonly string[] => decode(ids, 'page of a listing', text);

/** The text of a base that equals the record, as most do: rows are a third shorter by it. Declined values may follow. */
const SAME_AS_RECORD = '{}';

/** The text of a half's base. */
export const encodeBase = (base: Snapshot | null, own: ContactRecord): string | null => {
  if (base === null) return null;
  const { declined } = base;
  if (equalSnapshots(base, own)) return declined === undefined ? SAME_AS_RECORD : JSON.stringify({ declined });
  const text = snapshotText(base);
  return declined === undefined ? text : `${text.slice(0, -1)},"declined":${JSON.stringify(declined)}}`;
};

/** The base that {@link encodeBase} wrote next to a record. */
export const decodeBase = (text: string | null, own: ContactRecord): Snapshot | null => {
  if (text === SAME_AS_RECORD) return { contact: own.contact, groupIds: own.groupIds };
  if (text === null) return null;
  const { contact = own.contact, groupIds = own.groupIds, declined = {} } = decode(snapshot, 'base', text);
  return withDeclined({ contact, groupIds }, declined);
};
