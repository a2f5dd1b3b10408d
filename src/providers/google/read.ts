import type { ReadAnswer } from '../../core/contact/requests.ts';
import { InvalidError, isFault, NotFoundError, RemoteError } from '../errors.ts';
import type { CallGoogle } from './call.ts';
import { SOURCES } from './fields.ts';
import { listGroups } from './groups.ts';
import { CONTACTS_PER_BATCH } from './limits.ts';
import { readPerson, type PersonReading } from './mapper.ts';
import { anyAnswerSchema, batchGetSchema, type PersonResponse } from './schema.ts';
import { halves } from './splitting.ts';

/** Reads contacts by id, 200 to a request. Throws a RemoteError where a request fails as a whole. */
export const readContacts = async (
  call: CallGoogle,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ReadAnswer>> => {
  const answers = new Map<string, ReadAnswer>();
  const distinct = [...new Set(ids)];
  for (let start = 0; start < distinct.length; start += CONTACTS_PER_BATCH) {
    await readBatch(call, distinct.slice(start, start + CONTACTS_PER_BATCH), answers, signal);
  }
  return answers;
};

/** Whether Google fails at these contacts, and at nothing else: then the labels can be listed. Throws what the list throws. */
const failsHere = async (call: CallGoogle, error: unknown, signal: AbortSignal): Promise<boolean> => {
  if (!isFault(error)) return false;
  await listGroups(call, signal);
  return true;
};

/** One id that Google refuses, or fails at, must not hide the others: such a batch is read in halves. */
const readBatch = async (
  call: CallGoogle,
  ids: readonly string[],
  answers: Map<string, ReadAnswer>,
  signal: AbortSignal,
): Promise<void> => {
  try {
    const responses = await getBatch(call, ids, signal);
    for (const id of ids) answers.set(id, await answerOf(call, id, responses.get(id), signal));
  } catch (error) {
    const isRefused = error instanceof NotFoundError || error instanceof InvalidError;
    if (!(error instanceof RemoteError) || (!isRefused && !(await failsHere(call, error, signal)))) throw error;
    const [id] = ids;
    if (ids.length === 1 && id !== undefined) {
      answers.set(
        id,
        error instanceof NotFoundError ? { kind: 'gone' } : { kind: 'unreadable', reason: error.message },
      );
      return;
    }
    for (const half of halves(ids)) await readBatch(call, half, answers, signal);
  }
};

const getBatch = async (
  call: CallGoogle,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string | undefined, PersonResponse>> => {
  const answer = await call(
    {
      route: 'GET /v1/people:batchGet',
      isMutation: false,
      schema: batchGetSchema,
      send: (people, options) => {
        const query = { resourceNames: [...ids], personFields: call.mapping.personFields, sources: SOURCES };
        return people.people.getBatchGet(query, options);
      },
    },
    signal,
  );
  return new Map(answer.responses.map((response) => [response.requestedResourceName, response]));
};

const NOT_FOUND_CODE = 5;

const answerOf = async (
  call: CallGoogle,
  id: string,
  response: PersonResponse | undefined,
  signal: AbortSignal,
): Promise<ReadAnswer> => {
  if (response === undefined) return { kind: 'unreadable', reason: 'the answer does not name the contact' };
  const code = response.status?.code ?? 0;
  if (code === NOT_FOUND_CODE || response.httpStatusCode === 404) return { kind: 'gone' };
  if (code !== 0) return { kind: 'unreadable', reason: `Google answered code ${code} for the contact` };
  const reading = await completed(call, readPerson(response.person, call.mapping), signal);
  switch (reading.kind) {
    case 'contact':
      return { kind: reading.record.id === id ? 'found' : 'moved', record: reading.record };
    case 'deleted':
      return { kind: 'gone' };
    case 'unreadable':
      return { kind: 'unreadable', reason: reading.reason };
  }
};

/** Reads one contact with lists that no listing cut short. Throws NotFoundError where it is gone. */
export const readWhole = async (call: CallGoogle, id: string, signal: AbortSignal): Promise<PersonReading> => {
  const answer = await call(
    {
      route: 'GET /v1/people/{person}',
      isMutation: false,
      schema: anyAnswerSchema,
      send: (people, options) => {
        return people.people.get(
          { resourceName: id, personFields: call.mapping.personFields, sources: SOURCES },
          options,
        );
      },
    },
    signal,
  );
  return readPerson(answer, call.mapping);
};

/** The reading itself, or, where a list of it may have been cut short, the contact read again in full. */
export const completed = async (
  call: CallGoogle,
  reading: PersonReading,
  signal: AbortSignal,
): Promise<PersonReading> => {
  if (reading.kind !== 'contact' || !reading.mayBeCut) return reading;
  try {
    const { id } = reading.record;
    const whole = await readWhole(call, id, signal);
    if (whole.kind !== 'contact') return whole;
    const previousIds = whole.record.id === id ? reading.previousIds : [id, ...reading.previousIds];
    return { ...whole, previousIds };
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    return { kind: 'deleted', id: reading.record.id, previousIds: reading.previousIds };
  }
};
