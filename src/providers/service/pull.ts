import { z } from 'zod';
import type { FeedChange, FeedPage } from '../../core/contact/requests.ts';
import { CursorExpiredError, UnreadableError } from '../errors.ts';
import { answered, notSent } from '../failure.ts';
import { feedPage, type ListingLimits, type ListingWalk, parseStored, startListingWalk } from '../listing.ts';
import type { PullRequest } from '../remote.ts';
import type { ContactRow } from './api/contacts.ts';
import { type Page, PAGE_SIZE } from './api/paging.ts';
import type { ServiceApi } from './api/service-api.ts';
import type { ServiceMapping } from './fields.ts';
import {
  decodeCursor,
  definitionsIn,
  encodeCursor,
  hasSteppedBack,
  type KeysetCursor,
  nextCursor,
  nextStretch,
  startCursor,
  walkFromMs,
} from './keyset.ts';
import { FROM_START, walkById, type WalkStep } from './walk-by-id.ts';
import type { Clock } from '../../util/clock.ts';

const ROUTE = 'GET /v2/contacts';

/** Returns the times of the last changes of rows, epoch milliseconds, as far as they can be parsed. */
const changeTimes = (rows: readonly ContactRow[]): readonly number[] =>
  rows
    .map((row) => (row.kind === 'contact' ? row.record.modifiedAtMs : (row.updatedAt?.epochMs ?? null)))
    .filter((time) => time !== null);

/** Returns the latest change among the rows and `maxSeenMs`. */
const latestChange = (rows: readonly ContactRow[], maxSeenMs: number | null): number | null =>
  changeTimes(rows).reduce<number | null>((max, time) => Math.max(max ?? time, time), maxSeenMs);

/** Identifies a row in one state: a repeated row with the same state is not new. */
const rowState = (row: ContactRow): string => {
  if (row.kind === 'contact') return `${row.record.id} ${row.record.version}`;
  return [row.id ?? '', row.updatedAt?.text ?? '', ...(row.kind === 'unreadable' ? [row.reason] : [])].join(' ');
};

/** Returns the rows that were not seen before, and marks them as seen. */
const takeFresh = (rows: readonly ContactRow[], seen: Set<string>): readonly ContactRow[] => {
  const fresh = rows.filter((row) => !seen.has(rowState(row)));
  for (const row of fresh) seen.add(rowState(row));
  return fresh;
};

/** Returns the rows of a listing as changes of the feed. */
const changesIn = (rows: readonly ContactRow[]): Pick<FeedPage, 'changes' | 'unchanged'> => {
  const changes: FeedChange[] = [];
  const unchanged: string[] = [];
  for (const row of rows) {
    if (row.kind === 'known') unchanged.push(row.id);
    else if (row.kind === 'unreadable') changes.push({ kind: 'unreadable', id: row.id, reason: row.reason });
    else changes.push({ kind: 'upsert', record: row.record, previousIds: [] });
  }
  return { changes, unchanged };
};

const readCursor = (text: string): KeysetCursor => {
  try {
    return decodeCursor(text);
  } catch (cause) {
    const message = 'the stored cursor of the service cannot be read; its contacts are listed whole';
    throw new CursorExpiredError(message, { ...notSent(ROUTE), cause });
  }
};

const steppedBack = (): CursorExpiredError => {
  const message = "the service's clock was put back since its changes were last read; its contacts are listed whole";
  return new CursorExpiredError(message, answered(ROUTE));
};

const unfollowable = (why: string): UnreadableError =>
  new UnreadableError(`the changes of the service cannot be followed: ${why}`, answered(ROUTE));

/** Returns the change time of a page's last readable row; null without one. Throws if the service did not sort the rows. */
const lastChangeMs = (page: Page<ContactRow>): number | null => {
  const times = changeTimes(page.rows);
  const isSorted = times.every((time, index) => time >= (times[index - 1] ?? time));
  if (!isSorted) throw unfollowable('it ignored the order by updated_at');
  return times.at(-1) ?? null;
};

