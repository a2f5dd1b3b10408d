import type { CardMapping } from './card/card-mapping.ts';
import type { AddressBook } from './discovery.ts';
import type { SendDav } from './send.ts';

/** The categories of an address book that this process has seen. */
type Categories = {
  /** The categories that were found on cards or created. */
  readonly names: Set<string>;
  /** The deleted categories. */
  readonly deleted: Set<string>;
  /** True if every card was searched, so that no other category exists. */
  isComplete: boolean;
};

/** The state of searches for group cards. */
type Search = {
  /** True if the server can search. */
  isSupported: boolean;
  /** The ids of all group cards; null if this process has not determined them. */
  groupIds: Set<string> | null;
  /** The ids of group cards that could not be read, so that records lack them until a whole listing has read them. */
  unread: Set<string>;
};

/** The way in which the server stores cards, as far as writes have shown it. */
type Storage = {
  /**
   * True if cards were read after a write with a strong ETag in its answer, and were the sent ones. Later cards with a strong ETag
   * are not read (RFC 6352, 6.3.2.3). Some servers name one although they store another text.
   */
  isExact: boolean;
};

/** The version in which a card with an ETag is stored. */
export type KnownVersion = { readonly etag: string; readonly version: string };

/** The dependencies and the state of all operations on the address book. */
export type BookContext = {
  readonly send: SendDav;
  readonly mapping: CardMapping;
  /** The storage of new groups: as cards, as categories, or like the existing groups of the address book. */
  readonly groupStyle: 'auto' | 'cards' | 'categories';
  /** Returns the address book. It is looked up once. */
  readonly find: (signal: AbortSignal) => Promise<AddressBook>;
  readonly categories: Categories;
  readonly search: Search;
  readonly storage: Storage;
  /** The stored versions of some cards by id, if the address book takes both versions. */
  readonly versions: Map<string, KnownVersion>;
};

/** The maximum number of concurrent requests. */
export const CONCURRENCY = 4;

/** Decodes a part of a URI. An invalid encoding is returned unchanged. */
export const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

/** Returns the path of an href with each segment decoded, so that different spellings of one path are equal. */
const pathSegments = (href: string, base: string): readonly string[] | null => {
  const url = URL.parse(href, base);
  return url === null
    ? null
    : url.pathname
        .split('/')
        .filter((segment) => segment !== '')
        .map(decoded);
};

/** Returns whether two hrefs identify the same resource of a server, with or without a trailing slash. */
export const isSameHref = (one: string, other: string, base: string): boolean => {
  const [segments, others] = [pathSegments(one, base), pathSegments(other, base)];
  return segments !== null && others !== null && segments.join('/') === others.join('/');
};

/** Returns the id of a card: the last segment of its path, decoded. Null if it is not directly in the address book. */
export const idOf = (href: string, bookUrl: string): string | null => {
  const path = bookUrl.slice(bookUrl.indexOf('/', 'https://'.length));
  const name = href.startsWith(path) ? href.slice(path.length) : '';
  // Most names need no decoding.
  if (path.endsWith('/') && /^[\w~-][\w.~-]*$/u.test(name)) return name;
  const book = pathSegments(bookUrl, bookUrl) ?? [];
  const segments = pathSegments(href, bookUrl);
  if (segments === null || segments.length !== book.length + 1) return null;
  return book.every((segment, index) => segments[index] === segment) && !href.endsWith('/')
    ? (segments.at(-1) ?? null)
    : null;
};

/** Returns whether an href is directly in the address book: a card or a sub-collection. */
export const isMember = (href: string, bookUrl: string): boolean => idOf(href.replace(/\/+$/u, ''), bookUrl) !== null;

/** Returns the URL of a card. */
export const urlOf = (id: string, bookUrl: string): string => new URL(encodeURIComponent(id), bookUrl).href;
