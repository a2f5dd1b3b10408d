import type { StoredCard } from './cards.ts';
import type { AddressBook } from './discovery.ts';
import type { CardMapping } from './card/card-mapping.ts';
import type { SendDav } from './send.ts';

/** How new groups are stored: as cards, as categories, or as the address book has them already. */
export type GroupStyle = 'auto' | 'cards' | 'categories';

/** What every operation on the address book needs. */
export type BookContext = {
  readonly send: SendDav;
  readonly mapping: CardMapping;
  readonly groupStyle: GroupStyle;
  /** The address book, which is looked up once. */
  readonly find: (signal: AbortSignal) => Promise<AddressBook>;
  /** The categories that the feed has seen on cards, and those that were created. */
  readonly categories: Set<string>;
  /** The categories that were deleted. */
  readonly deletedCategories: Set<string>;
  /** Some cards that were read last, by their ids: an update needs not read them again. */
  readonly recent: Map<string, StoredCard>;
  /** Whether the feed has been read. */
  readonly hasPulled: () => boolean;
};

/** How many requests are under way at once. */
export const CONCURRENCY = 4;
