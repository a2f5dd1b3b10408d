import { listPage, type ListSource, type ListSpec, type Page, subListPage } from './listing.ts';
import type { RenderContext } from './render.ts';
import type { RouteAnswer, RouteRequest } from './route.ts';
import type { ServiceVariants } from './variants.ts';

type PageLink = string | number;

const linkTo = (page: number, url: URL, variants: ServiceVariants): PageLink => {
  const target = new URL(url);
  target.searchParams.set('page', String(page));
  switch (variants.nextPageForm) {
    case 'absolute-url':
      return target.href;
    case 'relative-path':
      return `${target.pathname}${target.search}`;
    case 'number':
      return page;
    case 'filters-dropped':
      return `${target.origin}${target.pathname}?page=${page}`;
    case 'search-path':
      return `${target.origin}${target.pathname}/search${target.search}`;
  }
};

const noLink = (variants: ServiceVariants): '' | null | undefined => {
  switch (variants.noPage) {
    case 'null':
      return null;
    case 'absent':
      return undefined;
    case 'empty-string':
      return '';
  }
};

/** Returns the list envelope `{ meta, data }` for a page that was requested with `url`. */
const listEnvelope = (page: Page<unknown>, data: readonly unknown[], url: URL, variants: ServiceVariants): object => {
  const none = noLink(variants);
  const meta = {
    total: page.total ?? undefined,
    next_page: page.page < page.pages ? linkTo(page.page + 1, url, variants) : none,
    previous_page: page.page > 1 ? linkTo(page.page - 1, url, variants) : none,
  };
  return { meta, data };
};

type Render<T> = (item: T, context: RenderContext) => unknown;

/** Returns a source for a small or rarely requested list, which is sorted each time. */
export const unsorted = <T>(items: readonly T[]): ListSource<T> => ({
  revision: null,
  items: () => items,
  views: new Map(),
});

/** Answers a list route with the requested page. */
export const listAnswer = <T extends { readonly serial: number }>(
  source: ListSource<T>,
  spec: ListSpec<T>,
  render: Render<T>,
  request: RouteRequest,
): RouteAnswer => {
  const page = listPage(source, spec, request);
  const data = page.items.map((item) => render(item, request));
  return { body: listEnvelope(page, data, request.url, request.variants) };
};

/** Answers with a list below one resource, or with the list that an action returns. */
export const subListAnswer = <T>(items: readonly T[], render: Render<T>, request: RouteRequest): RouteAnswer => {
  const page = subListPage(items, request);
  const data = page.items.map((item) => render(item, request));
  if (request.variants.subListPaging === 'no-meta') return { body: { data } };
  return { body: listEnvelope(page, data, request.url, request.variants) };
};

/** The times and orders of nearly every list. */
export const storedTimes = {
  created_at: (item: { readonly createdAtMs: number }) => item.createdAtMs,
  updated_at: (item: { readonly updatedAtMs: number }) => item.updatedAtMs,
};
export const storedOrders = { ...storedTimes, id: (item: { readonly serial: number }) => item.serial };
