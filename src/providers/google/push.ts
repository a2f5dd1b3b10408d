import type { CreateRequest, ReadAnswer, UpdateRequest } from '../../core/contact/requests.ts';
import { holdsBound, withBoundEntries } from '../../core/contact/bound-entries.ts';
import type { ContactRecord } from '../../core/contact/record.ts';
import { equalSnapshots } from '../../core/contact/snapshot.ts';
import { NotFoundError, RemoteError, StaleError, UnreadableError, isCredentialError } from '../errors.ts';
import { notSent } from '../failure.ts';
import type { WriteResult } from '../remote.ts';
import type { CallGoogle } from './send.ts';
import { itemError } from './failure.ts';
import {
  createBody,
  maskOf,
  mayBeCut,
  personOfRecord,
  readPerson,
  updateBody,
  wholeContactOf,
  type PersonReading,
} from './mapper.ts';
import { SOURCES, type PersonMapping } from './fields.ts';
import type { MaskField } from './person-field.ts';
import { completed, readContacts, readWhole } from './read.ts';
import { anyAnswerSchema, batchCreateSchema, batchUpdateSchema, type Person, type PersonResponse } from './schema.ts';
import { sendNarrowing, sendSplitting } from './splitting.ts';

type ContactReading = Extract<PersonReading, { kind: 'contact' }>;
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
  return Promise.all(
    items.map(async (item, index) => {
      const result = await resultOf(call, item.key, createdPeople[index], CREATE_ROUTE);
      // If the answer of another contact were paired, the data of two people would be mixed up.
      const isForeign = result.ok && result.value.originId !== null && result.value.originId !== item.originId;
      return isForeign ? failed(item.key, incomprehensible(CREATE_ROUTE)) : result;
    }),
  );
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
    const obstacle = await obstacleTo(call, request, mask);
    if (obstacle === null) ready.push(request);
    else failures.push(failed(request.key, obstacle));
  }
  // Because of the etag, no update is applied twice: if the first attempt was applied, the repetition is refused as stale.
  const results = await sendNarrowing(ready, (items) => sendUpdates(call, items));
  return [...failures, ...(await blameMissing(call, ready, results))];
};

/** If Google fails with a 500 at a single contact, it may be deleted. Then nothing was applied, and the result is not found. */
const blameMissing = async (
  call: CallGoogle,
  requests: readonly UpdateRequest[],
  results: readonly RecordResult[],
): Promise<readonly RecordResult[]> => {
  const failures = results.filter((result) => !result.ok && result.error.status === 500);
  const [failure] = failures;
  const request = failures.length === 1 ? requests.find(({ key }) => key === failure?.key) : undefined;
  if (request === undefined) return results;
  const { id } = request.current;
  const answer = await readContacts(call, [id]).catch((error: unknown) => {
    if (error instanceof RemoteError) return new Map<string, ReadAnswer>();
    throw error;
  });
  if (answer.get(id)?.kind !== 'gone') return results;
  const gone = failed(request.key, new NotFoundError('Google knows no such contact', notSent(UPDATE_ROUTE)));
  return results.map((result) => (result === failure ? gone : result));
};

const sendUpdates = async (call: CallGoogle, items: readonly UpdateRequest[]): Promise<readonly RecordResult[]> => {
  const mask = maskOf(items.flatMap((item) => item.fields));
  const contacts = Object.fromEntries(items.map((item) => [item.current.id, updateBody(item, mask, call.mapping)]));
  const masks = { updateMask: mask.join(','), readMask: call.mapping.personFields };
  const requestBody = { contacts, ...masks, sources: SOURCES };
  const { updateResult } = await call(UPDATE_ROUTE, batchUpdateSchema, (people, options) =>
    people.people.batchUpdateContacts({ requestBody }, options),
  );
  return Promise.all(
    items.map(async (item) => {
      const result = await resultOf(call, item.key, updateResult[item.current.id], UPDATE_ROUTE);
      return result.ok ? { ...result, value: withBoundEntries(result.value, withChoices(call, item.current)) } : result;
    }),
  );
};

