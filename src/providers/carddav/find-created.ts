import type { CreateRequest } from '../../core/contact/requests.ts';
import type { ContactRecord } from '../../core/contact/record.ts';
import { wasMadeFor } from '../../core/contact/origin.ts';
import { readCards, storedIn } from './cards.ts';
import type { StoredCard } from './stored-form.ts';
import { isGroupCard } from './group-cards.ts';
import { cardIdOf, uidsOf } from './origin-uid.ts';
import type { BookContext } from './book.ts';
import { findByMark } from './search.ts';

/**
 * Finds the cards of creates whose answer was lost: each has a UID derived from its origin (R9). The server may store a card under
 * another name than the requested one.
 */
export const findCreated = async (
  context: BookContext,
  requests: readonly CreateRequest[],
  isTaken: (id: string) => boolean,
): Promise<ReadonlyMap<string, ContactRecord>> => {
  const { book, records } = context;
  const uids = new Map(requests.map((request) => [request, [...uidsOf(request, book.url)]]));
  const readings = await readCards(context, [...uids.values()].flat().map(cardIdOf));
  const found = new Map<string, ContactRecord>();
  const take = (request: CreateRequest, candidates: readonly (StoredCard | null)[]): void => {
    const { key, originId, originScope, draft } = request;
    for (const stored of candidates) {
      if (stored === null || found.has(key) || isTaken(stored.id) || isGroupCard(stored.card)) continue;
      const record = records.recordOf(stored, []);
      const carrier = { ...record, originId, originScope };
      if (wasMadeFor(carrier, { id: originId, scope: originScope, contact: draft })) found.set(key, record);
    }
  };
  // The latest one: an earlier one existed before the create.
  for (const [request, own] of uids) {
    const free = own
      .toReversed()
      .map(cardIdOf)
      .filter((id) => !isTaken(id));
    take(
      request,
      free.map((id) => storedIn(readings.get(id))),
    );
  }
  const missing = [...uids].filter(([{ key }]) => !found.has(key));
  if (missing.length === 0) return found;
  const uidsOfMissing = missing.flatMap(([, own]) => own);
  const renamed = await findByMark(context, uidsOfMissing);
  for (const [request, own] of missing) {
    take(
      request,
      own.toReversed().flatMap((uid) => renamed.get(uid) ?? []),
    );
  }
  return found;
};

/** Returns the ids of contacts of the other side by the UIDs that a create for them uses. */
export const originMarks = (
  { book }: BookContext,
  originIds: readonly string[],
  originScope: string,
): ReadonlyMap<string, string> =>
  new Map(
    originIds.flatMap((originId) =>
      [...uidsOf({ originId, originScope }, book.url)].map((uid) => [uid, originId] as const),
    ),
  );
