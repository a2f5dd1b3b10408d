import type { UpdateRequest } from '../../src/core/contact/requests.ts';
import type { SyncedField } from '../../src/core/contact/contact.ts';
import type { Side } from '../../src/core/contact/side.ts';
import type { Row } from '../support/memory/book.ts';
import { fieldTokens, type Token } from './ledger.ts';
import { tokensIn, type Destroyed, type World } from './world.ts';

/** A loss that an update was to bring about and of which nobody knows whether it did. */
export type Doubtful = {
  readonly side: Side;
  readonly row: Row;
  readonly loss: SyncedField;
  readonly held: ReadonlySet<Token>;
  readonly atMs: number;
  readonly request: UpdateRequest;
};

/** Keeps in mind which updates that are to empty a field get no answer. */
export const followLosses = ({ books, clock, doubtful }: World) => ({
  onAsked: (side: Side, requests: readonly UpdateRequest[]): void => {
    for (const request of requests) {
      const row = books[side].find(request.current.id);
      if (row === undefined) continue;
      for (const loss of request.fields) {
        const held = fieldTokens(request.current.contact, loss);
        const isEmptied = held.size > 0 && fieldTokens(request.desired, loss).size === 0;
        if (isEmptied) doubtful.push({ side, row, loss, held, atMs: clock.now(), request });
      }
    }
  },
  onKnown: (requests: readonly UpdateRequest[]): void => {
    const rest = doubtful.filter(({ request }) => !requests.includes(request));
    doubtful.splice(0, doubtful.length, ...rest);
  },
});

/**
 * What users emptied just as an update was to, of which the link heard no answer: nothing tells it from what the update did,
 * so that the link counts it as its own.
 */
export const takenForOwn = ({ books, doubtful, ledger }: World): readonly Destroyed[] =>
  doubtful.filter(
    ({ side, row, loss, held }) =>
      tokensIn(books[side], row, loss).size === 0 && held.isSubsetOf(ledger.everTaken[side]),
  );