/** Returns the record with its entry choices, also for fields that the link has chosen since it was read. */
const withChoices = ({ mapping }: CallGoogle, record: ContactRecord): ContactRecord => {
  const entries = record.entries ?? mapping.choicesOf(personOfRecord(record));
  return entries.length > 0 ? { ...record, entries } : record;
};

/** Returns why the contact must be read again (other fields, or another version of this program read it); null if not. */
const staleReason = (
  { current }: UpdateRequest,
  mask: readonly MaskField[],
  known: Person,
  mapping: PersonMapping,
): string | null => {
  const contact = wholeContactOf(current, mapping);
  // Read before the link chose a field of the batch: the unread content of its list would be replaced.
  if (mask.some((name) => known[name] === undefined)) return 'The contact was known without a field';
  // The record may have another entry of a list.
  return holdsBound(contact, current.entries ?? mapping.choicesOf(known)) ? null : 'The contact held another entry';
};

/**
 * A list that may be truncated must not be written back. Reads the contact in full, and requires that it equals the contact
 * that the caller read.
 */
const obstacleTo = async (
  call: CallGoogle,
  request: UpdateRequest,
  mask: readonly MaskField[],
): Promise<RemoteError | null> => {
  const { current } = request;
  const known = personOfRecord(current);
  const reason = staleReason(request, mask, known, call.mapping);
  if (reason !== null) return new StaleError(`${reason}: read it again`, notSent(UPDATE_ROUTE));
  if (!mayBeCut(known, call.mapping)) return null;
  try {
    const whole = await readWhole(call, current.id);
    const isSame =
      whole.kind === 'contact' &&
      whole.record.version === current.version &&
      equalSnapshots(
        { contact: withBoundEntries(whole.record, current).contact, groupIds: [] },
        { contact: current.contact, groupIds: [] },
      );
    return isSame ? null : new StaleError('The contact was known only in part: read it again', notSent(UPDATE_ROUTE));
  } catch (error) {
    if (error instanceof RemoteError && !isCredentialError(error)) return error;
    throw error;
  }
};

/** Deletes contacts; a contact that does not exist counts as deleted. */
export const deleteContacts = (call: CallGoogle, ids: readonly string[]): Promise<readonly WriteResult<null>[]> => {
  const items = ids.map((id) => ({ key: id }));
  return sendSplitting(items, async (batch) => {
    try {
      const resourceNames = batch.map(({ key }) => key);
      await call('POST /v1/people:batchDeleteContacts', anyAnswerSchema, (people, options) =>
        people.people.batchDeleteContacts({ requestBody: { resourceNames } }, options),
      );
    } catch (error) {
      if (!(error instanceof NotFoundError) || batch.length > 1) throw error;
    }
    return batch.map(({ key }) => ({ key, ok: true, value: null }));
  });
};

const resultOf = async (
  call: CallGoogle,
  key: string,
  response: PersonResponse | undefined,
  route: string,
): Promise<RecordResult> => {
  const { code = 0, message = '' } = response?.status ?? {};
  if (code !== 0) return failed(key, itemError(code, message, route));
  const reading = readPerson(response?.person, call.mapping);
  if (reading.kind !== 'contact') return failed(key, incomprehensible(route));
  return { key, ok: true, value: await writtenRecord(call, reading) };
};

/**
 * Returns the written contact, with complete lists if the answer may have truncated them. The write is done: the result does
 * not depend on a later read that fails or still returns the earlier content.
 */
const writtenRecord = async (call: CallGoogle, reading: ContactReading): Promise<ContactRecord> => {
  try {
    const whole = await completed(call, reading);
    const isCurrent = whole.kind === 'contact' && whole.record.version === reading.record.version;
    return isCurrent ? whole.record : reading.record;
  } catch (error) {
    if (error instanceof RemoteError) return reading.record;
    throw error;
  }
};

const failed = (key: string, error: RemoteError): RecordResult => ({ key, ok: false, error });

const incomprehensible = (route: string): UnreadableError =>
  new UnreadableError(`Google's answer to ${route} does not match what was sent`, {
    status: 200,
    route,
    applied: 'unknown',
  });
