import type { ContactRow } from './api/contacts.ts';
import type { Page } from './api/paging.ts';
import { parseTimestamp, type Timestamp } from './api/schemas-common.ts';
import { OVERLAP_MS } from './keyset.ts';

const idOf = (row: ContactRow): string | null => (row.kind === 'contact' ? row.contact.id : row.id);

const stampOf = (row: ContactRow): Timestamp | null =>
  row.kind === 'contact' ? row.contact.updated_at : row.updatedAt;

/** Returns the time of a row's last change, epoch milliseconds; null if it cannot be parsed. */
export const changedAtMs = (row: ContactRow): number | null => stampOf(row)?.epochMs ?? null;

/** Returns the latest change among the rows and `maxSeenMs`. */
export const latestChange = (rows: readonly ContactRow[], maxSeenMs: number | null): number | null => {
  const times = rows.map(changedAtMs).filter((time) => time !== null);
  return times.reduce<number | null>((max, time) => Math.max(max ?? time, time), maxSeenMs);
};

/** Identifies a row in one state: a repeated row with the same state is not new. */
const rowState = (row: ContactRow): string =>
  [idOf(row) ?? '', stampOf(row)?.text ?? '', ...(row.kind === 'unreadable' ? [row.reason] : [])].join(' ');

/** Returns the rows that were not seen before, and marks them as seen. */
export const takeFresh = (rows: readonly ContactRow[], seen: Set<string>): readonly ContactRow[] => {
  const fresh = rows.filter((row) => !seen.has(rowState(row)));
  for (const row of fresh) seen.add(rowState(row));
  return fresh;
};

/** The contacts that this process wrote or read most recently. After a restart they are read again. */
export type Recent = {
  /** The time of each contact's last change by id, as stamped by the service. */
  readonly stamps: Map<string, Timestamp>;
  /** The end of the trust, by the client's clock. After it, rows with an earlier stamp may have appeared. */
  trustedUntilMs: number;
};

/** The maximum number of stored contacts. Contacts beyond it are paged again. */
const MOST = 500;
const SECOND_MS = 1_000;

export const createRecent = (): Recent => ({ stamps: new Map(), trustedUntilMs: 0 });

const remember = ({ stamps }: Recent, id: string, stamp: Timestamp): void => {
  stamps.delete(id);
  stamps.set(id, stamp);
  const [oldest] = stamps.keys();
  if (stamps.size > MOST && oldest !== undefined) stamps.delete(oldest);
};

/** Records the answers to writes. A failed write may have been applied. */
export const rememberWritten = (
  recent: Recent,
  results: readonly { readonly ok: boolean; readonly value?: { readonly id: string; readonly version: string } }[],
  nowMs: number,
): void => {
  const isTrusted = results.every(({ ok }) => ok);
  for (const { value } of results) {
    const stamp = value === undefined ? null : parseTimestamp(value.version);
    if (value !== undefined && stamp !== null) remember(recent, value.id, stamp);
  }
  recent.trustedUntilMs = isTrusted ? nowMs + OVERLAP_MS : 0;
};

/** Records rows of a feed. They are trusted only after the whole feed was read ({@link trust}). */
export const rememberRead = (recent: Recent, rows: readonly ContactRow[]): void => {
  for (const row of rows) {
    const [id, stamp] = [idOf(row), stampOf(row)];
    if (id !== null && stamp !== null) remember(recent, id, stamp);
  }
};

/** Records that a feed that began at `startedAtMs` was read to its end. */
export const trust = (recent: Recent, startedAtMs: number): void => {
  recent.trustedUntilMs = startedAtMs + OVERLAP_MS;
};

/**
 * Returns whether every row of the page is recorded with its stamp, and the total of the page equals the number of recorded
 * contacts since `fromMs`. The service may or may not count rows of the bound's own second, so none may be in that second.
 */
export const isRemembered = ({ stamps }: Recent, page: Page<ContactRow>, fromMs: number): boolean => {
  const since = [...stamps.values()].filter(({ epochMs }) => epochMs > fromMs - SECOND_MS);
  if (since.length !== page.total || since.some(({ epochMs }) => epochMs < fromMs + SECOND_MS)) return false;
  return page.rows.every(
    (row) => row.kind !== 'unreadable' && stamps.get(idOf(row) ?? '')?.text === stampOf(row)?.text,
  );
};
