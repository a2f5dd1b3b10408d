import { z } from 'zod';
import type { FeedPage } from '../../core/contact/requests.ts';
import { CursorExpiredError, UnreadableError } from '../errors.ts';
import { type ListingLimits, type ListingWalk, startListingWalk } from '../listing.ts';
import type { PullRequest } from '../remote.ts';
import type { ContactListParameters, ContactRow } from './api/contacts.ts';
import type { Page } from './api/paging.ts';
import type { ServiceApi } from './api/service-api.ts';
import {
  changedAtMs,
  decodeCursor,
  definitionsIn,
  encodeCursor,
  isRemembered,
  latestChange,
  type Recent,
  rememberRead,
  takeFresh,
  trust,
} from './feed.ts';
import type { ServiceMapping } from './fields.ts';
import { type KeysetCursor, hasSteppedBack, nextCursor, nextStretch, startCursor, walkFromMs } from './keyset.ts';
import { changesIn } from './mapper.ts';
import { walkById, type WalkStep } from './walk-by-id.ts';
import type { Clock } from '../../util/clock.ts';

const ABOUT = { route: 'GET /v2/contacts', applied: 'no' } as const;

const readCursor = (text: string): KeysetCursor => {
  try {
    return decodeCursor(text);
  } catch (cause) {
    const message = 'the stored cursor of the service cannot be read; its contacts are listed whole';
    throw new CursorExpiredError(message, { ...ABOUT, status: null, cause });
  }
};

const steppedBack = (): CursorExpiredError => {
  const message = "the service's clock was put back since its changes were last read; its contacts are listed whole";
  return new CursorExpiredError(message, { ...ABOUT, status: 200 });
};

const unfollowable = (why: string): UnreadableError => {
  return new UnreadableError(`the changes of the service cannot be followed: ${why}`, { ...ABOUT, status: 200 });
};

/** When the last row of a page was changed; null where that can be read of none. Throws where the service did not sort them. */
const lastChangeMs = (page: Page<ContactRow>): number | null => {
  const times = page.rows.map(changedAtMs).filter((time) => time !== null);
  const isSorted = times.every((time, index) => index === 0 || time >= (times[index - 1] ?? time));
  if (!isSorted) throw unfollowable('it ignored the order by updated_at');
  return times.at(-1) ?? null;
};

const parametersOf = (afterMs: number): ContactListParameters => {
  return { 'updated_at.after': afterMs, order: ['updated_at'] };
};

/** API.md, Limits: a list answers 50 rows to a page. */
const PAGE_SIZE = 50;

/**
 * Whether nothing of the feed is behind a page. Its total may count what the bound leaves out, so it does not doubt a page
 * that is not full: a page that the service cut short is left to the sweep.
 */
const endsFeed = ({ announcesNext, isLast, rowKeys }: Page<ContactRow>): boolean =>
  isLast || (!announcesNext && rowKeys.length < PAGE_SIZE);

/** What a pull needs: the client, the clock, and when it is given up. */
export type PullOptions = {
  readonly api: ServiceApi;
  readonly clock: Clock;
  readonly limits: ListingLimits;
  readonly recent: Recent;
};

/** The pages of a walk from `afterMs` on; the last one is the one that ends it. */
async function* walkChanges(
  { api }: PullOptions,
  fromMs: number,
  walk: ListingWalk,
  signal: AbortSignal,
): AsyncGenerator<Page<ContactRow>> {
  let afterMs = Math.max(0, fromMs);
  for (;;) {
    const page = await api.contacts.listPage(parametersOf(afterMs), 1, signal);
    walk.take(page.rowKeys.length);
    const lastMs = lastChangeMs(page);
    yield page;
    if (endsFeed(page)) return;
    if (lastMs === null) throw unfollowable('not one row of a page can be read');
    const stretch = nextStretch(afterMs, lastMs);
    if (stretch.crowdedUntilMs !== null) {
      const bounds = { 'updated_at.after': afterMs, 'updated_at.before': stretch.crowdedUntilMs };
      for await (const step of walkById(api, bounds, { page: 1, total: null }, walk, signal)) yield step.page;
    }
    ({ afterMs } = stretch);
  }
}

/** When the rows were changed, latest first; null where that cannot be read of each, or they come in another order. */
const latestFirst = (rows: readonly ContactRow[]): readonly number[] | null => {
  const times = rows.map(changedAtMs).filter((time) => time !== null);
  const isSorted = times.every((time, index) => time <= (times[index - 1] ?? time));
  return isSorted && times.length === rows.length ? times : null;
};

/**
 * The feed as one page of the contacts that changed last, where that tells as much as a walk would (R14); else null:
 *
 * - it is the only page; or
 * - the cursor's overlap has passed, and the page goes back as far as the watermark: nothing newer is behind it; or
 * - it shows what this process wrote or read less than the overlap ago, and there are no more contacts than those. What
 *   may still come to light of an earlier stamp is read by a walk when that time is over: the cursor stays.
 *
 * So many contacts of the same second, ours for the most part, are not paged again and again.
 */
