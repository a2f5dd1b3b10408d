import type { ReadAnswer } from '../../core/contact/requests.ts';
import type { Account } from '../account.ts';
import { InvalidError, isFault, NotFoundError, RemoteError } from '../errors.ts';
import type { CallGoogle } from './send.ts';
import { isMissingScope } from './failure.ts';
import { SOURCES } from './fields.ts';
import { listGroups } from './groups.ts';
import { CONTACTS_PER_BATCH } from './limits.ts';
import { type PersonReading, readPerson } from './mapper.ts';
import { anyAnswerSchema, batchGetSchema, profileSchema, type PersonResponse } from './schema.ts';
import { chunks, mapConcurrently, splitInHalves } from '../../util/batches.ts';

/** Reads contacts by id, 200 per request. Throws a RemoteError if a whole request fails. */
export const readContacts = async (
  call: CallGoogle,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ReadAnswer>> => {
  const batches = chunks([...new Set(ids)], CONTACTS_PER_BATCH);
  return new Map((await mapConcurrently(batches, 1, (batch) => readBatch(call, batch))).flat());
};

/** Returns whether Google fails only at these contacts: then it can list the labels. Throws the errors of that listing. */
const failsHere = async (call: CallGoogle, error: unknown): Promise<boolean> => {
  if (!isFault(error)) return false;
  await listGroups(call);
  return true;
};

type IdAnswer = readonly [id: string, answer: ReadAnswer];

/** One id that Google refuses, or fails at, must not hide the others: such a batch is read in halves. */
const readBatch = async (call: CallGoogle, ids: readonly string[]): Promise<readonly IdAnswer[]> => {
  try {
    const responses = await getBatch(call, ids);
    return ids.map((id) => [id, answerOf(call, id, responses.get(id))]);
  } catch (error) {
    const isRefused = error instanceof NotFoundError || error instanceof InvalidError;
    if (!(error instanceof RemoteError) || (!isRefused && !(await failsHere(call, error)))) throw error;
    const [id] = ids;
    if (ids.length === 1 && id !== undefined) {
      return [[id, error instanceof NotFoundError ? { kind: 'gone' } : { kind: 'unreadable', reason: error.message }]];
    }
    return (await mapConcurrently(splitInHalves(ids), 1, (half) => readBatch(call, half))).flat();
  }
};

const getBatch = async (
  call: CallGoogle,
  ids: readonly string[],
): Promise<ReadonlyMap<string | undefined, PersonResponse>> => {
  const query = { resourceNames: [...ids], personFields: call.mapping.personFields, sources: SOURCES };
  const answer = await call('GET /v1/people:batchGet', batchGetSchema, (people, options) =>
    people.people.getBatchGet(query, options),
  );
  return new Map(answer.responses.map((response) => [response.requestedResourceName, response]));
};

const NOT_FOUND_CODE = 5;

const answerOf = ({ mapping }: CallGoogle, id: string, response: PersonResponse | undefined): ReadAnswer => {
  if (response === undefined) return { kind: 'unreadable', reason: 'the answer does not name the contact' };
  const code = response.status?.code ?? 0;
  if (code === NOT_FOUND_CODE || response.httpStatusCode === 404) return { kind: 'gone' };
  if (code !== 0) return { kind: 'unreadable', reason: `Google answered code ${code} for the contact` };
  const reading = readPerson(response.person, mapping);
  switch (reading.kind) {
    case 'contact':
      return { kind: reading.record.id === id ? 'found' : 'moved', record: reading.record };
    case 'deleted':
      return { kind: 'gone' };
    case 'unreadable':
      return { kind: 'unreadable', reason: reading.reason };
  }
};

/** Reads one contact with complete lists. Throws NotFoundError if it does not exist. */
const readWhole = async (call: CallGoogle, id: string): Promise<PersonReading> => {
  const query = { resourceName: id, personFields: call.mapping.personFields, sources: SOURCES };
  const answer = await call('GET /v1/people/{person}', anyAnswerSchema, (people, options) =>
    people.people.get(query, options),
  );
  return readPerson(answer, call.mapping);
};

/**
 * Returns a reading of a listing, or, if a list of it may be truncated, the contact read again in full. A contact that Google
 * refuses, or fails at, is unreadable: only this contact waits (R15). Throws a RemoteError if the read fails for another reason.
 */
export const completed = async (call: CallGoogle, reading: PersonReading): Promise<PersonReading> => {
  if (reading.kind !== 'contact' || !reading.mayBeCut) return reading;
  const { previousIds, record } = reading;
  const { id } = record;
  const unreadable = (reason: string): PersonReading => {
    return { kind: 'unreadable', id, previousIds, reason, origin: record };
  };
  try {
    const whole = await readWhole(call, id);
    if (whole.kind === 'unreadable') return unreadable(whole.reason);
    if (whole.kind === 'deleted') return whole;
    return { ...whole, previousIds: whole.record.id === id ? previousIds : [id, ...previousIds] };
  } catch (error) {
    if (error instanceof NotFoundError) return { kind: 'deleted', id, previousIds };
    const isOfContact = error instanceof InvalidError || (await failsHere(call, error));
    if (!(error instanceof RemoteError) || !isOfContact) throw error;
    return unreadable(error.message);
  }
};

/**
 * Returns the account behind the credential with these fields of its profile; null if the granted scopes do not include
 * them. Throws a RemoteError.
 */
export const readProfile = async (call: CallGoogle, personFields: string): Promise<Account | null> => {
  try {
    const me = await call('GET /v1/people/me', profileSchema, (people, options) =>
      people.people.get({ resourceName: 'people/me', personFields }, options),
    );
    return { id: me.resourceName, email: me.emailAddresses?.[0]?.value ?? null };
  } catch (error) {
    if (error instanceof NotFoundError || error instanceof InvalidError || isMissingScope(error)) return null;
    throw error;
  }
};
