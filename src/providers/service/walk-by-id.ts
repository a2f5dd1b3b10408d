import { InvalidError, NotFoundError, WrongAddressError } from '../errors.ts';
import type { ListingWalk } from '../listing.ts';
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

/** A page that was read before, or that an earlier walk meant to read: it may lie past the end by now. */
const fetchKnown = async (
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
  return fetchKnown(api, parameters, number, signal, known);
};

/** Whether a page is not full although more is to follow; its total may count what it never lists. */
const isShort = ({ announcesNext, number, rowKeys, total }: Page<ContactRow>): boolean => {
  const goesOn = announcesNext || (number - 1) * PAGE_SIZE + rowKeys.length < (total ?? 0);
  return goesOn && rowKeys.length < PAGE_SIZE;
};

/** Whether a page brings nothing but rows that were seen: past its end, a service may answer with its last page for ever. */
const isRepeated = ({ rowKeys }: Page<ContactRow>, seen: ReadonlySet<string>): boolean =>
  rowKeys.length > 0 && rowKeys.every((key) => seen.has(key));

/**
 * Walks contacts by id, the one order that has no ties and where new contacts come at the end. A contact that leaves the list
 * moves the rows behind it one back: where the total fell, the pages before are read again, so a page may come twice. So does
 * one that is not full although the list goes on: cut short by a fault, it would hide contacts until the next listing, and
 * they would be made a second time (R13). It is read again once: a service may leave rows out of its pages for good.
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
  const short = new Set<number>();
  let { total } = start;
  let furthest = 0;
  let page: Page<ContactRow> | null = await fetchKnown(api, parameters, start.page, signal, known);
  while (page !== null) {
    walk.take(page.rowKeys.length);
    const repeats: boolean = page.number > furthest && isRepeated(page, seen);
    const isCut = isShort(page) && !repeats && !short.has(page.number);
    if (isCut) short.add(page.number);
    const following = nextPageNumber(page.number, total, page.total, PAGE_SIZE);
    const nextPage: number = isCut ? Math.min(page.number, following) : following;
    total = page.total ?? total;
    for (const key of page.rowKeys) seen.add(key);
    furthest = Math.max(furthest, page.number);
    const isLast: boolean = nextPage > page.number && (page.isLast || repeats);
    yield { page, nextPage, total, isLast };
    page = isLast ? null : await fetchNext(api, parameters, nextPage, page, signal, known);
  }
}
