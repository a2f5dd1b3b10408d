import { wasMadeFor } from '../../core/contact/origin.ts';
import type { ContactRecord } from '../../core/contact/record.ts';
import type { CreateRequest } from '../../core/contact/requests.ts';
import { startListingWalk } from '../listing.ts';
import { readPerson } from './mapper.ts';
import { completed } from './read.ts';
import { connectionsSchema } from './schema.ts';
import type { CallGoogle } from './send.ts';

const ROUTE = 'GET /v1/people/me/connections';

/** Google's clock and the local one may differ slightly. */
const CLOCK_MARGIN_MS = 5 * 60 * 1000;

/**
 * Finds contacts that were created although the answer was lost. Reads Google's contacts from the last modified one back to
 * before the creates were sent, and identifies them by their origin.
 */
export const findCreated = async (
  call: CallGoogle,
  requests: readonly CreateRequest[],
  sinceMs: number,
  isTaken: (id: string) => boolean,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ContactRecord>> => {
  const sought = new Map(requests.map((request) => [request.originId, request]));
  const found = new Map<string, ContactRecord>();
  const walk = startListingWalk({ route: ROUTE, clock: null });
  let pageToken: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof newestPage>> = await newestPage(call, pageToken, signal);
    for (const record of page.records) {
      const request = sought.get(record.originId ?? '');
      if (request === undefined || found.has(request.key) || isTaken(record.id)) continue;
      const { originId: id, originScope: scope, draft: contact } = request;
      if (wasMadeFor(record, { id, scope, contact })) found.set(request.key, record);
    }
    const isPast = page.records.some(({ modifiedAtMs }) => (modifiedAtMs ?? sinceMs) < sinceMs - CLOCK_MARGIN_MS);
    walk.take(page.records.length, page.nextPageToken);
    pageToken = isPast || found.size === sought.size ? null : page.nextPageToken;
  } while (pageToken !== null);
  return found;
};

const newestPage = async (call: CallGoogle, pageToken: string | null, signal: AbortSignal) => {
  const page = await call({
    route: ROUTE,
    schema: connectionsSchema,
    signal,
    send: (people, options) => {
      // Google ignores the order if a sync token is requested (reference).
      const order = { sortOrder: 'LAST_MODIFIED_DESCENDING', requestSyncToken: false };
      const query = { ...call.mapping.listQuery, ...order, ...(pageToken === null ? {} : { pageToken }) };
      return people.people.connections.list(query, options);
    },
  });
  const records: ContactRecord[] = [];
  for (const person of page.connections ?? []) {
    const reading = await completed(call, readPerson(person, call.mapping), signal);
    if (reading.kind === 'contact') records.push(reading.record);
  }
  return { records, nextPageToken: page.nextPageToken || null };
};