const readNewest = async (
  { api, clock, recent }: PullOptions,
  old: KeysetCursor,
  walk: ListingWalk,
  signal: AbortSignal,
): Promise<FeedPage | null> => {
  const startedAtMs = clock.now();
  const isSettled = old.behindMs === 0;
  if (!isSettled && startedAtMs >= recent.trustedUntilMs) return null;
  const fromMs = walkFromMs(old);
  const page = await api.contacts.listPage({ 'updated_at.after': fromMs, order: ['-updated_at'] }, 1, signal);
  walk.take(page.rowKeys.length);
  if (hasSteppedBack(old, page.serverTimeMs)) throw steppedBack();
  const times = latestFirst(page.rows);
  if (times === null) return null;
  const reachesBack = isSettled && times.some((time) => time <= old.watermarkMs);
  const isOnly = endsFeed(page);
  const isWhole = isOnly || reachesBack;
  if (!isWhole && !isRemembered(recent, page, fromMs)) return null;
  rememberRead(recent, page.rows);
  if (isOnly) trust(recent, startedAtMs);
  return {
    ...changesIn(page.rows, api.mapping),
    resume: null,
    cursor: encodeCursor(isWhole ? cursorAfter(old, page, startedAtMs) : old, api.mapping.definitions),
    total: page.total,
  };
};

/** The cursor after a page that contains every change. */
const cursorAfter = (old: KeysetCursor, { rows, serverTimeMs }: Page<ContactRow>, startedAtMs: number): KeysetCursor =>
  nextCursor(old, { maxSeenMs: latestChange(rows, null), serverStartMs: serverTimeMs ?? startedAtMs, startedAtMs });

/**
 * The contacts changed since the cursor, as a keyset walk (R14). A walk that is cut off starts again from its cursor. One
 * request where everything that changed fits a page, or the newest page tells it all ({@link readNewest}).
 *
 * @throws {CursorExpiredError} where the cursor cannot be read, or is ahead of the service's clock.
 */
export async function* pullChanges(
  options: PullOptions,
  cursor: string,
  signal: AbortSignal,
): AsyncGenerator<FeedPage> {
  const { api } = options;
  const old = readCursor(cursor);
  for (const [name, definition] of definitionsIn(cursor)) api.mapping.definitions.set(name, definition);
  const walk = startListingWalk({ route: ABOUT.route, ...options });
  const newest = await readNewest(options, old, walk, signal);
  if (newest !== null) {
    yield newest;
    return;
  }
  const startedAtMs = options.clock.now();
  const seen = new Set<string>();
  let serverStartMs: number | null = null;
  let total: number | null = null;
  let maxSeenMs: number | null = null;
  let held: FeedPage | null = null;
  for await (const page of walkChanges(options, walkFromMs(old), walk, signal)) {
    if (hasSteppedBack(old, page.serverTimeMs)) throw steppedBack();
    if (held !== null) yield held;
    serverStartMs ??= page.serverTimeMs ?? startedAtMs;
    total ??= page.total;
    maxSeenMs = latestChange(page.rows, maxSeenMs);
    rememberRead(options.recent, page.rows);
    held = { ...changesIn(takeFresh(page.rows, seen), api.mapping), resume: null, cursor: null, total };
  }
  trust(options.recent, startedAtMs);
  const next = nextCursor(old, { maxSeenMs, serverStartMs: serverStartMs ?? startedAtMs, startedAtMs });
  if (held !== null) yield { ...held, cursor: encodeCursor(next, api.mapping.definitions) };
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

const ROUTE = 'GET /v2/contacts';

const decodeResume = (resume: string): Progress => {
  try {
    return progressSchema.parse(JSON.parse(resume));
  } catch (cause) {
    const about = { status: null, route: ROUTE, applied: 'no', cause } as const;
    throw new CursorExpiredError('where the listing was cut off cannot be read', about);
  }
};

/** The progress after a step. The client's clock is used if the service does not report its time. */
const advance = (progress: Progress | null, step: WalkStep, nowMs: number): Progress => ({
  page: step.nextPage,
  total: step.total,
  serverStartMs: progress?.serverStartMs ?? step.page.serverTimeMs ?? nowMs,
  startedAtMs: progress?.startedAtMs ?? nowMs,
  maxSeenMs: latestChange(step.page.rows, progress?.maxSeenMs ?? null),
});

/** The cursor after a whole listing: the latest change seen, but not past the listing's own start. */
const cursorAfterWhole = (progress: Progress, { definitions }: ServiceMapping): string => {
  return encodeCursor(nextCursor(startCursor(progress.startedAtMs), progress), definitions);
};

/**
 * Every contact. `resume` of a page that came from an earlier listing goes on behind that page.
 *
 * @throws {CursorExpiredError} where `resume` cannot be read.
 */
export async function* pullWhole(
  { api, clock, limits }: PullOptions,
  { resume, known }: Extract<PullRequest, { mode: 'whole' }>,
  signal: AbortSignal,
): AsyncGenerator<FeedPage> {
  const seen = new Set<string>();
  let progress = resume === null ? null : decodeResume(resume);
  const start = progress ?? { page: 1, total: null };
  const walk = startListingWalk({ route: ROUTE, clock, limits, pagesBefore: start.page - 1 });
  for await (const step of walkById(api, {}, start, walk, signal, known)) {
    progress = advance(progress, step, clock.now());
    const page = changesIn(takeFresh(step.page.rows, seen), api.mapping);
    const { total } = step;
    if (step.isLast) yield { ...page, resume: null, cursor: cursorAfterWhole(progress, api.mapping), total };
    else yield { ...page, resume: JSON.stringify(progress), cursor: null, total };
    if (step.isLast) return;
  }
  if (progress === null) return;
  yield {
    changes: [],
    unchanged: [],
    resume: null,
    cursor: cursorAfterWhole(progress, api.mapping),
    total: progress.total,
  };
}
