import { InvalidError, NotFoundError, WrongAddressError } from '../errors.ts';
import type { ListingWalk } from '../read-limits.ts';
import type { KnownRows } from '../remote.ts';
import type { ContactListParameters, ContactRow } from './api/contacts.ts';
import type { Page } from './api/paging.ts';
import type { ServiceApi } from './api/service-api.ts';
import { nextPageNumber } from './keyset.ts';

/** API.md, Limits: a list answers 50 rows to a page. */
const PAGE_SIZE = 50;

/** Where a walk starts: the page, and the total that was given before it where it goes on with an earlier walk. */
type Start = { readonly page: number; readonly total: number | null };

/** One page of a walk, and how it goes on. */
export type WalkStep = {
  readonly page: Page<ContactRow>;
  readonly nextPage: number;
  readonly total: number | null;
  /** Whether the walk surely ends here; it may also end after a step that did not know it. */
  readonly isLast: boolean;
};

/** The page to start from; a page that an earlier walk meant to read may lie past the end by now. */
const fetchFirst = async (
  api: ServiceApi,
  parameters: ContactListParameters,
  number: number,
  signal: AbortSignal,
  known: KnownRows | undefined,
): Promise<Page<ContactRow>> => {
  try {
    return await api.contacts.listPage(parameters, number, signal, known);
  } catch (error) {
    const isRefusal =
      error instanceof NotFoundError || error instanceof InvalidError || error instanceof WrongAddressError;
    if (number === 1 || !isRefusal) throw error;
    return api.contacts.listPage(parameters, 1, signal, known);
  }
};

const fetchNext = (
  api: ServiceApi,
  parameters: ContactListParameters,
  number: number,
  previous: Page<ContactRow>,
  signal: AbortSignal,
  known: KnownRows | undefined,
): Promise<Page<ContactRow> | null> => {
  if (number === previous.number + 1) return api.contacts.listPageAfter(parameters, previous, signal, known);
  return api.contacts.listPage(parameters, number, signal, known);
};

/**
 * Walks contacts by id, the one order that has no ties and where new contacts come at the end. A contact that leaves the list
 * moves the rows behind it one back: where the total fell, the pages before are read again, so a page may come twice.
 * Throws what `walk` throws.
 */
export async function* walkById(
  api: ServiceApi,
  bounds: Omit<ContactListParameters, 'order'>,
  start: Start,
  walk: ListingWalk,
  signal: AbortSignal,
  known?: KnownRows,
): AsyncGenerator<WalkStep> {
  const parameters: ContactListParameters = { ...bounds, order: ['id'] };
  const seen = new Set<string>();
  let { total } = start;
  let furthest = 0;
  let page: Page<ContactRow> | null = await fetchFirst(api, parameters, start.page, signal, known);
  while (page !== null) {
    walk.take(page.rowKeys.length);
    const nextPage = nextPageNumber(page.number, total, page.total, PAGE_SIZE);
    total = page.total ?? total;
    const repeats: boolean = page.number > furthest && page.rowKeys.every((key) => seen.has(key));
    for (const key of page.rowKeys) seen.add(key);
    furthest = Math.max(furthest, page.number);
    const isLast: boolean = nextPage > page.number && (page.isLast || repeats);
    yield { page, nextPage, total, isLast };
    page = isLast ? null : await fetchNext(api, parameters, nextPage, page, signal, known);
  }
}
