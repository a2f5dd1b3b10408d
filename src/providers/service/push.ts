import type { CreateRequest, UpdateRequest } from '../../core/contact/requests.ts';
import type { Clock } from '../../util/clock.ts';
import { keepChosen } from '../../core/contact/chosen.ts';
import type { Contact } from '../../core/contact/contact.ts';
import { InvalidError, NotFoundError, StaleError, UnreadableError } from '../errors.ts';
import type { WriteResult } from '../remote.ts';
import type { ContactRecord } from '../../core/contact/record.ts';
import type { ContactRow } from './api/contacts.ts';
import type { Page } from './api/paging.ts';
import type { ContactWrite } from './api/schemas-contacts.ts';
import type { ServiceApi } from './api/service-api.ts';
import { createBody, readRaw, recordOf, updateBody } from './mapper.ts';
import { matchCreated, mayBeNamed } from './match-created.ts';
import { writeContact } from './read.ts';
import { settle, settleEach } from '../write-results.ts';

/** The number of concurrent requests that uses the rate limit fully if an answer takes at most 1.4 seconds. */
export const CONCURRENCY = 12;

/** The tolerated clock difference in a search for contacts created since a time. */
const CLOCK_SLACK_MS = 5 * 60_000;

const isRefusal = (error: unknown): boolean => error instanceof InvalidError && error.applied === 'no';

/**
 * Sends a write. If it is refused with custom fields, sends it again without them: a custom field that refuses its value
 * stays unchanged and does not block the other fields (R2). Throws the error of the last attempt.
 */
const sendBody = async <Value>(body: ContactWrite, send: (body: ContactWrite) => Promise<Value>): Promise<Value> => {
  const { custom_field_values: custom, ...rest } = body;
  try {
    return await send(body);
  } catch (error) {
    if (custom === undefined || !isRefusal(error) || Object.keys(rest).length === 0) throw error;
    return send(rest);
  }
};

/** Throws if a contact was read before the link chose custom fields: the write could clear its unread custom fields. */
const refuseUnread = ({ raw }: ContactRecord, { custom_field_values: custom }: ContactWrite): void => {
  if (custom === undefined || readRaw(raw).custom_fields !== undefined) return;
  const about = { status: null, route: 'PATCH /v2/contacts/{id}', applied: 'no' } as const;
  throw new StaleError('the contact was known without its custom fields: it is read again', about);
};

const createContact = async (api: ServiceApi, draft: Contact, signal: AbortSignal): Promise<ContactRecord> => {
  const { contacts, mapping } = api;
  const created = await sendBody(createBody(draft, mapping), (body) => contacts.create(body, signal));
  return recordOf(created, mapping);
};

/** Sends one POST for each contact: the service has no bulk create. The membership is written afterwards. */
export const createContacts = (
  api: ServiceApi,
  batch: readonly CreateRequest[],
  signal: AbortSignal,
): Promise<readonly WriteResult<ContactRecord>[]> => {
  return settleEach(batch, CONCURRENCY, ({ draft }) => createContact(api, draft, signal));
};

/** Sends one PATCH for each contact, with the changed fields only. */
export const updateContacts = (
  api: ServiceApi,
  batch: readonly UpdateRequest[],
  signal: AbortSignal,
): Promise<readonly WriteResult<ContactRecord>[]> => {
  return settleEach(batch, CONCURRENCY, async ({ current, desired, fields }) => {
    const { contacts, mapping } = api;
    const asked = updateBody(current, desired, fields, mapping);
    // Values that the service cannot store are not sent. If nothing else is left, no request is sent.
    if (Object.keys(asked).length === 0) return current;
    refuseUnread(current, asked);
    const write = () => sendBody(asked, (body) => contacts.update(current.id, body, signal));
    const updated = await writeContact(api, [current.id], signal, write);
    return recordOf(updated, mapping, current);
  });
};

/** Merges one contact into another with the service's own route (API.md, Contact routes). */
export const mergeContacts = (
  api: ServiceApi,
  survivorId: string,
  mergedAwayId: string,
  signal: AbortSignal,
): Promise<WriteResult<ContactRecord>> =>
  settle(mergedAwayId, async () => {
    const write = () => api.contacts.merge(survivorId, [mergedAwayId], signal);
    return recordOf(await writeContact(api, [survivorId, mergedAwayId], signal, write), api.mapping);
  });

