import type { StoredCard } from './cards.ts';
import type { AddressBook } from './discovery.ts';
import type { CardMapping } from './card/card-mapping.ts';
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
