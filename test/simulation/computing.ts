import fc from 'fast-check';
import type { Clock } from '../../src/util/clock.ts';
import { textIn } from '../../src/core/contact/contact.ts';
import type { ExtraField } from '../../src/core/contact/fields.ts';
import type { Book, Row } from '../support/memory/book.ts';

/** What the service computes of a contact, and Google shows. */
export const SHOWN: ExtraField = 'lastContacted as Last contacted';

/** What becomes of a computed value: the service computes another one, or none; or a user writes over it where it is shown. */
export type Computing = {
  readonly who: number;
  /** Whether `who` counts people by their numbers, not contacts in the order in which they came to stand there. */
  readonly countsPeople?: true;
  readonly what: 'another' | 'none' | 'scribble';
  /** Whether the service counts it as a change of the contact. */
  readonly isStamped: boolean;
};

/** Drawn after everything else, so that a seed draws the same edits with and without it. */
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

/** What the history knows of shown values. */
export type Extras = {
  /** What the link last gave a contact to show, and when. */
  readonly shown: Map<Row, { readonly text: string; readonly atMs: number }>;
  /** Contacts on which a user wrote over what was shown before the link had heard that it was. */
  readonly unheard: Set<Row>;
  /** Contacts on which something else stands than what was shown, until the service computes something else. */
  readonly scribbled: Set<Row>;
  readonly everScribbled: Set<Row>;
  /** Contacts of which the service has ever computed something. */
  readonly computed: Set<Row>;
  /** Whether the link has ever not shown them: what it left behind stays until there is something to show in its place. */
  wasOff: boolean;
};

export const createExtras = (): Extras => ({
  shown: new Map(),
  unheard: new Set(),
  scribbled: new Set(),
  everScribbled: new Set(),
  computed: new Set(),
  wasOff: false,
});

const DAY_MS = 24 * 3_600_000;

/** What is wrong about a write of the link, as far as it is about a computed value; null where nothing is. */
export const judgeShown = (
  { clock, extras }: { readonly clock: Clock; readonly extras: Extras },
  { provider }: Book,
  row: Row,
  before: Pick<Row, 'contact'>,
): string | null => {
  if (textIn(row.contact, SHOWN) === textIn(before.contact, SHOWN)) return null;
  const atMs = clock.now();
  if (provider.feed === 'stamps') return `what the service computes of ${row.id} was written there`;
  const last = extras.shown.get(row);
  extras.shown.set(row, { text: textIn(row.contact, SHOWN), atMs });
  // Nobody can tell a value that a user wrote over at once from one that never arrived.
  const isOften = last !== undefined && atMs - last.atMs < DAY_MS && !extras.unheard.delete(row);
  return isOften ? `${row.id} was given what is computed twice within a day` : null;
};
