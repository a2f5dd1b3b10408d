import type { CreateRequest, UpdateRequest } from '../../core/contact/requests.ts';
import type { Contact } from '../../core/contact/contact.ts';
import { InvalidError, NotFoundError, StaleError } from '../errors.ts';
import type { WriteResult } from '../remote.ts';
import type { ContactRecord } from '../../core/contact/record.ts';
import type { ContactWrite } from './api/schemas-contacts.ts';
import type { ServiceApi } from './api/service-api.ts';
import { createBody, readRaw, updateBody } from './mapper.ts';
import { writeContact } from './read.ts';
import { settle, settleEach } from '../write-results.ts';

/** The number of concurrent requests that uses the rate limit fully if an answer takes at most 1.4 seconds. */
export const CONCURRENCY = 12;

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

const createContact = ({ contacts, mapping }: ServiceApi, draft: Contact): Promise<ContactRecord> =>
  sendBody(createBody(draft, mapping), (body) => contacts.create(body));

/** Sends one POST for each contact: the service has no bulk create. The membership is written afterwards. */
export const createContacts = (
  api: ServiceApi,
  batch: readonly CreateRequest[],
): Promise<readonly WriteResult<ContactRecord>[]> => {
  return settleEach(batch, CONCURRENCY, ({ draft }) => createContact(api, draft));
};

/** Sends one PATCH for each contact, with the changed fields only. */
export const updateContacts = (
  api: ServiceApi,
  batch: readonly UpdateRequest[],
): Promise<readonly WriteResult<ContactRecord>[]> => {
  return settleEach(batch, CONCURRENCY, async ({ current, desired, fields }) => {
    const { contacts, mapping } = api;
    const asked = updateBody(current, desired, fields, mapping);
    // Values that the service cannot store are not sent. If nothing else is left, no request is sent.
    if (Object.keys(asked).length === 0) return current;
    refuseUnread(current, asked);
    const write = () => sendBody(asked, (body) => contacts.update(current.id, body, current));
    return writeContact(api, [current.id], write);
  });
};

/** Merges one contact into another with the service's own route (API.md, Contact routes). */
export const mergeContacts = (
  api: ServiceApi,
  survivorId: string,
  mergedAwayId: string,
): Promise<WriteResult<ContactRecord>> =>
  settle(mergedAwayId, async () => {
    const write = () => api.contacts.merge(survivorId, [mergedAwayId]);
    return writeContact(api, [survivorId, mergedAwayId], write);
  });

const deleteContact = async (api: ServiceApi, id: string): Promise<null> => {
  try {
    await writeContact(api, [id], () => api.contacts.delete(id));
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
  }
  return null;
};

/** Sends one DELETE for each contact; a contact that does not exist counts as deleted. */
export const deleteContacts = (api: ServiceApi, ids: readonly string[]): Promise<readonly WriteResult<null>[]> => {
  return settleEach(ids, CONCURRENCY, (id) => deleteContact(api, id));
};
