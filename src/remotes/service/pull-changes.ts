import { z } from 'zod';
import type { Clock } from '../../clock.ts';
import { CursorExpiredError, UnreadableError } from '../errors.ts';
import type { FeedPage } from '../remote.ts';
import type { ContactListParameters, ContactRow } from './api/contacts.ts';
import type { Page } from './api/paging.ts';
import type { ServiceApi } from './api/service-api.ts';
import { changedAtMs, encodeCursor, latestChange, takeFresh } from './feed.ts';
import { nextPosition, nextWatermark, type KeysetPosition } from './keyset.ts';
import { changeOf } from './mapper.ts';

const ROUTE = 'GET /v2/contacts';

/** How far behind the watermark each walk starts: rows whose stamp was set a while before they could be seen. */
const OVERLAP_MS = 120_000;

const cursorSchema = z.object({ watermark: z.number().int().nonnegative() });

const decodeCursor = (cursor: string): number => {
  try {
    return cursorSchema.parse(JSON.parse(cursor)).watermark;
  } catch (cause) {
    const options = { side: 'service', status: null, route: ROUTE, applied: 'no', cause } as const;
    throw new CursorExpiredError(
      'the stored cursor of the service cannot be read; its contacts are listed whole',
      options,
    );
  }
};

/** When the rows of a page were changed, in their order; throws where the service did not sort them. */
const ascendingTimes = (page: Page<ContactRow>): readonly number[] => {
  const times = page.rows.map(changedAtMs).filter((time) => time !== null);
  if (times.every((time, index) => index === 0 || time >= (times[index - 1] ?? time))) return times;
  throw new UnreadableError('the service ignored the order by updated_at: its changes cannot be followed', {
    side: 'service',
    status: 200,
    route: ROUTE,
    applied: 'no',
  });
};

const parametersOf = (afterMs: number): ContactListParameters => {
  return { 'updated_at.after': Math.max(0, afterMs), order: ['updated_at'] };
};

const isSamePage = (a: Page<unknown>, b: Page<unknown> | null): boolean => {
  return b !== null && a.number > 1 && a.rowKeys.join() === b.rowKeys.join();
};

type PullOptions = { readonly api: ServiceApi; readonly clock: Clock };

/** The page at a position; null where a page was asked for that turns out to lie past the end. */
const fetchAt = (
  api: ServiceApi,
  position: KeysetPosition,
  previous: Page<ContactRow>,
  signal: AbortSignal,
): Promise<Page<ContactRow> | null> => {
  const parameters = parametersOf(position.afterMs);
  if (position.page === 1) return api.contacts.listPage(parameters, 1, signal);
  return api.contacts.listPageAfter(parameters, previous, signal);
};

/**
 * The contacts changed since the cursor, as a keyset walk (R14). A walk that is cut off starts again from its cursor. One
 * request where everything that changed fits a page.
 */
export async function* pullChanges(
  options: PullOptions,
  cursor: string,
  signal: AbortSignal,
): AsyncGenerator<FeedPage> {
  const { api, clock } = options;
  const watermarkMs = decodeCursor(cursor);
  const seen = new Set<string>();
  let position: KeysetPosition = { afterMs: watermarkMs - OVERLAP_MS, page: 1 };
  let previous: Page<ContactRow> | null = null;
  let maxSeenMs: number | null = null;
  let page: Page<ContactRow> | null = await api.contacts.listPage(parametersOf(position.afterMs), 1, signal);
  const { total } = page;
  const startMs = page.serverTimeMs ?? clock.now();
  while (page !== null) {
    const times = ascendingTimes(page);
    maxSeenMs = latestChange(page.rows, maxSeenMs);
    const changes = takeFresh(page.rows, seen).map(changeOf);
    if (page.isLast || isSamePage(page, previous)) {
      yield { changes, resume: null, cursor: encodeCursor(nextWatermark(watermarkMs, maxSeenMs, startMs)), total };
      return;
    }
    yield { changes, resume: null, cursor: null, total };
    position = nextPosition(position, times.at(-1) ?? null);
    previous = page;
    page = await fetchAt(api, position, previous, signal);
  }
  yield { changes: [], resume: null, cursor: encodeCursor(nextWatermark(watermarkMs, maxSeenMs, startMs)), total };
}
