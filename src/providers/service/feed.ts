import { z } from 'zod';
import type { ContactRow } from './api/contacts.ts';
import type { Definition, Definitions } from './custom-fields.ts';
import type { Cursor } from './keyset.ts';

const cursorSchema = z.object({
  watermarkMs: z.number().int().nonnegative(),
  reachedAtMs: z.number(),
  behindMs: z.number().int().nonnegative(),
});

const definitionsSchema = z.object({
  definitions: z
    .record(z.string(), z.object({ id: z.string(), type: z.enum(['text', 'number', 'boolean', 'date']).nullable() }))
    .default({}),
});

/** The durable text of a cursor, with what was learnt of the custom fields that the link chose. */
export const encodeCursor = (cursor: Cursor, definitions: Definitions = new Map()): string =>
  JSON.stringify(definitions.size === 0 ? cursor : { ...cursor, definitions: Object.fromEntries(definitions) });

/** What a cursor's text says of custom fields. Throws where it is no cursor of ours. */
export const definitionsIn = (text: string): readonly (readonly [string, Definition])[] =>
  Object.entries(definitionsSchema.parse(JSON.parse(text)).definitions);

/** Throws where the text is no cursor of ours. */
export const decodeCursor = (text: string): Cursor => cursorSchema.parse(JSON.parse(text));

/** When a row was last changed, epoch milliseconds; null where that cannot be read. */
export const changedAtMs = (row: ContactRow): number | null => {
  return (row.kind === 'contact' ? row.contact.updated_at : row.updatedAt)?.epochMs ?? null;
};

/** The latest change among the rows and what was seen before. */
export const latestChange = (rows: readonly ContactRow[], maxSeenMs: number | null): number | null => {
  const times = rows.map(changedAtMs).filter((time) => time !== null);
  return times.reduce<number | null>((max, time) => Math.max(max ?? time, time), maxSeenMs);
};

/** Names a row in one state: seeing it again says nothing new. */
const rowState = (row: ContactRow): string => {
  if (row.kind === 'contact') return `${row.contact.id} ${row.contact.updated_at.text}`;
  if (row.kind === 'known') return `${row.id} ${row.updatedAt.text}`;
  return `${row.id ?? ''} ${row.updatedAt?.text ?? ''} ${row.reason}`;
};

/** The rows that were not seen yet; from now on they were. */
export const takeFresh = (rows: readonly ContactRow[], seen: Set<string>): readonly ContactRow[] => {
  const fresh = rows.filter((row) => !seen.has(rowState(row)));
  for (const row of fresh) seen.add(rowState(row));
  return fresh;
};
