import { z } from 'zod';
import { InvalidError, NotFoundError, WrongAddressError } from '../../errors.ts';
import { startListingWalk } from '../../listing.ts';
import { encodeParameters, type ListParameters, verifyBounds } from './list-parameters.ts';
import { parsePart } from './resource.ts';
import { id, isBounded } from './schemas-common.ts';
import type { ApiRequest, Send } from './send.ts';

/** The number of rows on a page (API.md, Limits). */
export const PAGE_SIZE = 50;

/** A list to walk: its route, its parameters, and the parser of its rows. */
export type ListRequest<Row> = {
  readonly route: string;
  readonly id?: string;
  readonly parameters: ListParameters;
  /** Parses the rows of a page. May throw an UnreadableError, which fails the page. */
  readonly parseRows: (
    rows: readonly unknown[],
    asked: ApiRequest,
    status: number,
  ) => readonly Row[] | Promise<readonly Row[]>;
};

/** Returns a parser that requires the given shape of each row. */
export const rowsOf = <Row>(schema: z.ZodType<Row>): ListRequest<Row>['parseRows'] => {
  return (rows, asked, status) => rows.map((row) => parsePart(schema, row, asked, status));
};

export type Page<Row> = {
  readonly rows: readonly Row[];
  /** The key of each row: its id. */
  readonly rowKeys: readonly string[];
  readonly number: number;
  /** `meta.total`; null if it is missing. */
  readonly total: number | null;
  /** True if the service announces another page. */
  readonly announcesNext: boolean;
  /** True if it is certainly the last page; false also if only a request for another page can show it. */
  readonly isLast: boolean;
  /** The service's own time when it answered, epoch milliseconds. */
  readonly serverTimeMs: number | null;
};

const listEnvelope = z.object({
  data: z.array(z.unknown()),
  meta: z
    .object({ total: z.number().nullish().catch(null), next_page: z.unknown().optional() })
    .nullish()
    .catch(null),
});

const identified = z.object({ id });

const rowKey = (row: unknown): string => {
  const parsed = identified.safeParse(row);
  if (parsed.success) return parsed.data.id;
  return isBounded(row) ? JSON.stringify(row) : 'a row without an id';
};

/** `next_page` is only read as yes or no: a URL in it may lack the filters or be invalid. */
const announcesNext = (nextPage: unknown): boolean => {
  return (typeof nextPage === 'string' && nextPage.trim() !== '') || typeof nextPage === 'number';
};

/**
 * Returns whether a page is certainly the last. It is if it is empty, or if no next page is announced and the total agrees.
 * Without a total, it is if the page is not full. Otherwise one more page is requested: a total may count rows that a filter
 * excludes.
 */
export const isLastPage = (
  page: Pick<Page<unknown>, 'number' | 'total' | 'announcesNext'>,
  rowCount: number,
): boolean => {
  if (rowCount === 0) return true;
  if (page.announcesNext) return false;
  if (page.total === null) return rowCount < PAGE_SIZE;
  return (page.number - 1) * PAGE_SIZE + rowCount >= page.total;
};

/** Reads one page. The first request has no page number, because some lists do not support pages. */
export const fetchPage = async <Row>(send: Send, list: ListRequest<Row>, number: number): Promise<Page<Row>> => {
  const query = { ...encodeParameters(list.parameters), ...(number === 1 ? {} : { page: String(number) }) };
  const asked: ApiRequest = {
    method: 'GET',
    route: list.route,
    query,
    ...(list.id === undefined ? {} : { id: list.id }),
  };
  const answer = await send(asked);
  const { data, meta } = parsePart(listEnvelope, answer.json, asked, answer.status);
  verifyBounds(data, list.parameters, asked, answer.status);
  const page = { number, total: meta?.total ?? null, announcesNext: announcesNext(meta?.next_page) };
  return {
    ...page,
    rows: await list.parseRows(data, asked, answer.status),
    rowKeys: data.map(rowKey),
    isLast: isLastPage(page, data.length),
    serverTimeMs: answer.serverTimeMs,
  };
};

/**
 * Returns whether a refused page, which was not announced, is past the end. For a web page, it reads the first page to check
 * that the service answers at all. Throws the errors of that request.
 */
const isPastEnd = async <Row>(send: Send, list: ListRequest<Row>, error: unknown): Promise<boolean> => {
  if (!(error instanceof WrongAddressError)) return error instanceof NotFoundError || error instanceof InvalidError;
  await fetchPage(send, list, 1);
  return true;
};

/** Reads the page after `previous`; null if the list has ended. */
export const fetchPageAfter = async <Row>(
  send: Send,
  list: ListRequest<Row>,
  previous: Page<unknown>,
): Promise<Page<Row> | null> => {
  if (previous.isLast) return null;
  try {
    return await fetchPage(send, list, previous.number + 1);
  } catch (error) {
    if (!previous.announcesNext && (await isPastEnd(send, list, error))) return null;
    throw error;
  }
};

/**
 * Yields a list page by page, always with the same parameters, until a page has no new row. The first page is always
 * yielded.
 */
export async function* listPages<Row>(send: Send, list: ListRequest<Row>): AsyncGenerator<Page<Row>> {
  const seen = new Set<string>();
  const walk = startListingWalk({ route: `GET ${list.route}` });
  let page: Page<Row> | null = await fetchPage(send, list, 1);
  while (page !== null && (page.number === 1 || page.rowKeys.some((key) => !seen.has(key)))) {
    walk.take(page.rowKeys.length);
    for (const key of page.rowKeys) seen.add(key);
    yield page;
    page = await fetchPageAfter(send, list, page);
  }
}

/** Returns all rows of a list. */
export const allRows = async <Row>(pages: AsyncIterable<Page<Row>>): Promise<Row[]> => {
  const rows: Row[] = [];
  for await (const page of pages) rows.push(...page.rows);
  return rows;
};
