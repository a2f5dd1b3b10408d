import { z } from 'zod';
import type { Json } from '../../../core/contact/record.ts';

/** A point in time, with the text that the service returned. */
export type Timestamp = { readonly text: string; readonly epochMs: number };

const TIMESTAMP = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2}(?:\.\d+)?) ?(UTC|Z|[+-]\d{2}:?\d{2})?$/u;

/**
 * Parses `YYYY-MM-DD HH:MM:SS UTC` (API.md, Resources and their fields) or ISO 8601. A text without a zone is UTC. Returns
 * null for any other text.
 */
export const parseTimestamp = (text: string): Timestamp | null => {
  const [, date, time, zone] = TIMESTAMP.exec(text.trim()) ?? [];
  if (date === undefined || time === undefined) return null;
  const epochMs = Date.parse(`${date}T${time}${zone === undefined || zone === 'UTC' ? 'Z' : zone}`);
  return Number.isNaN(epochMs) ? null : { text, epochMs };
};

/** A required timestamp: any other value makes the resource unreadable. */
export const timestamp = z.string().transform((text, context): Timestamp => {
  const parsed = parseTimestamp(text);
  if (parsed !== null) return parsed;
  context.issues.push({ code: 'custom', message: 'not a timestamp', input: text });
  return z.NEVER;
});

/** A value that may be absent or null: the result is then `fallback`. */
export const orElse = <Schema extends z.ZodType, Fallback>(schema: Schema, fallback: Fallback) =>
  schema.nullish().transform((value) => value ?? fallback);

/** A timestamp that may be absent, null or unreadable: the result is then null. */
export const optionalTimestamp = orElse(timestamp, null).catch(null);

/**
 * An identifier: a text in the document, a number in older answers. A number that JSON cannot represent exactly is refused,
 * because the rounded id would identify another resource.
 */
export const id = z.union([z.string().min(1), z.int().nonnegative().transform(String)]);

export const optionalId = orElse(id, null);

/** A text that every documented example contains; absent or null is the empty string. */
export const text = orElse(z.string(), '');

/** A text or null; absent is null. */
export const optionalText = orElse(z.string(), null);

export const optionalNumber = orElse(z.number(), null);

/** A value that was null in every example, or whose structure is not documented. */
export const opaque = z.unknown().optional();

const DEEPEST = 20;

/** Returns whether a number is exact: an integer beyond the safe range may have been rounded. */
export const isExact = (value: number): boolean => !Number.isInteger(value) || Number.isSafeInteger(value);

/** A number that is converted to a text. */
export const numberAsText = z.number().refine(isExact, 'a number that may be rounded').transform(String);

/** Returns whether a value is nested no deeper than the service's answers, and its numbers are not rounded. */
export const isBounded = (value: unknown, depth = 0): boolean => {
  if (typeof value === 'number') return isExact(value);
  if (typeof value !== 'object' || value === null) return true;
  return depth < DEEPEST && Object.values(value).every((inner) => isBounded(inner, depth + 1));
};

/**
 * A value that is stored as it is and may be sent back. A deeper nesting is refused, because recursion over it would overflow
 * the stack. A number that would be sent back rounded is refused too.
 */
export const boundedJson = z.custom<Json>((value) => isBounded(value));

/** A list that every documented example contains, without null elements. An absent list or null is refused (R17). */
export const documentedListOf = <Schema extends z.ZodType>(element: Schema) =>
  z.array(element.nullable()).transform((elements) => elements.filter((one) => one !== null));

/** A list without null elements; absent or null is empty. */
export const arrayOf = <Schema extends z.ZodType>(element: Schema) => orElse(documentedListOf(element), []);

/** An object that may be absent or null: it is then read as empty. */
export const optionalObject = <Shape extends z.ZodRawShape>(shape: Shape) => {
  return z.preprocess((value) => value ?? {}, z.object(shape));
};

/** Returns the value of a key of an unparsed object; undefined for any other value. */
export const valueAt = (row: unknown, key: string): unknown =>
  typeof row === 'object' && row !== null ? (row as Readonly<Record<string, unknown>>)[key] : undefined;

/** Returns the places where a value does not match its schema, without the value: at most three places. */
export const describeIssues = (error: z.ZodError): string => {
  return error.issues
    .slice(0, 3)
    .map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`)
    .join('; ');
};
