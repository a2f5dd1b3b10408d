import { z } from 'zod';
import type { Clock } from '../../clock.ts';
import { InvalidError, NotFoundError } from '../errors.ts';
import type { FeedPage } from '../remote.ts';
import type { ContactListParameters, ContactRow } from './api/contacts.ts';
import type { Page } from './api/paging.ts';
import type { ServiceApi } from './api/service-api.ts';
import { encodeCursor, latestChange, takeFresh } from './feed.ts';
import { nextPageNumber, nextWatermark } from './keyset.ts';
import { changeOf } from './mapper.ts';

const PARAMETERS: ContactListParameters = { order: ['id'] };

/** service-api-v2.md, Limits: a list answers 50 rows to a page. */
const PAGE_SIZE = 50;

/** Where a listing stands; epoch milliseconds. The durable text of it is a page's `resume`. */
const walkSchema = z.object({
  page: z.number().int().positive(),
  total: z.number().nullable(),
  /** The service's time when the listing began: the watermark may not pass it. */
  watermarkBoundMs: z.number(),
  maxSeenMs: z.number().nullable(),
});
type Walk = z.output<typeof walkSchema>;

const decodeResume = (resume: string | null): Walk | null => {
  if (resume === null) return null;
  try {
    return walkSchema.parse(JSON.parse(resume));
  } catch {
    return null;
  }
};

type PullOptions = { readonly api: ServiceApi; readonly clock: Clock };

/** The walk after a page: what it saw, and which page comes next. */
const advance = (walk: Walk | null, page: Page<ContactRow>, nowMs: number): Walk => ({
  page: nextPageNumber(page.number, walk?.total ?? null, page.total, PAGE_SIZE),
  total: page.total ?? walk?.total ?? null,
  watermarkBoundMs: walk?.watermarkBoundMs ?? page.serverTimeMs ?? nowMs,
  maxSeenMs: latestChange(page.rows, walk?.maxSeenMs ?? null),
});

/** The cursor after a whole listing: the latest change seen, but not past the listing's own start. */
const cursorAfter = (walk: Walk): string => {
  return encodeCursor(nextWatermark(0, walk.maxSeenMs ?? walk.watermarkBoundMs, walk.watermarkBoundMs));
};

/** The page to start from; a page that an earlier walk meant to read may lie past the end by now. */
const fetchFirst = async (api: ServiceApi, number: number, signal: AbortSignal): Promise<Page<ContactRow>> => {
  try {
    return await api.contacts.listPage(PARAMETERS, number, signal);
  } catch (error) {
    if (number === 1 || !(error instanceof NotFoundError || error instanceof InvalidError)) throw error;
    return api.contacts.listPage(PARAMETERS, 1, signal);
  }
};

const fetchNext = (
  api: ServiceApi,
  number: number,
  previous: Page<ContactRow>,
  signal: AbortSignal,
): Promise<Page<ContactRow> | null> => {
  if (number === previous.number + 1) return api.contacts.listPageAfter(PARAMETERS, previous, signal);
  return api.contacts.listPage(PARAMETERS, number, signal);
};

/**
 * Every contact, by id, so that contacts made meanwhile come at the end. A deletion moves the rows behind it one back: where
 * the total fell, the pages before are read again. `resume` of a page that came from an earlier walk goes on behind it.
 */
export async function* pullWhole(
  options: PullOptions,
  resume: string | null,
  signal: AbortSignal,
): AsyncGenerator<FeedPage> {
  const { api, clock } = options;
  const seen = new Set<string>();
  const resumed = decodeResume(resume);
  let page: Page<ContactRow> | null = await fetchFirst(api, resumed?.page ?? 1, signal);
  let walk = advance(resumed, page, clock.now());
  let furthest = 0;
  while (page !== null) {
    const fresh = takeFresh(page.rows, seen);
    const repeats = fresh.length === 0 && page.number > furthest;
    furthest = Math.max(furthest, page.number);
    const changes = fresh.map(changeOf);
    if (walk.page > page.number && (page.isLast || repeats)) {
      yield { changes, resume: null, cursor: cursorAfter(walk), total: walk.total };
      return;
    }
    yield { changes, resume: JSON.stringify(walk), cursor: null, total: walk.total };
    page = await fetchNext(api, walk.page, page, signal);
    if (page !== null) walk = advance(walk, page, clock.now());
  }
  yield { changes: [], resume: null, cursor: cursorAfter(walk), total: walk.total };
}
