import type { CreateRequest, UpdateRequest } from '../../core/contact/requests.ts';
import { holdsBound, withBoundEntries } from '../../core/contact/bound-entries.ts';
import type { ContactRecord } from '../../core/contact/record.ts';
import { isFault, NotFoundError, RemoteError, StaleError, UnreadableError } from '../errors.ts';
import { notSent } from '../failure.ts';
import type { WriteResult } from '../remote.ts';
import type { CallGoogle } from './send.ts';
import { itemError } from './failure.ts';
import { createBody, maskOf, personOfRecord, readPerson, updateBody, wholeContactOf } from './mapper.ts';
import { SOURCES, type PersonMapping } from './fields.ts';
import type { MaskField } from './person-field.ts';
import { readContacts } from './read.ts';
import { batchCreateSchema, batchUpdateSchema, deletedSchema, type PersonResponse } from './schema.ts';
import { sendNarrowing, sendSplitting } from './splitting.ts';

type RecordResult = WriteResult<ContactRecord>;

const CREATE_ROUTE = 'POST /v1/people:batchCreateContacts';
const UPDATE_ROUTE = 'POST /v1/people:batchUpdateContacts';

/** Creates contacts in one batch, each with its origin id and groups. */
export const createContacts = (call: CallGoogle, batch: readonly CreateRequest[]): Promise<readonly RecordResult[]> =>
  sendSplitting(batch, (items) => sendCreates(call, items));

const sendCreates = async (call: CallGoogle, items: readonly CreateRequest[]): Promise<readonly RecordResult[]> => {
  const contacts = items.map((item) => ({ contactPerson: createBody(item, call.mapping) }));
  const requestBody = { contacts, readMask: call.mapping.personFields, sources: SOURCES };
  const { createdPeople } = await call(CREATE_ROUTE, batchCreateSchema, (people, options) =>
    people.people.batchCreateContacts({ requestBody }, options),
  );
  if (createdPeople.length !== items.length) throw incomprehensible(CREATE_ROUTE);
  return items.map((item, index) => {
    const result = resultOf(call, item.key, createdPeople[index], CREATE_ROUTE);
    // If the answer of another contact were paired, the data of two people would be mixed up.
    const isForeign = result.ok && result.value.originId !== null && result.value.originId !== item.originId;
    return isForeign ? failed(item.key, incomprehensible(CREATE_ROUTE)) : result;
  });
};

/** Updates contacts in one batch. The etag of the last read guards each update. */
export const updateContacts = async (
  call: CallGoogle,
  batch: readonly UpdateRequest[],
): Promise<readonly RecordResult[]> => {
  const failures: RecordResult[] = [];
  const ready: UpdateRequest[] = [];
  const mask = maskOf(batch.flatMap(({ fields }) => fields));
  for (const request of batch) {
    const reason = staleReason(request, mask, call.mapping);
    if (reason === null) ready.push(request);
    else failures.push(failed(request.key, new StaleError(`${reason}: read it again`, notSent(UPDATE_ROUTE))));
  }
  // Because of the etag, no update is applied twice: if the first attempt was applied, the repetition is refused as stale.
  const results = await sendNarrowing(ready, (items) => {
    const [only] = items;
    return items.length === 1 && only !== undefined ? sendUpdate(call, only) : sendUpdates(call, items);
  });
  return [...failures, ...results];
};

/** Updates one contact. Google may answer 500 if it is deleted: then nothing was applied. */
const sendUpdate = async (call: CallGoogle, request: UpdateRequest): Promise<readonly RecordResult[]> => {
  try {
    return await sendUpdates(call, [request]);
  } catch (error) {
    const { id } = request.current;
    if (!isFault(error) || !(await isGone(call, id))) throw error;
    throw new NotFoundError('Google knows no such contact', notSent(UPDATE_ROUTE));
  }
};

/** Returns whether a read shows that the contact is deleted; false if the read fails. */
const isGone = async (call: CallGoogle, id: string): Promise<boolean> => {
  try {
    return (await readContacts(call, [id])).get(id)?.kind === 'gone';
  } catch (error) {
    if (error instanceof RemoteError) return false;
    throw error;
  }
};

const sendUpdates = async (call: CallGoogle, items: readonly UpdateRequest[]): Promise<readonly RecordResult[]> => {
  const mask = maskOf(items.flatMap((item) => item.fields));
  const contacts = Object.fromEntries(items.map((item) => [item.current.id, updateBody(item, mask, call.mapping)]));
  const masks = { updateMask: mask.join(','), readMask: call.mapping.personFields };
  const requestBody = { contacts, ...masks, sources: SOURCES };
  const { updateResult } = await call(UPDATE_ROUTE, batchUpdateSchema, (people, options) =>
    people.people.batchUpdateContacts({ requestBody }, options),
  );
  return items.map((item) => {
    const result = resultOf(call, item.key, updateResult[item.current.id], UPDATE_ROUTE);
    return result.ok ? { ...result, value: withBoundEntries(result.value, withChoices(call, item.current)) } : result;
  });
};

/** Returns the record with its entry choices, also for fields that the link has chosen since it was read. */
const withChoices = ({ mapping }: CallGoogle, record: ContactRecord): ContactRecord => {
  const entries = record.entries ?? mapping.choicesOf(personOfRecord(record));
  return entries.length > 0 ? { ...record, entries } : record;
};

/** Returns why the contact must be read again (other fields, or another version of this program read it); null if not. */
const staleReason = ({ current }: UpdateRequest, mask: readonly MaskField[], mapping: PersonMapping): string | null => {
  const known = personOfRecord(current);
  const contact = wholeContactOf(current, mapping);
  // Read before the link chose a field of the batch: the unread content of its list would be replaced.
  if (mask.some((name) => known[name] === undefined)) return 'The contact was known without a field';
  // The record may have another entry of a list.
  return holdsBound(contact, current.entries ?? mapping.choicesOf(known)) ? null : 'The contact held another entry';
};

/** Deletes contacts; a contact that does not exist counts as deleted. */
export const deleteContacts = (call: CallGoogle, ids: readonly string[]): Promise<readonly WriteResult<null>[]> => {
  const items = ids.map((id) => ({ key: id }));
  return sendSplitting(items, async (batch) => {
    try {
      const resourceNames = batch.map(({ key }) => key);
      await call('POST /v1/people:batchDeleteContacts', deletedSchema, (people, options) =>
        people.people.batchDeleteContacts({ requestBody: { resourceNames } }, options),
      );
    } catch (error) {
      if (!(error instanceof NotFoundError) || batch.length > 1) throw error;
    }
    return batch.map(({ key }) => ({ key, ok: true, value: null }));
  });
};

const resultOf = (
  { mapping }: CallGoogle,
  key: string,
  response: PersonResponse | undefined,
  route: string,
): RecordResult => {
  const { code = 0, message = '' } = response?.status ?? {};
  if (code !== 0) return failed(key, itemError(code, message, route));
  const reading = readPerson(response?.person, mapping);
  return reading.kind === 'contact' ? { key, ok: true, value: reading.record } : failed(key, incomprehensible(route));
};

const failed = (key: string, error: RemoteError): RecordResult => ({ key, ok: false, error });

const incomprehensible = (route: string): UnreadableError =>
  new UnreadableError(`Google's answer to ${route} does not match what was sent`, {
    status: 200,
    route,
    applied: 'unknown',
  });
