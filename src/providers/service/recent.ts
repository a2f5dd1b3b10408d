import type { ContactRow } from './api/contacts.ts';
import type { Page } from './api/paging.ts';
import { parseTimestamp, type Timestamp } from './api/schemas-common.ts';
import { OVERLAP_MS } from './keyset.ts';

/** What this process itself last wrote or read of the contacts that changed last. Lost with the process: then it is read again. */
export type Recent = {
  /** When each contact was last changed, by its id; the service's own stamp. */
  readonly stamps: Map<string, Timestamp>;
  /** Until when, by the client's clock. Later, rows may have come to light whose stamp was set before. */
  trustedUntilMs: number;
};

/** More contacts than that are paged again. */
const MOST = 500;
const SECOND_MS = 1_000;

export const createRecent = (): Recent => ({ stamps: new Map(), trustedUntilMs: 0 });

const remember = ({ stamps }: Recent, id: string, stamp: Timestamp): void => {
  stamps.delete(id);
  stamps.set(id, stamp);
  const [oldest] = stamps.keys();
  if (stamps.size > MOST && oldest !== undefined) stamps.delete(oldest);
};

/** Takes in the answers to writes; one that failed may have been applied all the same. */
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

const stampOf = (row: ContactRow): Timestamp | null =>
  row.kind === 'contact' ? row.contact.updated_at : row.updatedAt;

const idOf = (row: ContactRow): string | null => (row.kind === 'contact' ? row.contact.id : row.id);

/** Takes in rows of a feed, all of which has to be read before what is remembered is trusted ({@link trust}). */
export const rememberRead = (recent: Recent, rows: readonly ContactRow[]): void => {
  for (const row of rows) {
    const [id, stamp] = [idOf(row), stampOf(row)];
    if (id !== null && stamp !== null) remember(recent, id, stamp);
  }
};

/** A feed that began at `startedAtMs` was read to its end. */
export const trust = (recent: Recent, startedAtMs: number): void => {
  recent.trustedUntilMs = startedAtMs + OVERLAP_MS;
};

/**
 * Whether the page, of the contacts changed since `fromMs`, shows what is remembered, and the service counts no more of them
 * than that. Whether a row of the bound's own second is counted is not known, so none may be there.
 */
export const isRemembered = ({ stamps }: Recent, page: Page<ContactRow>, fromMs: number): boolean => {
  const since = [...stamps.values()].filter(({ epochMs }) => epochMs > fromMs - SECOND_MS);
  if (since.length !== page.total || since.some(({ epochMs }) => epochMs < fromMs + SECOND_MS)) return false;
  return page.rows.every(
    (row) => row.kind !== 'unreadable' && stamps.get(idOf(row) ?? '')?.text === stampOf(row)?.text,
  );
};
