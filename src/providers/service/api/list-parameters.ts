import { unreadableAnswer } from '../../failure.ts';
import { sentOf } from './failure.ts';
import { parseTimestamp, valueAt } from './schemas-common.ts';
import type { ApiRequest } from './send.ts';

type SortField = 'id' | 'created_at' | 'updated_at';

/** LIST of the document (API.md, Endpoints), without `page`, which the walk sets. */
export type ListParameters = {
  /** Bounds of a time field, in epoch milliseconds. Whether they are inclusive is not documented. */
  readonly [Key in `${'created_at' | 'updated_at'}.${'before' | 'after'}`]?: number;
} & {
  /** Fields to sort by, the most significant first. The prefix `-` means descending. */
  readonly order?: readonly (SortField | `-${SortField}`)[];
};

const SECOND_MS = 1_000;

/** Returns ISO 8601 with an offset and whole seconds, as documented. The rounding never makes a bound tighter. */
const encodeTime = (name: string, epochMs: number): string => {
  const round = name.endsWith('.after') ? Math.floor : Math.ceil;
  return new Date(round(epochMs / SECOND_MS) * SECOND_MS).toISOString().replace('.000Z', '+00:00');
};

/** Encodes parameters as query texts: numbers are times, lists are joined with commas. */
export const encodeParameters = (parameters: ListParameters): Readonly<Record<string, string>> => {
  const entries = Object.entries<number | readonly string[]>(parameters);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'number' ? encodeTime(name, value) : value.join(',')]),
  );
};

const timeOf = (row: unknown, field: string): number | null => {
  const value = valueAt(row, field);
  return typeof value === 'string' ? (parseTimestamp(value)?.epochMs ?? null) : null;
};

const obeys = (atMs: number, name: string, boundMs: number): boolean => {
  // One second of tolerance: stamps are truncated to seconds, and bounds are rounded to them.
  return name.endsWith('.after') ? atMs >= boundMs - SECOND_MS : atMs <= boundMs + SECOND_MS;
};

/**
 * Throws an UnreadableError if a row is outside the requested bounds of `created_at` or `updated_at`. A service that ignores
 * a filter returns all rows, which must not count as the filtered answer.
 */
export const verifyBounds = (
  rows: readonly unknown[],
  parameters: ListParameters,
  asked: ApiRequest,
  status: number,
): void => {
  for (const [name, boundMs] of Object.entries(parameters)) {
    const field = /^(created_at|updated_at)\.(?:before|after)$/u.exec(name)?.[1];
    if (field === undefined || typeof boundMs !== 'number') continue;
    const outside = rows.some((row) => {
      const atMs = timeOf(row, field);
      return atMs !== null && !obeys(atMs, name, boundMs);
    });
    if (outside) throw unreadableAnswer(sentOf(asked), status, `the service ignored the filter ${name}`);
  }
};
