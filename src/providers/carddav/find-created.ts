import type { CreateRequest } from '../../core/contact/requests.ts';
import type { ContactRecord } from '../../core/contact/record.ts';
import { wasMadeFor } from '../../core/contact/origin.ts';
import { readCards, storedIn } from './cards.ts';
import { isGroupCard } from './group-cards.ts';
import { cardIdOf, uidsOf, type Writer } from './push.ts';

/** Finds the cards of creates whose answer was lost: each has a UID derived from its origin (R9). */
export const findCreated = async (
  { context, records }: Writer,
  requests: readonly CreateRequest[],
  isTaken: (id: string) => boolean,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ContactRecord>> => {
  const book = await context.find(signal);
  const ids = new Map(requests.map((request) => [request, uidsOf(request, book.url).map(cardIdOf)]));
  const readings = await readCards(context, [...ids.values()].flat(), signal);
  const found = new Map<string, ContactRecord>();
  for (const [{ key, originId, originScope, draft }, candidates] of ids) {
    // The latest one: an earlier one existed before the create.
    for (const id of candidates.filter((candidate) => !isTaken(candidate)).toReversed()) {
      const stored = storedIn(readings.get(id));
      if (stored === null || isGroupCard(stored.card) || found.has(key)) continue;
      const record = records.recordOf(stored, []);
      const carrier = { ...record, originId, ...(originScope !== undefined && { originScope }) };
      if (wasMadeFor(carrier, { id: originId, scope: originScope, contact: draft })) found.set(key, record);
    }
  }
  return found;
};
