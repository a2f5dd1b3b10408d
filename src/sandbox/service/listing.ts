import { invalid, ServiceError } from './errors.ts';
import { parseTimestamp } from './ids-and-times.ts';
import type { ServiceVariants } from './variants.ts';

const PAGE_SIZE = 50;
const DEEPEST_ROW = 10_000;

type Predicate<T> = (item: T) => boolean;
type Sortable = number | string | null;
type SortedView<T> = { readonly revision: number; readonly items: readonly T[] };

/** The source of a list: the items, and sorted views of them that are valid until the revision increases. */
export type ListSource<T> = {
  /** Null if a view is valid for one request only. */
  readonly revision: number | null;
  readonly items: () => readonly T[];
  readonly views: Map<string, SortedView<T>>;
};

/** The parameters of one route's list, in addition to `page` and `order`. */
export type ListSpec<T> = {
  /** Parameters with `.before` and `.after`. */
  readonly times: Readonly<Record<string, (item: T) => number | null>>;
  readonly orders: Readonly<Record<string, (item: T) => Sortable>>;
  readonly defaultOrder: string;
};

/** One page of a list. `page` counts from 1; `total` is null if the service does not return it. */
export type Page<T> = {
  readonly items: readonly T[];
  readonly page: number;
  readonly pages: number;
  readonly total: number | null;
};

export type ListQuery = {
  readonly query: URLSearchParams;
  readonly variants: ServiceVariants;
  /** A number of the request that shuffles unstable ties. */
  readonly shuffle: number;
};

const boundPredicate = <T>(
  bound: string,
  valueOf: (item: T) => number | null,
  limitMs: number,
  { bounds }: ServiceVariants,
): Predicate<T> => {
  const isAfter = bound === 'after';
  const isStrict = bounds === 'exclusive' || (bounds === 'after-exclusive' && isAfter);
  return (item) => {
    const timeMs = valueOf(item);
    if (timeMs === null) return false;
    if (timeMs === limitMs) return !isStrict;
    return isAfter ? timeMs > limitMs : timeMs < limitMs;
  };
};

const timePredicate = <T>(
  name: string,
  value: string,
  spec: ListSpec<T>,
  variants: ServiceVariants,
): Predicate<T> | undefined => {
  const [field = '', bound = ''] = name.split('.');
  const valueOf = spec.times[field];
  if (valueOf === undefined || (bound !== 'before' && bound !== 'after')) return undefined;
  const limitMs = parseTimestamp(value);
  if (limitMs !== null) return boundPredicate(bound, valueOf, limitMs, variants);
  throw invalid(variants, `${name} is not an ISO 8601 timestamp`, name);
};

const predicates = <T>(spec: ListSpec<T>, { query, variants }: ListQuery): readonly Predicate<T>[] => {
  const found: Predicate<T>[] = [];
  for (const [name, value] of query) {
    if (name === 'page' || name === 'order') continue;
    const predicate = timePredicate(name, value, spec, variants);
    if (predicate !== undefined) found.push(predicate);
  }
  return found;
};

type Criterion<T> = { readonly valueOf: (item: T) => Sortable; readonly sign: 1 | -1 };

const criteria = <T>(names: readonly string[], spec: ListSpec<T>, variants: ServiceVariants): readonly Criterion<T>[] =>
  names.map((name) => {
    const valueOf = spec.orders[name.replace(/^-/, '')];
    if (valueOf === undefined) throw invalid(variants, `Cannot order by ${name}`, 'order');
    return { valueOf, sign: name.startsWith('-') ? -1 : 1 };
  });

/** Null sorts first. */
const compare = (left: Sortable, right: Sortable): number => {
  if (left === right) return 0;
  if (left === null) return -1;
  if (right === null) return 1;
  return left < right ? -1 : 1;
};

const tieBreaker = (variants: ServiceVariants, shuffle: number): ((serial: number) => number) => {
  switch (variants.sortTies) {
    case 'id':
      return (serial) => serial;
    case 'id-descending':
      return (serial) => -serial;
    case 'unstable':
      return (serial) => Math.imul(serial ^ Math.imul(shuffle, 0x9e3779b1), 0x85ebca6b);
  }
};

const sorted = <T extends { readonly serial: number }>(
  source: ListSource<T>,
  spec: ListSpec<T>,
  request: ListQuery,
): readonly T[] => {
  const { variants, shuffle, query } = request;
  const names = (query.get('order') || spec.defaultOrder).split(',');
  const key = `${names.join(',')} ${variants.sortTies}`;
  const view = source.views.get(key);
  if (view !== undefined && view.revision === source.revision) return view.items;
  const order = criteria(names, spec, variants);
  const tie = tieBreaker(variants, shuffle);
  const items = source.items().toSorted((left, right) => {
    for (const { valueOf, sign } of order) {
      const difference = compare(valueOf(left), valueOf(right));
      if (difference !== 0) return difference * sign;
    }
    return tie(left.serial) - tie(right.serial);
  });
  if (source.revision !== null && variants.sortTies !== 'unstable') {
    source.views.set(key, { revision: source.revision, items });
  }
  return items;
};

const sentPage = ({ query }: ListQuery): number => {
  const text = query.get('page') ?? '1';
  const page = Number(text);
  return Number.isInteger(page) && page >= 1 ? page : 1;
};

const shownTotal = (filtered: number, unfiltered: number, { metaTotal }: ServiceVariants): number | null => {
  switch (metaTotal) {
    case 'filtered':
      return filtered;
    case 'unfiltered':
      return unfiltered;
    case 'capped-at-1000':
      return Math.min(filtered, 1000);
    case 'absent':
      return null;
  }
};

/** Returns the requested page of filtered and sorted items. */
const cutPage = <T>(items: readonly T[], unfiltered: number, request: ListQuery): Page<T> => {
  const { variants } = request;
  const pages = Math.max(1, Math.ceil(items.length / PAGE_SIZE));
  const asked = sentPage(request);
  if (variants.deepPage === '10000-rows' && asked * PAGE_SIZE > DEEPEST_ROW) {
    throw invalid(variants, 'Pages end at row 10000', 'page');
  }
  const isPast = asked > pages;
  if (isPast && (variants.pastEnd === '404' || variants.pastEnd === '422')) {
    throw new ServiceError(Number(variants.pastEnd), `There is no page ${asked}`, { field: 'page' });
  }
  const page = isPast && variants.pastEnd === 'last-page' ? pages : asked;
  return {
    items: items.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE),
    page,
    pages,
    total: shownTotal(items.length, unfiltered, variants),
  };
};

/** Filters, sorts and pages a list (providers/service/API.md, LIST). Throws a ServiceError on an invalid parameter. */
export const listPage = <T extends { readonly serial: number }>(
  source: ListSource<T>,
  spec: ListSpec<T>,
  request: ListQuery,
): Page<T> => {
  const filters = predicates(spec, request);
  const all = sorted(source, spec, request);
  const items = filters.length === 0 ? all : all.filter((item) => filters.every((matches) => matches(item)));
  return cutPage(items, all.length, request);
};

/** Returns a list below one resource, in the given order. Its paging is a variant. */
export const subListPage = <T>(items: readonly T[], request: ListQuery): Page<T> => {
  switch (request.variants.subListPaging) {
    case 'all':
    case 'no-meta':
      return { items, page: 1, pages: 1, total: items.length };
    case 'first-page-only':
      return { items: items.slice(0, PAGE_SIZE), page: 1, pages: 1, total: items.length };
    case 'paged':
      return cutPage(items, items.length, request);
  }
};