/**
 * Returns whether the feed ends with a page. The total may count rows that the bound excludes. Therefore a page that is not full
 * and announces no next one ends the feed, whatever the total is. A sweep finds contacts that the service left out of a page.
 */
const endsFeed = ({ announcesNext, isLast, rowKeys }: Page<ContactRow>): boolean =>
  isLast || (!announcesNext && rowKeys.length < PAGE_SIZE);

/** The options of a pull: the client, the clock, and the limits of a listing. */
type PullOptions = {
  readonly api: ServiceApi;
  readonly clock: Clock;
  readonly limits: ListingLimits;
};

/** Yields the pages of a walk from `fromMs`. */
async function* walkChanges({ api }: PullOptions, fromMs: number, walk: ListingWalk): AsyncGenerator<Page<ContactRow>> {
  let afterMs = Math.max(0, fromMs);
  for (;;) {
    const page = await api.contacts.listPage({ 'updated_at.after': afterMs, order: ['updated_at'] }, 1);
    walk.take(page.rowKeys.length);
    const lastMs = lastChangeMs(page);
    yield page;
    if (endsFeed(page)) return;
    if (lastMs === null) throw unfollowable('not one row of a page can be read');
    const stretch = nextStretch(afterMs, lastMs);
    if (stretch.crowdedUntilMs !== null) {
      const bounds = { 'updated_at.after': afterMs, 'updated_at.before': stretch.crowdedUntilMs };
      for await (const step of walkById(api, bounds, FROM_START, walk)) yield step.page;
    }
    ({ afterMs } = stretch);
  }
}

/** Returns the change times of the rows, latest first; null if a time cannot be parsed or the order is different. */
const latestFirst = (rows: readonly ContactRow[]): readonly number[] | null => {
  const times = changeTimes(rows);
  const isSorted = times.every((time, index) => time <= (times[index - 1] ?? time));
  return isSorted && times.length === rows.length ? times : null;
};

/**
 * Returns the feed as one page of the latest changes, if the overlap of the cursor has passed and that page is equivalent to a
 * walk (R14); else null. It is if it is the only page, or reaches back to the watermark: no newer row follows it. This avoids
 * that many contacts of the same second are paged repeatedly.
 */
const readNewest = async (
  { api, clock }: PullOptions,
  old: KeysetCursor,
  walk: ListingWalk,
): Promise<FeedPage | null> => {
  const startedAtMs = clock.now();
  if (old.behindMs > 0) return null;
  const fromMs = walkFromMs(old);
  const page = await api.contacts.listPage({ 'updated_at.after': fromMs, order: ['-updated_at'] }, 1);
  walk.take(page.rowKeys.length);
  if (hasSteppedBack(old, page.serverTimeMs)) throw steppedBack();
  const times = latestFirst(page.rows);
  if (times === null) return null;
  if (!endsFeed(page) && !times.some((time) => time <= old.watermarkMs)) return null;
  const cursor = encodeCursor(cursorAfter(old, page, startedAtMs), api.mapping.definitions);
  return feedPage({ ...changesIn(page.rows), cursor, total: page.total });
};

/** Returns the cursor after a page that contains every change. */
const cursorAfter = (old: KeysetCursor, { rows, serverTimeMs }: Page<ContactRow>, startedAtMs: number): KeysetCursor =>
  nextCursor(old, { maxSeenMs: latestChange(rows, null), serverStartMs: serverTimeMs ?? startedAtMs, startedAtMs });

/**
 * Yields the contacts changed since the cursor, as a keyset walk (R14). An interrupted walk starts again from its cursor. One
 * request is enough if all changes fit into a page, or if the newest page is equivalent to a walk ({@link readNewest}).
 *
 * @throws {CursorExpiredError} if the cursor cannot be read, or is ahead of the service's clock.
 */
