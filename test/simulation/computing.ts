import fc from 'fast-check';
import { textIn } from '../../src/core/contact/contact.ts';
import type { ExtraField } from '../../src/core/contact/fields.ts';
import type { Book, Row } from '../support/memory/book.ts';

/** The field that the service computes and Google shows. */
export const SHOWN: ExtraField = 'lastContacted';

/** A change of a computed value: the service computes another one, or none, or a user overwrites it where it is shown. */
export type Computing = {
  readonly who: number;
  /** Whether `who` is a position among people by number, not among contacts by creation. */
  readonly countsPeople?: true;
  readonly what: 'another' | 'none' | 'scribble';
  /** Whether the service updates the modification time. */
  readonly isStamped: boolean;
};

/** Drawn last, so that a seed gives the same edits with and without it. */
export const computing = {
  shows: fc.boolean(),
  computing: fc.array(
    fc.array(
      fc.record({
        who: fc.nat({ max: 7 }),
        what: fc.constantFrom<Computing['what'][]>('another', 'another', 'another', 'none', 'scribble'),
        isStamped: fc.boolean(),
      }),
      { maxLength: 4 },
    ),
    { maxLength: 6 },
  ),
};

/** The state of shown values. */
export type Extras = {
  /** The last value that the link wrote to a contact. */
  readonly shown: Map<Row, string>;
  /** Contacts with another value than the shown one, until the service computes a new value. */
  readonly scribbled: Set<Row>;
  readonly everScribbled: Set<Row>;
  /** The contact of which the service computed a value. */
  readonly sources: Map<string, Row>;
  /** Contacts whose computed value the link ever wrote. A value that is computed and emptied between two runs is never read. */
  readonly written: Set<Row>;
  /** Whether the link was ever without computed values. A value from before stays until a new one is computed. */
  wasOff: boolean;
};

export const createExtras = (): Extras => ({
  shown: new Map(),
  scribbled: new Set(),
  everScribbled: new Set(),
  sources: new Map(),
  written: new Set(),
  wasOff: false,
});

/** Returns the fault of a write of a computed value; null if it has none. */
export const checkShownValue = (
  { extras }: { readonly extras: Extras },
  { provider }: Book,
  row: Row,
  before: Pick<Row, 'contact'>,
): string | null => {
  if (textIn(row.contact, SHOWN) === textIn(before.contact, SHOWN)) return null;
  if (provider.feed === 'stamps') return `what the service computes of ${row.id} was written there`;
  const text = textIn(row.contact, SHOWN);
  extras.shown.set(row, text);
  const source = extras.sources.get(text);
  if (source !== undefined) extras.written.add(source);
  return null;
};
