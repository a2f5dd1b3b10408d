import { InvalidError, NotFoundError, WrongAddressError } from '../errors.ts';
import type { ListingWalk } from '../listing.ts';
import type { KnownRows } from '../remote.ts';
import type { ContactRow } from './api/contacts.ts';
import type { ListParameters } from './api/list-parameters.ts';
import { type Page, PAGE_SIZE } from './api/paging.ts';
import type { ServiceApi } from './api/service-api.ts';
import { nextPageNumber } from './keyset.ts';

/** The start of a walk: the page, and the last total and the start of the earlier walk that it continues, by the service's clock. */
type Start = { readonly page: number; readonly total: number | null; readonly serverStartMs: number | null };

/** The start of a walk that continues no other one. */
export const FROM_START: Start = { page: 1, total: null, serverStartMs: null };

/** One page of a walk, and its continuation. */
export type WalkStep = {
  readonly page: Page<ContactRow>;
  readonly nextPage: number;
  readonly total: number | null;
  /** True if the walk certainly ends here. It may also end after a step with false. */
  readonly isLast: boolean;
};

/** Reads a page that was read before, or that an earlier walk would have read. It may be past the end now. */
const fetchKnown = async (
  api: ServiceApi,
  parameters: ListParameters,
  number: number,
  known: KnownRows | undefined,
): Promise<Page<ContactRow>> => {
  try {
    return await api.contacts.listPage(parameters, number, known);
  } catch (error) {
    const isRefusal =
      error instanceof NotFoundError || error instanceof InvalidError || error instanceof WrongAddressError;
    if (number === 1 || !isRefusal) throw error;
    return api.contacts.listPage(parameters, 1, known);
  }
};

const fetchNext = (
  api: ServiceApi,
  parameters: ListParameters,
  number: number,
  previous: Page<ContactRow>,
  known: KnownRows | undefined,
): Promise<Page<ContactRow> | null> => {
  if (number === previous.number + 1) return api.contacts.listPageAfter(parameters, previous, known);
  return fetchKnown(api, parameters, number, known);
};

/** Returns whether a page is not full although more should follow. The total may count rows that are never listed. */
const isShort = ({ announcesNext, number, rowKeys, total }: Page<ContactRow>): boolean => {
  const goesOn = announcesNext || (number - 1) * PAGE_SIZE + rowKeys.length < (total ?? 0);
  return goesOn && rowKeys.length < PAGE_SIZE;
};

/** Returns whether a page has only rows that were seen: past the end, a service may repeat its last page without end. */
const isRepeated = ({ rowKeys }: Page<ContactRow>, seen: ReadonlySet<string>): boolean =>
  rowKeys.length > 0 && rowKeys.every((key) => seen.has(key));

/**
 * Returns a function for the number of the page after each page of a walk. Earlier pages follow if the total fell. The first page
 * follows if more contacts were created since it than the total rose: then a deletion at the same time did not lower the total.
 */
const pageOrder = ({ serverStartMs }: Start) => {
  const created = new Set<string>();
  let startedMs = serverStartMs;
  let rises = 0;
  return ({ number, rows, serverTimeMs, total }: Page<ContactRow>, totalBefore: number | null): number => {
    const startMs = (startedMs ??= serverTimeMs) ?? Infinity;
    for (const row of rows) {
      if (row.kind === 'contact' && (row.createdAtMs ?? 0) > startMs) created.add(row.record.id);
    }
    if (total === null) return number + 1;
    rises += Math.max(0, total - (totalBefore ?? total));
    if (created.size <= rises) return nextPageNumber(number, totalBefore, total, PAGE_SIZE);
    rises = created.size;
    return 1;
  };
};

/**
 * Walks contacts by id, the only order without ties and with new contacts at the end. A contact that leaves the list moves
 * the rows after it one place back. If the total fell, or would have fallen without new contacts, the earlier pages are read
 * again, so a page may be yielded twice.
 * A page that is not full although the list continues is also read again, once. If a fault truncated it, its contacts would
 * be missing until the next listing and would be created again (R13). It is read only once more, because a service may leave
 * rows out of its pages permanently. Throws the errors of `walk`.
 */
export async function* walkById(
  api: ServiceApi,
  bounds: Omit<ListParameters, 'order'>,
  start: Start,
  walk: ListingWalk,
  known?: KnownRows,
): AsyncGenerator<WalkStep> {
  const parameters: ListParameters = { ...bounds, order: ['id'] };
  const seen = new Set<string>();
  const short = new Set<number>();
  const pageAfter = pageOrder(start);
  let { total } = start;
  let furthest = 0;
  let page: Page<ContactRow> | null = await fetchKnown(api, parameters, start.page, known);
  while (page !== null) {
    walk.take(page.rowKeys.length);
    const repeats: boolean = page.number > furthest && isRepeated(page, seen);
    const isCut = isShort(page) && !repeats && !short.has(page.number);
    if (isCut) short.add(page.number);
    const following = pageAfter(page, total);
    const nextPage: number = isCut ? Math.min(page.number, following) : following;
    total = page.total ?? total;
    for (const key of page.rowKeys) seen.add(key);
    furthest = Math.max(furthest, page.number);
    const isLast: boolean = nextPage > page.number && (page.isLast || repeats);
    yield { page, nextPage, total, isLast };
    page = isLast ? null : await fetchNext(api, parameters, nextPage, page, known);
  }
}
