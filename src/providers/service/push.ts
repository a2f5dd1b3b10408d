import { NotFoundError, UnreadableError } from '../errors.ts';
import type { CreateRequest, UpdateRequest, WriteResult } from '../remote.ts';
import type { ContactRecord } from '../../contact/record.ts';
import type { ContactListParameters, ContactRow } from './api/contacts.ts';
import type { ServiceApi } from './api/service-api.ts';
import { mapConcurrently } from './concurrency.ts';
import { createBody, updateBody } from './contact-body.ts';
import { recordOf } from './mapper.ts';
import { matchCreated, mayBeNamed } from './match-created.ts';
import { writeContact } from './read.ts';
import { settle } from './write-result.ts';

/** How far the clocks of both sides may differ when the contacts created since a moment are looked for. */
const CLOCK_SLACK_MS = 5 * 60_000;

/** How many pages of the newest contacts are looked through for lost creates. */
const NEWEST_PAGES = 4;

/** One POST for each contact: the service has no bulk create. The membership is written afterwards. */
export const createContacts = (
  api: ServiceApi,
  batch: readonly CreateRequest[],
  concurrency: number,
  signal: AbortSignal,
): Promise<readonly WriteResult<ContactRecord>[]> => {
  return mapConcurrently(batch, concurrency, ({ key, draft }) =>
    settle(key, async () => recordOf(await api.contacts.create(createBody(draft), signal))),
  );
};

/** One PATCH for each contact, with the changed fields only. */
export const updateContacts = (
  api: ServiceApi,
  batch: readonly UpdateRequest[],
  concurrency: number,
  signal: AbortSignal,
): Promise<readonly WriteResult<ContactRecord>[]> => {
  return mapConcurrently(batch, concurrency, ({ key, current, desired, fields }) =>
    settle(key, async () => {
      const body = updateBody(current, desired, fields);
      const write = () => api.contacts.update(current.id, body, signal);
      const updated = await writeContact(api, [current.id], signal, write);
      return recordOf(updated, current.groupIds);
    }),
  );
};

/** One contact merged into another by the service itself (API.md, Contact routes). */
export const mergeContacts = (
  api: ServiceApi,
  survivorId: string,
  mergedAwayId: string,
  signal: AbortSignal,
): Promise<WriteResult<ContactRecord>> =>
  settle(mergedAwayId, async () => {
    const write = () => api.contacts.merge(survivorId, [mergedAwayId], signal);
    return recordOf(await writeContact(api, [survivorId, mergedAwayId], signal, write));
  });

const deleteContact = async (api: ServiceApi, id: string, signal: AbortSignal): Promise<null> => {
  try {
    await writeContact(api, [id], signal, () => api.contacts.delete(id, signal));
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
  }
  return null;
};

/** One DELETE for each contact; one that was gone already counts as deleted. */
export const deleteContacts = (
  api: ServiceApi,
  ids: readonly string[],
  concurrency: number,
  signal: AbortSignal,
): Promise<readonly WriteResult<null>[]> => {
  return mapConcurrently(ids, concurrency, (id) => settle(id, () => deleteContact(api, id, signal)));
};

/** Throws where a contact that cannot be read may be what one of these creates made: made again, it would be there twice. */
const refuseDoubt = (requests: readonly CreateRequest[], unreadable: readonly UnreadableRow[]): void => {
  const row = unreadable.find(({ name }) => requests.some(({ draft }) => mayBeNamed(draft, name)));
  if (row === undefined) return;
  throw new UnreadableError(
    `a new contact of the service cannot be understood, so nobody knows whose it is: ${row.reason}`,
    {
      status: 200,
      route: 'GET /v2/contacts',
      applied: 'no',
    },
  );
};

type UnreadableRow = Extract<ContactRow, { kind: 'unreadable' }>;

/** Looks for what lost creates made among the newest contacts, by content (R9): the service holds no foreign id. */
export const findCreatedContacts = async (
  api: ServiceApi,
  requests: readonly CreateRequest[],
  sinceMs: number,
  isTaken: (id: string) => boolean,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ContactRecord>> => {
  if (requests.length === 0) return new Map();
  const parameters: ContactListParameters = { 'created_at.after': sinceMs - CLOCK_SLACK_MS, order: ['-created_at'] };
  const found: ContactRecord[] = [];
  const unreadable: UnreadableRow[] = [];
  for await (const page of api.contacts.list(parameters, signal)) {
    for (const row of page.rows) {
      if (row.kind === 'contact' && !isTaken(row.contact.id)) found.push(recordOf(row.contact));
      if (row.kind === 'unreadable' && !(row.id !== null && isTaken(row.id))) unreadable.push(row);
    }
    if (page.number === NEWEST_PAGES) break;
  }
  const matches = matchCreated(requests, found);
  const missing = requests.filter(({ key }) => !matches.has(key));
  refuseDoubt(missing, unreadable);
  return matches;
};
