import { listEnvelope } from './envelope.ts';
import { listPage, type ListSource, type ListSpec, subListPage } from './listing.ts';
import type { RenderContext } from './render.ts';
import type { RouteAnswer, RouteRequest } from './route.ts';

type Render<T> = (item: T, context: RenderContext) => unknown;

/** A source for a list that is small or seldom asked for: sorted again each time. */
export const unsorted = <T>(items: readonly T[]): ListSource<T> => ({
  revision: null,
  items: () => items,
  views: new Map(),
});

/** Answers a list route with the page that the request asks for. */
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

/** Answers with a list below one resource, or with the one that an action returns. */
export const subListAnswer = <T>(items: readonly T[], render: Render<T>, request: RouteRequest): RouteAnswer => {
  const page = subListPage(items, request);
  const data = page.items.map((item) => render(item, request));
  if (request.variants.subListPaging === 'no-meta') return { body: { data } };
  return { body: listEnvelope(page, data, request.url, request.variants) };
};

/** The times and orders that nearly every list has. */
export const storedTimes = {
  created_at: (item: { readonly createdAtMs: number }) => item.createdAtMs,
  updated_at: (item: { readonly updatedAtMs: number }) => item.updatedAtMs,
};
export const storedOrders = { ...storedTimes, id: (item: { readonly serial: number }) => item.serial };
