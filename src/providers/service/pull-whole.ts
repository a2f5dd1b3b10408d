import type { FeedPage } from '../../core/contact/requests.ts';
import { z } from 'zod';
import { CursorExpiredError } from '../errors.ts';
import { startListingWalk } from '../read-limits.ts';
import type { PullRequest } from '../remote.ts';
import { encodeCursor, latestChange, takeFresh } from './feed.ts';
import { nextCursor, startCursor } from './keyset.ts';
import type { ServiceMapping } from './fields.ts';
import { changesIn } from './mapper.ts';
import type { PullOptions } from './pull-changes.ts';
import { walkById, type WalkStep } from './walk-by-id.ts';

/** Where a listing stands; epoch milliseconds. The durable text of it is a page's `resume`. */
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

/** The progress after a step. The client's clock stands in where the service does not tell its time. */
const advance = (progress: Progress | null, step: WalkStep, nowMs: number): Progress => ({
  page: step.nextPage,
  total: step.total,
  serverStartMs: progress?.serverStartMs ?? step.page.serverTimeMs ?? nowMs,
  startedAtMs: progress?.startedAtMs ?? nowMs,
  maxSeenMs: latestChange(step.page.rows, progress?.maxSeenMs ?? null),
});

/** The cursor after a whole listing: the latest change seen, but not past the listing's own start. */
const cursorAfter = (progress: Progress, { definitions }: ServiceMapping): string => {
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
    if (step.isLast) yield { ...page, resume: null, cursor: cursorAfter(progress, api.mapping), total };
    else yield { ...page, resume: JSON.stringify(progress), cursor: null, total };
    if (step.isLast) return;
  }
  if (progress === null) return;
  yield { changes: [], unchanged: [], resume: null, cursor: cursorAfter(progress, api.mapping), total: progress.total };
}