async function* pullChanges(options: PullOptions, cursor: string): AsyncGenerator<FeedPage> {
  const { api } = options;
  const old = readCursor(cursor);
  for (const [name, definition] of definitionsIn(cursor)) api.mapping.definitions.set(name, definition);
  const walk = startListingWalk({ route: ROUTE, limits: options.limits });
  const newest = await readNewest(options, old, walk);
  if (newest !== null) {
    yield newest;
    return;
  }
  const startedAtMs = options.clock.now();
  const seen = new Set<string>();
  let serverStartMs: number | null = null;
  let total: number | null = null;
  let maxSeenMs: number | null = null;
  let last: FeedPage | null = null;
  for await (const page of walkChanges(options, walkFromMs(old), walk)) {
    if (hasSteppedBack(old, page.serverTimeMs)) throw steppedBack();
    if (last !== null) yield last;
    serverStartMs ??= page.serverTimeMs ?? startedAtMs;
    total ??= page.total;
    maxSeenMs = latestChange(page.rows, maxSeenMs);
    last = feedPage({ ...changesIn(takeFresh(page.rows, seen)), total });
  }
  const next = nextCursor(old, { maxSeenMs, serverStartMs: serverStartMs ?? startedAtMs, startedAtMs });
  if (last !== null) yield { ...last, cursor: encodeCursor(next, api.mapping.definitions) };
}

/** The progress of a listing; times in epoch milliseconds. Its JSON is a page's `resume`. */
const progressSchema = z.object({
  page: z.number().int().positive(),
  total: z.number().nullable(),
  /** The service's time when the listing began: the watermark may not pass it. */
  serverStartMs: z.number(),
  /** The client's time when the listing began. */
  startedAtMs: z.number(),
  maxSeenMs: z.number().nullable(),
});
type Progress = z.output<typeof progressSchema>;

const decodeResume = (resume: string): Progress => {
  try {
    return parseStored(progressSchema, resume);
  } catch (cause) {
    throw new CursorExpiredError('where the listing was cut off cannot be read', { ...notSent(ROUTE), cause });
  }
};

/** Returns the progress after a step. The client's clock is used if the service does not report its time. */
const advance = (progress: Progress | null, step: WalkStep, nowMs: number): Progress => ({
  page: step.nextPage,
  total: step.total,
  serverStartMs: progress?.serverStartMs ?? step.page.serverTimeMs ?? nowMs,
  startedAtMs: progress?.startedAtMs ?? nowMs,
  maxSeenMs: latestChange(step.page.rows, progress?.maxSeenMs ?? null),
});

/** Returns the cursor after a whole listing: the latest change seen, but not past the start of the listing. */
const cursorAfterWhole = (progress: Progress, { definitions }: ServiceMapping): string => {
  return encodeCursor(nextCursor(startCursor(progress.startedAtMs), progress), definitions);
};

/**
 * Yields every contact. A `resume` of an earlier listing's page continues after that page.
 *
 * @throws {CursorExpiredError} if `resume` cannot be read.
 */
async function* pullWhole(
  { api, clock, limits }: PullOptions,
  { resume, known }: Extract<PullRequest, { mode: 'whole' }>,
): AsyncGenerator<FeedPage> {
  const seen = new Set<string>();
  let progress = resume === null ? null : decodeResume(resume);
  const start = progress ?? FROM_START;
  const walk = startListingWalk({ route: ROUTE, limits, pagesBefore: start.page - 1 });
  for await (const step of walkById(api, {}, start, walk, known)) {
    progress = advance(progress, step, clock.now());
    const page = changesIn(takeFresh(step.page.rows, seen));
    const { total } = step;
    if (step.isLast) yield feedPage({ ...page, cursor: cursorAfterWhole(progress, api.mapping), total });
    else yield feedPage({ ...page, resume: JSON.stringify(progress), total });
    if (step.isLast) return;
  }
  if (progress === null) return;
  yield feedPage({ cursor: cursorAfterWhole(progress, api.mapping), total: progress.total });
}

/** Pulls the contacts of the service: the changes since a cursor, or all contacts. */
export const pullContacts = (options: PullOptions, request: PullRequest): AsyncGenerator<FeedPage> =>
  request.mode === 'changes' ? pullChanges(options, request.cursor) : pullWhole(options, request);
