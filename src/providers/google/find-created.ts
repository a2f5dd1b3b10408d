import { wasMadeFor } from '../../core/contact/origin.ts';
import type { ContactRecord } from '../../core/contact/record.ts';
import type { CreateRequest } from '../../core/contact/requests.ts';
import { startListingWalk } from '../listing.ts';
import { UnreadableError } from '../errors.ts';
import { answered } from '../failure.ts';
import { type PersonReading, readPerson } from './mapper.ts';
import { completed } from './read.ts';
import { connectionsSchema } from './schema.ts';
import type { CallGoogle } from './send.ts';

const ROUTE = 'GET /v1/people/me/connections';

/** Google's clock and the local one may differ slightly. */
const CLOCK_MARGIN_MS = 5 * 60 * 1000;

type Unreadable = Extract<PersonReading, { kind: 'unreadable' }>;

const mayBeMadeFor = ({ origin }: Unreadable, { originId, originScope }: CreateRequest): boolean => {
  if (origin === null) return true;
  return origin.originId === originId && origin.originScope === originScope;
};

/** Throws if an unreadable contact may be the result of one of these creates: repeating the create would duplicate it. */
const refuseDoubt = (requests: readonly CreateRequest[], unreadable: readonly Unreadable[]): void => {
  const row = unreadable.find((reading) => requests.some((request) => mayBeMadeFor(reading, request)));
  if (row === undefined) return;
  throw new UnreadableError(`a new contact of Google cannot be read: ${row.reason}`, answered(ROUTE));
};

/**
 * Finds contacts that were created although the answer was lost. Reads Google's contacts from the last modified one back to
 * before the creates were sent, and identifies them by their origin. Throws an UnreadableError if an unreadable contact may be
 * the result of a create that was not found.
 */
export const findCreated = async (
  call: CallGoogle,
  requests: readonly CreateRequest[],
  sinceMs: number,
  isTaken: (id: string) => boolean,
): Promise<ReadonlyMap<string, ContactRecord>> => {
  const sought = new Map(requests.map((request) => [request.originId, request]));
  const found = new Map<string, ContactRecord>();
  const unreadable: Unreadable[] = [];
  const walk = startListingWalk({ route: ROUTE });
  let pageToken: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof newestPage>> = await newestPage(call, sinceMs, pageToken);
    for (const record of page.records) {
      const request = sought.get(record.originId ?? '');
      if (request === undefined || found.has(request.key) || isTaken(record.id)) continue;
      const { originId: id, originScope: scope, draft: contact } = request;
      if (wasMadeFor(record, { id, scope, contact })) found.set(request.key, record);
    }
    unreadable.push(...page.unreadable.filter(({ id }) => id === null || !isTaken(id)));
    walk.take(page.rowCount, page.nextPageToken);
    pageToken = page.isPast || found.size === sought.size ? null : page.nextPageToken;
  } while (pageToken !== null);
  refuseDoubt(
    requests.filter(({ key }) => !found.has(key)),
    unreadable,
  );
  return found;
};

const newestPage = async (call: CallGoogle, sinceMs: number, pageToken: string | null) => {
  // Google ignores the order if a sync token is requested (reference).
  const order = { sortOrder: 'LAST_MODIFIED_DESCENDING', requestSyncToken: false };
  const query = { ...call.mapping.listQuery, ...order, ...(pageToken !== null && { pageToken }) };
  const page = await call(ROUTE, connectionsSchema, (people, options) =>
    people.people.connections.list(query, options),
  );
  const readings: PersonReading[] = [];
  for (const person of page.connections ?? []) {
    readings.push(await completed(call, readPerson(person, call.mapping)));
  }
  const isTooOld = (reading: PersonReading): boolean =>
    reading.kind === 'contact' && (reading.record.modifiedAtMs ?? sinceMs) < sinceMs - CLOCK_MARGIN_MS;
  const end = readings.findIndex(isTooOld);
  const searched = end < 0 ? readings : readings.slice(0, end);
  return {
    rowCount: readings.length,
    records: readings.flatMap((reading) => (reading.kind === 'contact' ? [reading.record] : [])),
    unreadable: searched.filter((reading) => reading.kind === 'unreadable'),
    isPast: end >= 0,
    nextPageToken: page.nextPageToken || null,
  };
};
