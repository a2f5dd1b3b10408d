import type { CardMapping } from './card/card-mapping.ts';
import type { StoredCard } from './cards.ts';
import type { AddressBook } from './discovery.ts';
import type { SendDav } from './send.ts';

/** How new groups are stored: as cards, as categories, or as the address book has them already. */
export type GroupStyle = 'auto' | 'cards' | 'categories';

/** The categories of an address book, as far as this process knows them. */
type Categories = {
  /** Those that were seen on cards, and those that were created. */
  readonly names: Set<string>;
  /** Those that were deleted. */
  readonly deleted: Set<string>;
  /** Whether every card was searched, so that no other category exists. */
  isComplete: boolean;
};

/** How group cards are found. */
type Search = {
  /** Whether the server can search. */
  isSupported: boolean;
  /** The ids of all group cards, as far as this process knows them; null where it does not. */
  groupIds: Set<string> | null;
};

/** The dependencies and the state of all operations on the address book. */
export type BookContext = {
  readonly send: SendDav;
  readonly mapping: CardMapping;
  readonly groupStyle: GroupStyle;
  /** The address book, which is looked up once. */
  readonly find: (signal: AbortSignal) => Promise<AddressBook>;
  readonly categories: Categories;
  readonly search: Search;
  /** Some cards that were read last, by their ids: an update needs not read them again. */
  readonly recent: Map<string, StoredCard>;
};

/** How many requests are under way at once. */
export const CONCURRENCY = 4;

/** Decodes a part of a URI; one that is not encoded well stays as it is. */
export const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

/** The path of an href with each segment decoded, so that two spellings of one path are equal. */
const pathSegments = (href: string, base: string): readonly string[] | null => {
  const url = URL.parse(href, base);
  return url === null
    ? null
    : url.pathname
        .split('/')
        .filter((segment) => segment !== '')
        .map(decoded);
};

/** Whether two hrefs name the same resource of a server, with or without a slash at the end. */
export const isSameHref = (one: string, other: string, base: string): boolean => {
  const [segments, others] = [pathSegments(one, base), pathSegments(other, base)];
  return segments !== null && others !== null && segments.join('/') === others.join('/');
};

/** The id of a card: the last segment of its path, decoded. Null for anything that is not directly in the address book. */
export const idOf = (href: string, bookUrl: string): string | null => {
  const book = pathSegments(bookUrl, bookUrl) ?? [];
  const segments = pathSegments(href, bookUrl);
  if (segments === null || segments.length !== book.length + 1) return null;
  return book.every((segment, index) => segments[index] === segment) && !href.endsWith('/')
    ? (segments.at(-1) ?? null)
    : null;
};

/** The URL of a card. */
export const urlOf = (id: string, bookUrl: string): string => new URL(encodeURIComponent(id), bookUrl).href;
