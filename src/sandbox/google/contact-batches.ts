import { z } from 'zod';
import { ApiError, invalidArgument, notFound, overLimit } from './api-error.ts';
import type { ContactRecord } from './contact-book.ts';
import {
  applyCreate,
  applyDelete,
  applyEdit,
  checkEdit,
  checkRoom,
  contentToCreate,
  personAfterWrite,
} from './contact-writes.ts';
import { personSchema } from './person-schema.ts';
import type { ReadSelection } from './person-view.ts';
import { optionalSelection, readBody, updateMask } from './request.ts';
import type { ApiRequest, World } from './world.ts';

const maximumCreates = 200;
const maximumUpdates = 200;
const maximumDeletes = 500;

const readOptions = { readMask: z.string().optional(), sources: z.array(z.string()).optional() };

const createSchema = z.strictObject({
  contacts: z.array(z.strictObject({ contactPerson: personSchema })).optional(),
  ...readOptions,
});

const updateSchema = z.strictObject({
  contacts: z.record(z.string(), personSchema).optional(),
  updateMask: z.string().optional(),
  ...readOptions,
});

const deleteSchema = z.strictObject({ resourceNames: z.array(z.string()).optional() });

/** One item of a batch; `check` returns the function that applies it, or throws its refusal. */
interface BatchItem {
  readonly key: string;
  readonly check: () => (updatedMicros: number) => ContactRecord;
}

interface BatchResult {
  readonly key: string;
  readonly response: object;
}

export function batchCreateContacts({ body }: ApiRequest, world: World): object {
  const { contacts, readMask, sources } = readBody(createSchema, body, 'request');
  const people = contacts ?? [];
  const selection = optionalSelection(readMask, 'readMask', sources ?? []);
  checkCount('contacts', people.length, maximumCreates);
  checkRoom(people.length, world);
  const items = people.map(({ contactPerson }, index) => ({
    key: String(index),
    check: () => {
      const content = contentToCreate(contactPerson, world);
      return (updatedMicros: number) => applyCreate(content, updatedMicros, world);
    },
  }));
  const results = runBatch(items, 'BatchCreateContactsErrorDetails', selection, world);
  return results.length > 0 ? { createdPeople: results.map(({ response }) => response) } : {};
}

export function batchUpdateContacts({ body }: ApiRequest, world: World): object {
  const request = readBody(updateSchema, body, 'request');
  const people = Object.entries(request.contacts ?? {});
  const mask = updateMask(request.updateMask, 'updateMask');
  const selection = optionalSelection(request.readMask, 'readMask', request.sources ?? []);
  checkCount('contacts', people.length, maximumUpdates);
  const items = people.map(([resourceName, person]) => ({
    key: resourceName,
    check: () => {
      const edit = checkEdit(resourceName, person, mask, world);
      return (updatedMicros: number) => applyEdit(edit, updatedMicros, world);
    },
  }));
  const results = runBatch(items, 'BatchUpdateContactsErrorDetails', selection, world);
  if (results.length === 0) return {};
  return { updateResult: Object.fromEntries(results.map(({ key, response }) => [key, response])) };
}

export function batchDeleteContacts({ body }: ApiRequest, world: World): object {
  const { resourceNames } = readBody(deleteSchema, body, 'request');
  const names = [...new Set(resourceNames ?? [])];
  checkCount('resource_names', names.length, maximumDeletes);
  const ignoreMissing = world.variants.batchDeleteMissing === 'ignored';
  const present = names.filter((name) => !ignoreMissing || world.account.contacts.living(name));
  const records = present.map((name) => {
    const record = world.account.contacts.living(name);
    if (!record) throw notFound();
    return record;
  });
  const updatedMicros = world.account.nextMicros();
  for (const record of records) applyDelete(record, updatedMicros, world);
  return {};
}

function checkCount(field: string, count: number, maximum: number): void {
  if (count === 0) throw invalidArgument(`Request must set ${field}.`);
  if (count > maximum) throw overLimit(field, maximum);
}

/** Checks every item before the first is applied, because one bad item may fail all of them. */
function runBatch(
  items: readonly BatchItem[],
  errorDetails: string,
  selection: ReadSelection | undefined,
  world: World,
): BatchResult[] {
  const checked = items.map(({ key, check }) => ({ key, outcome: attempt(check) }));
  const refused = checked.flatMap(({ key, outcome }) => (outcome instanceof ApiError ? [{ key, error: outcome }] : []));
  const [first] = refused;
  if (first && world.variants.batchAtomicity === 'allOrNothing') {
    throw batchRefused(first.error, errorDetails, refused);
  }
  const updatedMicros = world.account.nextMicros();
  return checked.flatMap(({ key, outcome }) => {
    if (outcome instanceof ApiError) return [{ key, response: refusedItem(key, outcome) }];
    const record = outcome(updatedMicros);
    if (!selection) return [];
    const person = personAfterWrite(record, selection, world);
    const requestedResourceName = key.startsWith('people/') ? key : record.resourceName;
    return [{ key, response: { httpStatusCode: 200, person, requestedResourceName, status: {} } }];
  });
}

function attempt<Result>(check: () => Result): Result | ApiError {
  try {
    return check();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

function refusedItem(key: string, error: ApiError): object {
  const named = key.startsWith('people/') && { requestedResourceName: key };
  return { httpStatusCode: error.httpStatus, ...named, status: error.rpcStatus };
}

function batchRefused(
  first: ApiError,
  errorDetails: string,
  refused: readonly { readonly key: string; readonly error: ApiError }[],
): ApiError {
  const contactErrors = Object.fromEntries(refused.map(({ key, error }) => [key, error.rpcStatus]));
  const details = [{ '@type': `type.googleapis.com/google.people.v1.${errorDetails}`, contactErrors }];
  return new ApiError(first.status, first.message, details);
}
