import type { CardMapping } from './card/card-mapping.ts';
import type { AddressBook } from './discovery.ts';
import { categoryNameOf, type Records } from './mapper.ts';
import type { SendDav } from './send.ts';

/** The categories of an address book that this process has seen. */
type Categories = {
  /** The categories that were found on cards or created. */
  readonly names: Set<string>;
  /** The deleted categories. */
  readonly deleted: Set<string>;
  /** The ids of cards that refused the last edit of their categories. */
  readonly refusing: Set<string>;
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
  /** True if this was shown by new cards, too. Some servers store a new card under another name, and answer with its ETag. */
  keepsNames: boolean;
};

/** The version in which a card with an ETag is stored. */
export type KnownVersion = { readonly etag: string; readonly version: string };

/** The dependencies of one operation on the address book, and the state that all operations share. */
export type BookContext = {
  /** Sends requests until the operation is aborted. */
  readonly send: SendDav;
  readonly book: AddressBook;
  readonly mapping: CardMapping;
  readonly records: Records;
  /** The storage of new groups: as cards, as categories, or like the existing groups of the address book. */
  readonly groupStyle: 'auto' | 'cards' | 'categories';
  readonly categories: Categories;
  readonly search: Search;
  readonly storage: Storage;
  /** The stored versions of some cards by id, if the address book takes both versions. */
  readonly versions: Map<string, KnownVersion>;
};

/** The maximum number of concurrent requests. */
export const CONCURRENCY = 4;

/** Remembers the categories among the groups of cards that the server has shown: they are groups of the address book (R11). */
export const noteCategories = ({ categories }: BookContext, groupIds: readonly string[]): void => {
  for (const name of groupIds.flatMap((id) => categoryNameOf(id) ?? [])) categories.names.add(name);
};
