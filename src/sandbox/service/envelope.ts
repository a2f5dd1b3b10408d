import type { Page } from './listing.ts';
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

/** The list envelope `{ meta, data }` for a page that was asked for under `url`. */
export const listEnvelope = (
  page: Page<unknown>,
  data: readonly unknown[],
  url: URL,
  variants: ServiceVariants,
): object => {
  const none = noLink(variants);
  const hasPrevious = page.page > 1 && variants.previousPage === 'given';
  const meta = {
    total: page.total ?? undefined,
    next_page: page.page < page.pages ? linkTo(page.page + 1, url, variants) : none,
    previous_page: hasPrevious ? linkTo(page.page - 1, url, variants) : none,
  };
  return { meta, data };
};