const deleteContact = async (api: ServiceApi, id: string, signal: AbortSignal): Promise<null> => {
  try {
    await writeContact(api, [id], signal, () => api.contacts.delete(id, signal));
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
  }
  return null;
};

/** Sends one DELETE for each contact; a contact that does not exist counts as deleted. */
export const deleteContacts = (
  api: ServiceApi,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<readonly WriteResult<null>[]> => {
  return settleEach(ids, CONCURRENCY, (id) => deleteContact(api, id, signal));
};

/** Throws if an unreadable contact may be the result of one of these creates: repeating the create would duplicate it. */
const refuseDoubt = (requests: readonly CreateRequest[], unreadable: readonly UnreadableRow[]): void => {
  const row = unreadable.find(({ name }) => requests.some(({ draft }) => mayBeNamed(draft, name)));
  if (row === undefined) return;
  throw new UnreadableError(`a new contact of the service cannot be parsed, so its origin is unknown: ${row.reason}`, {
    status: 200,
    route: 'GET /v2/contacts',
    applied: 'no',
  });
};

type UnreadableRow = Extract<ContactRow, { kind: 'unreadable' }>;

/**
 * Yields the pages of contacts created since a time, newest first. `sinceMs` is by the local clock, the bound by the
 * service's clock. If the service's clock is behind, the bound is moved back by the difference.
 */
async function* createdSince(
  api: ServiceApi,
  clock: Clock,
  sinceMs: number,
  signal: AbortSignal,
): AsyncGenerator<Page<ContactRow>> {
  const pagesFrom = (fromMs: number): AsyncIterable<Page<ContactRow>> =>
    api.contacts.list({ 'created_at.after': fromMs - CLOCK_SLACK_MS, order: ['-created_at'] }, signal);
  for await (const page of pagesFrom(sinceMs)) {
    const behindMs = page.serverTimeMs === null ? 0 : clock.now() - page.serverTimeMs;
    if (behindMs > CLOCK_SLACK_MS) {
      yield* pagesFrom(sinceMs - behindMs);
      return;
    }
    yield page;
  }
}

/**
 * Finds the results of creates whose answer was lost, among all contacts created since, newest first. They are compared by
 * content, because the service stores no foreign id (R9). The search ends when each request has a contact that equals its
 * draft. Contacts that only resemble a draft are compared after all pages were read.
 */
export const findCreated = async (
  api: ServiceApi,
  clock: Clock,
  requests: readonly CreateRequest[],
  sinceMs: number,
  isTaken: (id: string) => boolean,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ContactRecord>> => {
  const matches = new Map<string, ContactRecord>();
  if (requests.length === 0) return matches;
  const chosen = new Set(api.mapping.fields);
  let missing = requests.map((request) => ({ ...request, draft: keepChosen(request.draft, chosen) }));
  // Contacts created during the search move rows on to the next page, where they appear again. Each counts once.
  const seen = new Set<string>();
  const isKnown = (row: ContactRow): boolean => {
    const id = row.kind === 'contact' ? row.contact.id : row.id;
    return id !== null && (isTaken(id) || seen.has(id));
  };
  const unreadable: UnreadableRow[] = [];
  const others: ContactRecord[] = [];
  for await (const page of createdSince(api, clock, sinceMs, signal)) {
    const rows = page.rows.filter((row) => !isKnown(row));
    for (const id of page.rowKeys) seen.add(id);
    unreadable.push(...rows.filter((row) => row.kind === 'unreadable'));
    const found = rows.flatMap((row) => (row.kind === 'contact' ? recordOf(row.contact, api.mapping) : []));
    const copies = matchCreated(missing, found, 0);
    for (const [key, record] of copies) matches.set(key, record);
    const taken = new Set(copies.values());
    others.push(...found.filter((record) => !taken.has(record)));
    missing = missing.filter(({ key }) => !matches.has(key));
    if (missing.length === 0) break;
  }
  for (const [key, record] of matchCreated(missing, others)) matches.set(key, record);
  const unmatched = requests.filter(({ key }) => !matches.has(key));
  refuseDoubt(unmatched, unreadable);
  return matches;
};
